package trace_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// phraseBook is a trace that never ran, of events in the words of one strategy.
type phraseBook struct {
	set    string
	events []said
}

type said struct {
	kind engine.Kind
	who  string
	e    engine.Event
}

// at are the positions 6 and 5 of two partitions.
func at(e engine.Event) engine.Event {
	e.Value, e.After = engine.PackPositions([]int32{6, 5})
	e.Rec = engine.NoRecord
	return e
}

// bare is an event without a record.
func bare(e engine.Event) engine.Event {
	e.Rec = engine.NoRecord
	return e
}

var phraseBooks = map[string]phraseBook{
	"offset commit": {"strategy=offset-commit topology=LOOP sink=upsert output=total state.recovery=remote", []said{
		{engine.SourceRead, "loop/0", rec(engine.Event{Before: 3, After: 4})},
		{engine.RecordProcessed, "loop/0", rec(engine.Event{Before: 2, After: 3})},
		{engine.StateWrite, "loop/0", rec(engine.Event{Before: 2, After: 3})},
		{engine.OffsetCommit, "loop/0", at(engine.Event{Ckpt: 2})},
		{engine.RestoreDone, "loop/0", bare(engine.Event{Ckpt: 2})},
		{engine.RestoreDone, "loop/0", bare(engine.Event{})},
		{engine.SourceRewound, "loop/0", bare(engine.Event{Value: 1, Before: 6, After: 5})},
		{engine.InputEnded, "loop/0", bare(engine.Event{})},
	}},
	"batch": {"strategy=batch topology=BATCH sink=files output=total", []said{
		{engine.MapDone, "map/1", bare(engine.Event{Value: 8})},
		{engine.TxnBegin, "reduce/0", bare(engine.Event{Txn: file, After: int64(engine.TxnOpen)})},
		{engine.SinkWrite, "reduce/0", rec(engine.Event{Txn: file, Value: 3})},
		{engine.TxnPrecommit, "reduce/0", bare(engine.Event{Txn: file, Value: 1})},
		{engine.FileRenamed, "reduce/0", bare(engine.Event{Txn: file, Value: 1})},
		{engine.TxnAbort, "reduce/0", bare(engine.Event{Txn: file, Value: 1, After: int64(engine.TxnRemoved)})},
		{engine.RestartBegin, "reduce/0", bare(engine.Event{Before: 1, After: 2})},
		{engine.RestoreDone, "reduce/0", bare(engine.Event{})},
	}},
	"microbatch": {"strategy=microbatch sink=offset-with-output output=total", []said{
		{engine.OffsetLogWritten, "coordinator", at(engine.Event{Ckpt: 2})},
		{engine.SnapshotTaken, "count/0", bare(engine.Event{Ckpt: 2, After: 5})},
		{engine.SnapshotStored, "count/0", bare(engine.Event{Ckpt: 2})},
		{engine.RecordProcessed, "sink/0", rec(engine.Event{After: 3})},
		{engine.SinkWrite, "sink/0", at(engine.Event{Ckpt: 2, Before: 11})},
		{engine.EffectIgnored, "sink/0", at(engine.Event{Ckpt: 2, Before: 11})},
		{engine.EffectIgnored, "sink/0", rec(engine.Event{Ckpt: 2})},
		{engine.CommitLogWritten, "coordinator", bare(engine.Event{Ckpt: 2})},
		{engine.RestoreDone, "count/0", bare(engine.Event{Ckpt: 2})},
	}},
	"kafka streams": {"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional output=total", []said{
		{engine.RecordSent, "source/0", rec(engine.Event{After: 4})},
		{engine.StateWrite, "count/0", rec(engine.Event{Before: 2, After: 3})},
		{engine.ChangelogAppend, "count/0", rec(engine.Event{Txn: all, Before: 2, After: 3})},
		{engine.ChangelogAppend, "count/0", rec(engine.Event{Before: 2, After: 3})},
		{engine.OffsetCommit, "coordinator", at(engine.Event{Ckpt: 2, Txn: all})},
		{engine.StoreWiped, "count/0", bare(engine.Event{After: 5})},
		{engine.StandbyPromoted, "count/0", bare(engine.Event{Before: 3, After: 5})},
		{engine.ChangelogCompacted, "count/0", bare(engine.Event{Before: 9, After: 6, Value: 3})},
		{engine.StateWrite, "count/0", rec(engine.Event{Before: 3})},
		{engine.ChangelogAppend, "count/0", rec(engine.Event{Txn: all, Before: 3})},
		{engine.RestoreDone, "count/0", bare(engine.Event{Ckpt: 2})},
	}},
	"dataflow": {"strategy=dataflow topology=K sink=append", []said{
		{engine.StateWrite, "source/0", rec(engine.Event{Before: 3, After: 4})},
		{engine.StateWrite, "enrich/0", rec(engine.Event{})},
		{engine.StateWrite, "count/0", rec(engine.Event{Before: 2, After: 3})},
		{engine.StateWrite, "sink/0", rec(engine.Event{})},
		{engine.EffectIgnored, "count/0", rec(engine.Event{})},
		{engine.RestoreDone, "count/0", bare(engine.Event{})},
	}},
	"trident": {"strategy=trident sink=state output=total", []said{
		{engine.OffsetLogWritten, "coordinator", at(engine.Event{Ckpt: 2})},
		{engine.StateWrite, "count/0", bare(engine.Event{Key: 1, Ckpt: 2, Value: 3, Before: 4, After: 7})},
		{engine.EffectIgnored, "count/0", bare(engine.Event{Key: 1, Ckpt: 2, Value: 3, Before: 7, After: 7})},
		{engine.CommitLogWritten, "coordinator", bare(engine.Event{Ckpt: 2})},
	}},
	"replicated": {"strategy=replicated sink=state output=total", []said{
		{engine.SourceRead, "client/0", rec(engine.Event{Before: 3, After: 4})},
		{engine.CommandLogged, "replica/0", rec(engine.Event{After: 5})},
		{engine.RecordProcessed, "replica/1", rec(engine.Event{Before: 2, After: 3})},
		{engine.EffectIgnored, "replica/1", rec(engine.Event{})},
		{engine.SinkAck, "client/0", rec(engine.Event{})},
		{engine.RestoreDone, "replica/0", bare(engine.Event{})},
	}},
	"xa": {"strategy=xa topology=LOOP sink=transactional", []said{
		{engine.ParticipantPrepared, "loop/0", bare(engine.Event{Txn: all})},
		{engine.ParticipantPrepared, "loop/0", bare(engine.Event{Txn: all, Value: 1})},
		{engine.CoordinatorDecided, "coordinator", bare(engine.Event{Txn: all, After: int64(engine.TxnCommitted)})},
		{engine.CoordinatorDecided, "coordinator", bare(engine.Event{Txn: all, After: int64(engine.TxnAborted)})},
		{engine.OffsetCommit, "loop/0", at(engine.Event{Ckpt: 3, Txn: all})},
	}},
	"dedup": {"sink=dedup dedup.write=id-first checkpoint.unaligned=on", []said{
		{engine.SinkWrite, "sink/0", rec(engine.Event{Before: 0, After: 44 * engine.ValueScale})},
		{engine.DedupID, "sink/0", rec(engine.Event{})},
		{engine.DedupValue, "sink/0", rec(engine.Event{Before: 0, After: 44 * engine.ValueScale})},
		{engine.EffectIgnored, "sink/0", rec(engine.Event{})},
		{engine.InflightReinjected, "count/0", rec(engine.Event{Ckpt: 2})},
		{engine.BarrierAligned, "count/0", bare(engine.Event{Ckpt: 2, After: 2, Before: 1})},
		{engine.SnapshotStored, "count/0", bare(engine.Event{Ckpt: 2, Value: 3})},
	}},
	"window": {"operator=window", []said{
		{engine.Watermark, "source/0", bare(engine.Event{Value: 130_000, Before: int64(engine.NoTime), After: 130_000})},
		{engine.Watermark, "source/0", bare(engine.Event{Value: int64(engine.EndOfTime), Before: 130_000, After: int64(engine.EndOfTime)})},
		{engine.Watermark, "count/0", bare(engine.Event{Chan: 1, Value: 130_000, Before: int64(engine.NoTime), After: int64(engine.NoTime)})},
		{engine.Watermark, "count/0", bare(engine.Event{Chan: 1, Value: 230_000, Before: 130_000, After: 190_000})},
		{engine.Watermark, "count/0", bare(engine.Event{Value: 130_000, Before: int64(engine.NoTime), After: 130_000})},
		{engine.RecordProcessed, "count/0", rec(engine.Event{Before: 2, After: 3})},
		{engine.RecordProcessed, "count/0", rec(engine.Event{Reason: engine.LateRecord})},
		{engine.WindowFired, "count/0", rec(engine.Event{Value: 200_000, After: 3})},
		{engine.WindowFired, "count/0", rec(engine.Event{Value: 200_000, Before: 3, After: 4})},
		{engine.SnapshotTaken, "count/0", bare(engine.Event{Ckpt: 2, After: 5})},
	}},
	"join": {"operator=join join.time=event", []said{
		{engine.RecordProcessed, "count/0", rec(engine.Event{Reason: engine.TableChange, Before: 2000, After: 3000})},
		{engine.RecordProcessed, "count/0", rec(engine.Event{Reason: engine.AwaitsTime})},
		{engine.RecordProcessed, "count/0", rec(engine.Event{Before: 2000, After: 6000})},
		{engine.RecordJoined, "count/0", rec(engine.Event{Before: 2000, After: 6000})},
		{engine.SnapshotTaken, "count/0", bare(engine.Event{Ckpt: 2, After: 5})},
	}},
	"first": {"operator=dedup", []said{
		{engine.RecordProcessed, "count/0", rec(engine.Event{After: 1})},
		{engine.RecordProcessed, "count/0", rec(engine.Event{Reason: engine.KnownRecord, Before: 1, After: 2})},
	}},
	"lookup": {"topology=K lookup=stored", []said{
		{engine.RecordProcessed, "enrich/0", rec(engine.Event{Before: 12000, After: 13200})},
		{engine.StateWrite, "enrich/0", rec(engine.Event{Before: 12000, After: 13200})},
		{engine.RecordProcessed, "enrich/0", rec(engine.Event{Reason: engine.KnownRecord, Before: 12000, After: 13200})},
	}},
	"mail": {"sink=email idempotency.key=from-input", []said{
		{engine.EffectIgnored, "sink/0", rec(engine.Event{})},
	}},
	"positions": {"sink=offset-with-output", []said{
		{engine.SinkWrite, "sink/0", rec(engine.Event{Before: 0, After: 44 * engine.ValueScale})},
		{engine.EffectIgnored, "sink/0", rec(engine.Event{})},
	}},
}

var (
	all  = engine.Txn{No: 3, Attempt: 1}
	file = engine.Txn{Task: 2, No: 3, Attempt: 1}
)

func (b phraseBook) trace(t *testing.T) *trace.Trace {
	t.Helper()
	j := job(t, cards, strings.Fields(b.set)...)
	tr := trace.New(j, nil)
	for i := range b.events {
		s := &b.events[i]
		e := s.e
		e.Kind, e.Attempt, e.Fault, e.Chan, e.T = s.kind, 1, -1, engine.NoChan, engine.Time(tr.Len())*1250
		id, ok := j.Plan.Find(s.who)
		if !ok {
			t.Fatalf("no task %s", s.who)
		}
		e.Task = id
		switch {
		case e.Kind == engine.RecordSent:
			e.Chan = j.Plan.Tasks[id].Out[0].Chans[0]
		case s.e.Chan > 0:
			e.Chan = j.Plan.Tasks[id].In[1]
		case e.Kind == engine.InflightReinjected:
			e.Chan = j.Plan.Tasks[id].In[1]
		}
		tr.Append(e)
	}
	return tr
}
