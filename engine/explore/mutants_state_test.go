package explore_test

import "testing"

// stateMutants are mistakes on the way back of state.
var stateMutants = []mutant{
	{name: "increments: a part of the chain is missing", file: "world/increment.go",
		old: `return append(c[:i+1:i+1], s)`, new: `return append(c[:i:i], s)`},
	{name: "increments: only keys that are new are in a part", file: "machine/increments.go",
		old: `count == c.base.counts.At(k) || count == 0`, new: `c.base.counts.At(k) > 0 || count == 0`},
	{name: "increments: a part does not name the one that it stands on", file: "machine/increments.go",
		old: `		s.Base, now.links = c.base.number, c.base.links+1
`, new: `		now.links = c.base.links + 1
`},
	{name: "a task takes records in before its state has come", file: "sim/work.go",
		old: `a.busy || a.loading ||`, new: `a.busy ||`},
	{name: "restore.from=none: the newest checkpoint is used all the same", file: "sim/restore.go",
		old: `RestoreFrom == "none"`, new: `RestoreFrom == "nothing"`},
	{name: "microbatch: the version of a batch that is not done is restored", file: "world/batchlogs.go",
		old: `newest.batch == b.committed`, new: `newest.batch >= b.committed`},
	{name: "changelog: compaction keeps the first entry of a key, not the last", file: "world/changelog.go",
		old: `		last[e.key] = e.offset + 1
	}`, new: `		if last[e.key] == 0 {
			last[e.key] = e.offset + 1
		}
	}`},
	{name: "changelog: compacted too early, into the head", file: "world/changelog.go",
		old: `if i >= end || newest && !gone {`, new: `if i > end || newest && !gone {`},
	{name: "changelog: the tombstone is lost and a deleted key comes back", file: "world/changelog.go",
		old: `	if c.on {
`, new: `	if c.on && count > 0 {
`},
	{name: "standby: it takes over without the tail that it has not read", file: "world/changelog.go",
		old: `		t.topic.fill(store, from)
`, new: `		if from == 0 {
			t.topic.fill(store, from)
		}
`},
	{name: "hand-off: the position is saved without asking the worker, although commit.handoff=sync", file: "machine/handoff.go",
		old: `if t.job.Settings.State.Handoff != "async" {`, new: `if t.job.Settings.State.Handoff == "never" {`},
	{name: "hand-off: what the worker holds at the end is forgotten", file: "machine/handoff.go",
		old: `		t.handle(t.held.record, out)
`, new: `		if t.ended < len(t.offsets) {
			t.handle(t.held.record, out)
		}
`},
	{name: "cdc: the copy is not made", file: "machine/offset_commit.go",
		old: `case "remote", "cdc":`, new: `case "remote":`},
}

func TestStateMutantsAreCaught(t *testing.T) {
	if r := probeWith(t, "./testdata/cells", nil, "state"); len(r.Findings)+len(r.Trouble) > 0 {
		t.Fatalf("the engine itself: findings %v, trouble %v", r.Findings, r.Trouble)
	}
	for _, m := range stateMutants {
		t.Run(m.name, func(t *testing.T) {
			r := probeWith(t, "./testdata/cells", &m, "state")
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s", r.Findings[0])
		})
	}
}
