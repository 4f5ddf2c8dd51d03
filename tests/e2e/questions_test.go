package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"effectivelyonce/content"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// course is the content of the program under test, worked out by the engine.
func course(t *testing.T) *lessons.Catalogue {
	t.Helper()
	cat, problems := lessons.Load(content.FS)
	if problems = append(problems, cat.Prepare(sim.Run)...); len(problems) > 0 {
		t.Fatal(problems)
	}
	return cat
}

// reply is an answer as the interview's URL keeps it: options by id, a number, an
// event. An order is its options in the order given.
type reply string

func (r reply) parts() []string { return strings.Split(string(r), ".") }

// right answers a question.
func right(q *quizzes.Question) reply {
	switch q.Kind {
	case quizzes.Numeric:
		return reply(fmt.Sprint(q.Derived.Number))
	case quizzes.PickOne, quizzes.PickEvt:
		return reply(fmt.Sprint(q.Derived.Set[0]))
	}
	return options(q, func(o quizzes.Option) bool { return q.Kind == quizzes.Order || o.Right })
}

// wrong misses it: what is chosen is not right, or comes in the wrong order.
func wrong(q *quizzes.Question) reply {
	switch q.Kind {
	case quizzes.Open:
		return "none"
	case quizzes.Order:
		ids := right(q).parts()
		slices.Reverse(ids)
		return reply(strings.Join(ids, "."))
	case quizzes.Numeric:
		return reply(fmt.Sprint(q.Derived.Number*7 + 3))
	case quizzes.PickOne, quizzes.PickEvt:
		n := 1
		for slices.Contains(q.Derived.Set, n) {
			n++
		}
		return reply(fmt.Sprint(n))
	case quizzes.Multi:
		if w := options(q, func(o quizzes.Option) bool { return !o.Right }); w != "" {
			return w
		}
		return right(q)[:1]
	}
	return options(q, func(o quizzes.Option) bool { return !o.Right })[:1]
}

func options(q *quizzes.Question, take func(quizzes.Option) bool) reply {
	var ids []string
	for _, o := range q.Options {
		if take(o) {
			ids = append(ids, o.ID)
		}
	}
	return reply(strings.Join(ids, "."))
}

// room is the interview of one question, with the seed of a lesson's first visit.
func room(q *quizzes.Question) string { return "/interview?minutes=15&since=1&plan=" + q.ID + "~1&n=1" }

// fill answers the form of the page and sends it: by its controls, as a mouse does.
func (b *tab) fill(q *quizzes.Question, r reply) {
	b.t.Helper()
	if q.Kind == quizzes.Open && !b.is(`document.querySelector('.checklist')`) {
		eval[bool](b, `(document.querySelector('form textarea').value = 'In my own words.', document.querySelector('form[data-quiz]').requestSubmit(), true)`)
		b.await(`document.querySelector('.checklist') && document.querySelector('.gaps li') && document.querySelector('form textarea').value === 'In my own words.'`)
	}
	steps := []string{`f.querySelectorAll('.option input, .checklist input').forEach(i => { i.checked = false; })`} // a page gone back to has them still
	for i, part := range r.parts() {
		switch q.Kind {
		case quizzes.Order:
			steps = append(steps, fmt.Sprintf(`[...f.querySelectorAll('select option')].find(o => o.value === '%s:%s=%d').selected = true`, q.ID, part, i+1))
		case quizzes.Numeric, quizzes.PickOne, quizzes.PickEvt:
			steps = append(steps, `f.querySelector('[name=answer]').value = `+quote(string(r)))
		default:
			if part != "none" && part != "" {
				steps = append(steps, fmt.Sprintf(`f.querySelector('input[value="%s:%s"]').click()`, q.ID, part))
			}
		}
	}
	eval[bool](b, `(() => { const f = document.querySelector('form[data-quiz]'); `+strings.Join(steps, "; ")+`; f.requestSubmit(f.querySelector('button')); return true; })()`)
}

// answered is what a page says about a graded question.
type answered struct {
	Outcome string // of the list beside it: right, missed, partly
	Options int
	Whys    int // explanations that say something
	Right   string
	Note    string
	Model   bool
}

const readAnswer = `(() => { const f = document.querySelector('form[data-answered]'), text = e => e ? e.textContent.trim() : '';
	const whys = [...f.querySelectorAll('.why > p:not(.note, .chosen-event)')].filter(p => text(p).length > 2);
	return {Outcome: text(document.querySelector('.interview-list [aria-current] .visually-hidden')), Options: f.querySelectorAll('.option input').length, Whys: whys.length,
		Right: [...f.querySelectorAll('.option.right input')].map(i => i.value.split(':')[1]).sort().join('.'), Note: text(f.querySelector('.note')) + text(f.querySelector('.open-grade')),
		Model: text(f.querySelector('.model')).length > 100 && f.querySelectorAll('.checklist input').length > 2 && !!f.querySelector('.gaps li')}; })()`

