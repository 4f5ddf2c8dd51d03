package explore_test

// mutants are mistakes that people make, or could make, in an engine like this.
var mutants = []mutant{
	{
		name: "no alignment: the early channel is not held back",
		file: "machine/barriers.go", interleaving: true,
		old: `return t.way == holdBack && t.arrived&(1<<lane) != 0 }`,
		new: `return false && t.arrived&(1<<lane) != 0 }`,
	},
	{
		name: "the first barrier is forwarded at once",
		file: "machine/barrier_cut.go",
		old:  `case after == lanes:`,
		new:  `case after >= min(lanes, 1):`,
	},
	{
		name: "a barrier overtakes the records on the channel",
		file: "sim/work.go",
		old: `	ch.queue = append(ch.queue, queued{elem: elem, at: at, jumped: -1})
`,
		new: `	ch.queue = append(ch.queue, queued{elem: elem, at: at, jumped: -1})
	if n := len(ch.queue); elem.Kind == engine.BarrierElement && n > 1 && !ch.queue[n-2].arrived {
		ch.queue[n-1], ch.queue[n-2] = ch.queue[n-2], ch.queue[n-1]
	}
`,
	},
	{
		name: "a part is acknowledged before it is durable",
		file: "machine/barrier_cut.go",
		old: `	out.add(Effect{Kind: DoSnapshot, Ckpt: n, Before: int64(len(s.Changed)), After: t.op.entries(), Snapshot: &s})
`,
		new: `	out.add(Effect{Kind: DoSnapshot, Ckpt: n, Before: int64(len(s.Changed)), After: t.op.entries(), Snapshot: &s})
	out.add(Effect{Kind: PostAck, Ckpt: n, Final: t.final == n})
`,
	},
	{
		name: "a checkpoint is sealed before the last part is acknowledged",
		file: "machine/coordinator.go", interleaving: true,
		old: `if c.acked == c.all() {`,
		new: `if before+2 == len(c.job.Plan.Tasks) {`,
	},
	{
		name: "the transaction is committed at pre-commit",
		file: "machine/writer.go",
		old: `	out.add(Effect{Kind: DoPrecommit, Txn: w.open, Ckpt: n})
`,
		new: `	out.add(Effect{Kind: DoPrecommit, Txn: w.open, Ckpt: n})
	out.add(Effect{Kind: DoCommit, Txn: w.open})
`,
	},
	{
		name: "the transaction is promised after the state was copied",
		file: "machine/barrier_cut.go", interleaving: true,
		old: `	if t.sink != nil {
		t.sink.barrier(n, out)
	}
	t.takeSnapshot(n, out)
`,
		new: `	t.takeSnapshot(n, out)
	if t.sink != nil {
		t.sink.barrier(n, out)
	}
`,
	},
	{
		name: "a restored job does not commit what the checkpoint promises",
		file: "machine/writer.go", interleaving: true,
		old: `for _, x := range in.Snapshot.Txns {`,
		new: `for _, x := range in.Snapshot.Txns[:0] {`,
	},
	{
		name: "a commit happens only on notification",
		file: "machine/writer.go", interleaving: true,
		old: `		out.add(Effect{Kind: DoCommit, Txn: x})
`,
		new: ``,
	},
	{
		name: "transactions of the failed attempt are left open",
		file: "machine/writer.go",
		old: `		if !w.hasPromised(x) {
			out.add(Effect{Kind: DoAbort, Txn: x})
`,
		new: `		if false && !w.hasPromised(x) {
			out.add(Effect{Kind: DoAbort, Txn: x})
`,
	},
	{
		name: "transactions of the failed attempt are committed",
		file: "machine/writer.go",
		old:  `out.add(Effect{Kind: DoAbort, Txn: x})`,
		new:  `out.add(Effect{Kind: DoCommit, Txn: x})`,
	},
	{
		name: "promises of an expired checkpoint are forgotten",
		file: "machine/writer.go", interleaving: true,
		old: `if p.ckpt <= n {`,
		new: `if p.ckpt == n {`,
	},
	{
		name: "state is restored, offsets are not",
		file: "machine/operator.go",
		old:  `op.offset, op.ended = s.Offset, false`,
		new:  `op.offset, op.ended = 0, false`,
	},
	{
		name: "offsets are restored, state is not",
		file: "machine/operator.go",
		old: `		op.counts.Restore(s.Counts)
`,
		new: ``,
	},
	{
		name: "a source notes the offset behind the record it reads next",
		file: "machine/operator.go",
		old:  `s := world.Snapshot{Offset: op.offset, Op: op.extras()}`,
		new:  `s := world.Snapshot{Offset: min(op.offset+1, int32(len(op.job.Input.Parts[0]))), Op: op.extras()}`,
	},
	{
		name: "the snapshot is the live state",
		file: "machine/operator.go", interleaving: true,
		old: `s.Counts = op.counts.Snapshot()`,
		new: `s.Counts = op.counts`,
	},
	{
		name: "the job ends when one of its sources has ended",
		file: "machine/coordinator.go", interleaving: true,
		old: `c.last = c.ended == c.sources()`,
		new: `c.last = c.ended > 0`,
	},
	{
		name: "tasks are restored from the newest stored part, sealed or not",
		file: "world/store.go",
		old: `	if s.sealed == 0 {
`,
		new: `	if int(task) < len(s.pendingParts) && s.pendingParts[task].Stored {
		return s.pendingParts[task].Snapshot
	}
	if s.sealed == 0 {
`,
	},
	{
		name: "late acknowledgements count for the next checkpoint",
		file: "machine/coordinator.go", interleaving: true,
		old: `if in.Ckpt != c.pending || c.acked&bit != 0 {`,
		new: `if c.pending == 0 || c.acked&bit != 0 {`,
	},
	{
		name: "records in the lanes survive a restart",
		file: "sim/life.go",
		old: `	for _, c := range s.job.Plan.Tasks[id].In {
		ch := &s.chans[c]
`,
		new: `	for _, c := range s.job.Plan.Tasks[id].In[:0] {
		ch := &s.chans[c]
`,
	},
	{
		name: "a full channel takes one more",
		file: "sim/perform.go", interleaving: true,
		old: `if ch.records >= s.job.Settings.ChannelCapacity {`,
		new: `if ch.records > s.job.Settings.ChannelCapacity {`,
	},
}
