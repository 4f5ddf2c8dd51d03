package e2e

import (
	"fmt"
	"os"
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
	source, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("axe-core is not installed; run: npm ci --prefix tests (%v)", err)
	}
	all := kinds(t)
	for _, width := range []int64{1280, 390} {
		b := open(t, site.URL, look{width: width, height: 844})
		look := func(what string) {
			b.await(`document.readyState === 'complete' && document.querySelector('main.interview')`)
			b.axe(string(source), fmt.Sprintf("%s, %d wide", what, width))
			if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s is %d pixels wider than the screen of %d", what, over, width)
			}
		}
		for i, q := range all {
			b.scheme(i%2 == 1 == (width == 390), false)
			b.visit(room(q))
			look(q.ID + ", asked")
			for _, r := range []reply{right(q), wrong(q)} {
				b.visit(room(q) + "&a=1:" + string(r))
				if look(q.ID + ", answered " + string(r)); !b.is(`document.querySelector('[data-answered]')`) {
					t.Errorf("%s is not graded", q.ID)
				}
			}
			switch q.Kind {
			case quizzes.Open:
				b.visit(room(q) + "&text=mine")
				look(q.ID + ", compared")
			case quizzes.Numeric, quizzes.PickOne:
				b.visit(room(q))
				b.fill(q, "many")
				b.await(`document.querySelector('.form-problem')`)
				look(q.ID + ", refused")
			}
		}
		b.visit(kindsPlan + "&n=10&a=1:a&a=2:a")
		look("the review")
		b.visit("/interview")
		look("the door")
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
