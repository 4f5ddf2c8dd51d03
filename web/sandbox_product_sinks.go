package web

import "effectivelyonce/engine"

// noSetting is what is said of a sink that no product has a setting for.
const noSetting = "# no equivalent: it is the code of the sink, not a setting"

// randomPrefix asks for a new transactional id at each start.
const randomPrefix = "random-per-start"

// adder adds a line that says a setting of a sink, or none.
type adder func(key, format string, args ...any)

// flinkSink: a transactional sink is the Kafka sink with EXACTLY_ONCE (facts 4.7 to
// 4.9), one that appends is the same with AT_LEAST_ONCE (facts 4.8).
func flinkSink(k *engine.SinkSettings, add adder) {
	switch k.Kind {
	case engine.SinkTransactional:
		add("", "# KafkaSink, flink-connector-kafka 4.0")
		add("sink", ".setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)")
		add("transactional.id.prefix", ".setTransactionalIdPrefix(%q)", orWord(k.Prefix, "choose-one"))
		add("transaction.timeout", ".setProperty(\"transaction.timeout.ms\", \"%d\")", wholeMillis(k.TxnTimeout))
		brokerLimit(k, add)
	case engine.SinkAppend:
		add("", "# KafkaSink, flink-connector-kafka 4.0")
		add("sink", ".setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)")
	case engine.SinkFiles:
		add("sink", "# no equivalent; nearest: FileSink (Flink 2.x), whose files become final after their checkpoint")
	default:
		add("sink", "%s", noSetting)
	}
}

// sparkSink is the nearest that Spark has (facts 2.5 to 2.9).
func sparkSink(kind engine.SinkKind) string {
	switch kind {
	case engine.SinkAppend:
		return "Spark 4.x: the Kafka sink is at-least-once; no setting changes that"
	case engine.SinkFiles:
		return "Spark 4.x: the file sink; its readers have to honour _spark_metadata"
	case engine.SinkUpsert:
		return "no equivalent; nearest: foreachBatch with an upsert by key"
	case engine.SinkEmail:
		return "no equivalent; nearest: a call from foreachBatch, which is made again with the batch"
	}
	return "no equivalent; nearest: foreachBatch, the batch id stored in the same transaction as the data"
}

// streamsSink: an output topic is part of the thread's transaction under
// exactly_once_v2, and the producer has one timeout for all (facts 6.3, 6.4).
func streamsSink(set *engine.Settings, k *engine.SinkSettings, add adder) {
	switch {
	case k.Kind == engine.SinkTransactional:
		add("sink", "# an output topic: part of the thread's transaction, without a setting of its own")
	case k.Kind == engine.SinkAppend && set.Guarantee == "at_least_once":
		add("sink", "# an output topic, at-least-once")
	case k.Kind == engine.SinkAppend:
		add("sink", "# no equivalent: something outside of the transaction, such as another cluster")
	default:
		add("sink", "%s", noSetting)
	}
	if set.Idle("transaction.timeout", k) == "" {
		add("transaction.timeout", "producer.transaction.timeout.ms=%d", wholeMillis(k.TxnTimeout))
		brokerLimit(k, add)
	}
}

// loopSink: a loop's transactional sink is a producer of its own (facts 5.4); its
// positions are saved beside the transaction.
func loopSink(k *engine.SinkSettings, add adder) {
	if k.Kind != engine.SinkTransactional {
		add("sink", "%s", noSetting)
		return
	}
	add("", "# Kafka 4.x producer, properties")
	add("sink", "# positions are saved beside its transaction; sendOffsetsToTransaction() would take them in")
	if k.Prefix == randomPrefix {
		add("transactional.id.prefix", "# transactional.id: a new one at each start")
	} else {
		add("transactional.id.prefix", "transactional.id=%s-0", orWord(k.Prefix, "choose-one"))
	}
	add("transaction.timeout", "transaction.timeout.ms=%d", wholeMillis(k.TxnTimeout))
	brokerLimit(k, add)
}

func brokerLimit(k *engine.SinkSettings, add adder) {
	add("transaction.max.timeout", "# the broker's transaction.max.timeout.ms, Kafka 4.x: %d", wholeMillis(k.TxnMax))
}
