package engine

import (
	"strconv"
	"strings"
)

// strategySetters are the settings that only some strategies or sinks read.
var strategySetters = []setter{
	word("state.recovery", func(s *Settings) *string { return &s.StateRecovery }, "none", "snapshot", "snapshot-incremental", "changelog", "standby", "remote", "replay-input", "cdc"),
	word("commit", func(s *Settings) *string { return &s.CommitMode }, "before", "after", "auto"),
	number("commit.every", func(s *Settings) *int { return &s.CommitEvery }, 1, 500),
	duration("trigger.interval", func(s *Settings, _ *SinkSettings) *Time { return &s.TriggerInterval }, 1),
	toggle("async.progress", func(s *Settings, _ *SinkSettings) *bool { return &s.AsyncProgress }, "on", "off"),
	word("processing.guarantee", func(s *Settings) *string { return &s.Guarantee }, "at_least_once", "exactly_once_v2"),
	duration("commit.interval", func(s *Settings, _ *SinkSettings) *Time { return &s.CommitInterval }, 1),
	word("spout", func(s *Settings) *string { return &s.Spout }, "non-transactional", "transactional", "opaque"),
	word("state", func(s *Settings) *string { return &s.TridentState }, "non-transactional", "transactional", "opaque"),
	word("mode", func(s *Settings) *string { return &s.DataflowMode }, "exactly_once", "at_least_once"),
	word("production", func(s *Settings) *string { return &s.Production }, "strong", "weak"),
	number("k", func(s *Settings) *int { return &s.K }, 0, 2),
	word("command.log", func(s *Settings) *string { return &s.CommandLog }, "sync", "async", "off"),
	toggle("coordinator.log", func(s *Settings, _ *SinkSettings) *bool { return &s.CoordinatorLog }, "on", "off"),
	sinkWord("dedup.write", func(k *SinkSettings) *string { return &k.DedupWrite }, "atomic", "id-first", "value-first"),
	sinkDuration("dedup.retention", func(_ *Settings, k *SinkSettings) *Time { return &k.DedupRetention }, 1),
	sinkWord("position.scope", func(k *SinkSettings) *string { return &k.PositionScope }, "key-and-partition", "partition", "single"),
	sinkWord("idempotency.key", func(k *SinkSettings) *string { return &k.IdempotencyKey }, "none", "from-input", "random"),
	sinkDuration("provider.dedup.window", func(_ *Settings, k *SinkSettings) *Time { return &k.ProviderWindow }, 1),
	perSink(toggle("fencing", func(_ *Settings, k *SinkSettings) *bool { return &k.Fencing }, "on", "off")),
	perSink(toggle("reader.honours.log", func(_ *Settings, k *SinkSettings) *bool { return &k.HonoursLog }, "true", "false")),
}

func word(key string, dst func(*Settings) *string, words ...string) setter {
	return setter{key: key, allowed: strings.Join(words, ", "),
		get: func(s *Settings, _ *SinkSettings) string { return *dst(s) },
		set: oneOf(func(s *Settings, _ *SinkSettings) *string { return dst(s) }, words...)}
}

func sinkWord(key string, dst func(*SinkSettings) *string, words ...string) setter {
	return setter{key: key, allowed: strings.Join(words, ", "), perSink: true,
		get: func(_ *Settings, k *SinkSettings) string { return *dst(k) },
		set: oneOf(func(_ *Settings, k *SinkSettings) *string { return dst(k) }, words...)}
}

func toggle(key string, dst func(*Settings, *SinkSettings) *bool, on, off string) setter {
	return setter{key: key, allowed: on + ", " + off,
		get: func(s *Settings, k *SinkSettings) string {
			if *dst(s, k) {
				return on
			}
			return off
		},
		set: func(s *Settings, k *SinkSettings, v string) bool {
			if v != on && v != off {
				return false
			}
			*dst(s, k) = v == on
			return true
		}}
}

func number(key string, dst func(*Settings) *int, least, most int) setter {
	return setter{key: key, allowed: "a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most),
		get: func(s *Settings, _ *SinkSettings) string { return strconv.Itoa(*dst(s)) },
		set: func(s *Settings, _ *SinkSettings, v string) bool {
			n, err := strconv.Atoi(v)
			if err != nil || n < least || n > most {
				return false
			}
			*dst(s) = n
			return true
		}}
}

func perSink(d setter) setter {
	d.perSink = true
	return d
}
