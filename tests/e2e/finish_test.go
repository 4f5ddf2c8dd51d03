package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// learner is somebody who goes through a lesson in one way of their own: with a
// keyboard and nothing else, without scripts, with a finger on a phone.
type learner struct {
	*tab
	press1  func(selector string) // activates the first visible match
	scripts bool
	mouse   bool
	look    func(state string) // is called where a lesson asks, has answered, has told
}

func (l *learner) at(state string) {
	if l.look != nil {
		l.look(state)
	}
}

// finished are the lessons that every reader has to be able to finish.
var finished = []string{"one-crash-two-charges", "alignment", "two-phase-commit"}

func TestLessonsAreFinishedByKeyboard(t *testing.T) {
	for _, slug := range finishedBy(0) {
		b := open(t, site.URL, look{calm: true})
		l := &learner{tab: b, scripts: true}
		l.press1 = func(selector string) {
			l.tabTo(selector)
			if b.is(`document.activeElement.matches('input')`) {
				b.press(" ")
			} else {
				b.press(kb.Enter)
			}
		}
		l.finish(slug)
	}
}

func TestLessonsAreFinishedWithoutScripts(t *testing.T) {
	for _, slug := range finishedBy(1) {
		b := open(t, site.URL, look{noScript: true})
		l := &learner{tab: b, press1: b.click}
		l.finish(slug)
	}
}

func TestLessonsAreFinishedOnAPhone(t *testing.T) {
	for _, slug := range finishedBy(2) {
		b := open(t, site.URL, look{width: 390, height: 844})
		call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
		l := &learner{tab: b, scripts: true, press1: b.tap}
		l.finish(slug)
	}
}

// finish goes from the first step to the last, places every bet, lets every crash
// happen and answers every question. It presses only what the page offers.
func (l *learner) finish(slug string) {
	l.t.Helper()
	l.visit("/lessons/" + slug)
	bets, questions, steps := 0, 0, map[string]bool{}
	for range 80 {
		l.settled()
		step := eval[[2]string](l.tab, `(s => [s.dataset.segment, s.dataset.kind])(document.querySelector('[data-current]'))`)
		steps[step[0]] = true
		if wide := eval[int](l.tab, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			l.t.Errorf("%s, step %s: the page is %d px wider than the window", slug, step[0], wide)
		}
		switch {
		case step[1] == "end":
			of := eval[int](l.tab, `document.querySelectorAll('[data-segment]').length`)
			asked := eval[int](l.tab, `document.querySelectorAll('[data-bet]').length`)
			if len(steps) != of || questions < 4 || bets != asked {
				l.t.Errorf("%s: came to the end over %d of %d steps, with %d of %d bets and %d questions", slug, len(steps), of, bets, asked, questions)
			}
			if to := eval[string](l.tab, `document.querySelector('#next').getAttribute('href')`); !strings.HasPrefix(to, "/") {
				l.t.Errorf("%s ends nowhere: %q", slug, to)
			}
			return
		case l.is(`!document.querySelector('#place-bet').hidden`):
			l.at("bet open")
			l.press1(`[data-current] [data-bet] [name="bet"]`)
			l.moves(func() { l.press1(`#place-bet`) })
			bets++
			l.at("bet answered")
			continue
		case step[1] == "quiz":
			questions = l.quiz()
		default:
			l.at("step " + step[0])
		}
		if l.skip(); l.is(`!document.querySelector('#place-bet').hidden`) {
			continue // the page has pressed its crash itself
		}
		l.moves(func() { l.press1(`#next`) })
	}
	l.t.Fatalf("%s has no end after 80 presses; steps %v", slug, steps)
}

// settled waits until the page asks for something.
func (l *learner) settled() {
	l.t.Helper()
	if !l.scripts {
		l.await(`document.readyState === 'complete' && document.querySelector('[data-current]')`)
		return
	}
	if l.mouse { // a step that has begun to play by itself need not be watched
		l.await(`document.querySelector('main[data-query]')?.dataset.position`)
		l.press("]")
		l.skip()
	}
	l.await(`(m => { // three times in a row: a page that is about to be left rests first
		window.left ||= (addEventListener('beforeunload', () => { window.left = 'now'; }), 'no');
		const asks = m?.dataset.position && /paused|frozen|ended/.test(m.dataset.state) && !m.hasAttribute('data-waiting') && !m.querySelector('[data-overlay] > *') &&
			(!document.querySelector('#next').hidden || !document.querySelector('#place-bet').hidden);
		window.rests = asks && window.left === 'no' ? (window.rests ?? 0) + 1 : 0;
		return window.rests > 2 && !(window.rests = 0);
	})(document.querySelector('main[data-query]'))`)
}