// explained reports what is missing on the page of a graded question.
func (b *tab) explained(q *quizzes.Question, outcome string) {
	b.t.Helper()
	b.await(`document.readyState === 'complete' && document.querySelector('form[data-answered]')`)
	a := eval[answered](b, readAnswer)
	if a.Outcome != outcome+":" {
		b.t.Errorf("%s is graded %q, want %s", q.ID, a.Outcome, outcome)
	}
	switch q.Kind {
	case quizzes.Single, quizzes.Multi:
		if a.Options != len(q.Options) || a.Whys != a.Options || a.Right != string(right(q)) {
			b.t.Errorf("%s: %d options, %d explanations, right %s; want %d and %s", q.ID, a.Options, a.Whys, a.Right, len(q.Options), right(q))
		}
	case quizzes.Open:
		if !a.Model || a.Note == "" {
			b.t.Errorf("%s: model answer, checklist or grade is missing: %+v", q.ID, a)
		}
	default:
		want := 1
		if outcome != "right" {
			want = 2 // why it is wrong, and why the right one is right
		}
		if q.Kind == quizzes.Order {
			want += len(q.Options) // every step says why it is there
		}
		if a.Whys < want || a.Note == "" {
			b.t.Errorf("%s, %s: %d explanations, note %q", q.ID, outcome, a.Whys, a.Note)
		}
	}
}

// TestEveryQuestionRightAndWrong answers every question of the course in the
// browser, once right and once wrong, and reads the explanation of every option.
func TestEveryQuestionRightAndWrong(t *testing.T) {
	var all []*quizzes.Question
	for _, l := range course(t).Lessons() {
		all = append(all, l.Quiz...)
	}
	if len(all) < 96 {
		t.Errorf("%d questions, the curriculum has 96", len(all))
	}
	shared(t, look{}, all, func(b *tab, q *quizzes.Question) {
		b.visit(room(q))
		b.fill(q, right(q))
		b.explained(q, "right")
		b.back() // to the form, or to the comparison
		b.await(`document.readyState === 'complete' && document.querySelector('form[data-quiz]:not([data-answered])')`)
		b.fill(q, wrong(q))
		want := "missed"
		if w := wrong(q); q.Kind == quizzes.Multi && strings.Contains(string(right(q)), string(w)) {
			want = "partly"
		}
		b.explained(q, want)
	})
}

// kinds is one question of each kind, by template.
func kinds(t *testing.T) []*quizzes.Question {
	t.Helper()
	cat, taken := course(t), map[quizzes.Kind]bool{quizzes.CrashOffset: true} // no question of the course is one
	var out []*quizzes.Question
	for _, l := range cat.Lessons() {
		for _, q := range l.Quiz {
			if !taken[q.Template()] {
				taken[q.Template()] = true
				out = append(out, q)
			}
		}
	}
	if len(taken) != len(quizzes.Kinds()) {
		t.Errorf("%d of %d kinds are asked", len(taken), len(quizzes.Kinds()))
	}
	return out
}

// tabOn presses Tab, at least once, until the focus is on what the selector means.
func (b *tab) tabOn(selector string) {
	b.t.Helper()
	for range 80 {
		b.press(kb.Tab)
		if b.is(`document.activeElement.matches(` + quote(selector) + `)`) {
			return
		}
	}
	b.t.Fatalf("80 times Tab do not lead to %s; the focus is on %s", selector, b.describe())
}

// byKeys answers with the keyboard alone, from the top of the page.
func (b *tab) byKeys(q *quizzes.Question, r reply) {
	b.t.Helper()
	switch q.Kind {
	case quizzes.Single:
		b.tabOn("[type=radio]")
		for range q.Options { // arrows move the choice within a group
			if b.is(fmt.Sprintf(`document.activeElement.value === '%s:%s'`, q.ID, r)) {
				break
			}
			b.press(kb.ArrowDown)
		}
		b.press(" ")
	case quizzes.Multi:
		for range r.parts() {
			b.tabOn(`[type=checkbox]:not(:checked):is([value$=":` + strings.Join(r.parts(), `"],[value$=":`) + `"])`)
			b.press(" ")
		}
	case quizzes.Order:
		for range q.Options {
			b.tabOn("select")
			id := eval[string](b, `document.activeElement.options[1].value.split(':')[1].split('=')[0]`)
			b.press(fmt.Sprint(slices.Index(r.parts(), id) + 1))
		}
	case quizzes.Open:
		b.tabOn("textarea")
		b.press("a")
		b.tabOn("form[data-quiz] button")
		b.press(kb.Enter)
		b.await(`document.readyState === 'complete' && document.querySelector('.checklist')`)
		for range q.Options {
			b.tabOn(".checklist [type=checkbox]")
			b.press(" ")
		}
	default:
		b.tabOn("[name=answer]")
		for _, c := range string(r) {
			b.press(string(c))
		}
	}
	b.tabOn("form[data-quiz] button")
	b.press(kb.Enter)
}

// TestEveryKindByKeyboardWithoutScriptsOnAPhone answers one question of each kind
// with the keyboard alone, without scripts, on a screen of 390 pixels.
func TestEveryKindByKeyboardWithoutScriptsOnAPhone(t *testing.T) {
	b := open(t, site.URL, look{width: 390, height: 844, noScript: true})
	for _, q := range kinds(t) {
		b.visit(room(q))
		b.await(`document.readyState === 'complete' && document.querySelector('form[data-quiz]')`)
		b.byKeys(q, right(q))
		b.explained(q, "right")
		if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s, answered, is %d pixels wider than the phone", q.ID, over)
		}
	}
}
