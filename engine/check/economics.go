package check

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Economics is what the checkpoints of one run cost and what they were worth. All
// of it is read off the trace. Times are virtual.
type Economics struct {
	Span   engine.Time // of the run
	Sealed int         // checkpoints that became a recovery point

	// Duration is from the trigger of a checkpoint to its seal: D of facts 13.7. It is
	// not what a checkpoint costs (13.2): parts are uploaded while the work goes on.
	Duration Stretch
	// Held is how long lanes stood still for their barrier, summed over Lanes. It is
	// all that a checkpoint costs here: copying the state takes the model no time.
	Held  engine.Time
	Lanes int
	// Delays are, for each row that a transaction made visible, from the moment at which
	// its record was read to the commit, in the order of the writes. Rows of transactions
	// that never committed are not among them.
	Delays []engine.Time

	Recoveries []Recovery
}

// Stretch sums up durations.
type Stretch struct {
	N        int
	Sum, Max engine.Time
}

func (s *Stretch) add(d engine.Time) {
	s.N++
	s.Sum += d
	s.Max = max(s.Max, d)
}

// Mean is the average, 0 of none.
func (s Stretch) Mean() engine.Time {
	if s.N == 0 {
		return 0
	}
	return s.Sum / engine.Time(s.N)
}

// Summary is the mean and the maximum of durations.
func Summary(ds []engine.Time) (s Stretch) {
	for _, d := range ds {
		s.add(d)
	}
	return s
}

// Share is the part of its time that a lane stood still for barriers, on average.
func (x *Economics) Share() float64 {
	if x.Lanes == 0 || x.Span == 0 {
		return 0
	}
	return float64(x.Held) / float64(x.Lanes) / float64(x.Span)
}

// Cost is the work time that one checkpoint takes away: C of facts 13.1.
func (x *Economics) Cost() engine.Time {
	if x.Lanes == 0 || x.Sealed == 0 {
		return 0
	}
	return x.Held / engine.Time(x.Lanes) / engine.Time(x.Sealed)
}

// Recovery is the way back from one failure of the whole job, in parts that follow
// each other (facts 13.8).
type Recovery struct {
	Age     engine.Time // of the restored checkpoint's barrier when the job failed; without a checkpoint: since the start
	Detect  engine.Time // until the failure was noticed
	Restart engine.Time // until the tasks were back with their state; loading it takes the model no time of its own
	CatchUp engine.Time // until of every partition a row was written that was no later than any before the failure; -1: not before the input ended
}

// Down is how long nothing was read.
func (r Recovery) Down() engine.Time { return r.Detect + r.Restart }

// Measure reads the economics off a run that has ended.
func Measure(t *trace.Trace) *Economics {
	m := &meter{x: &Economics{Lanes: len(t.Job.Plan.Channels)}, job: t.Job, held: map[engine.ChanID]engine.Time{}, read: map[engine.RecordID]engine.Time{},
		begun: map[int32]engine.Time{}, open: map[engine.Txn][]int{}}
	for n := 1; n <= t.Len(); n++ {
		m.apply(t.At(n))
	}
	m.closeRecovery()
	kept := m.x.Delays[:0]
	for _, d := range m.x.Delays {
		if d >= 0 {
			kept = append(kept, d)
		}
	}
	m.x.Delays = kept
	return m.x
}

// meter is a run being measured.
type meter struct {
	x       *Economics
	job     *engine.Job
	held    map[engine.ChanID]engine.Time   // lanes that are held, and since when
	begun   map[int32]engine.Time           // checkpoint → its trigger
	open    map[engine.Txn][]int            // rows written, by their place in Delays
	read    map[engine.RecordID]engine.Time // when a record was read, the last time
	written []engine.Time                   // by place in Delays: when its record was read
	failed  engine.Time                     // the crash that the open recovery began with
	noticed engine.Time
	back    engine.Time
	phase   recoveryPhase
	current Recovery
	behind  uint64      // partitions that have not caught up
	usual   engine.Time // the longest way of a record to the outside before the failure
}

type recoveryPhase uint8

const (
	working recoveryPhase = iota
	dead
	restarting
	catchingUp
)

func (m *meter) apply(e *engine.Event) {
	switch e.Kind {
	case engine.ChannelBlocked:
		m.held[e.Chan] = e.T
	case engine.ChannelUnblocked:
		if since, ok := m.held[e.Chan]; ok {
			m.x.Held += e.T - since
			delete(m.held, e.Chan)
		}
	case engine.SourceRead:
		m.read[e.Rec] = e.T
	case engine.CheckpointTriggered:
		m.begun[e.Ckpt] = e.T
	case engine.CheckpointComplete:
		m.x.Sealed++
		if at, ok := m.begun[e.Ckpt]; ok {
			m.x.Duration.add(e.T - at)
		}
	case engine.SinkWrite:
		if !e.Txn.IsZero() {
			m.open[e.Txn] = append(m.open[e.Txn], len(m.written))
			m.written, m.x.Delays = append(m.written, m.read[e.Rec]), append(m.x.Delays, -1)
		}
	case engine.TxnCommit:
		for _, row := range m.open[e.Txn] {
			m.x.Delays[row] = e.T - m.written[row]
		}
		delete(m.open, e.Txn)
	case engine.RunEnded:
		m.x.Span = e.T
	}
	m.recovery(e)
}

// recovery follows the parts of a recovery. A lane that is torn down is not held
// any more, and its time until then has counted for nothing that survived.
func (m *meter) recovery(e *engine.Event) {
	switch {
	case e.Kind == engine.FaultInjected && int(e.Fault) >= len(m.job.Conditions) && m.phase == working:
		m.failed, m.phase, m.current = e.T, dead, Recovery{}
	case e.Kind == engine.RestartBegin && m.phase == dead:
		m.noticed, m.phase = e.T, restarting
		clear(m.held)
	case e.Kind == engine.RestoreDone && m.phase == restarting:
		m.back, m.phase = e.T, catchingUp
		m.current = Recovery{Age: m.failed - m.begun[e.Ckpt], Detect: m.noticed - m.failed, Restart: e.T - m.noticed, CatchUp: -1}
		m.behind = 1<<len(m.job.Input.Parts) - 1
	case e.Kind == engine.SinkWrite && e.Rec != engine.NoRecord:
		late := e.T - m.job.Settings.Available(int(e.Rec.Part), int(e.Rec.Off))
		if m.phase == working && len(m.x.Recoveries) == 0 {
			m.usual = max(m.usual, late)
		}
		if m.phase == catchingUp && late <= m.usual {
			m.behind &^= 1 << e.Rec.Part
		}
		if m.phase == catchingUp && m.behind == 0 {
			m.current.CatchUp = e.T - m.back
			m.closeRecovery()
		}
	}
}

func (m *meter) closeRecovery() {
	if m.phase == catchingUp {
		m.x.Recoveries = append(m.x.Recoveries, m.current)
	}
	m.phase = working
}
