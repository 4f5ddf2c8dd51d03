package engine

import (
	"errors"
	"strings"
	"testing"
)

// What recoveries and settings of state refuse: the pair, the reason, and a nearest
// choice that can be built.
func TestWhatStateRefuses(t *testing.T) {
	in := &Input{Keys: []string{"a"}, Parts: [][]Datum{{{}}}}
	const streams, eos, loop = "strategy=kafka-streams ", "strategy=kafka-streams processing.guarantee=exactly_once_v2 ", "strategy=offset-commit topology=LOOP "
	for _, c := range []struct{ settings, pair, why, nearest string }{
		{"state.recovery=changelog", "strategy=barriers with state.recovery=changelog", "A checkpoint holds state and positions as of one line", "state.recovery=snapshot"},
		{"strategy=microbatch state.recovery=remote", "strategy=microbatch with state.recovery=remote", "names a version", "state.recovery=snapshot"},
		{streams + "state.recovery=snapshot", "strategy=kafka-streams with state.recovery=snapshot", "changelog topic", "state.recovery=changelog"},
		{loop + "state.recovery=snapshot", "strategy=offset-commit with state.recovery=snapshot", "takes no snapshots", "state.recovery=replay-input"},
		{"strategy=dataflow state.recovery=none", "strategy=dataflow with state.recovery=none", "nothing has to be brought back", "state.recovery=remote"},
		{"strategy=batch topology=BATCH sink=files state.recovery=remote", "strategy=batch with state.recovery=remote", "Nothing is kept but input", "state.recovery=replay-input"},
		{"state.recovery=snapshot-incremental operator=window", "state.recovery=snapshot-incremental with operator=window", "only counts are uploaded as changes", "state.recovery=snapshot"},
		{"strategy=microbatch state.recovery=snapshot-incremental operator=dedup", "state.recovery=snapshot-incremental with operator=dedup", "only counts", "state.recovery=snapshot"},
		{loop + "state.recovery=cdc sink=upsert", "state.recovery=cdc with sink=upsert", "must tell the position too", "sink=offset-with-output"},
		{"num.standby.replicas=1", "strategy=barriers with num.standby.replicas=1", "follows a changelog", "num.standby.replicas=0"},
		{"changelog.head=2", "strategy=barriers with changelog.head=1", "could be compacted", "changelog.head=0"},
		{"state.delete=when-complete", "strategy=barriers with state.delete=when-complete", "through the changelog", "state.delete=never"},
		{eos + "restore.from=none", "strategy=kafka-streams with restore.from=none", "Only a job with checkpoints", "restore.from=latest"},
		{"commit.handoff=async", "strategy=barriers with commit.handoff=async", "Only a plain loop hands records to a worker", "commit.handoff=sync"},
		{loop + "commit.handoff=async sink=transactional", "commit.handoff=async with sink=transactional", "different groups", "commit.handoff=sync"},
		{loop + "commit.handoff=async commit=before", "commit.handoff=async with commit=before", "follows the saved position already", "commit=after"},
		{loop + "input.retention=1s state.recovery=remote", "input.retention=1s with state.recovery=remote", "meets the end of the log", "input.retention=0ms"},
		{eos + "changelog.head=1 state.recovery=standby state.delete=when-complete delete.retention=1ms", "delete.retention=1ms with state.recovery=standby", "A tombstone could leave", "delete.retention=10s"},
		{loop + "position.use=guard sink=upsert", "position.use=guard with sink=upsert", "stores a position beside the value", "sink=offset-with-output"},
		{"position.use=resume sink=offset-with-output", "position.use=resume with strategy=barriers", "a place of its own", "position.use=guard"},
		{"state.recovery=snapshot-incremental", "", "", ""},
		{"restore.from=none", "", "", ""},
	} {
		set := BaseSettings()
		set.Sinks = []SinkSettings{BaseSink("sink")}
		for _, kv := range strings.Fields(c.settings) {
			k, v, _ := strings.Cut(kv, "=")
			if err := set.Set(k, v); err != nil {
				t.Fatal(err)
			}
		}
		_, err := NewJob("test", set, in, 1, nil)
		if c.pair == "" {
			if err != nil {
				t.Errorf("%s: %v", c.settings, err)
			}
			continue
		}
		var imp *Impossible
		if !errors.As(err, &imp) {
			t.Errorf("%s: %v", c.settings, err)
			continue
		}
		if got := imp.Settings[0] + " with " + imp.Settings[1]; got != c.pair || !strings.Contains(imp.Why, c.why) || imp.Nearest != c.nearest {
			t.Errorf("%s: %s, %v", c.settings, got, err)
		}
		k, v, _ := strings.Cut(imp.Nearest, "=")
		if err := set.Set(k, v); err != nil {
			t.Fatal(err)
		}
		if _, err := NewJob("test", set, in, 1, nil); err != nil {
			t.Errorf("%s: the nearest choice %s is refused too: %v", c.settings, imp.Nearest, err)
		}
	}
}
