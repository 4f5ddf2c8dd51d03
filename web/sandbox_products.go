package web

import (
	"fmt"
	"slices"
	"strings"

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
	millis       string // how a duration is written, with %d for its milliseconds; "" as Flink reads it
}

// product is what a strategy stands for.
type product struct {
	name, head string
	keys       []productKey
}

// flinkHead makes checkpoints durable, as ours are: without it they lie in the heap of
// the JobManager (facts 3, settings).
const flinkHead = "# Flink 2.x, config.yaml\n" +
	"# a coordinator that dies comes back only with high-availability.type, kubernetes or zookeeper\n" +
	"execution.checkpointing.storage: filesystem\n" +
	"execution.checkpointing.dir: choose-one\n"

// products are the configurations that a strategy stands for, by strategy. Names of
// keys follow the documentation of the product and version in the head. The restart
// strategy names its attempts because fixed-delay alone tries once
// (RestartStrategyOptions), and ours tries again and again.
func products() map[string]product {
	onOff := map[string]string{"on": "true", "off": "false"}
	return map[string]product{
		"barriers": {name: flink, head: flinkHead, keys: []productKey{
			{ours: "checkpoint.interval", theirs: "execution.checkpointing.interval: "},
			{ours: "checkpoint.mode", theirs: "execution.checkpointing.mode: ", values: map[string]string{"exactly_once": "EXACTLY_ONCE", "at_least_once": "AT_LEAST_ONCE"}},
			{ours: "checkpoint.timeout", theirs: "execution.checkpointing.timeout: "},
			{ours: "checkpoint.min-pause", theirs: "execution.checkpointing.min-pause: "},
			{ours: "checkpoint.tolerable-failures", theirs: "execution.checkpointing.tolerable-failed-checkpoints: "},
			{ours: "checkpoint.unaligned", theirs: "execution.checkpointing.unaligned.enabled: ", values: onOff},
			{ours: "restart.delay", theirs: "restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\nrestart-strategy.fixed-delay.delay: "},
			{ours: "parallelism", theirs: "parallelism.default: "},
			{ours: "watermark.restore", theirs: "# watermark.restore=", values: map[string]string{
				"snapshot": "snapshot: no equivalent, as DataStream windows of Flink 2.x restore no watermark",
				"none":     "none, as DataStream windows of Flink 2.x"}},
		}},
		"kafka-streams": {name: streams, head: "# Kafka Streams 4.x, properties\n", keys: []productKey{
			{ours: "processing.guarantee", theirs: "processing.guarantee="},
			{ours: "commit.interval", theirs: "commit.interval.ms=", millis: "%d"},
			{ours: "num.standby.replicas", theirs: "num.standby.replicas="},
		}},
		"offset-commit": {name: kafka + " consumer", head: "# Kafka 4.x consumer, properties\n", keys: []productKey{
			{ours: "commit", theirs: "enable.auto.commit=", values: map[string]string{
				"auto":   "true",
				"before": "false\n# and commitSync() before the records are worked on",
				"after":  "false\n# and commitSync() after the records were worked on"}},
		}},
		"microbatch": {name: spark, head: "// Spark 4.x, Structured Streaming\n.option(\"checkpointLocation\", \"choose-one\")\n", keys: []productKey{
			{ours: "trigger.interval", theirs: ".trigger(Trigger.ProcessingTime(", millis: "\"%d milliseconds\"))"},
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
		if k.ours == "watermark.restore" && set.Operator != engine.OperatorWindow {
			continue // no window is there to open again
		}
		if set.Idle(k.ours, nil) == "" {
			lines = append(lines, productLine{Text: k.theirs + k.value(set) + "\n", Key: k.ours})
		}
	}
	for _, r := range remedies() {
		now := set.Value(r.key, nil)
		if now != "" && set.Idle(r.key, nil) == "" && !says(lines, r.key) && !slices.Contains(r.values, now) && (r.key != "lookup" || now != "off") {
			lines = append(lines, productLine{Text: remark(set) + r.key + "=" + now + ": no equivalent\n", Key: r.key})
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

// remark begins a comment in the product's text.
func remark(set *engine.Settings) string {
	if set.Strategy == "microbatch" {
		return "// "
	}
	return "# "
}

// value is the present value in the product's words. Flink reads 150ms, 10s and 2h,
// and no fractions; Spark's intervals have their units in full.
func (k productKey) value(set *engine.Settings) string {
	value := set.Value(k.ours, nil)
	if v, ok := k.values[value]; ok {
		value = v
	}
	format := k.millis
	if format == "" && strings.Contains(value, ".") {
		format = "%dms"
	}
	if t, err := engine.ParseDuration(value); format != "" && err == nil {
		value = fmt.Sprintf(format, wholeMillis(t))
	}
	return value
}

// wholeMillis rounds up, so that what is short does not become 0, which can mean never.
func wholeMillis(t engine.Time) int64 {
	return int64((t + engine.Millisecond - 1) / engine.Millisecond)
}

// sinkLines are the lines of one sink: what it is in the product, what its readers
// have to set, and what has no setting.
func sinkLines(set *engine.Settings, i int) (out []productLine) {
	k, note := &set.Sinks[i], remark(set)
	add := func(key, format string, args ...any) {
		if key != "" {
			key = "sinks." + k.Name + "." + key
		}
		out = append(out, productLine{Text: fmt.Sprintf(format, args...) + "\n", Key: key})
	}
	add("", "\n%sSink %s: %s, output %s", note, k.Name, k.Kind, k.Output)
	switch set.Strategy {
	case "barriers":
		flinkSink(k, add)
	case "microbatch":
		add("sink", "// %s", sparkSink(k.Kind))
	case "kafka-streams":
		streamsSink(set, k, add)
	case "offset-commit":
		loopSink(k, add)
	default:
		add("sink", "%s", noSetting)
	}
	if set.Idle("isolation.level", k) == "" && set.Strategy == "microbatch" {
		add("readers", "// every reader of it: %s", set.Value("isolation.level", k))
	} else if set.Idle("isolation.level", k) == "" {
		add("", "# every reader of it, Kafka 4.x consumer")
		add("readers", "isolation.level=%s", set.Value("isolation.level", k))
	}
	for _, r := range remedies() {
		now := set.Value(r.key, k)
		if set.Value(r.key, nil) == "" && now != "" && set.Idle(r.key, k) == "" && !says(out, "sinks."+k.Name+"."+r.key) && !slices.Contains(r.values[len(r.values)-1:], now) {
			add(r.key, "%s%s=%s: of the store or the code, no equivalent", note, r.key, now)
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
