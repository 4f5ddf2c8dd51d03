package explore_test

// microbatchMutants are mistakes in the order of what a microbatch makes durable.
var microbatchMutants = []mutant{
	{
		name: "a batch is in the commit log before it has run",
		file: "machine/microbatch_query.go", jobs: "microbatch",
		old: `		out.add(Effect{Kind: DoOp, Op: &world.LogRange{Batch: q.batch, Ends: ends}})
`,
		new: `		out.add(Effect{Kind: DoOp, Op: &world.LogRange{Batch: q.batch, Ends: ends}})
		out.add(Effect{Kind: DoOp, Op: &world.LogCommit{Batch: q.batch}})
`,
	},
	{
		name: "a restart takes what is new into the range",
		file: "machine/microbatch_query.go", jobs: "microbatch", interleaving: true,
		old: `again := logs.Last() > q.batch && !q.job.Settings.AsyncProgress`,
		new: `again := false && logs.Last() > q.batch`,
	},
	{
		name: "a batch that is committed outside is written again",
		file: "machine/writer_batch.go", jobs: "microbatch", interleaving: true,
		old: `case batch <= w.known:`,
		new: `case false && batch <= w.known:`,
	},
	{
		name: "a restart goes on from the failed attempt's state version",
		file: "world/batchlogs.go", jobs: "microbatch",
		old: `newest.batch == b.committed {`,
		new: `newest.batch > 0 {`,
	},
	{
		name: "the position is written and not compared",
		file: "world/position_batch.go", jobs: "microbatch", interleaving: true,
		old: `	if known {
`,
		new: `	if false && known {
`,
	},
}
