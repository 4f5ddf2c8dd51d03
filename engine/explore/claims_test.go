package explore_test

import (
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
)

// What is repeated after a crash is exactly what was written behind the barrier
// of the checkpoint that is restored.
func TestRepeatedAreTheWritesBehindTheBarrier(t *testing.T) {
	const moment = "crash-job@before:checkpoint.complete~2"
	job := reference(t, shape{engine.SinkAppend, engine.EventOutput}, 1)
	run := mustRun(t, job, mustFault(t, job, moment))
	sink, _ := job.Plan.Find("sink/0")
	passed, behind := false, 0
	for n := 1; run.At(n).Kind != engine.FaultInjected; n++ {
		e := run.At(n)
		passed = passed || e.Kind == engine.BarrierAligned && e.Task == sink && e.Ckpt == 1
		if passed && e.Kind == engine.SinkWrite {
			behind++
		}
	}
	v := check.Judge(run)[0]
	if v.Class != check.Duplicated || v.Lost != 0 || v.Duplicated != behind || behind == 0 {
		t.Errorf("%s: lost %d, duplicated %d; %d writes lie behind barrier 1", v.Class, v.Lost, v.Duplicated, behind)
	}
	job = reference(t, shape{engine.SinkTransactional, engine.EventOutput}, 1)
	vs := check.Judge(mustRun(t, job, mustFault(t, job, moment)))
	if vs[0].Class != check.Exact || vs[1].Class != check.Duplicated {
		t.Errorf("committed rows %s, all rows %s", vs[0].Class, vs[1].Class)
	}
}

// The row "timeout shorter than outage": only a crash between the seal of a
// checkpoint and the commit of its transaction loses, and only for readers of
// committed rows.
func TestTimeoutShorterThanTheOutage(t *testing.T) {
	for _, out := range []engine.Output{engine.EventOutput, engine.TotalOutput} {
		job := reference(t, shape{engine.SinkTransactional, out}, 1, func(s *engine.Settings) {
			s.Sinks[0].TxnTimeout, s.RestartDelay = engine.Second, 3*engine.Second
		})
		r := mustExplore(t, job, explore.Options{Audit: true})
		for i, cell := range []string{"e l!", "e d!"} {
			p := promise{shape: shape{engine.SinkTransactional, out}, reader: r.Columns[i].Reader, cell: cell}
			if err := p.holds(&r.Columns[i], true); err != nil {
				t.Errorf("%s read %s: %v; examples: %v", out, p.reader, err, r.Examples)
			}
		}
		base := mustRun(t, job)
		for _, c := range r.Cells {
			if c.Outcomes[0].Class == check.Lost && !sealedNotCommitted(t, job, r, &c) {
				t.Errorf("%s@%d loses, but nothing was promised and not committed", r.Targets[c.Target], c.Gap)
			}
		}
		if len(r.Broken) > 0 || check.WorstOf(check.Judge(base)) != check.Exact {
			t.Errorf("%v; without a fault: %s", r.Broken, check.WorstOf(check.Judge(base)))
		}
	}
}

// sealedNotCommitted reports whether at the restart of the cell's run a complete
// checkpoint promises a transaction that is not committed.
func sealedNotCommitted(t *testing.T, job *engine.Job, r *explore.Result, c *explore.Cell) bool {
	run := mustRun(t, job, mustFault(t, job, r.Targets[c.Target]+"@"+engine.When{N: c.Gap}.String()))
	sealed, promised := int32(0), map[engine.Txn]int32{}
	for n := 1; run.At(n).Kind != engine.RestartBegin; n++ {
		switch e := run.At(n); e.Kind {
		case engine.CheckpointComplete:
			sealed = e.Ckpt
		case engine.TxnPrecommit:
			promised[e.Txn] = e.Ckpt
		case engine.TxnCommit:
			delete(promised, e.Txn)
		}
	}
	for _, ckpt := range promised {
		if ckpt <= sealed {
			return true
		}
	}
	return false
}

// What the modelled system itself refuses, or can never finish, is stuck.
func TestStuckByConfiguration(t *testing.T) {
	for name, c := range map[string]struct {
		job    *engine.Job
		always string
		reason engine.Reason
	}{
		"transaction.timeout above the broker's maximum": {
			job: reference(t, shape{engine.SinkTransactional, engine.EventOutput}, 1, func(s *engine.Settings) {
				s.Sinks[0].TxnTimeout = 20 * engine.Second
			}), reason: engine.NeverStarted},
		"checkpoints that always expire": {
			job: reference(t, shape{engine.SinkUpsert, engine.TotalOutput}, 1, func(s *engine.Settings) {
				s.Topology, s.Backlog, s.CheckpointInterval, s.CheckpointTimeout = "K", true, 100*engine.Millisecond, 400*engine.Millisecond
			}), always: "slow:enrich/1:x20@0s", reason: engine.RestartsExhausted},
		"horizon before the end": {
			job: reference(t, shape{engine.SinkAppend, engine.EventOutput}, 1, func(s *engine.Settings) {
				s.Horizon = 250 * engine.Millisecond
			}), reason: engine.HorizonReached},
	} {
		var faults []engine.Fault
		if c.always != "" {
			faults = append(faults, mustFault(t, c.job, c.always))
		}
		run := mustRun(t, c.job, faults...)
		if last := run.At(run.Len()); last.Kind != engine.RunEnded || last.Reason != c.reason {
			t.Errorf("%s: the run ends with %s, %s", name, last.Kind, last.Reason)
		}
		for _, v := range check.Judge(run) {
			if v.Class != check.Stuck || v.Lost != 0 {
				t.Errorf("%s: %+v", name, v)
			}
		}
		if vs := check.Invariants(run); len(vs) > 0 {
			t.Errorf("%s: %v", name, vs)
		}
	}
}

// One job may feed several sinks; each has its own verdict, and the run's class
// is the worst of them.
func TestSeveralSinksAreJudgedEach(t *testing.T) {
	job := reference(t, shape{}, 1, func(s *engine.Settings) {
		s.Sinks = nil
		for _, k := range []struct {
			name string
			kind engine.SinkKind
			emit int64
		}{{"topic", engine.SinkTransactional, 0}, {"table", engine.SinkUpsert, 0}, {"mail", engine.SinkEmail, 3}} {
			sink := engine.BaseSink(k.name)
			sink.Kind, sink.Output, sink.EmitAt = k.kind, engine.TotalOutput, k.emit
			s.Sinks = append(s.Sinks, sink)
		}
	})
	r := mustExplore(t, job, explore.Options{Audit: true})
	for i, cell := range []string{"e", "e r", "e d!"} {
		p := promise{reader: r.Columns[i].Reader, cell: cell}
		if err := p.holds(&r.Columns[i], true); err != nil {
			t.Errorf("%s: %v", r.Columns[i].Sink, err)
		}
	}
	if r.Classes[check.Duplicated] != r.Columns[2].Classes[check.Duplicated] || len(r.Broken) > 0 {
		t.Errorf("%v, %v", r.Classes, r.Broken)
	}
	three := 0 // ana, ben and cleo have three records or more
	for _, v := range check.Judge(mustRun(t, job)) {
		if v.Sink == "mail" {
			three = v.Expected
		}
	}
	if three != 3 {
		t.Errorf("%d mails expected, want one for each key with three records", three)
	}
}
