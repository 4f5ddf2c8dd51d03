package lessons

import (
	"errors"
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/prose"
	"effectivelyonce/quizzes"
)

// QuizSeed is the seed that a first visit's questions are drawn with.
const QuizSeed = 1

// Prepare lets the engine work out everything that lessons print or ask: numbers,
// event links, where segments end, which options are right. It reports what the
// engine does not agree with. Call it once, before the catalogue is shared.
func (c *Catalogue) Prepare(run quizzes.RunFunc) []Problem {
	p := &preparer{cat: c, run: run, runs: map[string]*played{}}
	for _, l := range c.lessons {
		p.lesson(l)
	}
	for _, lv := range c.capstones {
		p.seen = map[string]bool{}
		p.level(lv)
	}
	return p.problems
}

// renderPlain renders all texts without the engine.
func (c *Catalogue) renderPlain() { c.Prepare(nil) }

// Engine is what questions need, over this catalogue.
func (c *Catalogue) Engine(run quizzes.RunFunc) quizzes.Engine {
	return quizzes.Engine{Run: run, Compile: func(scenario, seed string, set, faults []string) (*engine.Job, []engine.Fault, error) {
		return c.Compile(Query{Scenario: scenario, Seed: seed, Set: set, Faults: faults})
	}}
}

// played is a compiled query with its run; the run is nil without an engine.
type played struct {
	query Query
	job   *engine.Job
	run   *quizzes.Run
}

type preparer struct {
	cat      *Catalogue
	run      quizzes.RunFunc
	runs     map[string]*played
	seen     map[string]bool
	problems []Problem
}

func (p *preparer) bad(file string, line int, what, do string) {
	if p.run != nil { // without the engine Load has already said everything
		p.problems = append(p.problems, Problem{File: file, Line: line, What: what, Do: advice(what, do)})
	}
}

func (p *preparer) play(q Query) (*played, error) {
	key := link(q, "", 0)
	if r, ok := p.runs[key]; ok {
		return r, nil
	}
	job, faults, err := p.cat.Compile(q)
	if err != nil {
		return nil, err
	}
	r := &played{query: q, job: job}
	if p.run != nil {
		if r.run, err = quizzes.Play(p.run, job, faults); err != nil {
			return nil, err
		}
	}
	p.runs[key] = r
	return r, nil
}

func (p *preparer) forms(r *played, seg string) *forms {
	f := &forms{cat: p.cat, seg: seg, seen: p.seen, play: p.play}
	if r != nil {
		f.in, f.run, f.query = r.job.Input, r.run, r.query
	}
	return f
}

func (p *preparer) text(t *Text, f *forms) {
	if t.Text == "" {
		return
	}
	html, problems := prose.Inline(t.Source, f)
	t.HTML = html
	p.note(problems)
}

func (p *preparer) note(problems []Problem) {
	for _, x := range problems {
		p.bad(x.File, x.Line, x.What, x.Do)
	}
}

func (p *preparer) lesson(l *Lesson) {
	if l.Coming {
		return
	}
	p.seen = map[string]bool{}
	main, err := p.play(p.scripted(l.Scenario))
	if err != nil {
		p.bad(l.file, 1, "scenario "+l.Scenario+": "+err.Error(), "")
		main = nil
	}
	f := p.forms(main, "")
	p.text(&l.Lead, f)
	for _, s := range l.Segments {
		p.segment(l, s)
	}
	for _, list := range [][]Text{l.Outcomes, l.Simplified, l.Older} {
		for i := range list {
			p.text(&list[i], f)
		}
	}
	for i := range l.Facts {
		p.text(&l.Facts[i].Text, f)
	}
	if l.Level != nil {
		p.level(l.Level)
	}
	p.quiz(l)
}

// scripted is the run of a scenario with its script.
func (p *preparer) scripted(id string) Query {
	q := Query{Scenario: id}
	if sc := p.cat.scenarios[id]; sc != nil {
		q.Faults = sc.Script
	}
	return q
}

