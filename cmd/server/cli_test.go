package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"effectivelyonce/engine/check"
	"effectivelyonce/web"
)

// server runs the program and returns what it printed.
func server(t testing.TB, args ...string) (status int, out, errs string) {
	t.Helper()
	return serverWith(t, "", args...)
}

func serverWith(t testing.TB, in string, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = Main(context.Background(), args, Streams{In: strings.NewReader(in), Out: &o, Err: &e})
	return status, o.String(), e.String()
}

func report(t testing.TB, args ...string) web.Report {
	t.Helper()
	status, out, errs := server(t, append([]string{"run", "--format", "json"}, args...)...)
	if status != exitDone {
		t.Fatalf("run %v: status %d\n%s", args, status, errs)
	}
	var r web.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("run %v: %v\n%s", args, err, out)
	}
	return r
}

const hookCrash = "crash-job@before:checkpoint.complete~2"

// writesAfterBarrier counts the sink's writes between barrier 1 and the crash in
// the NDJSON trace, as a script would.
func writesAfterBarrier(t *testing.T) int {
	t.Helper()
	_, out, _ := server(t, "run", "hook-charges", "--fault", hookCrash, "--format", "ndjson")
	n, passed := 0, false
	for _, line := range strings.Split(out, "\n") {
		var e struct {
			Kind, Task string
			Checkpoint int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		switch {
		case e.Kind == "fault.injected":
			return n
		case e.Kind == "barrier.arrived" && e.Task == "sink/0" && e.Checkpoint == 1:
			passed = true
		case e.Kind == "sink.write" && passed:
			n++
		}
	}
	t.Fatal("no crash in the trace")
	return 0
}

func TestTheHookChargesTwice(t *testing.T) {
	crash := []string{"hook-charges", "--fault", hookCrash}
	r := report(t, crash...)
	v := r.Verdicts[0]
	if want := writesAfterBarrier(t); r.Class != check.Duplicated || v.Lost != 0 || v.Duplicated != want || want == 0 {
		t.Errorf("class %s, lost %d, duplicated %d; want duplicated, 0, %d", r.Class, v.Lost, v.Duplicated, want)
	}
	for want, more := range map[check.Class][]string{
		check.Exact:      {"--set", "sink=transactional"},
		check.Duplicated: {"--set", "sink=transactional", "--set", "isolation.level=read_uncommitted"},
	} {
		if got := report(t, append(append([]string(nil), crash...), more...)...); got.Class != want {
			t.Errorf("%v: %s, want %s", more, got.Class, want)
		}
	}
	if got := report(t, "hook-charges"); got.Class != check.Exact {
		t.Errorf("without fault: %s", got.Class)
	}
}

func TestNumberSignsAreTildes(t *testing.T) {
	r := report(t, "hook-charges", "--fault", "crash-job@before:checkpoint.complete#2")
	if len(r.Faults) != 1 || r.Faults[0] != hookCrash {
		t.Errorf("faults %v", r.Faults)
	}
}

func TestExpectDecidesTheStatus(t *testing.T) {
	if status, _, _ := server(t, "run", "hook-charges", "--expect", "exact"); status != exitDone {
		t.Errorf("expected class: status %d", status)
	}
	status, _, errs := server(t, "run", "hook-charges", "--fault", hookCrash, "--expect", "exact")
	if status != exitDiffer || errs != "server run: expected exact, the run is duplicated\n" {
		t.Errorf("other class: status %d, %q", status, errs)
	}
	if status, _, errs := server(t, "run", "align-timeout"); status != exitDone {
		t.Errorf("a stuck job is a result: status %d, %s", status, errs)
	}
}

func TestOwnRecordsFromFileAndStandardInput(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("partition,key,value\n")
	for i := range 100 {
		rows.WriteString(string(rune('0'+i%3)) + ",customer-" + string(rune('a'+i%12)) + ",1\n")
	}
	file := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r := report(t, "hook-charges", "--input", file, "--fault", "crash:count/0@300")
	if v := r.Verdicts[0]; v.Expected != 100 || v.Lost != 0 || v.Observed != 100+v.Duplicated {
		t.Errorf("verdict %+v", v)
	}
	status, out, errs := serverWith(t, `{"partition":0,"key":"<i>ana</i>","value":1.5}`, "run", "hook-charges", "--input", "-")
	if status != exitDone || !strings.Contains(out, "wrote <i>ana</i> 1.5 for P0:0") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if !strings.Contains(out, "&input=z.") {
		t.Error("the link does not carry the records")
	}
}

func TestScenarioFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	text := "id: mine\ntitle: Mine\ninput: orders-18\nsinks: [{name: out, sink: upsert}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := server(t, "run", file)
	if status != exitDone || !strings.HasPrefix(out, "mine: Mine\n") || strings.Contains(out, "Watch it") {
		t.Errorf("status %d, %.200s%s", status, out, errs)
	}
	if status, _, _ := server(t, "run", "mine"); status != exitUsage {
		t.Error("the file's scenario became known by its id")
	}
}

func TestExploreSaysWhatItCovered(t *testing.T) {
	status, out, errs := server(t, "explore", "hook-charges", "--kind", "crash-job", "--format", "json")
	var r struct {
		Points   int
		Classes  map[string]int
		Examples map[string]struct{ Fault string }
	}
	if err := json.Unmarshal([]byte(out), &r); status != exitDone || err != nil {
		t.Fatalf("status %d, %v, %s", status, err, errs)
	}
	if r.Points != 170 || r.Classes["exact"]+r.Classes["duplicated"] != r.Points || r.Classes["duplicated"] == 0 {
		t.Errorf("%d points, classes %v", r.Points, r.Classes)
	}
	if got := report(t, "hook-charges", "--fault", r.Examples["duplicated"].Fault); got.Class != check.Duplicated {
		t.Errorf("the smallest example is %s", got.Class)
	}
	_, out, _ = server(t, "explore", "hook-charges", "--kind", "crash-job")
	for _, want := range []string{"Tried crash-job, after every one of 169 events and before the first.", "All 170 runs done", "Watch duplicated: http://localhost:8080/run?scenario=hook-charges&fault="} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"help", "run"}, {"run", "-h"}, {"explore", "--help"}, {"help", "check"}, {"help", "serve"}} {
		if status, out, _ := server(t, args...); status != exitDone || len(out) < 40 {
			t.Errorf("%v: status %d, %q", args, status, out)
		}
	}
}
