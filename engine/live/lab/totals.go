package lab

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/live"
)

// CompareTotals judges a table of totals, one row a key, by what was fed: a total
// counts the records of its key. What a total has too few is pending before the end
// (over) and lost after it; what it has too many is there twice. A row of no key of
// the input, or a second row of one, is wrong.
func CompareTotals(job *engine.Job, fed []int32, rows []live.Row, reader string, over bool) check.Verdict {
	v := check.Verdict{Sink: job.Settings.Sinks[0].Name, Reader: reader, Final: over}
	is := map[string]int64{}
	want := make([]int64, len(job.Input.Keys))
	for p, n := range fed {
		for _, d := range job.Input.Parts[p][:n] {
			want[d.Key]++
		}
		v.Expected += int(n)
	}
	known := keyNumbers(job)
	for i := range rows {
		r := &rows[i]
		_, twice := is[r.Key]
		k, there := known[r.Key]
		if !there || twice {
			v.Wrong++
			v.WrongRows = addRef(v.WrongRows, check.Ref{ID: engine.NoRecord, Key: k, Value: r.Value})
			continue
		}
		is[r.Key] = r.Value
		v.Observed += int(r.Value)
	}
	for k, n := range want {
		ref := check.Ref{ID: engine.NoRecord, Key: engine.KeyID(k), Times: 1, Value: is[job.Input.Keys[k]]}
		switch missing := n - ref.Value; {
		case missing > 0 && over:
			v.Lost += int(missing)
			v.LostRows = addRef(v.LostRows, ref)
		case missing > 0:
			v.Pending += int(missing)
		case missing < 0 && over: // before the end more may have been fed since
			v.Duplicated -= int(missing)
			v.DuplicatedRows = addRef(v.DuplicatedRows, ref)
		}
	}
	v.InFlight = v.Pending
	v.Class = classOf(&v)
	return v
}

func keyNumbers(job *engine.Job) map[string]engine.KeyID {
	m := make(map[string]engine.KeyID, len(job.Input.Keys))
	for k, name := range job.Input.Keys {
		m[name] = engine.KeyID(k)
	}
	return m
}
