package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// One question of each kind, and an answer to it as the URL keeps it.
const kindsPlan = "/interview?minutes=45&since=1&timer=1&plan=q01.1~3,q01.4~3,q03.1~3,q03.3~3,q01.2~3,q05.3~3,q10.4~3,q14.4~3,q07.3~3"

var kindsGiven = []string{"a", "a.b", "a.b.c", "1", "40", "40", "a.b", "b", "c"}

// TestAxeOnEveryKindOfQuestion finds nothing on any kind, asked and answered, on a
// wide screen and on a phone, in light and dark; and nothing is wider than the phone.
func TestAxeOnEveryKindOfQuestion(t *testing.T) {
	source, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("axe-core is not installed; run: npm ci --prefix tests (%v)", err)
	}
	for _, width := range []int64{1280, 390} {
		b := open(t, site.URL, look{width: width, height: 844})
		visit := func(path string) {
			b.visit(path)
			b.await(`document.querySelector('main.interview')`)
			b.axe(string(source), fmt.Sprintf("%s, %d wide", path, width))
			if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s is %d pixels wider than the screen of %d", path, over, width)
			}
		}
		for i, given := range kindsGiven {
			b.scheme(i%2 == 1, false)
			n := fmt.Sprintf("&n=%d", i+1)
			visit(kindsPlan + n)
			visit(kindsPlan + n + fmt.Sprintf("&a=%d:%s", i+1, given))
			if !b.is(`document.querySelector('[data-answered]')`) {
				t.Errorf("question %d is not graded", i+1)
			}
		}
		visit(kindsPlan + "&n=7&text=mine")
		visit(kindsPlan + "&n=10")
		visit("/interview")
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
