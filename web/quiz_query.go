package web

import (
	"fmt"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// queryOfQuestion is the run that a question is about.
func queryOfQuestion(q *quizzes.Question) lessons.Query {
	return lessons.QueryOf(q)
}

// prove opens the run that proves a graded answer where it matters: right in front
// of the right event, or of the crash; the crash that a moment is about strikes in it.
func (v *quizView) prove() {
	d := v.Question.Derived
	if v.Proof == "" || v.Grade == nil || d == nil || d.Run == nil {
		return
	}
	q, at := queryOfQuestion(v.Question), d.At
	switch n := v.rightMoment(); v.Question.Kind {
	case quizzes.PickOne:
		at = n
		q.Faults = append(slices.Clone(q.Faults), fmt.Sprintf("%s@%d", v.Question.Asks.Crash, n))
	case quizzes.PickEvt:
		at = n - 1
	default:
		if at == 0 {
			at = struckAfter(d.Run.Trace)
		}
	}
	v.Proof = "/run?" + queryOf(q)
	if at > 0 {
		v.Proof += "&at=" + itoa(at)
	}
}

// struckAfter is the event before the first fault that is no condition of the job
// from its start; 0 where nothing strikes.
func struckAfter(t *trace.Trace) int {
	for n := 1; n <= t.Len(); n++ {
		if e := t.At(n); e.Kind == engine.FaultInjected && int(e.Fault) >= len(t.Job.Conditions) {
			return n - 1
		}
	}
	return 0
}

// laneRun is the run of one job of a race, where its crash strikes; "" where the
// option is no such job, or nothing was answered yet.
func (v *quizView) laneRun(o *quizzes.Option) string {
	if v.Grade == nil || o.Lane.Scenario == "" || v.Question.Derived == nil {
		return ""
	}
	q := queryOfQuestion(v.Question)
	q.Scenario, q.Faults = o.Lane.Scenario, []string{o.Lane.Fault}
	return "/run?" + queryOf(q) + "&at=" + itoa(o.Lane.At)
}

// rightMoment is a right event, or moment: the one that was chosen, or else one of
// those that the page names. 0 where the question asks for none.
func (v *quizView) rightMoment() int {
	set := v.Question.Derived.Set
	if n, ok := eventOf(v.Answer); ok && slices.Contains(set, n) {
		return n
	}
	if v.Line != nil {
		for _, o := range v.Line.Offers {
			if slices.Contains(set, o.N) {
				return o.N
			}
		}
	}
	if len(set) == 0 {
		return 0
	}
	return set[0]
}