// moves presses something and waits until the page has answered.
func (l *learner) moves(press func()) {
	l.t.Helper()
	before := l.stamp()
	press()
	l.await(stamp + ` !== ` + quote(before))
	if l.scripts {
		l.press("]") // playing four times as fast, if it plays
	}
}

// quiz answers all questions, right or wrong, and returns how many there are. Each
// answer has to come back with what is right and why.
func (l *learner) quiz() int {
	l.t.Helper()
	ids := eval[[]string](l.tab, `[...document.querySelectorAll('[data-current] [data-quiz]')].map(q => q.id)`)
	for _, id := range ids {
		form := `[id="` + id + `"]`
		q := func(rest string) bool { return l.is(`document.querySelector(` + quote(form+rest) + `)`) }
		switch {
		case q(" textarea"):
			l.fill(form+" textarea", "first a promise, then one decision")
			l.press1(form + " .buttons button")
			l.await(`document.querySelector(` + quote(form+" .model") + `)`)
			l.settled()
			l.press1(form + ` .checklist [name="quiz"]`)
		case q(" select"):
			for n := range eval[int](l.tab, `document.querySelectorAll(`+quote(form+" select")+`).length`) {
				l.fill(fmt.Sprintf("%s li:nth-child(%d) select", form, n+1), fmt.Sprint(n+1))
			}
		case q(` [name="answer"]`):
			l.fill(form+` [name="answer"]`, "40")
		default:
			l.press1(form + ` [name="quiz"]`)
		}
		l.press1(form + " .buttons button")
		l.await(`document.querySelector(` + quote(form+"[data-answered]") + `)`)
		l.settled()
		l.at("answered")
		if said := eval[string](l.tab, `document.querySelector(`+quote(form)+`).textContent`); !strings.Contains(said, "orrect") && !strings.Contains(said, "Your answer") && !strings.Contains(said, "You had") {
			l.t.Errorf("%s says nothing of the answer: %s", id, said)
		}
	}
	return len(ids)
}

// fill types into a field.
func (l *learner) fill(selector, text string) {
	l.t.Helper()
	if l.is(`document.querySelector(` + quote(selector) + `).tagName === 'SELECT'`) { // a picker of the system opens under a finger
		eval[bool](l.tab, `(document.querySelector(`+quote(selector)+`).focus(), true)`)
	} else if l.scripts && !l.mouse && l.is(`matchMedia('(pointer: fine)').matches`) {
		l.tabTo(selector)
	} else {
		l.press1(selector)
		l.await(`document.activeElement === document.querySelector(` + quote(selector) + `)`)
	}
	l.press(text)
}

// tabTo presses Tab, as people do who have no mouse, until it is there.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	b.await(`[...document.querySelectorAll(` + quote(selector) + `)].some(e => e.getClientRects().length)`)
	for range 400 {
		if b.is(`document.activeElement.matches(` + quote(selector) + `)`) {
			return
		}
		b.press(kb.Tab)
	}
	b.t.Fatalf("Tab does not reach %s", selector)
}

// tap touches the middle of the first visible match.
func (b *tab) tap(selector string) {
	b.t.Helper()
	b.await(`[...document.querySelectorAll(` + quote(selector) + `)].some(e => e.getClientRects().length)`)
	p := eval[[2]float64](b, `(() => { const e = [...document.querySelectorAll(`+quote(selector)+`)].map(e => e.matches('[type=radio], [type=checkbox]') && e.closest('label') || e).find(e => e.getClientRects().length);
		for (const where of [.6, .7, .8, .5, .4, .3, .9]) { // as people scroll until nothing lies over it
			let r = e.getBoundingClientRect();
			scrollBy({top: r.y + r.height / 2 - where * innerHeight, behavior: 'instant'});
			r = e.getBoundingClientRect();
			const x = r.x + r.width / 2, y = r.y + r.height / 2, hit = document.elementFromPoint(x, y);
			if (hit && e.contains(hit)) return [x, y];
		}
		return [-1, -1]; })()`)
	if p[0] < 0 {
		b.t.Fatalf("%s cannot be touched: something lies over it wherever the page is scrolled", selector)
	}
	call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: "touchStart", TouchPoints: []*input.TouchPoint{{X: p[0], Y: p[1]}}})
	call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: "touchEnd", TouchPoints: []*input.TouchPoint{}})
	// Two touches in a row could be one double touch: what was chosen has to show first.
	b.await(`(e => !e.matches('[type=radio], [type=checkbox]') || e.checked)([...document.querySelectorAll(` + quote(selector) + `)].find(e => e.getClientRects().length) || document.body)`)
}
