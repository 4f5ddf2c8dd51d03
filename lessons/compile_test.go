package lessons_test

import (
	"errors"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

func TestQueriesThatCannotBeCompiled(t *testing.T) {
	cat := catalogue(t)
	for name, c := range map[string]struct {
		q           lessons.Query
		param, want string
	}{
		"no value":        {lessons.Query{Set: []string{"gap"}}, "set", `set: found "gap"; allowed: KEY=VALUE, for example checkpoint.interval=150ms; did you mean "gap=…"?`},
		"unknown key":     {lessons.Query{Set: []string{"gpa=1s"}}, "set", `unknown setting "gpa"; allowed: strategy,`},
		"wrong value":     {lessons.Query{Set: []string{"sink=apend"}}, "set", `setting sink: found "apend"; allowed: append, upsert, dedup, offset-with-output, transactional, email, files, state; did you mean "append"?`},
		"unknown sink":    {lessons.Query{Set: []string{"sinks.snik.sink=append"}}, "set", `unknown setting "sinks.snik.sink"; allowed: sinks of this job: sink; did you mean "sink"?`},
		"unknown input":   {lessons.Query{Set: []string{"input=card-16"}}, "set input", `set input: found "card-16"; allowed: cards-16, clicks-24,`},
		"not UTF-8":       {lessons.Query{Set: []string{"gap=\xff"}}, "set", `set: found "gap=\xff"; allowed: text in UTF-8`},
		"too many":        {lessons.Query{Set: make([]string, 65)}, "set", `set: found "65 settings"; allowed: at most 64`},
		"impossible":      {lessons.Query{Set: []string{"topology=MAP", "output=total"}}, "set", `topology=MAP with output=total cannot be built. MAP keeps no state but offsets, so there is no total to write. Nearest legal choice: output=event.`},
		"seed":            {lessons.Query{Seed: "-1"}, "seed", `seed: found "-1"; allowed: a whole number`},
		"fault kind":      {lessons.Query{Faults: []string{"carsh:count/0@5"}}, "fault", `fault "carsh:count/0@5", kind: unknown kind "carsh"; allowed: ` + strings.Join(engine.FaultKinds(), ", ") + `; did you mean "crash"?`},
		"fault task":      {lessons.Query{Faults: []string{"crash:count/7@5"}}, "fault", `fault "crash:count/7@5", target: unknown task "count/7"; allowed: source/0, source/1, count/0, sink/0, coordinator; did you mean "count/0"?`},
		"fault record":    {lessons.Query{Faults: []string{"crash-job@after:source.read(P0:99)"}}, "fault", `fault "crash-job@after:source.read(P0:99)", record: the input has no record P0:99`},
		"fault event":     {lessons.Query{Faults: []string{"crash-job@99999"}}, "fault", `fault "crash-job@99999", moment: event 99999 is out of range; a run has at most 20000 events`},
		"fault control":   {lessons.Query{Faults: []string{"crash:\x00@5"}}, "fault", `fault "crash:\x00@5", target: unknown task "\x00"`},
		"too many faults": {lessons.Query{Faults: strings.Split(strings.Repeat("crash-job@1 ", 16)+"crash-job@1", " ")}, "fault", `17 faults; allowed: at most 16`},
		"input damaged":   {lessons.Query{Input: "z.!"}, "input", `input: the packed records are damaged: not base64url`},
		"input form":      {lessons.Query{Input: "records"}, "input", `input: allowed: z. and the packed records, as the page writes them`},
		"own, bad line":   {lessons.Query{OwnData: []byte("partition,key,value\n0,ana,x\n"), OwnName: "mine.csv"}, "input", `mine.csv:2: field value: found "x"; allowed: a number like 12`},
		"own, no record":  {lessons.Query{OwnData: []byte{}, OwnName: "mine.csv"}, "input", `mine.csv: the input is empty; allowed: 1 to 500 records`},
	} {
		t.Run(name, func(t *testing.T) {
			c.q.Scenario = "hook-charges"
			_, _, err := cat.Compile(c.q)
			var bad *lessons.BadParam
			if !errors.As(err, &bad) {
				t.Fatalf("found %v, want a BadParam: %s", err, c.want)
			}
			if bad.Param != c.param || !strings.HasPrefix(bad.Error(), c.want) {
				t.Errorf("found %s: %s\nwant  %s: %s", bad.Param, bad, c.param, c.want)
			}
		})
	}
}

func TestUnknownScenarioIsNotFound(t *testing.T) {
	_, _, err := catalogue(t).Compile(lessons.Query{Scenario: "hook-charge"})
	var missing *lessons.NotFound
	if !errors.As(err, &missing) || missing.Nearest != "hook-charges" {
		t.Errorf("found %v, want NotFound with the nearest id", err)
	}
}

func TestImpossibleCombinationsCanBeUnwrapped(t *testing.T) {
	_, _, err := catalogue(t).Compile(lessons.Query{Scenario: "map-only", Set: []string{"output=total"}})
	var impossible *engine.Impossible
	if !errors.As(err, &impossible) || impossible.Nearest != "output=event" {
		t.Errorf("found %v, want *engine.Impossible with the nearest choice", err)
	}
}

func TestQueryChangesTheJobAndNotTheScenario(t *testing.T) {
	cat := catalogue(t)
	job, faults, err := cat.Compile(lessons.Query{Scenario: "alignment-tour", Seed: "7", Faults: []string{"crash-job@1"},
		Set: []string{"sinks.topic.isolation.level=read_uncommitted", "parallelism=1", "input=cards-16"}})
	if err != nil {
		t.Fatal(err)
	}
	if job.Seed != 7 || len(faults) != 1 || job.Input.Name != "cards-16" || len(job.Plan.Tasks) != 6 {
		t.Errorf("seed %d, %d faults, input %s, %d tasks", job.Seed, len(faults), job.Input.Name, len(job.Plan.Tasks))
	}
	again, _, err := cat.Compile(lessons.Query{Scenario: "alignment-tour"})
	if err != nil {
		t.Fatal(err)
	}
	if again.Input.Name != "tour-26" || len(again.Plan.Tasks) != 7 || again.Settings.Sinks[0].Readers[0] != engine.ReadCommitted {
		t.Error("the scenario itself has changed")
	}
}

func TestOwnRecordsTakeTheScenariosUnit(t *testing.T) {
	job, _, err := catalogue(t).Compile(lessons.Query{Scenario: "hook-charges", OwnData: []byte("partition,key,value\n3,<b>ana</b>,1.5\n"), OwnName: "mine.csv"})
	if err != nil {
		t.Fatal(err)
	}
	if job.Input.Name != "own" || job.Input.Unit != "€" || len(job.Input.Parts) != 4 {
		t.Errorf("name %q, unit %q, %d partitions", job.Input.Name, job.Input.Unit, len(job.Input.Parts))
	}
}

func TestDifferencesFromTheBase(t *testing.T) {
	job, _, err := catalogue(t).Compile(lessons.Query{Scenario: "hook-charges", Set: []string{"gap=61ms"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := lessons.Differences(job); len(got) != 1 || got[0] != [2]string{"gap", "61ms"} {
		t.Errorf("differences %v, want the gap alone", got)
	}
}

func TestEncodedQueriesCanBeRead(t *testing.T) {
	q := lessons.Query{Scenario: "s", Set: []string{"a=b c"}, Seed: "2", Faults: []string{"crash:count/0@after:sink.write(P0:1)~2@sink/0"}, Input: "z.x"}
	if got, want := q.Encode(), "scenario=s&set=a=b+c&seed=2&fault=crash:count/0@after:sink.write(P0:1)~2@sink/0&input=z.x"; got != want {
		t.Errorf("found %s\nwant  %s", got, want)
	}
}
