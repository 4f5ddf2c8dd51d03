package quizzes_test

import (
	"fmt"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/quizzes"
)

// momentDiffers crashes a fresh run at the edges of the right moments and just
// outside of them, and says where the key is not what the engine shows.
func momentDiffers(eng quizzes.Engine, q, d *quizzes.Question) string {
	set := d.Derived.Set
	try := map[int]bool{0: true, d.Derived.Last: true}
	for i, n := range set {
		if i == 0 || set[i-1] != n-1 {
			try[n], try[n-1] = true, true
		}
		if i == len(set)-1 || set[i+1] != n+1 {
			try[n], try[n+1] = true, true
		}
	}
	for n := range try {
		if n < 0 || n > d.Derived.Last {
			continue
		}
		faults := append(slices.Clone(d.Asks.Faults), fmt.Sprintf("%s@%d", q.Asks.Crash, n))
		job, fs, err := eng.Compile(d.Asks.Scenario, d.Asks.Seed, d.Asks.Set, faults)
		if err != nil {
			return err.Error()
		}
		r, err := quizzes.Play(eng.Run, job, fs)
		if err != nil {
			return err.Error()
		}
		if got := allHold(r, q, d); got != slices.Contains(set, n) {
			return fmt.Sprintf("a crash at %d: %v is %v, the key has %v", n, q.Asks.Result, got, set)
		}
	}
	return ""
}

// allHold evaluates the conditions of a question; what a run does not have is false.
func allHold(r *quizzes.Run, q, d *quizzes.Question) bool {
	for _, expr := range q.Asks.Result {
		e, err := quizzes.ParseExpr(d.Fill(expr))
		if err != nil {
			return false
		}
		if ok, err := e.True(r); err != nil || !ok {
			return false
		}
	}
	return true
}

// eventDiffers says how the right events of the three questions that ask for one
// are not what the run shows, worked out another way than the question does.
func eventDiffers(eng quizzes.Engine, d *quizzes.Question) string {
	job, fs, err := eng.Compile(d.Asks.Scenario, d.Asks.Seed, d.Asks.Set, d.Asks.Faults)
	if err != nil {
		return err.Error()
	}
	r, err := quizzes.Play(eng.Run, job, fs)
	if err != nil {
		return err.Error()
	}
	want := map[string]func(*quizzes.Run, *quizzes.Question) []int{"q05.3": barrierEvents, "q09.4": earlyRecords, "q12.3": firstSeen}[d.ID]
	if want == nil {
		return "no test knows another way to find its events"
	}
	if got := want(r, d); !slices.Equal(got, d.Derived.Set) {
		return fmt.Sprintf("the run says %v, the key %v", got, d.Derived.Set)
	}
	return ""
}

// barrierEvents are those of checkpoint c at the source of partition p, and the
// restart after its seal goes on at what they noted.
func barrierEvents(r *quizzes.Run, d *quizzes.Question) (out []int) {
	var p, c int
	if _, err := fmt.Sscan(d.Fill("{p} {c}"), &p, &c); err != nil {
		return nil
	}
	task := fmt.Sprintf("source/%d", p)
	for n := 1; n <= r.Trace.Len(); n++ {
		e := r.Trace.At(n)
		if (e.Kind == engine.BarrierInjected || e.Kind == engine.SnapshotTaken) && int(e.Ckpt) == c && r.Job().Plan.Name(e.Task) == task {
			out = append(out, n)
		}
	}
	return out
}

// earlyRecords are records that count/0 had counted when it made its picture, and
// that lie at or behind the offset that their source noted for it.
func earlyRecords(r *quizzes.Run, _ *quizzes.Question) (out []int) {
	noted := map[int16]int32{}
	for n := 1; n <= r.Trace.Len(); n++ {
		if e := r.Trace.At(n); e.Kind == engine.BarrierInjected && e.Ckpt == 1 {
			noted[int16(r.Job().Plan.Tasks[e.Task].Part)] = int32(e.After)
		}
	}
	for n := 1; n <= r.Trace.Len(); n++ {
		e := r.Trace.At(n)
		if r.Job().Plan.Name(max(e.Task, 0)) != "count/0" {
			continue
		}
		switch {
		case e.Kind == engine.SnapshotTaken:
			return out
		case e.Kind == engine.RecordProcessed && e.Rec.Off >= noted[e.Rec.Part]:
			out = append(out, n)
		}
	}
	return nil
}

// firstSeen is the event with which a reader of committed rows gets the record.
func firstSeen(r *quizzes.Run, d *quizzes.Question) []int {
	v := trace.NewView(r.Job(), r.Trace.Faults...)
	for n := 1; n <= r.Trace.Len(); n++ {
		v.Apply(r.Trace.At(n))
		for i := range v.Outside[0].Rows {
			if v.Outside[0].Rows[i].Rec == d.Derived.Record && v.Outside[0].Sees(i, engine.ReadCommitted) {
				return []int{n}
			}
		}
	}
	return nil
}
