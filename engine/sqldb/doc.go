// Package sqldb writes the output of a live job into SQLite or PostgreSQL, and is
// the only package below engine that knows their drivers. What its tables promise
// is what the models of engine/world promise: the tests run the same sequences of
// operations on both and compare.
//
//	open.go, sqlite.go, postgres.go  a database by its address, and what differs between the two
//	schema.go    the tables
//	trouble.go   what can go wrong, in words, and whether it passes
//	session.go   one connection, its transactions, and which of them may be run again
//	sink.go      live.Outside: deeds become writes
//	write.go     append, upsert, dedup, offset-with-output, one function each
//	batch.go     several writes in one transaction, where the guarantee allows it
//	fence.go     tokens, checked by the store
//	stored.go    what a loop reads back that resumes from its output
//	reader.go    an independent reader
//	outbox.go    a business change and its event in one transaction, a relay, and a reader that knows ids
//
// A commit waits for the disk in both (SQLite: synchronous=FULL with a write-ahead
// log; PostgreSQL: synchronous_commit, on by default), so what was acknowledged
// survives kill -9 and a power failure.
package sqldb
