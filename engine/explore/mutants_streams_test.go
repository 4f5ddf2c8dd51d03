package explore_test

// streamMutants are mistakes in what a stream thread commits together.
var streamMutants = []mutant{
	{
		name: "a commit does not wait for rows on their way",
		file: "machine/streams.go", jobs: "kafka-streams",
		old: `t.told == 1<<len(t.due)-1 && t.taken == all`,
		new: `t.told == 1<<len(t.due)-1`,
	},
	{
		name: "the store of a thread that died is used as it is",
		file: "machine/streams.go", jobs: "kafka-streams",
		old: `if keys > 0 && !t.eos {`,
		new: `if keys > 0 {`,
	},
	{
		name: "counters read what is not committed",
		file: "world/streams.go", jobs: "kafka-streams", interleaving: true,
		old: `	if s.eos {
		end = t.stable`,
		new: `	if false && s.eos {
		end = t.stable`,
	},
	{
		name: "an abort leaves the repartition records",
		file: "world/streams.go", jobs: "kafka-streams",
		old: `t.log, t.entries = t.log[:t.stable], t.kept`,
		new: `t.entries = t.kept`,
	},
	{
		name: "positions count before the transaction does",
		file: "world/streams_ops.go", jobs: "kafka-streams", interleaving: true,
		old: `	copy(s.sent, op.Offsets)
`,
		new: `	copy(s.sent, op.Offsets)
	copy(s.offsets, op.Offsets)
`,
	},
}
