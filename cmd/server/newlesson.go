package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"effectivelyonce/engine"
)

// newLessonCommand writes the folder of a lesson with texts to replace. Every TODO
// in it is a problem that check reports, so that none is forgotten.
func newLessonCommand(_ context.Context, args []string, s Streams) (int, error) {
	f := newFlags()
	dir := f.text("content", "content")
	rest, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 {
		return 0, usagef("found %d arguments; allowed: one, the slug of the lesson", len(rest))
	}
	slug := rest[0]
	if !engine.IsName(slug) || slug != strings.ToLower(slug) {
		return 0, usagef("slug %q; allowed: 1 to 40 small letters, digits and dashes", slug)
	}
	if _, err := os.Stat(filepath.Join(dir.value, "course.yaml")); err != nil {
		return 0, fmt.Errorf("content folder %s: course.yaml: %w", dir.value, underlying(err))
	}
	lesson := filepath.Join(dir.value, "lessons", slug)
	if _, err := os.Stat(lesson); !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("lesson %s exists already in %s", slug, lesson)
	}
	for _, file := range []struct{ name, text string }{
		{"scenarios/" + slug + ".yaml", newScenario}, {"quiz.yaml", newQuiz}, {"lesson.md", newLesson},
	} {
		name := filepath.Join(lesson, filepath.FromSlash(file.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return 0, err
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(file.text, "SLUG", slug)), 0o644); err != nil {
			return 0, err
		}
		_, _ = fmt.Fprintln(s.Out, name)
	}
	_, _ = fmt.Fprintf(s.Out, "\nAdd a line to a chapter of %s:\n\n      - {slug: %s, title: …, takes: 7m, claim: …}\n\nThen: server check %s. It names every text that is still to be written.\n",
		filepath.Join(dir.value, "course.yaml"), slug, dir.value)
	return exitDone, nil
}

func newLessonHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `server new-lesson SLUG [--content DIR]

Writes DIR/lessons/SLUG (without --content: content/lessons/SLUG) with a scenario, a
text and questions that can be run, and a TODO wherever something is to be written.
server check DIR reports each TODO with its line. The lesson also needs a line in a
chapter of DIR/course.yaml, which it prints.
`)
}

const newScenario = `id: SLUG
title: TODO what the job does, in a few words
story: TODO one sentence about what is at stake.
topology: J
input: cards-16
sinks:
  - {name: sink, title: card network, sink: append, output: event}
script: ["crash-job@before:checkpoint.complete~2"]
claims:
  pre:
    - count sink.write before fault.injected > 0
  script: duplicated
  holds: [lost = 0]
`

const newQuiz = `- id: SLUG.1
  difficulty: easy
  kind: single
  ask: TODO what should a reader be able to answer now?
  options:
    - text: TODO a wrong answer that tempts
      why: TODO why it tempts, and why it fails.
    - text: TODO the right answer
      right: true
      why: TODO what makes it right.
    - text: TODO another wrong answer
      why: TODO why it fails.
`

const newLesson = `---
scenario: SLUG
lead: TODO the first paragraph, something that fails or is about to.
boundary: TODO within which boundary does the guarantee hold?
outcomes:
  - TODO what the learner can do afterwards.
simplified:
  - TODO what this engine leaves out.
facts:
  - id: F 3.5
    product: Apache Flink
    version: 2.x
    text: TODO what the real system does.
level:
  kind: adversary
  title: TODO the name of the level
  task: TODO one task in a sentence.
  goal: TODO the condition to win, in one line.
  budget: 1
  win: [duplicated > 0]
  best:
    faults: ["crash-job@before:checkpoint.complete~2"]
    why: TODO why this works.
  hints:
    - TODO where to look.
    - TODO which mechanism.
    - TODO the move.
---

## TODO what happens first {#first}

` + "```segment" + `
until: after:sink.write~3
do: Go on
` + "```" + `

TODO a paragraph or two about what is on the stage.

## TODO the crash {#crash}

` + "```segment" + `
until: before:checkpoint.complete~2
crash:
  fault: crash-job@before:checkpoint.complete~2
  label: Crash the job
bet:
  question: TODO one question before the answer is played
  options:
    - text: TODO an answer that the engine finds right
      right: true
      holds: [duplicated > 0]
      why: TODO why it is right.
    - text: TODO a tempting answer
      holds: [duplicated = 0]
      why: TODO why it fails.
` + "```" + `

TODO what the learner should look at before pressing.

## TODO what came of it {#verdict}

` + "```segment" + `
faults: ["crash-job@before:checkpoint.complete~2"]
until: end
reveal: true
` + "```" + `

TODO the mechanism, in short paragraphs. {run duplicated} came twice.
`
