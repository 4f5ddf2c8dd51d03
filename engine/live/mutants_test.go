package live_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutants are mistakes in the rules and in the driver that the kills must show. The
// old text occurs once in the file, which is below engine/.
var mutants = []struct{ name, file, old, new string }{
	{"no alignment: the early channel is not held back", "machine/barriers.go",
		`return t.way == holdBack && t.arrived&(1<<lane) != 0 }`,
		`return false && t.arrived&(1<<lane) != 0 }`},
	{"committed before the checkpoint is complete", "machine/writer.go",
		"	out.add(Effect{Kind: DoPrecommit, Txn: w.open, Ckpt: n})\n",
		"	out.add(Effect{Kind: DoPrecommit, Txn: w.open, Ckpt: n})\n	out.add(Effect{Kind: DoCommit, Txn: w.open})\n"},
	{"lanes that are held back are read all the same", "live/turn.go",
		`if len(b.batches) > 0 || r.task.Blocked(d.lane) {`,
		`if len(b.batches) > 0 {`},
	{"a barrier does not wait for the records before it", "live/send.go",
		`		if w.buf = append(w.buf, elem); !timed && !r.flush(w) {
			return false
		}`,
		`		if w.buf = append([]engine.Element{elem}, w.buf...); !timed && !r.flush(w) {
			return false
		}`},
	{"what was promised is not handed to the next life", "live/task.go",
		`Next: r.order.Next, Attempt: r.attempt, Snapshot: part.Snapshot}`,
		`Next: r.order.Next, Attempt: r.attempt, Snapshot: part.Snapshot}
	in.Snapshot.Txns = nil`},
	{"a count that nobody watches is not handed on", "machine/operator.go",
		`	if out.Unwatched {
		return
	}`,
		`	if out.Unwatched {
		r.Total = before
		return
	}`},
	{"a new attempt starts from the part before", "live/lead.go",
		`			o.Part = newest.Parts[id]
`,
		`			o.Part = newest.Parts[id]
			o.Part.Ckpt *= int32(attempt & 1)
`},
}

// Each mistake makes the properties red. What is printed is the smallest proof that
// the properties can fail.
func TestKillsShowMutants(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			path, err := filepath.Abs(filepath.Join("..", m.file))
			if err != nil {
				t.Fatal(err)
			}
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(src), m.old); n != 1 {
				t.Fatalf("the text to change occurs %d times in %s:\n%s", n, m.file, m.old)
			}
			changed, list := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
			js, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
			if err == nil {
				err = os.WriteFile(changed, []byte(strings.Replace(string(src), m.old, m.new, 1)), 0o600)
			}
			if err == nil {
				err = os.WriteFile(list, js, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			bin := filepath.Join(dir, "kills")
			if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", bin, ".").CombinedOutput(); err != nil {
				t.Fatalf("the mutant does not build: %v\n%s", err, out)
			}
			run := exec.Command(bin, "-test.run", "TestKillsLoseAndRepeatNothing", "-test.timeout", "60s")
			run.Env = append(os.Environ(), "SEEDS=200")
			out, err := run.CombinedOutput()
			if err == nil {
				t.Fatal("nobody noticed")
			}
			if !strings.Contains(string(out), "seed ") {
				t.Fatalf("it fails, but not by a verdict: %.600s", out)
			}
			t.Logf("%.200s", out)
		})
	}
}
