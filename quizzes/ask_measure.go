package quizzes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons/strict"
)

// recoveryParts are the words behind "recovery": how long the first recovery of a
// run took, and its parts, in virtual milliseconds.
var recoveryParts = map[string]func(*trace.Recovery) engine.Time{
	"back":    func(r *trace.Recovery) engine.Time { return r.Total() },
	"detect":  func(r *trace.Recovery) engine.Time { return r.Detect },
	"restart": func(r *trace.Recovery) engine.Time { return r.Restart },
	"restore": func(r *trace.Recovery) engine.Time { return r.Restore },
	"replay":  func(r *trace.Recovery) engine.Time { return r.Replay },
}

// priceParts are the words behind "price": what a way to get state back had cost
// before the fault.
var priceParts = map[string]func(*trace.Price) float64{
	"records": func(p *trace.Price) float64 { return float64(p.Records) },
	"entries": func(p *trace.Price) float64 { return float64(p.Entries) },
	"bytes":   func(p *trace.Price) float64 { return float64(p.Bytes) },
	"waited":  func(p *trace.Price) float64 { return p.Waited.Millis() },
}

// measureTerm reads a term that measures a run: "recovery PART", "price PART",
// "delay", "bookmark N"; nil if the word begins none.
func (p *parser) measureTerm(w string) (term, error) {
	switch w {
	case "delay":
		return func(r *Run) (Value, error) { return Value{Num: r.delay().Millis()}, nil }, nil
	case "bookmark":
		part, err := strconv.Atoi(p.next())
		if err != nil || part < 0 {
			return nil, errors.New("bookmark needs the number of a partition")
		}
		return func(r *Run) (Value, error) { return r.bookmark(part) }, nil
	case "checkpoints":
		part := p.next()
		get, ok := economics[part]
		if !ok {
			return nil, unknownPart(w, part, economics)
		}
		return func(r *Run) (Value, error) { return Value{Num: get(check.Measure(r.Trace))}, nil }, nil
	case "recovery":
		part := p.next()
		get, ok := recoveryParts[part]
		if !ok {
			return nil, unknownPart(w, part, recoveryParts)
		}
		return func(r *Run) (Value, error) {
			rec, died := trace.RecoveryOf(r.Trace)
			if !died || !rec.Back {
				return Value{}, &Missing{What: "nothing in this run dies and comes back"}
			}
			return Value{Num: get(&rec).Millis()}, nil
		}, nil
	case "price":
		part := p.next()
		get, ok := priceParts[part]
		if !ok {
			return nil, unknownPart(w, part, priceParts)
		}
		return func(r *Run) (Value, error) {
			rec, _ := trace.RecoveryOf(r.Trace)
			return Value{Num: get(&rec.Price)}, nil
		}, nil
	}
	return nil, nil
}

func unknownPart[V any](w, part string, parts map[string]V) error {
	var names []string
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	return fmt.Errorf("%s %q; %s", w, part, strict.Allowed(part, names))
}

// bookmark is the offset of a partition that the broker had from the newest
// offset.commit before the first fault, 0 where there is none.
func (r *Run) bookmark(part int) (Value, error) {
	parts := len(r.Job().Input.Parts)
	if part >= parts {
		return Value{}, fmt.Errorf("bookmark %d; the input has partitions 0 to %d", part, parts-1)
	}
	var v Value
	for n := 1; n <= r.Trace.Len() && r.Trace.At(n).Kind != engine.FaultInjected; n++ {
		if e := r.Trace.At(n); e.Kind == engine.OffsetCommit {
			v.Num = float64(engine.UnpackPositions(e.Value, e.After, parts)[part])
		}
	}
	return v, nil
}

// economics are the words behind "checkpoints": what checkpoints cost a run and how
// long they and those who wait for them take, as check.Measure says it; times in
// virtual milliseconds, the share in percent.
var economics = map[string]func(*check.Economics) float64{
	"share":    func(x *check.Economics) float64 { return 100 * x.Share() },
	"cost":     func(x *check.Economics) float64 { return x.Cost().Millis() },
	"duration": func(x *check.Economics) float64 { return x.Duration.Mean().Millis() },
	"delay":    func(x *check.Economics) float64 { return check.Summary(x.Delays).Mean().Millis() },
}

// delay is the longest time from reading a record to the moment at which its row
// can be seen outside: when it is written, or when its transaction is committed.
func (r *Run) delay() engine.Time {
	var most engine.Time
	read := map[engine.RecordID]engine.Time{}
	open := map[engine.Txn][]engine.Time{}
	for n := 1; n <= r.Trace.Len(); n++ {
		switch e := r.Trace.At(n); e.Kind {
		case engine.SourceRead:
			read[e.Rec] = e.T
		case engine.SinkWrite:
			if e.Txn.IsZero() {
				most = max(most, e.T-read[e.Rec])
			} else {
				open[e.Txn] = append(open[e.Txn], read[e.Rec])
			}
		case engine.TxnCommit:
			for _, at := range open[e.Txn] {
				most = max(most, e.T-at)
			}
			delete(open, e.Txn)
		}
	}
	return most
}
