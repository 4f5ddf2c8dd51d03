package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"effectivelyonce/engine/explore"
)

// folder writes files into a folder of the test and changes into it.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

const rows = "partition,key,value\n"

// badFiles changes into a folder of files that are wrong in one way each.
func badFiles(t *testing.T) {
	inFolder(t, map[string]string{
		"bad.yaml": "id: bad\ntitle: t\n  input: x\n", "field.yaml": "id: field\ntitle: t\ninptu: cards-16\nsinks: [{name: s}]\n",
		"type.yaml": "id: type\ntitle: [t]\ninput: cards-16\nsinks: [{name: s}]\n", "range.yaml": "id: range\ntitle: t\npace: 99999\ninput: cards-16\nsinks: [{name: s}]\n",
		"dup.yaml": "id: dup\nid: dup\ntitle: t\ninput: cards-16\nsinks: [{name: s}]\n", "big.yaml": strings.Repeat("#", 300<<10),
		"empty.csv": "", "head.csv": "key,value\n", "part.csv": rows + "9,ana,1\n", "control.csv": rows + "0,a\x01,1\n",
		"utf8.csv": rows + "0,a\xff,1\n", "huge.csv": rows + "0,ana,99999999999\n", "many.csv": rows + strings.Repeat("0,ana,1\n", 501),
		"large.csv": rows + strings.Repeat("0,ana,1\n", 9000), "type.ndjson": `{"partition":"0","key":"ana","value":1}`,
		"cut.ndjson": `{"partition":0,"key":"ana"`, "html.csv": rows + "0,<script>,x\n",
	})
}

// Every malformed input ends with status 2, prints nothing on the standard
// output, and names the place, what was found and what is allowed.
func TestMalformedCommandsAndScenarios(t *testing.T) {
	badFiles(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"rnu"}, `server: unknown command "rnu"; allowed: serve, run, explore, matrix, check, new-lesson, counts, health, help; did you mean "run"?`},
		{[]string{"matrix", "here"}, `server matrix: found argument "here"; matrix takes flags only`},
		{[]string{"matrix", "--seeds", "0"}, `server matrix: flag --seeds: found "0"; allowed: a whole number from 1 to 1000`},
		{[]string{"matrix", "--format", "jsn"}, `server matrix: flag --format: found "jsn"; allowed: text, markdown, json; did you mean "json"?`},
		{[]string{"--port", "1"}, `server serve: unknown flag --port; allowed: --addr,`},
		{[]string{"serve", "here"}, `server serve: found argument "here"; serve takes flags only`},
		{[]string{"serve", "--addr", "nowhere:x"}, `server serve: listen on nowhere:x: `},
		{[]string{"serve", "--live", "--kafka", "x"}, `server serve: flag --kafka: found "x"; allowed: host:port, several with commas between`},
		{[]string{"serve", "--kafka", "x:1"}, `server serve: flag --kafka: found it without --live; allowed: both, it is the broker of the live lab`},
		{[]string{"serve", "--live", "--broker-port", "kafka"}, `server serve: flag --broker-port: found "kafka"; allowed: 0 (a free one) to 65535`},
		{[]string{"serve", "--broker-port", "9092"}, `server serve: flag --broker-port: found it without an embedded broker; allowed: with --live, and without --kafka`},
		{[]string{"serve", "--database", "mysql://h/b"}, `server serve: flag --database: found no address of a PostgreSQL database; allowed: postgres://user@host:port/database`},
		{[]string{"serve", "--database", ""}, `server serve: flag --database: found no address of a PostgreSQL database`},
		{[]string{"serve", "--database", "postgres://h/b", "--data", "d"}, `server serve: flags --database and --data: found both; allowed: one,`},
		{[]string{"counts", "--format", "cvs"}, `server counts: flag --format: found "cvs"; allowed: csv, json; did you mean "csv"?`},
		{[]string{"serve", "--content", "nowhere"}, `server serve: content folder nowhere: no such file or directory`},
		{[]string{"check", "nowhere"}, `server check: content folder nowhere: no such file or directory`},
		{[]string{"check", "empty.csv"}, `server check: content folder empty.csv: it is not a folder`},
		{[]string{"run"}, `server run: a scenario is missing: an id, or a path to a .yaml file`},
		{[]string{"run", "a", "b"}, `server run: found 2 arguments (a b); allowed: one scenario`},
		{[]string{"run", "hook-chargse"}, `server run: unknown scenario "hook-chargse"; allowed: align-slow,`},
		{[]string{"run", "nowhere.yaml"}, `server run: scenario nowhere.yaml: no such file or directory`},
		{[]string{"run", "bad.yaml"}, "server run: the scenario cannot be read:\nbad.yaml:3: not valid YAML: mapping values are not allowed in this context;"},
		{[]string{"run", "field.yaml"}, "server run: the scenario cannot be read:\nfield.yaml:3: unknown field \"inptu\"; allowed: id, title,"},
		{[]string{"run", "type.yaml"}, "server run: the scenario cannot be read:\ntype.yaml:2: field title: found a list; allowed: one text or number"},
		{[]string{"run", "range.yaml"}, "server run: the scenario cannot be read:\nrange.yaml:3: field pace: found \"99999\"; allowed: a number from 0.1 to 1000"},
		{[]string{"run", "dup.yaml"}, "server run: the scenario cannot be read:\ndup.yaml:2: field id occurs twice; the first is at line 1; keep one"},
		{[]string{"run", "big.yaml"}, `server run: scenario big.yaml: it is larger than 256 KiB, the most that is read`},
	} {
		refused(t, c.args, c.want)
	}
}

