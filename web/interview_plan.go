package web

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
	"effectivelyonce/quizzes/progress"
)

// planned is one question of an interview, with the seed that draws it.
type planned struct {
	Question *quizzes.Question
	Lesson   *lessons.Lesson
	Seed     uint64
}

// Lengths of an interview, in minutes, and the most questions that a URL may plan.
var interviewLengths = []int{15, 30, 45}

const maxPlanned = 40

// tenths is how many tenths of a minute a question takes.
func tenths(k quizzes.Kind) int {
	switch k {
	case quizzes.Open:
		return 50
	case quizzes.Numeric, quizzes.PickOne, quizzes.PickEvt, quizzes.CrashCount, quizzes.CrashClass, quizzes.CrashOffset, quizzes.CrashRace:
		return 25
	case quizzes.Order, quizzes.Multi:
		return 15
	}
	return 12
}

// planInterview chooses the questions: first what is due, for at most half of the
// time, then one kind after the other, in an order that the draw fixes. An
// interview begins with something easy, and what is open stands between the rest.
func planInterview(cat *lessons.Catalogue, minutes, chapter int, draw uint64, due []progress.Review) []planned {
	left, taken := minutes*10, map[string]bool{}
	var out []planned
	take := func(p planned) bool {
		need := tenths(p.Question.Template())
		if taken[p.Question.ID] || need > left || len(out) == maxPlanned {
			return false
		}
		taken[p.Question.ID], left = true, left-need
		out = append(out, p)
		return true
	}
	for _, r := range due {
		q, l := cat.Question(r.Question)
		if q != nil && (chapter == 0 || l.Chapter == chapter) && left > minutes*5 {
			take(planned{q, l, r.Seed})
		}
	}
	open := minutes / 15                       // an interviewer mostly asks for words: these have their time before the rest
	for _, once := range []bool{true, false} { // first one question a lesson, then more where time is left
		pools := interviewPools(cat, chapter, draw)
		for _, p := range pools[openPool] {
			if open > 0 && (!once || !hasLesson(out, p.Lesson)) && take(p) {
				open--
			}
		}
		for again := true; again; {
			again = false
			for i := range pools[:openPool] {
				for len(pools[i]) > 0 {
					p := pools[i][0]
					pools[i] = pools[i][1:]
					if (!once || !hasLesson(out, p.Lesson)) && take(p) {
						again = true
						break
					}
				}
			}
		}
	}
	return inTurn(out, draw)
}

func hasLesson(plan []planned, l *lessons.Lesson) bool {
	return slices.ContainsFunc(plan, func(p planned) bool { return p.Lesson == l })
}

// Pools of questions. A kind of which there are one or two questions has no pool of
// its own: they would come in every interview.
const (
	runPool  = 3 // of drawn crashes and races, moments and events
	openPool = 4
)

func poolOf(k quizzes.Kind) int {
	switch k {
	case quizzes.Single:
		return 0
	case quizzes.Multi:
		return 1
	case quizzes.Order, quizzes.Numeric: // four orders only
		return 2
	case quizzes.Open:
		return openPool
	}
	return runPool
}

// interviewPools are the questions by kind, each in the order of the draw.
func interviewPools(cat *lessons.Catalogue, chapter int, draw uint64) [][]planned {
	out := make([][]planned, openPool+1)
	for _, l := range cat.Lessons() {
		if l.Coming || chapter != 0 && l.Chapter != chapter {
			continue
		}
		for _, q := range l.Quiz {
			k := poolOf(q.Template())
			out[k] = append(out[k], planned{q, l, 2 + interviewDice(draw, "seed "+q.ID)%9998})
		}
	}
	for i := range out {
		slices.SortFunc(out[i], func(a, b planned) int {
			return cmp.Compare(interviewDice(draw, a.Question.ID), interviewDice(draw, b.Question.ID))
		})
	}
	return out
}

// inTurn orders what was chosen: easy before hard, ties as drawn, and open
// questions spread over the rest.
func inTurn(chosen []planned, draw uint64) []planned {
	rank := map[string]int{"easy": 0, "medium": 1, "hard": 2}
	slices.SortStableFunc(chosen, func(a, b planned) int {
		return cmp.Or(cmp.Compare(rank[a.Question.Difficulty], rank[b.Question.Difficulty]),
			cmp.Compare(interviewDice(draw, "turn "+a.Question.ID), interviewDice(draw, "turn "+b.Question.ID)))
	})
	var out, open []planned
	for _, p := range chosen {
		if p.Question.Kind == quizzes.Open {
			open = append(open, p)
		} else {
			out = append(out, p)
		}
	}
	for i, p := range open {
		out = slices.Insert(out, (len(out)*(i+1)+len(open))/(len(open)+1), p)
	}
	return apart(out)
}

// apart moves a question that would follow one of the same lesson behind the next
// that does not, or else in front of an earlier pair.
func apart(plan []planned) []planned {
	same := func(a, b int) bool {
		return a >= 0 && b < len(plan) && plan[a].Lesson == plan[b].Lesson
	}
	for i := 1; i < len(plan); i++ {
		for j := i + 1; same(i-1, i) && j < len(plan); j++ {
			if !same(i-1, j) {
				p := plan[j]
				plan = slices.Insert(slices.Delete(plan, j, j+1), i, p)
			}
		}
		for j := 0; same(i-1, i) && j < i-1; j++ {
			if l := plan[i].Lesson; plan[j].Lesson != l && (j == 0 || plan[j-1].Lesson != l) {
				p := plan[i]
				plan = slices.Insert(slices.Delete(plan, i, i+1), j, p)
			}
		}
	}
	return plan
}

func interviewDice(draw uint64, what string) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s", draw, what)
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// planText is the plan as a parameter: q03.3~17,q10.4~5.
func planText(plan []planned) string {
	var out []string
	for _, p := range plan {
		out = append(out, p.Question.ID+"~"+strconv.FormatUint(p.Seed, 10))
	}
	return strings.Join(out, ",")
}

// readPlan reads it. A question that is gone is named.
func readPlan(cat *lessons.Catalogue, text string) ([]planned, error) {
	var out []planned
	for part := range strings.SplitSeq(text, ",") {
		id, seed, _ := strings.Cut(part, "~")
		q, l := cat.Question(id)
		n, err := strconv.ParseUint(seed, 10, 32)
		if q == nil || err != nil || len(out) == maxPlanned {
			return nil, &Problem{Status: 400, Param: "plan", Found: clipped(part, 60), Allowed: "up to 40 of QUESTION~SEED, with commas between them", Without: "/interview"}
		}
		out = append(out, planned{q, l, n})
	}
	return out, nil
}
