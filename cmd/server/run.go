package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/web"
)

func runCommand(_ context.Context, args []string, s Streams) (int, error) {
	f := newFlags()
	sel := selectionFlags(f)
	input, expect, format := f.text("input", ""), f.text("expect", ""), f.text("format", "text")
	rest, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	name, err := scenarioOf(rest)
	if err == nil {
		err = oneOf("format", format.value, "text", "json", "ndjson")
	}
	if err == nil && expect.given {
		err = oneOf("expect", expect.value, classWords()...)
	}
	if err != nil {
		return 0, err
	}
	cat, id, err := catalogueFor(name)
	if err != nil {
		return 0, err
	}
	q := sel.query(id)
	if input.given {
		if q.OwnData, q.OwnName, err = readOwn(input.value, s.In); err != nil {
			return 0, err
		}
	}
	r, err := play(cat, q)
	if err != nil {
		return 0, err
	}
	r.fromFile = isFile(name)
	if err := r.print(s.Out, format.value); err != nil {
		return 0, err
	}
	if class := check.WorstOf(r.verdicts); expect.given && string(class) != expect.value {
		_, _ = fmt.Fprintf(s.Err, "server run: expected %s, the run is %s\n", expect.value, class)
		return exitDiffer, nil
	}
	return exitDone, nil
}

// readOwn reads a user's records from a file, or from the standard input for "-".
func readOwn(name string, in io.Reader) ([]byte, string, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(in, lessons.MaxOwnBytes+1))
		return notNil(data), "standard input", err
	}
	data, err := readBounded(name, lessons.MaxOwnBytes)
	if err != nil {
		return nil, "", fmt.Errorf("input %s: %w", name, err)
	}
	return notNil(data), name, nil
}

// notNil keeps an empty file apart from no file.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// result is a finished run, ready to be printed.
type result struct {
	cat      *lessons.Catalogue
	scenario *lessons.Scenario
	query    lessons.Query
	job      *engine.Job
	trace    *trace.Trace
	verdicts []check.Verdict
	fromFile bool // the scenario is not one of the program's, so no link opens it
}

func play(cat *lessons.Catalogue, q lessons.Query) (*result, error) {
	job, faults, err := cat.Compile(q)
	if err != nil {
		return nil, err
	}
	t, err := sim.Run(job, faults)
	if err != nil {
		return nil, err
	}
	return &result{cat: cat, scenario: cat.Scenario(q.Scenario), query: q, job: job, trace: t, verdicts: check.Judge(t)}, nil
}

func (r *result) print(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r.report())
	case "ndjson":
		if err := trace.WriteNDJSON(w, r.trace); err != nil {
			return err
		}
		return writeJSON(w, r.report())
	}
	return r.writeText(w)
}

// report is the run as scripts read it.
func (r *result) report() web.Report {
	rep := web.Report{Scenario: r.job.Scenario, Settings: r.job.Settings.Values(), Seed: r.job.Seed, Faults: []string{},
		Events: r.trace.Len(), Class: check.WorstOf(r.verdicts), Verdicts: r.verdicts}
	for _, f := range r.trace.Faults {
		rep.Faults = append(rep.Faults, f.String())
	}
	if n := r.trace.Len(); n > 0 {
		rep.DurationMS = r.trace.At(n).T.Millis()
	}
	return rep
}

// writeJSON prints one object on one line, readable as it stands.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return errors.Join(errors.New("write the result"), err)
	}
	return nil
}

func classWords() []string {
	var out []string
	for _, c := range check.Classes() {
		out = append([]string{string(c)}, out...)
	}
	return out
}

func runHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `server run SCENARIO [--set KEY=VALUE]… [--seed N] [--fault SPEC]… [--input FILE]
                    [--expect CLASS] [--format text|json|ndjson]

Plays one run and prints it: what happened, and what the outside world now holds.

  SCENARIO   an id, or a path to a .yaml file
  --set      a setting, for example sink=transactional or checkpoint.interval=150ms
  --seed     another order of small delays
  --fault    what goes wrong, for example
               crash:count/0@57                            after event 57
               crash-job@before:checkpoint.complete~2      by a named moment
               slow:source/1:x20:1.5s@0s                   from a time, for a time
  --input    own records: CSV with the header partition,key,value, or NDJSON with
             {"partition":0,"key":"ana","value":12} a line; - is the standard input
  --expect   end with status 1 when the class is another one
  --format   text for people; json is one object; ndjson is an event a line, then that object
`)
}
