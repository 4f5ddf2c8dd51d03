package engine

import (
	"fmt"
	"strconv"
	"strings"
)

const durationWords = "a duration like 300ms, 1.5s or 2m, at most 1h"

// setters is the one table of settings: keys of the vocabulary, what they accept,
// and how they print.
var setters = []setter{
	word("strategy", func(s *Settings) *string { return &s.Strategy }, "barriers", "microbatch", "kafka-streams",
		"offset-commit", "batch", "trident", "dataflow", "replicated", "xa"),
	word("topology", func(s *Settings) *string { return &s.Topology }, "J", "J2", "K", "MAP", "LOOP", "BATCH"),
	{key: "parallelism", allowed: "1, 2, 3, 4 (of the counter and the sink), or OPERATOR:N",
		get: func(s *Settings, _ *SinkSettings) string { return strconv.Itoa(max(1, s.parallelismOf("count"))) },
		set: func(s *Settings, _ *SinkSettings, v string) bool { return s.setParallelism(v) }},
	duration("checkpoint.interval", func(s *Settings, _ *SinkSettings) *Time { return &s.CheckpointInterval }, 1),
	duration("checkpoint.timeout", func(s *Settings, _ *SinkSettings) *Time { return &s.CheckpointTimeout }, 1),
	duration("checkpoint.min-pause", func(s *Settings, _ *SinkSettings) *Time { return &s.CheckpointMinPause }, 0),
	{key: "checkpoint.tolerable-failures", allowed: "a whole number from 0 to 1000",
		get: func(s *Settings, _ *SinkSettings) string { return strconv.Itoa(s.TolerableFailures) },
		set: func(s *Settings, _ *SinkSettings, v string) bool {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 || n > 1000 {
				return false
			}
			s.TolerableFailures = n
			return true
		}},
	{key: "channel.capacity", allowed: "a whole number from 1 to 64",
		get: func(s *Settings, _ *SinkSettings) string { return strconv.Itoa(s.ChannelCapacity) },
		set: func(s *Settings, _ *SinkSettings, v string) bool {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > 64 {
				return false
			}
			s.ChannelCapacity = n
			return true
		}},
	word("checkpoint.mode", func(s *Settings) *string { return &s.CheckpointMode }, "exactly_once", "at_least_once"),
	toggle("checkpoint.unaligned", func(s *Settings, _ *SinkSettings) *bool { return &s.Unaligned }, "on", "off"),
	duration("restart.delay", func(s *Settings, _ *SinkSettings) *Time { return &s.RestartDelay }, 0),
	duration("crash.detection", func(s *Settings, _ *SinkSettings) *Time { return &s.CrashDetection }, 0),
	duration("pause.detection", func(s *Settings, _ *SinkSettings) *Time { return &s.PauseDetection }, 0),
	duration("gap", func(s *Settings, _ *SinkSettings) *Time { return &s.Gap }, 0),
	toggle("backlog", func(s *Settings, _ *SinkSettings) *bool { return &s.Backlog }, "on", "off"),
	duration("horizon", func(s *Settings, _ *SinkSettings) *Time { return &s.Horizon }, 1),
	{key: "sink", allowed: "append, upsert, dedup, offset-with-output, transactional, email, files, state", perSink: true,
		get: func(_ *Settings, k *SinkSettings) string { return string(k.Kind) },
		set: oneOf(func(_ *Settings, k *SinkSettings) *string { return (*string)(&k.Kind) }, "append", "upsert", "dedup",
			"offset-with-output", "transactional", "email", "files", "state")},
	{key: "output", allowed: "event, total", perSink: true,
		get: func(_ *Settings, k *SinkSettings) string { return string(k.Output) },
		set: oneOf(func(_ *Settings, k *SinkSettings) *string { return (*string)(&k.Output) }, "event", "total")},
	{key: "emit", allowed: "every, at-count:N with N from 1 to 500", perSink: true,
		get: func(_ *Settings, k *SinkSettings) string {
			if k.EmitAt == 0 {
				return "every"
			}
			return fmt.Sprintf("at-count:%d", k.EmitAt)
		},
		set: setEmit},
	sinkDuration("transaction.timeout", func(_ *Settings, k *SinkSettings) *Time { return &k.TxnTimeout }, 1),
	sinkDuration("transaction.max.timeout", func(_ *Settings, k *SinkSettings) *Time { return &k.TxnMax }, 1),
	{key: "transactional.id.prefix", allowed: "1 to 40 letters, digits, dots, dashes or underscores", perSink: true,
		get: func(_ *Settings, k *SinkSettings) string { return k.Prefix },
		set: func(_ *Settings, k *SinkSettings, v string) bool {
			k.Prefix = v
			return v == "" || IsName(v)
		}},
	{key: "on.expired", allowed: "ignore, fail", perSink: true,
		get: func(_ *Settings, k *SinkSettings) string { return string(k.OnExpired) },
		set: oneOf(func(_ *Settings, k *SinkSettings) *string { return (*string)(&k.OnExpired) }, "ignore", "fail")},
	{key: "isolation.level", allowed: "read_committed, read_uncommitted", perSink: true,
		get: func(_ *Settings, k *SinkSettings) string { return joinReaders(k.Readers) },
		set: func(_ *Settings, k *SinkSettings, v string) bool { return setReaders(k, v) && len(k.Readers) == 1 }},
	{key: "readers", allowed: "read_committed, read_uncommitted, or both with a plus sign between", perSink: true,
		get: func(_ *Settings, k *SinkSettings) string { return joinReaders(k.Readers) },
		set: func(_ *Settings, k *SinkSettings, v string) bool { return setReaders(k, v) }},
}

