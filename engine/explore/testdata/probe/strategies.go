package main

import "effectivelyonce/engine"

// jobsOf are small jobs of one strategy that promise exact whatever fails once.
func jobsOf(strategy string) []*engine.Job {
	const ms = engine.Millisecond
	switch strategy {
	case "zombie":
		fenced := func(s *engine.Settings) { s.Sinks[0].Fencing = true }
		return []*engine.Job{
			job("a fenced table", engine.SinkUpsert, engine.TotalOutput, log(8, 8), fenced),
			job("a fenced ledger", engine.SinkDedup, engine.EventOutput, log(8, 8), fenced),
			job("the epoch as a fence", engine.SinkTransactional, engine.TotalOutput, log(8, 8), nil),
		}
	case "unaligned":
		crowded := func(s *engine.Settings) { s.Unaligned, s.Backlog, s.CheckpointInterval = true, true, 40*ms }
		return []*engine.Job{
			job("crowded", engine.SinkTransactional, engine.TotalOutput, log(8, 8), crowded),
			job("crowded and skewed", engine.SinkUpsert, engine.TotalOutput, log(12, 4), func(s *engine.Settings) {
				crowded(s)
				s.Topology, s.CheckpointInterval = "K", 100*ms
			}, "slow:enrich/1:x10@0s"),
		}
	case "microbatch":
		batches := func(s *engine.Settings) { s.Strategy, s.TriggerInterval = "microbatch", 200*ms }
		return []*engine.Job{
			job("batch in a transaction", engine.SinkTransactional, engine.TotalOutput, log(8, 8), batches),
			job("batch in one write", engine.SinkPosition, engine.EventOutput, log(8, 8), batches),
			job("totals", engine.SinkUpsert, engine.TotalOutput, log(12, 4), batches),
		}
	case "kafka-streams":
		thread := func(s *engine.Settings) {
			s.Strategy, s.Guarantee, s.CommitInterval = "kafka-streams", "exactly_once_v2", 100*ms
		}
		return []*engine.Job{
			job("one transaction", engine.SinkTransactional, engine.TotalOutput, log(8, 8), thread),
			job("totals", engine.SinkUpsert, engine.TotalOutput, log(12, 4), thread),
			job("rows on their way", engine.SinkTransactional, engine.EventOutput, log(8, 8), func(s *engine.Settings) {
				thread(s)
				s.Backlog, s.CommitInterval = true, 40*ms
			}, "slow:sink/0:x6@0s"),
			job("positions only", engine.SinkDedup, engine.EventOutput, log(8, 8), func(s *engine.Settings) {
				thread(s)
				s.Guarantee = "at_least_once"
			}),
		}
	}
	panic("no jobs for " + strategy)
}
