package live

import (
	"time"

	"effectivelyonce/engine"
)

// recorder gathers the events of one process for the tap. When there are more of
// them than the rate allows, it keeps the events of some records only: those whose
// offset is a multiple of every, a power of two, so that a record that is kept here
// is mostly kept by the tasks after it as well. Everything that is not about one
// record on its way (barriers, snapshots, transactions, failures) is always kept.
type recorder struct {
	tap     Tap
	task    engine.TaskID
	attempt int16
	epoch   time.Time
	rate    float64 // events of records a second, 0: all
	every   int32
	events  []engine.Event
	left    int64

	window time.Time // since then
	kept   int       // of records, in this window
	passed int       // of records, since the window was last looked at, kept or not
	all    int       // of records, in this window, kept or not
}

// judgedAfter is how many events of records are seen before the clock is asked
// whether there are too many.
const judgedAfter = 256

func newRecorder(cfg tapping, task engine.TaskID, attempt int16) recorder {
	return recorder{tap: cfg.tap, rate: float64(cfg.rate), epoch: cfg.epoch, task: task, attempt: attempt, every: 1}
}

// tapping is what a recorder needs of a config.
type tapping struct {
	tap   Tap
	rate  int
	epoch time.Time
}

func (c *recorder) on() bool { return c.tap != nil }

// wants reports whether the events of this record are kept, and counts what is not.
func (c *recorder) wants(id engine.RecordID) bool {
	return c.tap != nil && c.sieve(id)
}

// sieve stands apart so that nothing is called where nobody watches.
func (c *recorder) sieve(id engine.RecordID) bool {
	if c.rate > 0 {
		c.all++
		if c.passed++; c.passed >= judgedAfter {
			c.judge()
		}
	}
	if id.Off&(c.every-1) == 0 {
		c.kept++
		return true
	}
	c.left++
	return false
}

// judge makes the sieve finer or coarser. A window has judgedAfter events, or lasts a
// tenth of a second at a slow rate.
func (c *recorder) judge() {
	now := time.Now()
	if c.window.IsZero() {
		c.window = now
	}
	spent := now.Sub(c.window).Seconds()
	switch {
	case float64(c.kept) > c.rate*max(spent, 0.1) && c.every < 1<<20:
		c.every *= 2
	case spent < 0.1:
		c.passed = 0
		return
	case float64(c.passed+int(c.left))/2 < c.rate*spent/float64(c.every) && c.every > 1:
		c.every /= 2
	case float64(c.kept)*4 < c.rate*spent && c.every > 1:
		c.every /= 2
	}
	c.begin(now)
}

// begin begins a window.
func (c *recorder) begin(now time.Time) { c.window, c.kept, c.passed, c.all = now, 0, 0, 0 }

// slowAfter is how long a window may last before few records in it mean a slow input.
const slowAfter = 500 * time.Millisecond

// open lets everything through again when the input has become so slow that all of it
// can be shown. judge would not notice for as long as judgedAfter events take.
func (c *recorder) open() {
	now := time.Now()
	spent := now.Sub(c.window)
	if spent < slowAfter {
		return
	}
	if float64(c.all) <= c.rate*spent.Seconds() {
		c.every = 1
	}
	c.begin(now)
}

// add records an event that has just taken hold.
func (c *recorder) add(ev *engine.Event) {
	if c.tap == nil {
		return
	}
	ev.T, ev.Fault = c.now(), -1
	c.events = append(c.events, *ev)
	if len(c.events) >= 64 {
		c.flush()
	}
}

// flush hands over what is gathered. It is called before anything leaves the process
// (a batch, a report, an order), so that a tap sees causes before effects.
func (c *recorder) flush() {
	if c.tap == nil || len(c.events) == 0 && c.left == 0 {
		return
	}
	if c.every > 1 {
		c.open()
	}
	c.tap(Seen{Task: c.task, Attempt: c.attempt, Left: c.left, Every: c.every, Events: c.events})
	c.events, c.left = c.events[:0], 0
}

// now is the time of events: microseconds since the epoch.
func (c *recorder) now() engine.Time { return sinceEpoch(c.epoch) }

func sinceEpoch(epoch time.Time) engine.Time { return engine.Time(time.Since(epoch).Microseconds()) }