func (p *preparer) segment(l *Lesson, s *Segment) {
	at := func(field string) int {
		if n := s.at[field]; n > 0 {
			return n
		}
		return s.body.Line
	}
	r, err := p.play(l.query(s))
	if err != nil {
		p.bad(l.file, at("faults"), fmt.Sprintf("segment %q: %s", s.ID, err), "")
		return
	}
	if r.run != nil {
		s.LastEvent = r.run.Trace.Len()
		if s.UntilEvent, err = r.run.At(s.Until); err != nil {
			p.bad(l.file, at("until"), fmt.Sprintf("segment %q, until: %s", s.ID, err), "")
		}
		if s.From != "" {
			if s.StartEvent, err = r.run.At(s.From); err != nil {
				p.bad(l.file, at("from"), fmt.Sprintf("segment %q, from: %s", s.ID, err), "")
			}
		}
		if s.Ledger != "" {
			v, err := r.run.Ask(s.Ledger)
			if err != nil {
				p.bad(l.file, at("ledger"), fmt.Sprintf("segment %q, ledger: %s", s.ID, err), "")
			}
			s.LedgerID = v.Text
		}
	}
	p.body(l, s, r)
	bet := r
	if s.Crash != nil {
		bet = p.crash(l, s, r, at("crash"))
	}
	if s.Bet != nil {
		p.bet(l, s, bet, at("bet"))
	}
}

// crash works out where the prompt's fault strikes and returns the run with it.
func (p *preparer) crash(l *Lesson, s *Segment, r *played, line int) *played {
	p.text(&s.Crash.Text, p.forms(r, s.ID))
	b, err := p.play(l.betQuery(s))
	if err != nil {
		p.bad(l.file, line, fmt.Sprintf("segment %q, crash: %s", s.ID, err), "")
		return r
	}
	if b.run == nil {
		return b
	}
	last := len(b.run.Trace.Faults) - 1
	for n := 1; n <= b.run.Trace.Len(); n++ {
		e := b.run.Trace.At(n)
		if e.Kind == engine.FaultInjected && int(e.Fault) == last+len(b.job.Conditions) {
			s.Crash.Event = n - 1
		}
	}
	if s.Crash.Event != s.UntilEvent {
		p.bad(l.file, line, fmt.Sprintf("segment %q: the crash strikes after event %d, the segment ends at %d", s.ID, s.Crash.Event, s.UntilEvent), "let until and fault name the same moment")
	}
	return b
}

// bet renders a bet and checks that exactly the option marked right is right.
func (p *preparer) bet(l *Lesson, s *Segment, r *played, line int) {
	f := p.forms(r, s.ID)
	p.text(&s.Bet.Question, f)
	for i := range s.Bet.Options {
		o := &s.Bet.Options[i]
		p.text(&o.Text, f)
		p.text(&o.Why, f)
		if r.run == nil {
			continue
		}
		ok, why := true, ""
		for _, h := range o.Holds {
			got, found, err := holds(r.run, h)
			if err != nil {
				p.bad(l.file, o.Text.Line, fmt.Sprintf("segment %q, option %s: %s", s.ID, o.ID, err), "")
			}
			if !got {
				ok, why = false, h+": "+found
			}
		}
		if ok != o.Right {
			p.bad(l.file, o.Text.Line, fmt.Sprintf("segment %q: option %s is marked %s, the engine disagrees (%s)", s.ID, o.ID, rightWord(o.Right), orAll(why)), "correct the option, its holds, or the scenario")
		}
	}
}

func rightWord(right bool) string {
	if right {
		return "right"
	}
	return "wrong"
}

func orAll(why string) string {
	if why == "" {
		return "everything it holds is true"
	}
	return why
}

// holds evaluates a comparison; what the run does not have makes it false.
func holds(r *quizzes.Run, expr string) (ok bool, found string, err error) {
	e, err := quizzes.ParseExpr(expr)
	if err != nil {
		return false, "", err
	}
	ok, err = e.True(r)
	var missing *quizzes.Missing
	if errors.As(err, &missing) {
		return false, missing.What, nil
	}
	return ok, e.Found(r), err
}

func (p *preparer) level(lv *Level) {
	r, err := p.play(lv.Query())
	if err != nil {
		p.bad(lv.file, lv.places["best"], "level: "+err.Error(), "")
		return
	}
	f := p.forms(r, "")
	p.text(&lv.Task, f)
	for i := range lv.Hints {
		p.text(&lv.Hints[i], f)
	}
	for _, moves := range [][]LevelMove{lv.Also, lv.Decoys} {
		for i := range moves {
			p.text(&moves[i].Why, f)
		}
	}
	p.text(&lv.Best.Why, f)
}

func (p *preparer) quiz(l *Lesson) {
	for i, q := range l.Quiz {
		l.Quiz[i] = p.question(q, QuizSeed)
	}
}
