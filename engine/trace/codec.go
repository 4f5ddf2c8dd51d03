package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"effectivelyonce/engine"
)

// payload tells which fields of an event carry meaning, by kind; see the list
// beside the kinds in package engine.
type payload uint16

const (
	hasRec payload = 1 << iota
	hasChan
	hasCkpt
	hasBefore
	hasAfter
	hasValue  // the number of rows of a transaction
	hasStates // Before and After are states of a transaction
	hasReason
	hasPositions // Value and After are positions, one a partition
)

var payloads = [engine.KindCount]payload{
	engine.SourceRead:      hasRec | hasBefore | hasAfter,
	engine.BarrierInjected: hasCkpt | hasAfter, engine.BarrierArrived: hasChan | hasCkpt | hasBefore | hasAfter,
	engine.BarrierAligned: hasCkpt, engine.ChannelBlocked: hasChan | hasCkpt, engine.ChannelUnblocked: hasChan | hasCkpt,
	engine.ChannelFull: hasRec | hasChan | hasAfter, engine.SnapshotTaken: hasCkpt | hasAfter, engine.SnapshotStored: hasCkpt,
	engine.CheckpointTriggered: hasCkpt, engine.CheckpointAcked: hasCkpt | hasBefore | hasAfter,
	engine.CheckpointComplete: hasCkpt | hasAfter, engine.CheckpointNotified: hasCkpt,
	engine.CheckpointExpired: hasCkpt | hasBefore, engine.CheckpointDiscarded: hasCkpt | hasBefore,
	engine.RecordSent: hasRec | hasChan | hasAfter, engine.RecordReceived: hasRec | hasChan | hasAfter,
	engine.RecordProcessed: hasRec | hasChan,
	engine.TxnBegin:        hasStates | hasAfter, engine.TxnPrecommit: hasStates | hasCkpt | hasBefore | hasAfter | hasValue,
	engine.TxnCommit: hasStates | hasBefore | hasAfter | hasValue, engine.TxnAbort: hasStates | hasBefore | hasAfter | hasValue,
	engine.TxnExpired: hasStates | hasBefore | hasAfter | hasValue, engine.Fenced: hasStates | hasBefore,
	engine.SinkWrite: hasRec, engine.TaskFailed: hasReason, engine.StartRefused: hasReason,
	engine.RestartBegin: hasBefore | hasAfter, engine.RestoreDone: hasCkpt, engine.SourceRewound: hasBefore | hasAfter,
	engine.RunEnded: hasReason,
	engine.SinkAck:  hasRec, engine.DedupID: hasRec, engine.DedupValue: hasRec, engine.EffectIgnored: hasRec | hasCkpt,
	engine.FileRenamed: hasValue, engine.OffsetCommit: hasCkpt | hasPositions,
	engine.OffsetLogWritten: hasCkpt | hasPositions, engine.CommitLogWritten: hasCkpt,
	engine.StateWrite: hasRec | hasBefore | hasAfter, engine.ChangelogAppend: hasRec | hasBefore | hasAfter,
	engine.StandbyPromoted: hasBefore | hasAfter, engine.ChangelogCompacted: hasBefore | hasAfter,
	engine.StoreWiped: hasAfter, engine.MapDone: hasValue, engine.InflightReinjected: hasRec | hasChan | hasCkpt,
	engine.ZombieWakes: hasValue,
	engine.Watermark:   hasChan, engine.WindowFired: hasRec | hasBefore | hasAfter, engine.RecordJoined: hasRec,
	engine.CoordinatorDecided: hasStates | hasAfter, engine.CommandLogged: hasRec | hasAfter,
}

