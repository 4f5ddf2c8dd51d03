// Package kafka joins jobs to Kafka. It is the only package that knows a Kafka
// client (franz-go), and the only one that knows the embedded broker (kfake).
//
//	Broker    a cluster: Embed starts one in this process, Connect names a real one
//	Source    one partition of an input topic, its offset kept in the checkpoint
//	TxnSink   a two-phase sink: one transaction a task, checkpoint and life
//	Append    a sink without transactions: an idempotent producer
//	Streams   consume, transform, produce, and the position, in one transaction
//	Reader    an independent reader of a topic, at either isolation level
//	Gate      cuts, freezes, or swallows answers of connections, for tests and the lab
//
// # How a record looks on a topic
//
// Everything can be read with ordinary tools. The key is the key's name. The value
// is a number in decimal: the input's value, or what the sink wrote (the amount, or
// the total). Rows of a sink carry two headers: "id", the input record that the row
// was written for (P0:3), and "attempt", the attempt of the job that wrote it.
//
// # What is promised, by what
//
// Nothing here decides a guarantee: the machines of engine/machine do. This package
// says what the broker answered. The tests run against kfake (2026-09-18) and, with
// TEST_KAFKA_BROKERS, against a real broker (Apache Kafka 4.3.1). Both answer generated
// sequences as the model does (engine/world.Topic), but for what docs/conformance.md lists.
package kafka
