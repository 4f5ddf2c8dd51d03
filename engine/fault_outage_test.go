package engine_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
)

func outageJob(t *testing.T, set ...string) *engine.Job {
	t.Helper()
	s := engine.BaseSettings()
	s.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, kv := range set {
		k, v, _ := strings.Cut(kv, "=")
		if err := s.Set(k, v); err != nil {
			t.Fatal(err)
		}
	}
	in := &engine.Input{Keys: []string{"a"}, Parts: [][]engine.Datum{{{}, {}}, {{}}}}
	job, err := engine.NewJob("test", s, in, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// A fault is printed as it is spelled, and means the same when it is read again.
func TestOutagesAreSpelledAsTheyAreRead(t *testing.T) {
	job := outageJob(t, "sink=transactional")
	for _, spec := range []string{
		"lose-response:sink/0@after:sink.write~3", "storage-down@2s", "storage-down:6s@2s", "broker-down@57", "broker-down:1s@57",
		"broker-down:1@57", "broker-down:0:1s@500ms", "late:commit:12s@after:checkpoint.complete~2", "late:abort:1s@0", "late:ack:12s@0ms", "second-job@after:txn.precommit~2",
	} {
		f, err := engine.ParseFault(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if err := f.Resolve(job); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
		if f.String() != spec {
			t.Errorf("%s is printed as %s", spec, f)
		}
	}
}

func TestOutagesThatAreNotUnderstood(t *testing.T) {
	for spec, want := range map[string]string{
		"lose-response@5":           "lose-response takes one target: a task that writes, like sink/0",
		"lose-respose:sink/0@5":     `did you mean "lose-response"?`,
		"storage-down:1s:2s@5":      "storage-down is written storage-down or storage-down:DURATION",
		"storage-down:soon@5":       `length: found "soon"; allowed: a duration like 300ms`,
		"storage-down:0s@5":         `length: found "0s"`,
		"broker-down:0:1s:2s@5":     "broker-down:PARTITION:DURATION",
		"broker-down:x@5":           `length: found "x"`,
		"late:commit@5":             "late is written late:MESSAGE:DURATION; messages: commit, abort, ack",
		"late:comit:1s@5":           `message: found "comit"; allowed: commit, abort, ack; did you mean "commit"?`,
		"late:ack:never@5":          `length: found "never"`,
		"second-job:sink@5":         "second-job takes no target",
		"broker-down:0:1s@after:xx": "unknown event",
	} {
		_, err := engine.ParseFault(spec)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", spec, err, want)
		}
	}
}

// What cannot act in a job is refused with the reason, and with what can.
func TestOutagesThatCannotActInAJob(t *testing.T) {
	for _, c := range []struct {
		spec string
		set  []string
		want string
	}{
		{"lose-response:count/0@5", nil, "count/0 writes to no sink; allowed: sink/0"},
		{"lose-response:sink@5", nil, `did you mean "sink/0"?`},
		{"lose-response:coordinator@5", nil, "writes to no sink"},
		{"lose-response:sink/0@5", []string{"sink=files"}, "no answer that could be lost"},
		{"lose-response:loop/0@5", []string{"strategy=xa", "topology=LOOP", "sink=transactional"}, "nearest: crash-job"},
		{"storage-down:1s@5", []string{"strategy=kafka-streams"}, "nearest: broker-down"},
		{"storage-down:1s@5", []string{"strategy=offset-commit", "topology=LOOP"}, "has no checkpoint store"},
		{"broker-down@5", []string{"strategy=batch", "topology=BATCH"}, "there is no broker"},
		{"broker-down:2@5", nil, "partition: found 2; allowed: 0 to 1"},
		{"late:commit:1s@5", nil, "the job sends no commit to a broker; allowed with sink=transactional; late:ack can act here"},
		{"late:ack:1s@5", []string{"strategy=microbatch"}, "acknowledges no part of a checkpoint"},
		{"second-job@5", nil, "no sink has transactional ids"},
		{"second-job@5", []string{"sink=transactional", "transactional.id.prefix=random-per-start"}, "that does not change"},
		{"second-job@5", []string{"strategy=kafka-streams"}, "has no transactional.id.prefix"},
	} {
		f, err := engine.ParseFault(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Resolve(outageJob(t, c.set...))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %v: %v; want %q", c.spec, c.set, err, c.want)
		}
	}
}
