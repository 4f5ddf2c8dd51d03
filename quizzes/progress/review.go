package progress

import (
	"cmp"
	"slices"
	"time"
)

// Reviews come back at even distances: three times, every four days. Evenly
// spaced review is as good as growing gaps, and easier to keep to.
const (
	reviewTimes = 3
	reviewDays  = 4
	missedDays  = 1
)

// Review is a question that is to be answered again.
type Review struct {
	Question string
	Due      time.Time // midnight UTC of the day
	Seed     uint64    // one that the learner has not answered
	Missed   bool      // the last answer was not right
}

// Reviews plans the review of every question that was answered: 4, 8 and 12 days
// after the first answer, and the day after each answer that was not right. A
// review that comes late moves those after it. Answering before a review is due
// is practice and moves nothing. The plan is in order of time, then of question.
func Reviews(answers []Answer) []Review {
	byQuestion := map[string][]Answer{}
	for _, a := range answers {
		byQuestion[a.Question] = append(byQuestion[a.Question], a)
	}
	var out []Review
	for _, given := range byQuestion {
		if r, ok := next(given); ok {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Review) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Question, b.Question))
	})
	return out
}

// Due are the reviews that are due at a time.
func Due(answers []Answer, now time.Time) []Review {
	all := Reviews(answers)
	i := 0
	for i < len(all) && !all[i].Due.After(now) {
		i++
	}
	return all[:i]
}

// next plans the review of one question; false when there is none to come.
func next(given []Answer) (Review, bool) {
	given = slices.Clone(given)
	slices.SortStableFunc(given, func(a, b Answer) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Ticket, b.Ticket))
	})
	r := Review{Question: given[0].Question}
	left, regular := reviewTimes, daysAfter(given[0].At, reviewDays)
	for i, a := range given {
		r.Seed = max(r.Seed, a.Seed)
		if i > 0 && left > 0 && !a.At.Before(regular) {
			left--
			regular = daysAfter(a.At, reviewDays)
		}
	}
	r.Seed++
	last := given[len(given)-1]
	r.Missed = !last.Right
	switch extra := daysAfter(last.At, missedDays); {
	case r.Missed && (left == 0 || extra.Before(regular)):
		r.Due = extra
	case left > 0:
		r.Due = regular
	default:
		return r, false
	}
	return r, true
}

// daysAfter is the beginning of a later day, so that who learns every evening is
// not told to wait for a quarter of an hour.
func daysAfter(t time.Time, days int) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d+days, 0, 0, 0, 0, time.UTC)
}
