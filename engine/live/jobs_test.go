package live_test

import (
	"fmt"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

// liveJob is a job over an open input with two partitions.
func liveJob(tb testing.TB, keys int, changes ...string) *engine.Job {
	tb.Helper()
	in := &engine.Input{Name: "live", Parts: make([][]engine.Datum, 2), Open: true}
	for k := range keys {
		in.Keys = append(in.Keys, fmt.Sprintf("key-%03d", k))
	}
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	set.RestartDelay, set.CrashDetection = engine.Millisecond, engine.Millisecond
	for i := 0; i < len(changes); i += 2 {
		if err := set.Set(changes[i], changes[i+1]); err != nil {
			tb.Fatal(err)
		}
	}
	j, err := engine.NewJob("own", set, in, 1, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// memoryLog is n records a partition.
func memoryLog(job *engine.Job, n int) live.MemoryLog {
	log := make(live.MemoryLog, len(job.Input.Parts))
	for p := range log {
		for o := range n {
			log[p] = append(log[p], engine.Record{ID: engine.RecordID{Part: int16(p), Off: int32(o)},
				Key: engine.KeyID((o*7 + p*3) % len(job.Input.Keys)), Value: int64(o) * engine.ValueScale})
		}
	}
	return log
}

// config runs the job over the log into the topic.
func config(log live.MemoryLog, topic *live.Topic, store live.Store) live.Config {
	return live.Config{Host: live.HostConfig{Store: store,
		Source:  func(_ engine.TaskID, part int) (live.Source, error) { return log.Source(part), nil },
		Outside: func(engine.TaskID) (live.Outside, error) { return topic.Outside(), nil }}}
}
