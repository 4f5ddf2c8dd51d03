package web

import (
	"fmt"
	"slices"
	"strconv"

	"effectivelyonce/engine"
)

// productLine is one line of a product's settings, or several that belong together.
type productLine struct {
	Text string
	Key  string // the setting of ours that it says, as the form names it; "" for what says none
}

// productKey is a setting in a product's own words; a value of "" keeps ours. Product
// and version are those of the text that it stands in.
type productKey struct {
	ours, theirs string
	values       map[string]string
	ms, quoted   bool // a duration in milliseconds; in quotes, and the brackets shut
}

// product is what a strategy stands for.
type product struct {
	name, head string
	keys       []productKey
}

// products are the configurations that a strategy stands for, by strategy. Names of
// keys follow the documentation of the product and version in the head.
func products() map[string]product {
	onOff := map[string]string{"on": "true", "off": "false"}
	return map[string]product{
		"barriers": {name: flink, head: "# Flink 2.x, config.yaml\n", keys: []productKey{
			{ours: "checkpoint.interval", theirs: "execution.checkpointing.interval: "},
			{ours: "checkpoint.mode", theirs: "execution.checkpointing.mode: ", values: map[string]string{"exactly_once": "EXACTLY_ONCE", "at_least_once": "AT_LEAST_ONCE"}},
			{ours: "checkpoint.timeout", theirs: "execution.checkpointing.timeout: "},
			{ours: "checkpoint.min-pause", theirs: "execution.checkpointing.min-pause: "},
			{ours: "checkpoint.tolerable-failures", theirs: "execution.checkpointing.tolerable-failed-checkpoints: "},
			{ours: "checkpoint.unaligned", theirs: "execution.checkpointing.unaligned.enabled: ", values: onOff},
			{ours: "restart.delay", theirs: "restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.delay: "},
			{ours: "parallelism", theirs: "parallelism.default: "},
		}},
		"kafka-streams": {name: streams, head: "# Kafka Streams 4.x, properties\n", keys: []productKey{
			{ours: "processing.guarantee", theirs: "processing.guarantee="},
			{ours: "commit.interval", theirs: "commit.interval.ms=", ms: true},
		}},
		"offset-commit": {name: kafka + " consumer", head: "# Kafka 4.x consumer, properties\n", keys: []productKey{
			{ours: "commit", theirs: "enable.auto.commit=", values: map[string]string{
				"auto":   "true",
				"before": "false\n# and commitSync() before the records are worked on",
				"after":  "false\n# and commitSync() after the records were worked on"}},
		}},
		"microbatch": {name: spark, head: "// Spark 4.x, Structured Streaming\n.option(\"checkpointLocation\", \"choose-one\")\n", keys: []productKey{
			{ours: "trigger.interval", theirs: ".trigger(Trigger.ProcessingTime(", quoted: true},
			{ours: "async.progress", theirs: ".option(\"asyncProgressTrackingEnabled\", ", values: map[string]string{"on": "\"true\")", "off": "\"false\")"}},
		}},
	}
}

// productSettings is the job in the settings of the product whose recovery its
// strategy models. What has no equivalent is a comment.
func productSettings(set *engine.Settings) (name string, lines []productLine) {
	p, ok := products()[set.Strategy]
	if !ok {
		p = product{name: set.Strategy, head: "# No product file: " + set.Strategy + " stands for a design, not for one configuration.\n"}
	}
	lines = append(lines, productLine{Text: p.head})
	for _, k := range p.keys {
		if set.Idle(k.ours, nil) == "" {
			lines = append(lines, productLine{Text: k.theirs + k.value(set) + "\n", Key: k.ours})
		}
	}
	for _, r := range remedies() {
		if now := set.Value(r.key, nil); now != "" && set.Idle(r.key, nil) == "" && !says(lines, r.key) && !slices.Contains(r.values, now) {
			lines = append(lines, productLine{Text: "# " + r.key + "=" + now + ": no equivalent\n", Key: r.key})
		}
	}
	for i := range set.Sinks {
		lines = append(lines, sinkLines(set, i)...)
	}
	return p.name, lines
}

func says(lines []productLine, key string) bool {
	return slices.ContainsFunc(lines, func(l productLine) bool { return l.Key == key })
}

// value is the present value in the product's words.
func (k productKey) value(set *engine.Settings) string {
	value := set.Value(k.ours, nil)
	if v, ok := k.values[value]; ok {
		value = v
	}
	if t, err := engine.ParseDuration(value); k.ms && err == nil {
		value = strconv.FormatInt(int64(t/engine.Millisecond), 10)
	}
	if k.quoted {
		value = strconv.Quote(value) + "))"
	}
	return value
}

func sinkLines(set *engine.Settings, i int) (out []productLine) {
	k := &set.Sinks[i]
	add := func(key, format string, args ...any) {
		if key != "" {
			key = "sinks." + k.Name + "." + key
		}
		out = append(out, productLine{Text: fmt.Sprintf(format, args...) + "\n", Key: key})
	}
	add("", "\n# Sink %s: %s, output %s", k.Name, k.Kind, k.Output)
	switch {
	case set.Strategy == "barriers" && k.Kind == engine.SinkTransactional:
		add("", "# KafkaSink, flink-connector-kafka 4.0")
		add("sink", ".setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)")
		add("transactional.id.prefix", ".setTransactionalIdPrefix(%q)", orWord(k.Prefix, "choose-one"))
		add("transaction.timeout", ".setProperty(\"transaction.timeout.ms\", \"%d\")", int64(k.TxnTimeout/engine.Millisecond))
		add("transaction.max.timeout", "# the broker's transaction.max.timeout.ms, Kafka 4.x: %d", int64(k.TxnMax/engine.Millisecond))
	case set.Strategy == "barriers" && k.Kind == engine.SinkAppend:
		add("", "# KafkaSink, flink-connector-kafka 4.0")
		add("sink", ".setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)")
	case set.Strategy == "microbatch" && k.Kind == engine.SinkAppend:
		add("sink", "# Spark 4.x: the Kafka sink is at-least-once; no setting changes that")
	case set.Strategy == "microbatch":
		add("sink", "# no equivalent; nearest: foreachBatch, the batch id stored in the same transaction as the data")
	default:
		add("sink", "# no equivalent: it is the code of the sink, not a setting")
	}
	if set.Idle("isolation.level", k) == "" {
		add("", "# every reader of it, Kafka 4.x consumer")
		add("readers", "isolation.level=%s", set.Value("isolation.level", k))
	}
	for _, r := range remedies() {
		now := set.Value(r.key, k)
		if set.Value(r.key, nil) == "" && now != "" && set.Idle(r.key, k) == "" && !says(out, "sinks."+k.Name+"."+r.key) && !slices.Contains(r.values[len(r.values)-1:], now) {
			add(r.key, "# %s=%s: of the store or the code, no equivalent", r.key, now)
		}
	}
	return out
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
