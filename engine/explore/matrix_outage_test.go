package explore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/sim"
)

// outageSeeds is over how many seeds the lines of curriculum 3.5 are proven.
func outageSeeds() uint64 {
	if soaking {
		return 50
	}
	return 1
}

func outageJob(t *testing.T, seed uint64, in *engine.Input, settings string) *engine.Job {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, kv := range strings.Fields(settings) {
		k, v, _ := strings.Cut(kv, "=")
		if err := set.Set(k, v); err != nil {
			t.Fatal(err)
		}
	}
	job, err := engine.NewJob("outage", set, in, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// One lost answer at every write, no crash (curriculum 3.5): what stands there is
// the class at each of them.
func TestALostAnswerAtEveryWrite(t *testing.T) {
	for settings, want := range map[string]check.Class{
		"sink=append": check.Duplicated, "sink=email": check.Duplicated, "sink=email idempotency.key=random": check.Duplicated,
		"sink=upsert": check.Exact, "sink=dedup": check.Exact, "sink=offset-with-output": check.Exact, "sink=email idempotency.key=from-input": check.Exact,
		"sink=transactional": check.Exact, "sink=transactional isolation.level=read_uncommitted": check.Exact,
	} {
		for _, output := range []string{"event", "total"} {
			for seed := uint64(1); seed <= outageSeeds(); seed++ {
				job := outageJob(t, seed, cards(), settings+" output="+output)
				for k := 1; k <= job.Input.Len(); k++ {
					f, err := engine.ParseFault(fmt.Sprintf("lose-response:sink/0@before:sink.write~%d", k))
					if err != nil {
						t.Fatal(err)
					}
					tr, err := sim.Run(job, []engine.Fault{f})
					if err != nil {
						t.Fatal(err)
					}
					if v := check.Judge(tr)[0]; v.Class != want || want == check.Duplicated && v.Duplicated != 1 {
						t.Errorf("seed %d, %s, %s: %s with %d repeats, want %s", seed, settings, f, v.Class, v.Duplicated, want)
					}
					if vs := check.Invariants(tr); len(vs) > 0 {
						t.Errorf("seed %d, %s, %s: %s", seed, settings, f, vs[0])
					}
				}
			}
		}
	}
}

// The other lines of curriculum 3.5, and what this engine adds to them: musts and
// nevers over every gap.
func TestExpiryWindowsAndNames(t *testing.T) {
	for _, c := range []struct{ settings, kinds, may string }{
		{"sink=email idempotency.key=from-input provider.dedup.window=200ms", "crash crash-job", "duplicated!"},
		{"sink=dedup dedup.retention=200ms", "crash crash-job", "duplicated!"},
		{"sink=transactional transactional.id.prefix=random-per-start", "crash crash-job", ""},
		{"sink=transactional transactional.id.prefix=random-per-start horizon=5s", "crash crash-job", "stuck!"},
		{"sink=transactional", "second-job", "lost!"},
		{"sink=transactional", "late:commit:1s late:abort:1s late:ack:1s storage-down:2s broker-down:2s broker-down:0:2s", ""},
		{"sink=transactional", "late:commit:12s broker-down:12s", "lost!"},
		{"sink=append checkpoint.timeout=400ms", "storage-down:2s late:ack:1s", "duplicated!"},
		{"sink=append", "storage-down", "stuck!"},
		{"sink=append", "broker-down", "stuck!"},
	} {
		for seed := uint64(1); seed <= outageSeeds(); seed++ {
			res, err := explore.Explore(context.Background(), outageJob(t, seed, cards(), c.settings), nil,
				explore.Options{Kinds: strings.Fields(c.kinds), Budget: -1, Audit: true})
			if err != nil {
				t.Fatal(err)
			}
			for class, n := range res.Classes {
				if n > 0 && class != check.Exact && !strings.Contains(c.may, string(class)) {
					t.Errorf("seed %d, %s, %s: %s at %s", seed, c.settings, c.kinds, class, res.Examples[class].Fault)
				}
			}
			for _, word := range strings.Fields(c.may) {
				if must, ok := strings.CutSuffix(word, "!"); ok && res.Classes[check.Class(must)] == 0 {
					t.Errorf("seed %d, %s, %s: no run is %s", seed, c.settings, c.kinds, must)
				}
			}
			if res.Breaches > 0 {
				t.Errorf("seed %d, %s: %s: %s", seed, c.settings, res.Broken[0].Fault, res.Broken[0].Violations[0])
			}
		}
	}
}

// A transaction whose time is shorter than the interval (curriculum 3.5, last line):
// rows are lost without any fault; the job that fails on it, or that always has
// something to write, restarts until it is given up.
func TestATimeoutShorterThanTheIntervalNeedsNoFault(t *testing.T) {
	endless := cards()
	for p := range endless.Parts {
		endless.Parts[p] = slices.Repeat(endless.Parts[p], 16)
	}
	for _, c := range []struct {
		in       *engine.Input
		settings string
		want     check.Class
	}{
		{cards(), "on.expired=ignore", check.Lost},
		{cards(), "on.expired=fail", check.Stuck},
		{endless, "on.expired=ignore", check.Stuck},
		{endless, "on.expired=fail", check.Stuck},
	} {
		for seed := uint64(1); seed <= outageSeeds(); seed++ {
			tr, err := sim.Run(outageJob(t, seed, c.in, "sink=transactional transaction.timeout=150ms "+c.settings), nil)
			if err != nil {
				t.Fatal(err)
			}
			if v := check.Judge(tr)[0]; v.Class != c.want {
				t.Errorf("seed %d, %d records, %s: %s, want %s", seed, c.in.Len(), c.settings, v.Class, c.want)
			}
		}
	}
}

// outageTable is curriculum 3.5 without its pauses, by the key of a cell. A lost
// answer strikes the next write; behind the last one it strikes nothing, so exact
// occurs everywhere. Where nothing fails there is one run.
// The table of the curriculum speaks of readers of committed rows. Others see the rows
// of the attempt whose writer was fenced as well; a run that does not come to rest is
// stuck whoever reads.
var outageTable = func() map[string]string {
	out := map[string]string{
		"provider.dedup.window=200ms, shorter than the outage/email from-input/event": "e d!",
		"dedup.retention=200ms, shorter than the outage/dedup atomic/event":           "e d!",
	}
	const prefix, timeout = "transactional.id.prefix=random-per-start", "transaction.timeout=150ms, shorter than the interval, on.expired="
	for _, output := range []string{"/event", "/total"} {
		for column, cell := range map[string]string{"append": "e d!", "email none": "e d!", "email random": "e d!", "upsert": "e", "dedup atomic": "e",
			"offset-with-output": "e", "email from-input": "e", "transactional read_committed": "e", "transactional read_uncommitted": "e"} {
			out["lose-response, the answer to one write is lost/"+column+output] = cell
		}
		for row, cells := range map[string][2]string{
			prefix + ", a long horizon":       {"e", "e d!"},
			prefix + ", a horizon of 5s":      {"e s!", "e s!"},
			timeout + "ignore":                {"l!", "d!"},
			timeout + "fail":                  {"s!", "s!"},
			timeout + "ignore, endless input": {"s!", "s!"},
			timeout + "fail, endless input":   {"s!", "s!"},
		} {
			out[row+"/transactional read_committed"+output] = cells[0]
			out[row+"/transactional read_uncommitted"+output] = cells[1]
		}
	}
	return out
}()
