package lessons_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

// scenarioText is a scenario that is right; tests spoil one thing in it.
const scenarioText = `id: s
title: A test
topology: J
input: cards-16
settings: {gap: 40ms}
sinks:
  - {name: sink, sink: append, output: event}
conditions: ["slow:source/1:x3:1s@0s"]
script: ["crash-job@before:checkpoint.complete~1"]
claims:
  pre: [lost = 0]
  script: duplicated
  all: {must: [exact], may: [duplicated]}
`

func catalogue(t testing.TB) *lessons.Catalogue {
	t.Helper()
	c, problems := lessons.Load(content.FS)
	for _, p := range problems {
		t.Errorf("embedded content: %s", p)
	}
	return c
}

func TestScenariosThatCannotBeRead(t *testing.T) {
	cat := catalogue(t)
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown field":      {"topology: J", "topolgy: J", `s.yaml:3: unknown field "topolgy"; allowed: id, title, story, log, topology, parallelism, routing, strategy, input, settings, costs, sinks, conditions, script, pace, seed, claims; did you mean "topology"?`},
		"id is not the file": {"id: s", "id: other", `s.yaml:1: the document: id "other"; the file's name says "s"; make them equal`},
		"unknown topology":   {"topology: J", "topology: Q", `s.yaml:3: field topology: found "Q"; allowed: J, J2, K, MAP`},
		"unknown input":      {"cards-16", "cards-61", `s.yaml:4: field input: found "cards-61"; allowed: cards-16, clicks-24, late-21, late-again-21, mail-12, meters-20, meters-500, orders-18, priced-18, readings-20, s10, s12, s2x6, s500, sent-again-14, tour-26; did you mean "cards-16"?`},
		"unknown setting":    {"gap: 40ms", "gpa: 40ms", `s.yaml:5: field settings.gpa: unknown setting "gpa"; allowed: strategy,`},
		"wrong value":        {"gap: 40ms", "gap: soon", `s.yaml:5: field settings.gap: found "soon"; allowed: a duration like 300ms, 1.5s or 2m, at most 1h`},
		"huge value":         {"gap: 40ms", "gap: 99999999999h", `s.yaml:5: field settings.gap: found "99999999999h"; allowed: a duration`},
		"no sinks":           {"sinks:\n  - {name: sink, sink: append, output: event}\n", "", `s.yaml:1: the document: field "sinks" is missing; add it`},
		"empty sinks":        {"\n  - {name: sink, sink: append, output: event}\n", " []\n", `s.yaml:`},
		"unknown sink kind":  {"sink: append", "sink: apend", `s.yaml:7: field sinks[0].sink: found "apend"; allowed: append, upsert, dedup, offset-with-output, transactional, email, files, state; did you mean "append"?`},
		"unknown sink field": {"output: event", "outputs: event", `s.yaml:7: unknown field "outputs" in sinks[0]; allowed: name,`},
		"sink name":          {"name: sink", "name: s/0", `s.yaml:7: field sinks[0]: name "s/0"; allowed: 1 to 40 letters`},
		"taken sink name":    {"name: sink", "name: count", `s.yaml:7: field sinks: sink name "count" is taken or not a name`},
		"condition":          {"slow:source/1:x3:1s@0s", "slow:source/9:x3:1s@0s", `s.yaml:8: field conditions: conditions: fault "slow:source/9:x3:1s@0ms", target: unknown task "source/9"`},
		"script kind":        {"crash-job@before", "crash-jbo@before", `s.yaml:9: field script: fault "crash-jbo@before:checkpoint.complete~1", kind: unknown kind "crash-jbo"; allowed: ` + strings.Join(engine.FaultKinds(), ", ") + `; did you mean "crash-job"?`},
		"script event":       {"checkpoint.complete~1", "checkpoint.completed~1", `s.yaml:9: field script: fault "crash-job@before:checkpoint.completed~1", moment: unknown event "checkpoint.completed"`},
		"class":              {"script: duplicated", "script: doubled", `s.yaml:12: field claims.script: found "doubled"; allowed: exact, wrong, duplicated, lost, mixed, stuck`},
		"expression":         {"lost = 0", "lots = 0", `s.yaml:11: field claims.pre[0]: expression "lots = 0": found "lots"; allowed:`},
		"comparison":         {"lost = 0", "lost == 0", `s.yaml:11: field claims.pre[0]: expression "lost == 0": found "=="; allowed: = != < <= > >=, or the end`},
		"empty solutions":    {"  all:", "  solutions: []\n  all:", `s.yaml:13: field claims.solutions: solutions is empty; name at least one solution`},
		"only decoys":        {"  all:", "  decoys: [{set: [sink=upsert]}]\n  all:", `s.yaml:13: field claims.decoys: decoys without solutions; name at least one solution`},
		"map without must":   {"must: [exact], may", "may", `s.yaml:13: field claims.all: must is empty; name the classes that occur, exact among them`},
		"seed":               {"id: s", "id: s\nseed: -1", `s.yaml:2: field seed: found "-1"; allowed: a whole number from 0 to 2147483648`},
		"pace":               {"id: s", "id: s\npace: 0", `s.yaml:2: field pace: found "0"; allowed: a number from 0.1 to 1000`},
		"parallelism":        {"id: s", "id: s\nparallelism: {count: 9}", `s.yaml:2: field parallelism.count: found "9"; allowed: a whole number from 1 to 4`},
		"operator":           {"id: s", "id: s\nparallelism: {cuont: 2}", `s.yaml:2: field parallelism.cuont: unknown operator "cuont"; allowed: count, sink, enrich; did you mean "count"?`},
		"cost":               {"id: s", "id: s\ncosts: {read: 0ms}", `s.yaml:2: field costs.read: found "0ms"; allowed: a duration like 5ms, above 0`},
		"inline input":       {"input: cards-16", "input: {partitions: [[ana much]], unit: €}", `s.yaml:4: field input.partitions[0][0]: field value: found "much"`},
		"claims of input":    {"input: cards-16", "input: {partitions: [[ana 1]], expect: {records: 2}}", `s.yaml:4: field input.expect: expects 2 records, the file has 1; correct one of them`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(scenarioText, c.old, c.new, 1)
			if text == scenarioText {
				t.Fatal("the test spoils nothing")
			}
			_, sc, problems := cat.ReadScenario("s.yaml", []byte(text))
			if len(problems) == 0 || sc != nil {
				t.Fatalf("accepted, want %s", c.want)
			}
			if !strings.HasPrefix(problems[0].String(), c.want) {
				t.Errorf("found %s\nwant  %s", problems[0], c.want)
			}
		})
	}
}

func TestScenarioFileBesideTheCatalogue(t *testing.T) {
	cat := catalogue(t)
	own, sc, problems := cat.ReadScenario("dir/s.yaml", []byte(scenarioText))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if own.Scenario("s") != sc || cat.Scenario("s") != nil {
		t.Error("the scenario belongs into the new catalogue only")
	}
	if _, _, err := own.Compile(lessons.Query{Scenario: "s", Faults: sc.Script}); err != nil {
		t.Error(err)
	}
}

func TestStrayAndMissingFiles(t *testing.T) {
	_, problems := lessons.Load(fstest.MapFS{
		"lessons/one/lesson.mkd": {Data: []byte("x")},
		"inputs/a.yml":           {Data: []byte("x")},
	})
	got := make([]string, len(problems))
	for i, p := range problems {
		got[i] = p.File + ": " + p.What
	}
	want := []string{"inputs/a.yml: nothing reads this file", "lessons/one/lesson.mkd: nothing reads this file", "course.yaml: cannot be read: file does not exist"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found %q, want %q", got, want)
	}
}
