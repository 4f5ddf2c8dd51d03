package live

import (
	"fmt"
	"strings"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// Runs reports why a job cannot be run live, nil if it can.
func Runs(job *engine.Job) error {
	set := &job.Settings
	no := func(what, nearest string) error {
		return fmt.Errorf("the live engine does not run %s; allowed: %s", what, nearest)
	}
	switch {
	case set.Strategy != "barriers":
		return no("strategy="+set.Strategy, "strategy=barriers")
	case set.Unaligned:
		return no("checkpoint.unaligned=on", "checkpoint.unaligned=off")
	case set.Recovery() != "snapshot":
		return no("state.recovery="+set.Recovery(), "state.recovery=snapshot")
	case set.Lookup != engine.LookupOff:
		return no("lookup="+set.Lookup, "lookup=off")
	case set.Operator != engine.OperatorCount && set.Operator != engine.OperatorDedup:
		return no("operator="+set.Operator+", which needs event times or a table", "operator=count or dedup")
	}
	return nil
}

// proceed starts the next attempt when nothing stands in its way any more.
func (l *Leader) proceed() {
	if l.phase != stopping || !l.due {
		return
	}
	var missing []string
	for id := range l.tasks {
		switch t := &l.tasks[id]; {
		case !t.joined:
			missing = append(missing, l.job.Plan.Name(engine.TaskID(id)))
		case t.stopping:
			return
		}
	}
	if names := strings.Join(missing, ", "); names != "" {
		if names != l.missing {
			l.notice(Notice{Kind: NoticeWaiting, Task: engine.NoTask, Why: names})
		}
		l.missing = names
		return
	}
	l.missing = ""
	if err := l.begin(); err != nil {
		if d := (*Damaged)(nil); asDamaged(err, &d) || err == ErrLives {
			l.finish(engine.NeverStarted, err)
			return
		}
		delay := l.backoff()
		l.notice(Notice{Kind: NoticeStore, Task: engine.NoTask, Why: err.Error(), Delay: delay})
		l.later(delay)
	}
}

// begin starts an attempt from the newest sealed checkpoint.
func (l *Leader) begin() error {
	newest, err := l.cfg.Store.Newest()
	if err != nil {
		return err
	}
	if newest.Ckpt != 0 && newest.Job != Fingerprint(l.job) {
		return &Damaged{File: manifestName(newest.Ckpt), Found: fmt.Sprintf("it is of another job: %q, this one is %q", newest.Job, Fingerprint(l.job))}
	}
	attempt, next, err := l.cfg.Store.Life()
	if err != nil {
		return err
	}
	l.phase, l.attempt, l.rec.attempt = running, attempt, attempt
	l.newest.Store(newest.Ckpt)
	l.result.Newest = newest.Ckpt
	l.result.Attempts++
	l.parts, l.acked = make([]PartRef, len(l.tasks)), 0
	l.notice(Notice{Kind: NoticeRunning, Task: engine.NoTask, Ckpt: newest.Ckpt})
	l.coord = l.strategy.Coordinator(l.job)
	l.out.Effects = l.out.Effects[:0]
	l.coord.Step(&machine.In{Kind: machine.InStart, Ckpt: newest.Ckpt, Next: next, Attempt: attempt, Now: l.rec.now()}, &l.out)
	l.perform(func(id engine.TaskID, n int32) {
		o := Order{Kind: OrderStart, Task: id, Attempt: attempt, Token: int64(attempt), Ckpt: n, Next: next, Offset: l.far[id]}
		if n != 0 {
			o.Part = newest.Parts[id]
		}
		l.cfg.Tell(o)
	})
	return nil
}

// step lets the coordinator take one thing in and performs what it wants.
func (l *Leader) step(in *machine.In) {
	in.Now = l.rec.now()
	l.out.Effects = l.out.Effects[:0]
	l.coord.Step(in, &l.out)
	l.perform(nil)
}

// perform carries out what the coordinator wants, and what its answers lead to.
func (l *Leader) perform(restore func(engine.TaskID, int32)) {
	for i := 0; i < len(l.out.Effects); i++ {
		e := l.out.Effects[i]
		if l.cfg.Crash != nil && l.cfg.Crash(l.attempt, &e) {
			l.phase, l.err = over, ErrCrashed
			return
		}
		switch {
		case e.Kind == machine.PostRestore:
			restore(e.Task, e.Ckpt)
		case e.IsPost():
			l.post(&e)
		case !l.deed(&e):
			return
		}
		if l.phase != running {
			return
		}
	}
}

// deed carries out one deed of the coordinator, and records it when it has taken hold.
func (l *Leader) deed(e *machine.Effect) bool {
	if e.Kind == machine.DoSeal {
		if !l.seal(e.Ckpt) {
			return false
		}
	}
	ev := machine.Recorded(engine.CoordinatorID, l.attempt, e)
	if e.Kind != machine.DoFail {
		l.rec.add(&ev)
	}
	switch e.Kind {
	case machine.DoTrigger:
		l.world.Store.Begin(e.Ckpt)
		clear(l.parts)
		l.acked = 0
	case machine.DoAcked:
		l.acked = e.After
	case machine.DoSeal:
		l.coord.Step(&machine.In{Kind: machine.InSealed, Ckpt: e.Ckpt, Now: l.rec.now()}, &l.out)
	case machine.DoExpire:
		l.world.Store.Discard()
		l.cfg.Store.Discard(e.Ckpt, l.attempt)
	case machine.DoFail:
		l.fail(engine.CoordinatorID, e.Reason, "")
	case machine.DoEndRun:
		l.finish(e.Reason, nil)
	}
	return true
}

// seal makes the pending checkpoint the recovery point. One that cannot be sealed is
// given up; it may nevertheless be found sealed after a crash, which is harmless: it
// was whole, and what was promised for it has not been ended otherwise.
func (l *Leader) seal(n int32) bool {
	m := Manifest{Ckpt: n, Attempt: l.attempt, Job: Fingerprint(l.job), Parts: append([]PartRef(nil), l.parts...)}
	if err := l.cfg.Store.Seal(m); err != nil {
		l.decline(engine.NoTask, n, err.Error())
		return false
	}
	l.world.Store.Seal()
	l.result.Checkpoints++
	l.result.Newest = n
	l.newest.Store(n)
	l.streak = 0
	return true
}

// lastCheckpoint is the highest number that names a transaction (engine.Txn).
const lastCheckpoint = 32767

func (l *Leader) post(e *machine.Effect) {
	o := Order{Task: e.Task, Attempt: l.attempt, Ckpt: e.Ckpt, Final: e.Final}
	switch e.Kind {
	case machine.PostTrigger:
		if e.Ckpt >= lastCheckpoint {
			l.finish(engine.HorizonReached, fmt.Errorf("checkpoint %d is the last that has a number; begin again with an empty checkpoint folder", e.Ckpt))
			return
		}
		o.Kind = OrderTrigger
	case machine.PostNotify:
		o.Kind = OrderNotify
	case machine.PostAbort:
		o.Kind = OrderAbort
	case machine.PostTimer, machine.PostTimeout:
		w := said{kind: saidTimer, n: int32(l.attempt), ckpt: e.Ckpt}
		if e.Kind == machine.PostTimeout {
			w.kind = saidTimeout
		}
		time.AfterFunc(time.Duration(e.Delay)*time.Microsecond, func() { l.mail.put(w) })
		return
	default:
		panic(fmt.Sprintf("live: the coordinator posts effect %d, which no strategy that runs live does", e.Kind))
	}
	l.rec.flush()
	l.cfg.Tell(o)
}

// fail makes the job as a whole fail: what is pending is void, every task is stopped,
// and the job comes back after a delay.
func (l *Leader) fail(id engine.TaskID, why engine.Reason, text string) {
	if l.phase != running {
		return
	}
	ev := machine.Recorded(id, l.attempt, &machine.Effect{Kind: machine.DoFail, Reason: why})
	l.rec.add(&ev)
	l.out.Effects = l.out.Effects[:0]
	l.strategy.Failed(l.world, &l.out)
	for i := range l.out.Effects {
		e := &l.out.Effects[i]
		if e.Kind == machine.DoDiscard {
			e.Before = l.acked
			l.world.Store.Discard()
			l.cfg.Store.Discard(e.Ckpt, l.attempt)
		}
		ev := machine.Recorded(engine.JobID, l.attempt, e)
		l.rec.add(&ev)
	}
	if l.cfg.Restarts > 0 && l.result.Attempts > l.cfg.Restarts {
		l.notice(Notice{Kind: NoticeFailed, Task: id, Reason: why, Why: text})
		l.finish(engine.RestartsExhausted, nil)
		return
	}
	delay := l.backoff()
	l.notice(Notice{Kind: NoticeFailed, Task: id, Reason: why, Why: text, Delay: delay})
	ev = engine.Event{Kind: engine.RestartBegin, Task: engine.JobID, Chan: engine.NoChan, Rec: engine.NoRecord, Attempt: l.attempt,
		Before: int64(l.attempt), After: int64(l.attempt) + 1}
	l.rec.add(&ev)
	l.phase = stopping
	l.later(delay)
	l.stopAll()
}

// backoff is how long the next start waits.
func (l *Leader) backoff() time.Duration {
	d := time.Duration(l.job.Settings.RestartDelay) * time.Microsecond << min(l.streak, 10)
	l.streak++
	return min(d, l.cfg.MaxDelay)
}

func (l *Leader) later(d time.Duration) {
	l.due = false
	l.wakes++
	n := l.wakes
	time.AfterFunc(d, func() { l.mail.put(said{kind: saidWake, n: n}) })
}

// finish ends the run.
func (l *Leader) finish(why engine.Reason, err error) {
	if l.phase == over {
		return
	}
	if why != engine.AtRest {
		ev := machine.Recorded(engine.JobID, l.attempt, &machine.Effect{Kind: machine.DoEndRun, Reason: why})
		l.rec.add(&ev)
	}
	l.phase, l.result.Reason, l.err = over, why, err
	l.stopAll()
	n := Notice{Kind: NoticeEnded, Task: engine.NoTask, Reason: why}
	if err != nil {
		n.Why = err.Error()
	}
	l.notice(n)
}