func duration(key string, dst func(*Settings, *SinkSettings) *Time, least Time) setter {
	return setter{key: key, allowed: durationWords,
		get: func(s *Settings, k *SinkSettings) string { return dst(s, k).String() },
		set: func(s *Settings, k *SinkSettings, v string) bool {
			t, err := ParseDuration(v)
			if err != nil || t < least {
				return false
			}
			*dst(s, k) = t
			return true
		}}
}

func sinkDuration(key string, dst func(*Settings, *SinkSettings) *Time, least Time) setter {
	d := duration(key, dst, least)
	d.perSink = true
	return d
}

func setEmit(_ *Settings, k *SinkSettings, v string) bool {
	if v == "every" {
		k.EmitAt = 0
		return true
	}
	num, ok := strings.CutPrefix(v, "at-count:")
	n, err := strconv.Atoi(num)
	if !ok || err != nil || n < 1 || n > MaxRecords {
		return false
	}
	k.EmitAt = int64(n)
	return true
}

func (s *Settings) setParallelism(v string) bool {
	op, num, scoped := strings.Cut(v, ":")
	if !scoped {
		op, num = "", v
	}
	n, err := strconv.Atoi(num)
	if err != nil || n < 1 || n > MaxParallelism {
		return false
	}
	if s.Parallelism == nil {
		s.Parallelism = map[string]int{}
	}
	switch op {
	case "":
		s.Parallelism["count"], s.Parallelism["sink"] = n, n
	case "count", "sink", "enrich":
		s.Parallelism[op] = n
	default:
		return false
	}
	return true
}

func setReaders(k *SinkSettings, v string) bool {
	var out []Isolation
	for _, w := range strings.FieldsFunc(v, func(r rune) bool { return r == '+' || r == ' ' || r == ',' }) {
		if w != string(ReadCommitted) && w != string(ReadUncommitted) {
			return false
		}
		if len(out) == 1 && out[0] == Isolation(w) {
			return false
		}
		out = append(out, Isolation(w))
	}
	if len(out) == 0 || len(out) > 2 {
		return false
	}
	k.Readers = out
	return true
}

func joinReaders(rs []Isolation) string {
	var out []string
	for _, r := range rs {
		out = append(out, string(r))
	}
	return strings.Join(out, "+")
}

// IsName reports whether s may name a sink, a prefix or a scenario: 1 to 40
// letters, digits, dots, dashes or underscores.
func IsName(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	for _, r := range s {
		ok := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)
		if !ok {
			return false
		}
	}
	return true
}
