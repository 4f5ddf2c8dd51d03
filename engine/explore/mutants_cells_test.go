package explore_test

import "testing"

// cellMutants are mistakes in the plain loop, in batch jobs, in replicated tables
// and in the stores that sinks write to.
var cellMutants = []mutant{
	{
		name: "dedup atomic: the id is not remembered with the value",
		file: "world/dedup.go",
		old:  `	if op.Part != OnlyValue {`,
		new:  `	if op.Part == OnlyID {`,
	},
	{
		name: "dedup: the id is forgotten at once",
		file: "world/dedup.go",
		old:  `op.First && d.known[row] >= 0 && w.Now-d.known[row] <= op.Retention`,
		new:  `op.First && d.known[row] >= 0 && w.Now-d.known[row] <= 0`,
	},
	{
		name: "offset-with-output: the position is not written with the value",
		file: "world/positions.go",
		old: `	p.last[slot] = op.Record.ID.Off
`,
		new: `	p.last[slot] = op.Record.ID.Off - 1
`,
	},
	{
		name: "offset-with-output: a loop resumes at the record that is applied",
		file: "world/positions.go",
		old: `		return p.last[part] + 1
`,
		new: `		return max(p.last[part], 0)
`,
	},
	{
		name: "offset-with-output: the guard refuses what comes next",
		file: "world/positions.go",
		old:  `op.Guard && op.Record.ID.Off <= p.last[slot]`,
		new:  `op.Guard && op.Record.ID.Off <= p.last[slot]+1`,
	},
	{
		name: "keyed mail: the provider keeps the key of each attempt",
		file: "world/provider.go",
		old: `	p.seen[row] = w.Now
`,
		new: `	p.seen[row] = w.Now - 1<<40
`,
	},
	{
		name: "files: what a failed attempt left is published",
		file: "machine/writer.go",
		old: `			out.add(Effect{Kind: DoAbort, Txn: x})
`,
		new: `			if w.set.Kind == engine.SinkFiles {
				out.add(Effect{Kind: DoCommit, Txn: x})
				continue
			}
			out.add(Effect{Kind: DoAbort, Txn: x})
`,
	},
	{
		name: "files: the private file of a failed attempt is left where readers find it",
		file: "machine/writer.go",
		old:  `			if w.deletes {`,
		new:  `			if !w.deletes {`,
	},
	{
		name: "loop: commit=after saves before the group's last write is out",
		file: "machine/offset_commit.go",
		old: `	if t.job.Settings.CommitMode == "before" || t.job.Settings.Workers > 1 {
`,
		new: `	if t.since == t.job.Settings.CommitEvery && t.job.Settings.CommitMode == "after" {
		t.commit(out)
	}
	if t.job.Settings.CommitMode == "before" || t.job.Settings.Workers > 1 {
`,
	},
	{
		name: "loop: commit=before works before it saves",
		file: "machine/offset_commit.go",
		old: `		t.commit(out)
		for i := range t.polled {`,
		new: `		defer t.commit(out)
		for i := range t.polled {`,
	},
	{
		name: "loop: commit=auto saves the position of the record just polled, unhandled",
		file: "machine/offset_commit.go",
		old: `	if t.due {
		t.commit(out)
	}
	t.offsets[p] = r.ID.Off + 1
`,
		new: `	t.offsets[p] = r.ID.Off + 1
	if t.due {
		t.commit(out)
	}
`,
	},
	{
		name: "loop: the position is saved although the transaction is not committed yet",
		file: "machine/offset_commit.go",
		old: `	t.sink.barrier(n, out)
	t.sink.publish(out)
	t.saving = true
`,
		new: `	t.sink.barrier(n, out)
	t.commit(out)
	t.sink.publish(out)
	t.saving = true
`,
	},
	{
		name: "loop: the last partial group is not saved",
		file: "machine/offset_commit.go",
		old: `	case t.since > 0:
		t.group(out)`,
		new: `	case t.since > 1:
		t.group(out)`,
	},
	{
		name: "loop: replay-input rebuilds one record short",
		file: "machine/offset_commit.go",
		old: `		copy(t.upTo, t.offsets)
		for p := range t.offsets {`,
		new: `		copy(t.upTo, t.offsets)
		for p := range t.upTo {
			t.upTo[p] = max(t.upTo[p]-1, 0)
		}
		for p := range t.offsets {`,
	},
	{
		name: "loop: the silent re-read writes",
		file: "machine/offset_commit.go",
		old: `	if silent {
		t.count(*r, out)`,
		new: `	if silent {
		t.handle(*r, out)`,
	},
	{
		name: "loop: with the store as the place of the position the broker is asked",
		file: "machine/offset_commit.go",
		old:  `		if resumes {`,
		new:  `		if resumes && own.Commits() == 0 {`,
	},
	{
		name: "batch: a map task publishes when it starts to read",
		file: "machine/batch.go",
		old: `		out.add(Effect{Kind: DoRead, Record: r, Before: int64(r.ID.Off), After: int64(r.ID.Off) + 1})
	case InLogEnd:`,
		new: `		out.add(Effect{Kind: DoRead, Record: r, Before: int64(r.ID.Off), After: int64(r.ID.Off) + 1})
		out.add(Effect{Kind: DoOp, Op: &world.PublishMap{Map: t.spec.Part, Records: append([]engine.Record{}, t.private...)}})
	case InLogEnd:`,
	},
	{
		name: "batch: a published map task reads again after a crash of the job and publishes twice",
		file: "machine/batch.go",
		old: `!in.World.Own.(*world.Batch).Published(t.spec.Part)
	at := 0`,
		new: `true
	at := 0`,
	},
	{
		name: "batch: the reduce task takes whichever output it likes first in a later attempt",
		file: "machine/batch.go",
		old:  `	return append(buf, LogPos{Log: Repartition + t.part, Offset: t.offset})`,
		new: `	p := t.part
	if t.attempt > 1 {
		p = len(t.job.Input.Parts) - 1 - p
	}
	return append(buf, LogPos{Log: Repartition + p, Offset: t.offset})`,
	},
	{
		name: "batch: the file is renamed before the last record",
		file: "machine/batch.go",
		old: `	t.next(out)
}

// next goes`,
		new: `	if int(t.offset)+1 == len(t.job.Input.Parts[t.part]) && t.part+1 == len(t.job.Input.Parts) {
		t.sink.barrier(1, out)
		t.sink.publish(out)
	}
	t.next(out)
}

// next goes`,
	},
	{
		name: "batch: the word of a finished map task is not repeated",
		file: "machine/batch.go",
		old: `	if !t.running {
		out.add(Effect{Kind: PostMessage, Note: noteMapDone`,
		new: `	if t.running {
		out.add(Effect{Kind: PostMessage, Note: noteMapDone`,
	},
	{
		name: "replicated: sync answers before the log is written",
		file: "machine/replica.go",
		old: `	case t.job.Settings.CommandLog == "sync":
		out.add`,
		new: `	case t.job.Settings.CommandLog == "sync" && t.job.Settings.K < 0:
		out.add`,
	},
	{
		name: "replicated: the client is told before the copies behind have run it",
		file: "machine/replica.go",
		old:  `need: t.behind()}`,
		new:  `need: 0}`,
	},
	{
		name: "replicated: an invocation sent again is run again",
		file: "machine/replica.go",
		old: `		if !t.known[c.row] {
			t.run(`,
		new: `		if true {
			t.run(`,
	},
	{
		name: "replicated: the copy behind confirms and does not run",
		file: "machine/replica.go",
		old: `		t.run(r, t.spec.In[lane], out)
		t.remember(r)
	}
	out.add`,
		new: `		t.remember(r)
	}
	out.add`,
	},
	{
		name: "replicated: a replay of the log forgets that an invocation is known",
		file: "machine/replica.go",
		old: `	t.run(r, engine.NoChan, out)
	t.written++`,
		new: `	t.run(r, engine.NoChan, out)
	t.known[t.row(r.ID)] = false
	t.written++`,
	},
	{
		name: "replicated: the client does not send again what has no answer",
		file: "machine/replicated.go",
		old: `		if t.waiting && t.leader >= 0 {
			t.send(out)
		}`,
		new: `		if t.leader < 0 {
			t.send(out)
		}`,
	},
	{
		name: "replicated: the leader waits for a copy that is gone",
		file: "machine/replica.go",
		old: `			t.queue[i].need &= t.members
`,
		new: `			t.queue[i].need |= 0
`,
	},
	{
		name: "replicated: a command log lies on the node that dies",
		file: "world/replicated.go",
		old:  `// Len is how many invocations`,
		new: `// LoseDisk is a mistake.
func (r *Replicated) LoseDisk(engine.TaskID) { r.log = r.log[:0] }

// Len is how many invocations`,
	},
	{
		name: "replicated: an asynchronous log is never completed",
		file: "machine/replica.go",
		old: `	if len(t.fresh) > 0 {
		t.write(out)
	}
	out.add`,
		new: `	out.add`,
	},
}

func TestMutantsOfCellsAreCaught(t *testing.T) {
	if r := probeWith(t, "./testdata/cells", nil); len(r.Findings)+len(r.Trouble) > 0 || r.Runs == 0 {
		t.Fatalf("without a mistake: findings %v, trouble %v", r.Findings, r.Trouble)
	}
	for _, m := range cellMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := probeWith(t, "./testdata/cells", &m)
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s", r.Findings[0])
			t.Logf("outside wrong in %d of %d runs", r.Wrong, r.Runs)
		})
	}
}
