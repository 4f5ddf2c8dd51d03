package web

import "effectivelyonce/engine"

// A realDefault is what a product does when nobody sets the key, so that a learner
// does not take the values of a run that fits on a screen for advice.
type realDefault struct {
	Product string // with the version that it holds for
	Value   string
	Fact    string // where the fact sheet has it
}

// text is what stands beside a knob.
func (d realDefault) text() string {
	if d.Product == "" {
		return ""
	}
	return d.Product + ": " + d.Value
}

const (
	flink   = "Flink 2.x"
	kafka   = "Kafka 4.x"
	streams = "Kafka Streams 4.x"
	spark   = "Spark 4.x"
)

// realDefaultOf is the default of a setting in the product that a job's strategy
// stands for; the zero value where the key is ours alone.
func realDefaultOf(key string, set *engine.Settings) realDefault {
	eos := set.Strategy == "kafka-streams" && set.Guarantee == "exactly_once_v2"
	switch {
	case key == "transaction.timeout" && eos:
		return realDefault{streams + ", exactly_once_v2", "10 s", "6.4"}
	case key == "commit.interval" && eos:
		return realDefault{streams + ", exactly_once_v2", "100 ms", "6.2"}
	case (key == "isolation.level" || key == "readers") && set.Strategy == "microbatch":
		return realDefault{spark + ", Kafka source", "read_uncommitted", "2.10"}
	}
	return realDefaults()[key]
}

func realDefaults() map[string]realDefault {
	return map[string]realDefault{
		"checkpoint.interval":           {flink, "off until it is set", "3, table"},
		"checkpoint.mode":               {flink, "EXACTLY_ONCE", "3, table"},
		"checkpoint.timeout":            {flink, "10 min", "3, table"},
		"checkpoint.min-pause":          {flink, "0", "3, table"},
		"checkpoint.tolerable-failures": {flink, "0", "3, table"},
		"checkpoint.unaligned":          {flink, "off", "3, table"},
		"restart.delay":                 {"Flink 1.20", "exponential, 1 s to 1 min", "3.12"},
		"transaction.timeout":           {"KafkaSink 4.0 of Flink", "1 h; plain producer of Kafka 4.x: 60 s", "4.7"},
		"transaction.max.timeout":       {kafka + " broker", "15 min", "4.7"},
		"transactional.id.prefix":       {"KafkaSink 4.0 of Flink", "none; EXACTLY_ONCE demands one", "4.9"},
		"on.expired":                    {"KafkaSink 4.0 of Flink", "ignore: counted, and the job goes on", "4.2"},
		"isolation.level":               {kafka + " consumer", "read_uncommitted", "5.10"},
		"readers":                       {kafka + " consumer", "read_uncommitted", "5.10"},
		"commit":                        {kafka + " consumer", "auto, every 5 s", "5.12"},
		"processing.guarantee":          {streams, "at_least_once", "6.1"},
		"commit.interval":               {streams, "30 s", "6.2"},
		"trigger.interval":              {spark, "none: a batch starts when the last one ends", "2.11"},
		"async.progress":                {spark, "off", "2.13"},
		"mode":                          {"Dataflow, streaming", "exactly once", "1.10"},
	}
}
