package live

import (
	"testing"
	"testing/synctest"
	"time"

	"effectivelyonce/engine"
)

// watched is a recorder whose tap counts.
type watched struct {
	recorder
	kept, left int64
	calls      int
	every      int32
}

func newWatched(rate int) *watched {
	w := &watched{}
	w.recorder = newRecorder(tapping{rate: rate, epoch: time.Now(), tap: func(s Seen) {
		w.calls++
		w.left += s.Left
		w.every = s.Every
		w.kept += int64(len(s.Events))
	}}, 0, 1)
	return w
}

// record is an event of one record, as a task tells it.
func (w *watched) record(off int32) (told bool) {
	id := engine.RecordID{Off: off}
	if told = w.wants(id); told {
		w.add(&engine.Event{Kind: engine.SourceRead, Rec: id})
	}
	return told
}

// At full speed about the rate is kept, of the same records by every task; nothing is
// left out silently.
func TestSieveKeepsTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, warm, last = 100, 40_000, 200_000
		w := newWatched(rate)
		before := int64(0)
		for off := range int32(last) {
			if off == warm {
				w.flush()
				before = w.kept
			}
			if told := w.record(off); told && off%w.recorder.every != 0 {
				t.Fatalf("offset %d is told while every %d-th is", off, w.recorder.every)
			}
			<-time.After(50 * time.Microsecond) // 20,000 a second
		}
		w.flush()
		if w.kept+w.left != last {
			t.Errorf("%d kept and %d left of %d", w.kept, w.left, last)
		}
		seconds := float64(last-warm) / 20_000
		if got := float64(w.kept-before) / seconds; got < rate/4 || got > 2*rate {
			t.Errorf("%.0f a second are kept at a rate of %d", got, rate)
		}
		if w.every != w.recorder.every || w.every < 64 {
			t.Errorf("the tap was told that every %d-th is shown, it is every %d-th", w.every, w.recorder.every)
		}
	})
}

// After a burst a slow input is shown record by record again, at once: whoever lowers
// the rate wants to look.
func TestSieveOpensAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(40)
		off := int32(0)
		for ; off < 100_000; off++ {
			w.record(off)
			<-time.After(10 * time.Microsecond)
		}
		if w.recorder.every == 1 {
			t.Fatal("the burst was not sieved")
		}
		hidden := 0
		for range 10 {
			<-time.After(time.Second)
			off++
			if !w.record(off) {
				hidden++
			}
			w.flush() // a batch of one leaves
		}
		if hidden > 2 {
			t.Errorf("%d of 10 slow records are hidden after a burst", hidden)
		}
	})
}

// What is about no single record is kept however fast the records come, and everything
// is told before something leaves the process, or when much has gathered.
func TestTapIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(1)
		barriers := int64(0)
		for off := range int32(10_000) {
			w.record(off)
			if off%100 == 0 {
				w.add(&engine.Event{Kind: engine.SnapshotTaken, Rec: engine.NoRecord})
				barriers++
			}
		}
		if w.calls == 0 {
			t.Error("nothing was told before the flush")
		}
		w.flush()
		if w.kept < barriers || w.kept+w.left != 10_000+barriers {
			t.Errorf("%d kept, %d left, %d snapshots", w.kept, w.left, barriers)
		}
		calls := w.calls
		if w.flush(); w.calls != calls {
			t.Error("an empty flush calls the tap")
		}
	})
}

// Without a tap nothing is gathered; without a rate everything is told.
func TestTapOfNobodyAndOfEverything(t *testing.T) {
	none := newRecorder(tapping{rate: 1, epoch: time.Now()}, 0, 1)
	if none.wants(engine.RecordID{}) || none.on() {
		t.Error("nobody watches, and a record is wanted")
	}
	none.add(&engine.Event{})
	none.flush()
	if len(none.events) > 0 {
		t.Error("nobody watches, and an event is kept")
	}
	all := newWatched(0)
	for off := range int32(1000) {
		all.record(off)
	}
	all.flush()
	if all.kept != 1000 || all.left != 0 || all.every != 1 {
		t.Errorf("without a rate: %d kept, %d left, every %d-th", all.kept, all.left, all.every)
	}
}