// WriteNDJSON prints the trace for scripts, an event a line; see AppendJSON.
func WriteNDJSON(w io.Writer, t *Trace) error {
	b := bufio.NewWriter(w)
	var buf []byte
	for n := 1; n <= t.Len(); n++ {
		buf = append(AppendJSON(buf[:0], t, t.At(n), ""), '\n')
		_, _ = b.Write(buf)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

// AppendJSON appends an event as one JSON object with names instead of ids, and
// only the fields that its kind gives a meaning:
//
//	{"n":64,"t":1830.25,"kind":"barrier.arrived","task":"count/0","channel":"source/0",
//	 "attempt":1,"checkpoint":3,"before":0,"after":1}
//
// t is in milliseconds, channel is the sending task for what a reader did and the
// reading task for what a writer did. A text, if given, is added as "text".
func AppendJSON(b []byte, t *Trace, e *engine.Event, text string) []byte {
	j := jsonLine{b: append(b, '{')}
	j.num("n", int64(e.N))
	j.raw("t", strconv.AppendFloat(nil, e.T.Millis(), 'f', -1, 64))
	j.str("kind", e.Kind.String())
	if name := t.Job.Plan.Name(e.Task); name != "" {
		j.str("task", name)
	}
	has := payloadOf(e)
	if has&hasChan != 0 && e.Chan != engine.NoChan {
		j.channel(t, e)
	}
	j.num("attempt", int64(e.Attempt))
	if e.Zombie != 0 {
		j.num("zombie", int64(e.Zombie))
	}
	if has&hasRec != 0 {
		j.record(t, e)
	}
	if has&hasRec != 0 && e.Rec == engine.NoRecord && e.Kind != engine.RecordSent && e.Kind != engine.Fenced {
		has |= j.batch(t, e)
	}
	if has&hasCkpt != 0 && (e.Ckpt != 0 || e.Kind != engine.EffectIgnored) {
		j.num("checkpoint", int64(e.Ckpt))
	}
	if !e.Txn.IsZero() {
		j.txn(t, e)
	}
	if e.Kind == engine.SourceRewound && t.Job.Plan.Tasks[e.Task].Kind == engine.OpLoop {
		j.num("partition", e.Value)
	}
	if has&hasPositions != 0 {
		j.positions(t, e)
	} else {
		j.change(t, e, has)
	}
	if e.Kind == engine.ParticipantPrepared {
		j.str("participant", [...]string{"database", "broker"}[e.Value&1])
	}
	if has&hasValue != 0 {
		name := "rows"
		if e.Kind == engine.ZombieWakes {
			name = "queue"
		}
		j.num(name, e.Value)
	}
	if f := t.faultOf(e); e.Fault >= 0 && f != nil && (e.Kind == engine.FaultInjected || e.Kind == engine.FaultEnded || e.Kind == engine.ZombieWakes) {
		j.str("fault", f.String())
	}
	j.time(t, e)
	if has&hasReason != 0 || e.Kind == engine.RecordProcessed && e.Reason != engine.NoReason {
		j.str("reason", e.Reason.String())
	}
	if text != "" {
		j.str("text", text)
	}
	return append(j.b, '}')
}

// payloadOf is what an event carries; a refused token stands in place of a transaction.
func payloadOf(e *engine.Event) payload {
	if e.Kind == engine.Fenced && e.Txn.IsZero() {
		return hasRec | hasBefore | hasAfter
	}
	return payloads[e.Kind]
}

type jsonLine struct{ b []byte }

func (j *jsonLine) raw(name string, v []byte) {
	if j.b[len(j.b)-1] != '{' {
		j.b = append(j.b, ',')
	}
	j.b = append(append(append(j.b, '"'), name...), '"', ':')
	j.b = append(j.b, v...)
}

func (j *jsonLine) num(name string, v int64) { j.raw(name, strconv.AppendInt(nil, v, 10)) }

func (j *jsonLine) str(name, v string) { j.raw(name, appendQuoted(nil, v)) }

func (j *jsonLine) channel(t *Trace, e *engine.Event) {
	c := t.Job.Plan.Channels[e.Chan]
	if c.From == e.Task {
		j.str("channel", t.Job.Plan.Name(c.To))
		return
	}
	j.str("channel", t.Job.Plan.Name(c.From))
}

func (j *jsonLine) txn(t *Trace, e *engine.Event) {
	j.num("txn", int64(e.Txn.No))
	if e.Txn.Task != e.Task {
		j.str("txn_task", t.Job.Plan.Name(e.Txn.Task))
	}
	if e.Txn.Attempt != e.Attempt {
		j.num("txn_attempt", int64(e.Txn.Attempt))
	}
}

const hexDigits = "0123456789abcdef"

// appendQuoted writes s as a JSON string; '<' and '>' stay as they are. Bytes that
// are not UTF-8 become the replacement character.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20 || r == 0x7f || r == 0x2028 || r == 0x2029:
			b = append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
