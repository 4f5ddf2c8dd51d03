package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"effectivelyonce/quizzes"
)

// An interview of many kinds.
const kindsPlan = "/interview?minutes=45&since=1&timer=1&plan=q01.1~3,q01.4~3,q03.1~3,q03.3~3,q01.2~3,q05.3~3,q10.4~3,q14.4~3,q07.3~3"

// TestAxeOnEveryKindOfQuestion finds nothing on any kind in any state (asked, right,
// missed, refused, compared), on a wide screen and on a phone, in light and dark;
// and nothing is wider than the phone.
func TestAxeOnEveryKindOfQuestion(t *testing.T) {
	source := axeSource(t)
	all := kinds(t)
	for _, width := range []int64{1280, 390} {
		shared(t, look{width: width, height: 844}, all, func(b *tab, q *quizzes.Question) {
			b.axeStates(source, q, fmt.Sprintf("%d wide", width))
		})
		b := open(t, site.URL, look{width: width, height: 844})
		b.visit(kindsPlan + "&n=10&a=1:a&a=2:a")
		b.axeLook(source, fmt.Sprintf("the review, %d wide", width))
		b.visit("/interview")
		b.axeLook(source, fmt.Sprintf("the door, %d wide", width))
	}
}

// axeStates looks at one question: asked, answered right and wrong, and in the
// states that only its kind has.
func (b *tab) axeStates(source string, q *quizzes.Question, wide string) {
	b.t.Helper()
	b.visit(room(q))
	b.axeLook(source, q.ID+", asked, "+wide)
	for _, r := range []reply{right(q), wrong(q)} {
		b.visit(room(q) + "&a=1:" + string(r))
		if b.axeLook(source, q.ID+", answered "+string(r)+", "+wide); !b.is(`document.querySelector('[data-answered]')`) {
			b.t.Errorf("%s is not graded", q.ID)
		}
	}
	switch q.Kind {
	case quizzes.Open:
		b.visit(room(q) + "&text=mine")
		b.axeLook(source, q.ID+", compared, "+wide)
	case quizzes.Numeric, quizzes.PickOne:
		b.visit(room(q))
		b.fill(q, "many")
		b.await(`document.querySelector('.form-problem')`)
		b.axeLook(source, q.ID+", refused, "+wide)
	}
}

// TestInterviewByKeyboard begins an interview, answers, and goes on, without a mouse
// and without scripts of ours in the way.
func TestInterviewByKeyboard(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit(kindsPlan + "&n=4")
	b.await(`document.querySelector('[name=answer]')`)
	eval[bool](b, `(document.querySelector('[name=answer]').focus(), true)`)
	b.press("3")
	b.press(kb.Enter)
	b.await(`document.querySelector('[data-answered]') && location.search.includes('a=4')`)
	b.visit(kindsPlan + "&n=1")
	b.await(`document.querySelector('.option input')`)
	eval[bool](b, `(document.querySelector('.option input').focus(), true)`)
	b.press(" ")
	b.press(kb.Enter)
	b.await(`document.querySelector('[data-answered]')`)
	b.back()
	b.await(`!document.querySelector('[data-answered]')`)
}