func TestMalformedFlagsAndRecords(t *testing.T) {
	badFiles(t)
	hook := []string{"run", "hook-charges"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{append(hook, "--fualt", "x"), `server run: unknown flag --fualt; allowed: --expect, --fault, --format, --input, --seed, --set; did you mean "--fault"?`},
		{append(hook, "--fault"), `server run: flag --fault needs a value`},
		{append(hook, "--seed", "1", "--seed", "2"), `server run: flag --seed: it is given twice`},
		{append(hook, "--seed", "99999999999999999999999"), `server run: seed: found "99999999999999999999999"; allowed: a whole number`},
		{append(hook, "--format", "xml"), `server run: flag --format: found "xml"; allowed: text, json, ndjson`},
		{append(hook, "--expect", "exat"), `server run: flag --expect: found "exat"; allowed: exact, wrong, duplicated, lost, mixed, stuck; did you mean "exact"?`},
		{append(hook, "--set", "gap"), `server run: set: found "gap"; allowed: KEY=VALUE`},
		{append(hook, "--set", "gap=1y"), `server run: setting gap: found "1y"; allowed: a duration like 300ms`},
		{append(hook, "--set", "parallelism=9"), `server run: setting parallelism: found "9"; allowed: 1, 2, 3, 4`},
		{append(hook, "--fault", "crash:cuont/0@5"), `server run: fault "crash:cuont/0@5", target: unknown task "cuont/0"; allowed: source/0, source/1, count/0, sink/0, coordinator; did you mean "count/0"?`},
		{append(hook, "--fault", "crash:count/0@5000"), `server run: fault "crash:count/0@5000": event 5000 does not exist; this run has events 0 to 169`},
		{append(hook, "--fault", "crash:count/0@after:sink.write~99"), `server run: fault "crash:count/0@after:sink.write~99": the moment does not exist in this run; it has 16 events that match`},
		{append(hook, "--fault", "crash-job@99999999999999999999"), `server run: fault "crash-job@99999999999999999999", moment: found "99999999999999999999"; allowed: an event number`},
		{append(hook, "--fault", strings.Repeat("x", 300)), `server run: fault "xxx`},
		{append(hook, "--input", "nowhere.csv"), `server run: input nowhere.csv: no such file or directory`},
		{append(hook, "--input", "empty.csv"), `server run: empty.csv: the input is empty; allowed: 1 to 500 records`},
		{append(hook, "--input", "head.csv"), `server run: head.csv:1: found the header "key,value"; allowed: partition,key,value`},
		{append(hook, "--input", "part.csv"), `server run: part.csv:2: field partition: found 9; allowed: a whole number from 0 to 7`},
		{append(hook, "--input", "control.csv"), `server run: control.csv:2: field key: found the control character U+0001`},
		{append(hook, "--input", "utf8.csv"), `server run: utf8.csv:2: found byte 0xff, which is not UTF-8; allowed: text in UTF-8`},
		{append(hook, "--input", "huge.csv"), `server run: huge.csv:2: field value: found "99999999999"; allowed: a number`},
		{append(hook, "--input", "html.csv"), `server run: html.csv:2: field value: found "x"; allowed: a number`},
		{append(hook, "--input", "many.csv"), `server run: many.csv:502: record 501; allowed: at most 500 records`},
		{append(hook, "--input", "large.csv"), `server run: input large.csv: it is larger than 64 KiB, the most that is read`},
		{append(hook, "--input", "type.ndjson"), `server run: type.ndjson:1: field partition: found "\"0\""; allowed: a whole number from 0 to 7`},
		{append(hook, "--input", "cut.ndjson"), `server run: cut.ndjson:1: not valid JSON`},
		{[]string{"explore", "hook-charges", "--depth", "3"}, `server explore: flag --depth: found "3"; allowed: 1, 2`},
		{[]string{"explore", "hook-charges", "--kind", "carsh"}, `server explore: flag --kind: found "carsh"; allowed: ` + strings.Join(explore.Kinds(), ", ") + `; did you mean "crash"?`},
		{[]string{"explore", "hook-charges", "--kind", "crash:cuont/0"}, `server explore: fault "crash:cuont/0@0", target: unknown task "cuont/0"; allowed:`},
	} {
		refused(t, c.args, c.want)
	}
}

func refused(t *testing.T, args []string, want string) {
	t.Helper()
	status, out, errs := server(t, args...)
	if status != exitUsage || out != "" || !strings.HasPrefix(errs, want) {
		t.Errorf("server %.80s\nstatus %d, printed %q\nfound %s\nwant  %s", strings.Join(args, " "), status, out, errs, want)
	}
}
