package quizzes

import (
	"fmt"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// of is the verdicts of a sink, of one reader of it, or of all for "".
func (r *Run) of(sink string) ([]check.Verdict, error) {
	if sink == "" {
		return r.Verdicts, nil
	}
	name, reader, oneReader := strings.Cut(strings.TrimSuffix(sink, "]"), "[")
	var out []check.Verdict
	for _, v := range r.Verdicts {
		if v.Sink == name && (!oneReader || v.Reader == reader) {
			out = append(out, v)
		}
	}
	if out == nil {
		return nil, &Missing{What: fmt.Sprintf("the job has no sink or reader %q", sink)}
	}
	return out, nil
}

func (r *Run) refs(sink, field string) ([]check.Ref, error) {
	vs, err := r.of(sink)
	var out []check.Ref
	for i := range vs {
		switch field {
		case "lost":
			out = append(out, vs[i].LostRows...)
		case "duplicated":
			out = append(out, vs[i].DuplicatedRows...)
		case "wrong":
			out = append(out, vs[i].WrongRows...)
		default:
			return nil, fmt.Errorf("%q has no rows; allowed: lost, duplicated, wrong", field)
		}
	}
	return out, err
}

// refsOfKey counts the rows of one key, or of one record (P0:3).
func (r *Run) refsOfKey(sink, field, key string) (Value, error) {
	refs, err := r.refs(sink, field)
	if err != nil {
		return Value{}, err
	}
	id, notRecord := engine.ParseRecordID(key)
	n := 0
	for _, ref := range refs {
		if notRecord == nil && ref.ID == id || notRecord != nil && r.Job().Input.Keys[ref.Key] == key {
			n++
		}
	}
	return Value{Num: float64(n)}, nil
}

// refKeys lists the keys of the rows, each once: "ana, ben and cleo".
func (r *Run) refKeys(sink, field string) (Value, error) {
	refs, err := r.refs(sink, field)
	if err != nil {
		return Value{}, err
	}
	var keys []string
	seen := map[engine.KeyID]bool{}
	for _, ref := range refs {
		if !seen[ref.Key] {
			seen[ref.Key] = true
			keys = append(keys, r.Job().Input.Keys[ref.Key])
		}
	}
	switch len(keys) {
	case 0:
		return Value{Text: "nobody"}, nil
	case 1:
		return Value{Text: keys[0]}, nil
	}
	return Value{Text: strings.Join(keys[:len(keys)-1], ", ") + " and " + keys[len(keys)-1]}, nil
}

// refFirst is the id of the first of the rows.
func (r *Run) refFirst(sink, field string) (Value, error) {
	refs, err := r.refs(sink, field)
	if err != nil {
		return Value{}, err
	}
	for _, ref := range refs {
		if ref.ID != engine.NoRecord {
			return Value{Text: ref.ID.String()}, nil
		}
	}
	return Value{}, &Missing{What: "no record is " + field}
}

// attempts is how often the job was started.
func (r *Run) attempts() float64 {
	n := 1.0
	for i := 1; i <= r.Trace.Len(); i++ {
		if r.Trace.At(i).Kind == engine.RestartBegin {
			n++
		}
	}
	return n
}

// count is the number of events with this name after one moment and before another.
func (r *Run) count(name string, from, to Moment) (int, error) {
	w, err := when(r.Job(), "after:"+name)
	if err != nil {
		return 0, err
	}
	lo, err := r.At(from)
	if err != nil {
		return 0, err
	}
	hi, err := r.At(to)
	if err != nil {
		return 0, err
	}
	n := 0
	for i := lo + 1; i <= hi; i++ {
		if w.Matches(r.Job().Plan, r.Trace.At(i)) {
			n++
		}
	}
	return n, nil
}
