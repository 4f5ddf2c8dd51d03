package quizzes

import (
	"fmt"
	"math"
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// eventField is one thing that an event says.
type eventField func(r *Run, e *engine.Event) (Value, error)

// eventFields are the words that stand before the name of an event.
var eventFields = map[string]eventField{
	"event":  func(_ *Run, e *engine.Event) (Value, error) { return Value{Num: float64(e.N)}, nil },
	"time":   func(_ *Run, e *engine.Event) (Value, error) { return Value{Num: e.T.Millis()}, nil },
	"from":   func(r *Run, e *engine.Event) (Value, error) { return r.held(e, e.Before), nil },
	"to":     func(r *Run, e *engine.Event) (Value, error) { return r.held(e, e.After), nil },
	"record": func(_ *Run, e *engine.Event) (Value, error) { return Value{Text: e.Rec.String()}, nil },
	"key":    func(r *Run, e *engine.Event) (Value, error) { return Value{Text: r.Job().Input.Keys[e.Key]}, nil },
	"task":   func(r *Run, e *engine.Event) (Value, error) { return Value{Text: r.Job().Plan.Name(e.Task)}, nil },
	"value":  (*Run).value,
}

// value is what an event says besides whom it concerns. Of a record it is the
// amount, or what a sink made of it: a total, a balance. Of anything else it is a
// plain number: rows of a transaction, records in a snapshot, elements in the queue
// of a zombie, what a batch adds to a key.
func (r *Run) value(e *engine.Event) (Value, error) {
	switch {
	case e.Kind == engine.OffsetCommit, e.Kind == engine.OffsetLogWritten, e.Kind == engine.SinkWrite && e.Rec == engine.NoRecord:
		return Value{}, fmt.Errorf("value of %s: it holds positions, one a partition, and no number; ask for the record or the time of an event", e.Kind)
	case e.Kind == engine.Watermark, e.Kind == engine.WindowFired:
		return Value{Text: trace.Clock(e.Value)}, nil
	case e.Rec == engine.NoRecord:
		return Value{Num: float64(e.Value)}, nil
	}
	if k := r.sinkOf(e); k != nil {
		return number(trace.WrittenValue(r.Job(), k, e.Value)), nil
	}
	return number(r.Job().Input.FormatValue(e.Value)), nil
}

// held is one side of a change: of a table's row, of a task's state, or a plain
// number such as an offset.
func (r *Run) held(e *engine.Event, v int64) Value {
	if v == engine.NoRow {
		return Value{Text: "nothing"}
	}
	if k := r.sinkOf(e); k != nil {
		return number(trace.WrittenValue(r.Job(), k, v))
	}
	if e.Rec != engine.NoRecord && (e.Kind == engine.RecordProcessed || e.Kind == engine.StateWrite || e.Kind == engine.RecordJoined) {
		return number(trace.Held(r.Job(), r.Job().Plan.Tasks[e.Task].Kind, v))
	}
	return Value{Num: float64(v)}
}

// sinkOf is the sink to which an event writes for a record; nil if it does not.
func (r *Run) sinkOf(e *engine.Event) *engine.SinkSettings {
	if e.Rec == engine.NoRecord || e.Kind != engine.SinkWrite && e.Kind != engine.DedupID && e.Kind != engine.DedupValue {
		return nil
	}
	at := r.Job().Plan.Tasks[e.Task]
	if at.Sink < 0 || !trace.Writes(at.Kind) {
		return nil
	}
	return &r.Job().Settings.Sinks[at.Sink]
}

// number is a whole number where the text is one, and otherwise the text: amounts
// with decimals are printed as the input gave them and not rounded.
func number(text string) Value {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) {
		return Value{Num: n}
	}
	return Value{Text: text}
}
