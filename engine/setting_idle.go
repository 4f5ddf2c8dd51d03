package engine

import (
	"slices"
	"strings"
)

// actsUnder are the strategies that read a setting. A setting that is not listed
// is read by all of them, or by those that its own row of the table knows best.
var actsUnder = map[string][]string{
	"checkpoint.interval": {"barriers"}, "checkpoint.timeout": {"barriers"}, "checkpoint.min-pause": {"barriers"},
	"checkpoint.tolerable-failures": {"barriers"}, "checkpoint.mode": {"barriers"}, "checkpoint.unaligned": {"barriers"},
	"commit": {"offset-commit"}, "commit.every": {"offset-commit", "xa"},
	"trigger.interval": {"microbatch", "trident"}, "async.progress": {"microbatch"},
	"processing.guarantee": {"kafka-streams"}, "commit.interval": {"kafka-streams"},
	"spout": {"trident"}, "state": {"trident"}, "mode": {"dataflow"}, "production": {"dataflow"},
	"k": {"replicated"}, "command.log": {"replicated"}, "coordinator.log": {"xa"},
	"flaw": {"barriers", "offset-commit"}, "workers": {"offset-commit"},
}

// actsAt are the sinks that read a setting of a sink.
var actsAt = map[string][]SinkKind{
	"transaction.timeout": {SinkTransactional}, "transaction.max.timeout": {SinkTransactional}, "transactional.id.prefix": {SinkTransactional},
	"on.expired": {SinkTransactional}, "readers": {SinkTransactional}, "isolation.level": {SinkTransactional},
	"dedup.write": {SinkDedup}, "dedup.retention": {SinkDedup}, "position.scope": {SinkPosition},
	"idempotency.key": {SinkEmail}, "provider.dedup.window": {SinkEmail}, "reader.honours.log": {SinkFiles},
}

// Idle says in one sentence why a setting cannot act in a job with these settings,
// "" if it can. The sink is nil for a setting of the whole job. What is idle can be
// given any value that can be built without changing one event of the run.
func (s *Settings) Idle(key string, k *SinkSettings) string {
	if under := actsUnder[key]; under != nil && !slices.Contains(under, s.Strategy) {
		return "Only " + list(under) + " reads it; this job runs " + s.Strategy + "."
	}
	if at := actsAt[key]; k != nil && at != nil && !slices.Contains(at, k.Kind) && !s.streamsTransaction(key) {
		return "Only " + article(at[0]) + " sink reads it; " + k.Name + " is " + string(k.Kind) + "."
	}
	switch {
	case key == "production" && s.DataflowMode == "at_least_once":
		return "Under mode=at_least_once nothing is stored before it is sent."
	case key == "parallelism.enrich" && s.Topology != "K":
		return "Only topology K has an enrich operator."
	case strings.HasPrefix(key, "parallelism.") && slices.Contains([]string{"MAP", "LOOP", "BATCH"}, s.Topology):
		return "Topology " + s.Topology + " has as many tasks as it has partitions, or one."
	case key == "parallelism.sink" && len(s.Sinks) > 1:
		return "With several sinks each has one task."
	case key == "fencing" && k != nil && k.Kind != SinkUpsert && k.Kind != SinkDedup && k.Kind != SinkPosition:
		return "Nothing there checks a token; an upsert, dedup or offset-with-output sink does."
	case key == "gap" && s.Backlog:
		return "With backlog=on everything is there at the start."
	case key == "idempotency.key" || key == "provider.dedup.window":
		return s.idleAtProvider(key, k)
	}
	return ""
}

// streamsTransaction: the one producer of a Kafka Streams thread takes its timeouts
// from every sink (facts 6.4).
func (s *Settings) streamsTransaction(key string) bool {
	return s.Strategy == "kafka-streams" && s.Guarantee == "exactly_once_v2" && strings.HasPrefix(key, "transaction.")
}

func (s *Settings) idleAtProvider(key string, k *SinkSettings) string {
	if key == "provider.dedup.window" && k != nil && k.IdempotencyKey != "from-input" {
		return "The provider can only remember a key that comes again: idempotency.key=from-input."
	}
	return ""
}

func list(words []string) string { return strings.Join(words, " or ") }

func article(k SinkKind) string {
	if strings.ContainsRune("aeiou", rune(k[0])) {
		return "an " + string(k)
	}
	return "a " + string(k)
}
