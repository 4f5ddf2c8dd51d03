package live_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

// Kills over a folder that is fsynced: the boundary holds there as well.
func TestKillsOverDurableParts(t *testing.T) {
	for seed := range uint64(3) {
		job := liveJob(t, 10, "topology", "J2", "sink", "transactional", "output", "total", "checkpoint.interval", "1ms")
		log, topic := memoryLog(job, 5000), live.NewTopic(job, 0)
		killedOver(t, job, log, topic, openDir(t, t.TempDir(), 0), seed)
		lost, twice := verdict(t, log, topic)
		if wrong := totals(t, job, log, topic); lost+twice+wrong > 0 {
			t.Fatalf("seed %d: %d lost, %d twice, %d counts wrong", seed, lost, twice, wrong)
		}
	}
}

// A full disk: checkpoints are declined with the reason, records go on, and when there
// is space again the next checkpoint completes. Nothing restarts.
func TestAFullDiskDeclinesAndRecovers(t *testing.T) {
	job := liveJob(t, 10, "topology", "J2", "sink", "transactional", "checkpoint.interval", "2ms", "checkpoint.tolerable-failures", "1000")
	log, topic := memoryLog(job, 2000), live.NewTopic(job, 0)
	path := t.TempDir()
	quota := filepath.Join(path, "quota")
	cfg := config(log, topic, openDir(t, path, 0))
	var why atomic.Pointer[string]
	declined := atomic.Int32{}
	cfg.Leader.Notice = func(n live.Notice) {
		switch n.Kind {
		case live.NoticeRunning:
			if err := os.WriteFile(quota, []byte("1"), 0o600); err != nil {
				t.Error(err)
			}
		case live.NoticeDeclined:
			why.Store(&n.Why)
			if declined.Add(1) == 3 {
				if err := os.Remove(quota); err != nil {
					t.Error(err)
				}
			}
		}
	}
	res, err := live.Run(t.Context(), job, cfg)
	if err != nil || res.Reason != engine.AtRest || res.Attempts != 1 || res.Declined < 3 || res.Checkpoints == 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	if !strings.Contains(*why.Load(), "no space left on device") {
		t.Fatalf("said %q", *why.Load())
	}
	if lost, twice := verdict(t, log, topic); lost+twice > 0 {
		t.Fatalf("%d lost, %d twice", lost, twice)
	}
}

// A damaged newest checkpoint ends the run before anything starts, and says why.
func TestADamagedCheckpointStartsNothing(t *testing.T) {
	job := liveJob(t, 10, "topology", "J2", "sink", "transactional", "checkpoint.interval", "2ms")
	log, topic := memoryLog(job, 500), live.NewTopic(job, 0)
	path := t.TempDir()
	first, err := live.Run(t.Context(), job, config(log, topic, openDir(t, path, 0)))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := filepath.Glob(filepath.Join(path, "part-*"))
	if err != nil || len(parts) == 0 {
		t.Fatal(parts, err)
	}
	hurt(t, parts[len(parts)-1], func(b []byte) []byte { return b[:len(b)-3] })
	before := topic.Count()
	res, err := live.Run(t.Context(), job, config(log, topic, openDir(t, path, 0)))
	d := (*live.Damaged)(nil)
	if !errors.As(err, &d) || res.Attempts != 0 || topic.Count() != before || d.File != filepath.Base(parts[len(parts)-1]) {
		t.Fatalf("after %+v: %+v, %v", first, res, err)
	}
	other := liveJob(t, 10, "topology", "J2", "sink", "transactional", "parallelism.count", "1")
	if _, err := live.Run(t.Context(), other, config(log, topic, openDir(t, path, 0))); !errors.As(err, &d) {
		t.Fatalf("a job with another plan: %v", err)
	}
}
