package web

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
