package explore_test

import (
	"fmt"
	"strings"
	"testing"
)

// sinkMutants are mistakes of the sinks that the others leave out, of the mode
// at_least_once, and of the supervisor; jobs names the cells that they are looked
// for in.
var sinkMutants = []mutant{
	{name: "append: a row is sent twice", file: "machine/writer.go", jobs: "sinks",
		old: `{ out.add(Effect{Kind: DoWrite, Record: *r}) }`,
		new: `{ out.add(Effect{Kind: DoWrite, Record: *r}); out.add(Effect{Kind: DoWrite, Record: *r}) }`},
	{name: "append: what is replayed is not written, as if the outside had kept it", file: "machine/writer.go", jobs: "sinks",
		old: `{ out.add(Effect{Kind: DoWrite, Record: *r}) }`,
		new: `{ if r.Attempt < 2 { out.add(Effect{Kind: DoWrite, Record: *r}) } }`},
	{name: "upsert: the partition is left out of a row's id", file: "world/world.go", jobs: "sinks",
		old: `row = w.first[r.ID.Part] + int(r.ID.Off)
	}
	old`,
		new: `row = int(r.ID.Off)
	}
	old`},
	{name: "upsert: a row that exists is left as it is", file: "sim/broker.go", jobs: "sinks",
		old: `		ev.After = ev.Value
	default:`,
		new: `		ev.After = ev.Value
		if ev.Before != engine.NoRow {
			ev.After = ev.Before
		}
	default:`},
	{name: "keyed mail: a provider that knows a key sends again", file: "world/provider.go", jobs: "sinks",
		old: `if op.Keyed && p.seen[row] >= 0`, new: `if op.Keyed && p.seen[row] > w.Now`},
	{name: "keyed mail: the key names the person, not the mail", file: "world/provider.go", jobs: "sinks",
		old: `row := w.idOf(&op.Record, op.ByKey)`, new: `row := int(op.Record.Key)`},
	{name: "mail without a key: the provider keeps a memory of its own", file: "world/provider.go", jobs: "sinks",
		old: `if op.Keyed && p.seen[row] >= 0`, new: `if p.seen[row] >= 0`},
	{name: "at_least_once: the copy is made at the first barrier, the others pass unnoticed", file: "machine/barrier_cut.go", jobs: "at-least-once",
		old: `case after == lanes:`, new: `case after == lanes || t.way == letPass && after == 1:`},
	{name: "at_least_once: records between the barriers are thrown away", file: "machine/barrier_cut.go", jobs: "at-least-once",
		old: `	if t.way == overtake && t.ckpt != 0 && t.arrived&(1<<lane) == 0 {`,
		new: `	if t.way == letPass && t.arrived&(1<<lane) != 0 {
		return
	}
	if t.way == overtake && t.ckpt != 0 && t.arrived&(1<<lane) == 0 {`},
	{name: "at_least_once: sources note the offset of their last read, not the next", file: "machine/barriers.go", jobs: "at-least-once",
		old: `	t.op.restore(&in.Snapshot)
`,
		new: `	t.op.restore(&in.Snapshot)
	if t.op.spec.Kind == engine.OpSource && t.op.offset > 0 {
		t.op.offset++
	}
`},
	{name: "supervisor: a process that is found dead after its job was stopped fails the job again", file: "sim/life.go", jobs: "sinks",
		old: `	if s.actors[it.actor].life == it.life {
`,
		new: `	if s.actors[it.actor].life != it.life {
		s.supervise(machine.Effect{Kind: machine.DoFail, Task: s.idOf(it.actor), Reason: engine.Crashed})
	}
	if s.actors[it.actor].life == it.life {
`},
}

func TestMutantsOfSinksAreCaught(t *testing.T) {
	for _, cells := range []string{"sinks", "at-least-once"} {
		if r := probeWith(t, "./testdata/cells", nil, cells); len(r.Findings)+len(r.Trouble) > 0 || r.Runs == 0 {
			t.Fatalf("%s without a mistake: %d runs, findings %v, trouble %v", cells, r.Runs, r.Findings, r.Trouble)
		}
	}
	for _, m := range sinkMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := probeWith(t, "./testdata/cells", &m, m.jobs)
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s; outside wrong in %d of %d runs", r.Findings[0], r.Wrong, r.Runs)
		})
	}
}

// mutantTables are the lists of mutants under the titles of docs/mutants.md; a new
// list is added here.
func mutantTables() string {
	var b strings.Builder
	for _, part := range []struct {
		title string
		list  []mutant
	}{
		{"barriers and the transactional sink", mutants},
		{"Unaligned checkpoints", cutMutants},
		{"The plain loop, batch jobs, replicated tables, and stores", cellMutants},
		{"Sinks, the mode at_least_once, the supervisor", sinkMutants},
		{"State and its ways back", stateMutants},
		{"Lost answers, late messages and outages", outageMutants},
		{"The other strategies", strategyMutants},
		{"Windows, joins, dedup and lookups", operatorMutants},
		{"Stage stores, spouts and votes (dataflow, trident, xa)", stageMutants},
		{"Zombies and fences", zombieMutants},
		{"Workers, and bugs put in on purpose", flawMutants},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| mistake | in | needs a particular interleaving |\n|---|---|---|\n", part.title)
		for _, m := range part.list {
			needs := ""
			if m.interleaving {
				needs = "yes"
			}
			fmt.Fprintf(&b, "| %s | `engine/%s` | %s |\n", strings.ReplaceAll(m.name, "|", `\|`), m.file, needs)
		}
	}
	return b.String()
}
