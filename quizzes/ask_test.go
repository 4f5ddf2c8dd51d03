package quizzes_test

import (
	"errors"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

func engineOf(t testing.TB) quizzes.Engine {
	t.Helper()
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cat.Engine(sim.Run)
}

func play(t testing.TB, scenario string, set []string, faults ...string) *quizzes.Run {
	t.Helper()
	eng := engineOf(t)
	job, fs, err := eng.Compile(scenario, "", set, faults)
	if err != nil {
		t.Fatal(err)
	}
	r, err := quizzes.Play(eng.Run, job, fs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const hookCrash = "crash-job@before:checkpoint.complete~2"

func TestExpressionsPrintWhatTheRunHolds(t *testing.T) {
	r := play(t, "hook-charges", nil, hookCrash)
	for expr, want := range map[string]string{
		"class": "duplicated", "sink.class": "duplicated", "sink[any].class": "duplicated",
		"lost": "0", "duplicated": "5", "expected": "16", "observed": "21", "observed - expected": "5",
		"duplicated of ana": "1", "duplicated of P0:6": "1", "duplicated of P0:0": "0",
		"duplicated keys": "cleo, ben, eve and ana", "lost keys": "nobody", "duplicated first": "P0:6",
		"records": "16", "attempts": "2", "count restart.begin": "1",
		"event fault.injected": "164", "time checkpoint.triggered~1": "300",
		"to barrier.injected~1@source/0": "6", "from source.rewound@source/0": "8", "to source.rewound@source/0": "6",
		"record sink.write~1": "P0:0", "key sink.write~1": "ana", "value sink.write~1": "12", "task sink.write~1": "sink/0",
		"count sink.write after barrier.arrived~1@sink/0 before fault.injected": "5",
		"count sink.write(P0:6)": "2", "setting checkpoint.interval": "300ms", "setting parallelism": "1", "7 + 1 - 3": "5",
	} {
		v, err := r.Ask(expr)
		if err != nil || v.String() != want {
			t.Errorf("%s = %s, %v; want %s", expr, v, err, want)
		}
	}
}

// What an event says of a record is an amount, a total or a balance; anything else
// is a plain number.
func TestValuesOfEventsAreWhatTheyAre(t *testing.T) {
	zombie := play(t, "zombie", nil, script(t, "zombie")...)
	trident := play(t, "trident-counts", nil, script(t, "trident-counts")...)
	ledger := play(t, "balance-atomic", nil)
	totals := play(t, "totals-upsert", nil)
	for _, c := range []struct {
		r          *quizzes.Run
		expr, want string
	}{
		{zombie, "value zombie.wakes", "8"}, {trident, "value state.write~1", "3"},
		{ledger, "value sink.write~1", "12"}, {totals, "value sink.write~1", "1"}, {totals, "from sink.write~1", "nothing"},
		{totals, "to sink.write(P0:2)", "3"}, {totals, "to record.processed(P0:2)@count/0", "3"},
	} {
		if v, err := c.r.Ask(c.expr); err != nil || v.String() != c.want {
			t.Errorf("%s in %s = %s, %v; want %s", c.expr, c.r.Job().Input.Name, v, err, c.want)
		}
	}
	if v, err := trident.Ask("value offsetlog.written~1"); err == nil || !strings.Contains(err.Error(), "positions") {
		t.Errorf("a list of positions came out as %s, %v", v, err)
	}
}

// script is the faults of a scenario's lesson.
func script(t *testing.T, scenario string) []string {
	t.Helper()
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cat.Scenario(scenario).Script
}

func TestComparisons(t *testing.T) {
	r := play(t, "hook-charges", nil, hookCrash)
	for expr, want := range map[string]bool{
		"class = duplicated": true, "class != exact": true, "class = exact": false, "lost < 1": true, "lost >= 1": false,
		"duplicated = observed - expected": true, "records > 15 + 1": false, "records <= 16": true, "key sink.write~1 = record sink.write~1": false,
		"record sink.write~1 = P0:0": true,
	} {
		e, err := quizzes.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.True(r); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", expr, got, err, want)
		}
	}
}

func TestExpressionsThatAreRefused(t *testing.T) {
	r := play(t, "hook-charges", nil)
	for expr, want := range map[string]string{
		"":                      `expression "": something is missing`,
		"lots":                  `expression "lots": found "lots"; allowed: attempts, checkpoints, class, count, delay, duplicated, event, events, expected, from, key, lost, observed, pending, price, record, records, recovery, rewound, setting, task, time, to, value, wrong; did you mean "lost"?`,
		"lost =":                `expression "lost =": something is missing`,
		"lost = 0 0":            `expression "lost = 0 0": found "0" after the end`,
		"class = duplicate":     `expression "class = duplicate": found "duplicate"; allowed: stuck, mixed, lost, duplicated, wrong, exact; did you mean "duplicated"?`,
		"event":                 `expression "event": the name of an event is missing`,
		"count":                 `expression "count": count what? the name of an event is missing`,
		"count txn.begin after": `expression "count txn.begin after": after what? the name of an event is missing`,
		"event sink.wirte":      `moment "after:sink.wirte": unknown event "sink.wirte"; allowed:`,
		"event sink.write~99":   `"sink.write~99" does not occur in this run; 16 events match`,
		"snik.lost":             `the job has no sink or reader "snik"`,
		"setting gpa":           `unknown setting "gpa"; allowed:`,
		"pending keys":          `"pending" has no rows; allowed: lost, duplicated, wrong`,
		"class + 1":             `"exact" is a word and cannot be added`,
		"lost = 0":              `expression "lost = 0" compares; a value is wanted`,
	} {
		_, err := r.Ask(expr)
		if err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("%s: found %v\nwant %s", expr, err, want)
		}
	}
	_, err := r.Ask("event fault.injected")
	var missing *quizzes.Missing
	if !errors.As(err, &missing) {
		t.Errorf("an event that does not occur gives %T", err)
	}
}

func TestMoments(t *testing.T) {
	r := play(t, "hook-charges", nil, hookCrash)
	for moment, want := range map[quizzes.Moment]int{
		quizzes.Start: 0, quizzes.End: r.Trace.Len(), "57": 57, "0ms": 0, "after:checkpoint.triggered": 71,
		"before:checkpoint.triggered~1@coordinator": 70, "300ms": 73,
	} {
		if got, err := r.At(moment); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", moment, got, err, want)
		}
	}
	for moment, want := range map[quizzes.Moment]string{
		"soon": `moment "soon": found "soon"; allowed: an event number, a duration like 300ms, before:EVENT or after:EVENT`,
		"9999": `moment "9999": this run has events 0 to 239`,
	} {
		if _, err := r.At(moment); err == nil || err.Error() != want {
			t.Errorf("%s: found %v, want %s", moment, err, want)
		}
	}
}
