package explore_test

import "testing"

// operatorMutants are mistakes in event time, windows, joins, the dedup operator
// and lookups.
var operatorMutants = []mutant{
	{name: "the watermark is not restored", file: "machine/operator_window.go",
		old: `	c.mark, c.most = s.Mark, s.Most
`, new: ``},
	{name: "the watermark is restored ahead of what was read", file: "machine/operator_window.go",
		old: `	c.mark, c.most = s.Mark, s.Most
`,
		new: `	c.mark, c.most = s.Mark+100*engine.Millisecond, s.Most+100*engine.Millisecond
`},
	{name: "event time is the latest over the inputs, not the earliest", file: "machine/operator_window.go",
		old: `least = min(least, m)`, new: `least = max(least, m)`},
	{name: "a window fires before the watermark has passed its end", file: "machine/operator_window.go",
		old: `p.End <= op.clock.mark && p.Fired == 0`, new: `p.End <= op.clock.mark+100*engine.Millisecond && p.Fired == 0`},
	{name: "that a window has fired is not in the snapshot", file: "machine/operator_window.go",
		old: `		w.panes = append(w.panes, s.Panes...)
`,
		new: `		w.panes = append(w.panes, s.Panes...)
		for i := range w.panes {
			w.panes[i].Fired = 0
		}
`},
	{name: "windows that are open are not in the snapshot", file: "machine/operator_window.go",
		old: `		w.panes = append(w.panes, s.Panes...)
`,
		new: `		w.panes = w.panes[:0]
`},
	{name: "a late record is counted in a window of its own", file: "machine/operator_window.go",
		old: `op.clock.mark >= end+set.AllowedLateness {`, new: `false && op.clock.mark >= end {`},
	{name: "the job ends although a barrier has overtaken the last watermark", file: "machine/barriers.go",
		old: `		if t.behind == in.Ckpt {
			in.Value++`, new: `		if t.behind == in.Ckpt {
			in.Value += 0`},
	{name: "the table of a join is not in the snapshot", file: "machine/operator_keyed.go",
		old: `		copy(j.table, s.Table)
`,
		new: `		clear(j.table)
`},
	{name: "records that wait for their time are not in the snapshot", file: "machine/operator_join.go",
		old: `append(j.waiting, s.Waiting...)`, new: `j.waiting`},
	{name: "what is put back stands behind the watermark of the new attempt", file: "sim/unaligned.go",
		old: `slices.Insert(ch.queue, ch.back, back)`, new: `slices.Concat(ch.queue, []queued{back})`},
	{name: "a join takes the newest version, whatever the record's time", file: "machine/operator_join.go",
		old: `v.Key == key && v.Since <= t && v.Since >= newest`, new: `v.Key == key && v.Since >= newest`},
	{name: "the dedup operator forgets an id before its repeat has come", file: "machine/operator_keyed.go",
		old: `op.now-at > op.job.Settings.StateTTL`, new: `op.now-at > 50*engine.Millisecond`},
	{name: "a lookup's answer is used and not stored", file: "machine/operator_keyed.go",
		old: `		out.add(Effect{Kind: DoOp, Op: &world.StoreAnswer{Record: *r, Answer: e.After}})
`, new: `		_ = world.StoreAnswer{}
`},
	{name: "microbatch: a batch closes its windows with the watermark of the next", file: "machine/microbatch_time.go",
		old: `for o := range t.op.offset {`, new: `for o := range min(t.op.offset+2, int32(len(t.op.job.Input.Parts[t.op.spec.Part]))) {`},
}

func TestMutantsOfOperatorsAreCaught(t *testing.T) {
	if r := probeWith(t, "./testdata/cells", nil, "operators"); len(r.Findings)+len(r.Trouble) > 0 || r.Runs == 0 {
		t.Fatalf("without a mistake: %d runs, findings %v, trouble %v", r.Runs, r.Findings, r.Trouble)
	}
	for _, m := range operatorMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := probeWith(t, "./testdata/cells", &m, "operators")
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s; outside wrong in %d of %d runs", r.Findings[0], r.Wrong, r.Runs)
		})
	}
}
