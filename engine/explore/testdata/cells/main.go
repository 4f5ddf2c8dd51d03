// Cells explores a few cells of the guarantee matrix, all of the loop, of batch
// jobs and of replicated tables, or those of a strategy named as its argument, and prints as JSON where a run is of a class that
// its cell forbids, or breaks a rule, or where a class that must occur does not.
// The mutation tests build it with one line of the engine changed.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
)

type finding struct {
	Job    string `json:"job"`
	Class  string `json:"class,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Fault  string `json:"fault"`
	Events int    `json:"events"`
	Why    string `json:"why,omitempty"`
}

type report struct {
	Runs     int       `json:"runs"`
	Wrong    int       `json:"wrong"`
	Findings []finding `json:"findings"`
	Trouble  []string  `json:"trouble"`
}

// cell is settings and what may come of a crash besides exact; "!" must.
type cell struct{ settings, kinds, may string }

var cells = []cell{
	{"strategy=offset-commit topology=LOOP commit=before sink=append", "crash crash-job", "lost!"},
	{"strategy=offset-commit topology=LOOP commit=before sink=append output=total", "crash crash-job", "lost!"},
	{"strategy=offset-commit topology=LOOP commit=after sink=append", "crash crash-job", "duplicated!"},
	{"strategy=offset-commit topology=LOOP commit=auto sink=append", "crash crash-job", "duplicated!"},
	{"strategy=offset-commit topology=LOOP commit=after sink=upsert output=total", "crash crash-job", ""},
	{"strategy=offset-commit topology=LOOP commit=after sink=transactional", "crash crash-job", "duplicated!"},
	{"strategy=offset-commit topology=LOOP commit=after sink=offset-with-output", "crash crash-job", ""},
	{"strategy=offset-commit topology=LOOP sink=offset-with-output output=total state.recovery=remote", "crash crash-job", ""},
	{"strategy=offset-commit topology=LOOP sink=upsert output=total state.recovery=remote", "crash crash-job", "duplicated!"},
	{"strategy=batch topology=BATCH sink=files output=total", "crash crash-job crash:coordinator", ""},
	{"strategy=batch topology=BATCH sink=files reader.honours.log=false", "crash crash-job", ""},
	{"strategy=batch topology=BATCH sink=dedup", "crash crash-job", ""},
	{"strategy=batch topology=BATCH sink=email idempotency.key=from-input output=total", "crash crash-job", ""},
	{"sink=files", "crash crash-job", ""},
	{"sink=offset-with-output", "crash crash-job", ""},
	{"sink=dedup dedup.write=id-first", "crash:sink/0", "lost!"},
	{"strategy=replicated sink=state output=total", "crash-node crash-job crash", ""},
	{"strategy=replicated sink=state k=0", "crash-node crash-job", ""},
	{"strategy=replicated sink=state command.log=off output=total", "crash-node", ""},
	{"strategy=replicated sink=state command.log=async", "crash-job", "lost!"},
}

// more are those of the strategies that are asked for by name.
var more = []cell{
	{"strategy=microbatch sink=transactional output=total", "crash crash-job", ""},
	{"strategy=microbatch sink=offset-with-output output=total", "crash crash-job", ""},
	{"strategy=microbatch sink=upsert output=total trigger.interval=60ms", "crash crash-job", ""},
	{"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional output=total", "crash crash-job", ""},
	{"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=upsert output=total commit.interval=60ms", "crash crash-job", ""},
	{"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional commit.interval=40ms backlog=on", "crash crash-job", ""},
	{"strategy=dataflow sink=dedup output=total", "crash crash-job", ""},
	{"strategy=dataflow sink=append output=total", "crash crash-job", "duplicated!"},
	{"strategy=trident sink=state output=total spout=transactional state=transactional", "crash crash-job", ""},
	{"strategy=trident sink=state output=total spout=transactional state=opaque", "crash crash-job", ""},
	{"strategy=trident sink=state output=total spout=opaque state=opaque", "crash crash-job", ""},
	{"strategy=xa topology=LOOP sink=transactional output=total", "crash crash-job crash:coordinator", ""},
	{"strategy=xa topology=LOOP sink=transactional", "crash crash-job crash:coordinator", ""},
}

func main() {
	var out report
	todo := cells
	if len(os.Args) > 1 {
		todo = stageCells[os.Args[1]]
		if os.Args[1] == "state" {
			todo = stateCells
		}
		if os.Args[1] == "operators" {
			todo = operatorCells
		}
		if os.Args[1] == "flaws" {
			todo = flawCells
		}
		for _, c := range more {
			if strings.HasPrefix(c.settings, "strategy="+os.Args[1]+" ") {
				todo = append(todo, c)
			}
		}
	}
	for i := range todo {
		out.try(todo[i].settings, strings.Fields(todo[i].kinds), todo[i].may)
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}

func (r *report) try(settings string, kinds []string, may string) {
	defer func() {
		if p := recover(); p != nil {
			r.Trouble = append(r.Trouble, fmt.Sprintf("%s: panic: %v", settings, p))
		}
	}()
	res, err := explore.Explore(context.Background(), job(settings), nil, explore.Options{Kinds: kinds, Budget: -1, Audit: true})
	if err != nil {
		r.Trouble = append(r.Trouble, fmt.Sprintf("%s: %v", settings, err))
		return
	}
	r.Runs += res.Points
	for _, c := range check.Classes() {
		n, word := res.Classes[c], string(c)
		must := strings.Contains(may, word+"!")
		switch {
		case n > 0 && c != check.Exact && !strings.Contains(may, word):
			r.Wrong += n
			r.Findings = append(r.Findings, finding{Job: settings, Class: word, Fault: res.Examples[c].Fault, Events: res.Examples[c].Events})
		case n == 0 && (must || c == check.Exact && !strings.Contains(may, "never exact")):
			r.Findings = append(r.Findings, finding{Job: settings, Class: "no " + word, Why: "it must occur"})
		}
	}
	if strings.Contains(settings, "flaw=") {
		return // it breaks rules on purpose
	}
	for _, b := range res.Broken {
		v := b.Violations[0]
		r.Findings = append(r.Findings, finding{Job: settings, Rule: v.Rule, Fault: b.Fault, Events: b.Events, Why: v.String()})
	}
}

func job(settings string) *engine.Job {
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	var always []engine.Fault
	in := (*engine.Input)(nil)
	for _, kv := range strings.Fields(settings) {
		k, v, _ := strings.Cut(kv, "=")
		if k == "input" {
			in = operatorInput(v)
			continue
		}
		if k == "condition" {
			f, err := engine.ParseFault(v)
			if err != nil {
				panic(err)
			}
			always = append(always, f)
			continue
		}
		if err := set.Set(k, v); err != nil {
			panic(err)
		}
	}
	if in == nil {
		in = plainInput()
	}
	j, err := engine.NewJob(settings, set, in, 1, always)
	if err != nil {
		panic(err)
	}
	return j
}

func plainInput() *engine.Input {
	in := &engine.Input{Name: "log", Keys: []string{"ana", "ben", "cleo"}, Parts: make([][]engine.Datum, 2)}
	for i, k := range []engine.KeyID{0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1} {
		in.Parts[i%2] = append(in.Parts[i%2], engine.Datum{Key: k, Value: int64(i+1) * engine.ValueScale})
	}
	return in
}
