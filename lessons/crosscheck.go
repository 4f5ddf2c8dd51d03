package lessons

import (
	"fmt"
	"strings"

	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

// query is what a segment plays.
func (l *Lesson) query(s *Segment) Query {
	id := s.Scenario
	if id == "" {
		id = l.Scenario
	}
	return Query{Scenario: id, Set: s.Set, Faults: s.Faults}
}

// Query is the run that a segment of the lesson plays.
func (l *Lesson) Query(s *Segment) Query { return l.query(s) }

// betQuery is the run that decides a segment's bet: with the crash that the
// segment asks for, if it asks for one.
func (l *Lesson) betQuery(s *Segment) Query {
	q := l.query(s)
	if s.Crash != nil {
		q.Faults = append(append([]string(nil), q.Faults...), s.Crash.Fault)
	}
	return q
}

// crossCheck checks what a lesson says about things in other files.
func (l *loader) crossCheck(les *Lesson) {
	if les.Coming {
		return
	}
	if l.cat.scenarios[les.Scenario] == nil {
		if les.Scenario != "" {
			l.add(Problem{File: les.file, Line: 1, What: "unknown scenario " + strict.Quote(les.Scenario), Do: strict.Allowed(les.Scenario, l.cat.order)})
		}
		les.Coming, les.Segments, les.Level, les.Quiz = true, nil, nil, nil // nothing of it could be played
		return
	}
	for _, s := range les.Segments {
		l.checkSegment(les, s)
	}
	if les.Level != nil {
		l.checkLevel(les.Level)
	}
	for i, c := range les.Choices {
		if !strings.HasPrefix(c.To, "/") && l.cat.bySlug[c.To] == nil {
			l.add(Problem{File: les.file, Line: 1, What: fmt.Sprintf("choices[%d]: no lesson %s", i, strict.Quote(c.To)), Do: "write a slug of course.yaml, or a path that begins with /"})
		}
	}
	if les.Next != "" && l.cat.bySlug[les.Next] == nil {
		l.add(Problem{File: les.file, Line: 1, What: "next: no lesson " + strict.Quote(les.Next), Do: "write a slug of course.yaml"})
	}
	for _, q := range les.Quiz {
		if q.Asks.Scenario == "" || strings.Contains(strings.Join(append(q.Asks.Faults, q.Asks.Set...), " "), "{") {
			continue // without a run, or one whose numbers are drawn: Prepare draws them
		}
		if _, _, err := l.cat.Compile(Query{Scenario: q.Asks.Scenario, Set: q.Asks.Set, Faults: q.Asks.Faults}); err != nil {
			l.add(Problem{File: q.File, Line: q.Line, What: "question " + q.ID + ": " + err.Error()})
		}
	}
}

func (l *loader) checkSegment(les *Lesson, s *Segment) {
	bad := func(field string, err error) {
		line := s.at[field]
		if line == 0 {
			line = s.body.Line
		}
		l.add(Problem{File: les.file, Line: line, What: fmt.Sprintf("segment %q, %s: %s", s.ID, field, err)})
	}
	job, _, err := l.cat.Compile(les.query(s))
	if err != nil {
		bad("faults", err)
		return
	}
	if err := quizzes.CheckMoment(job, s.Until); err != nil {
		bad("until", err)
	}
	if err := quizzes.CheckMoment(job, s.From); s.From != "" && err != nil {
		bad("from", err)
	}
	if s.Crash != nil {
		if _, err := compileFaults(job, []string{s.Crash.Fault}); err != nil {
			bad("crash", err)
		}
	}
}
