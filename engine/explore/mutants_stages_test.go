package explore_test

import (
	"strings"
	"testing"
)

// stageMutants break the strategies with stage stores, batches or voters.
var stageMutants = []mutant{
	{
		name: "sends before it stores though strong",
		file: "machine/dataflow.go",
		old: `	t.weak = t.once && set.Production == "weak"
`,
		new: `	t.weak = t.once
`,
	},
	{
		name: "ids lost on restart (seen not restored)",
		file: "world/stages.go",
		old:  `	t.Seen, t.Kept, t.Offset = append(t.Seen[:0], o.Seen...),`,
		new:  `	t.Seen, t.Kept, t.Offset = append(t.Seen[:0], make([]bool, len(o.Seen))...),`,
	},
	{
		name: "nothing resent to a reader that is back",
		file: "machine/dataflow.go",
		old: `		t.resend(in.Task, out)
`,
		new: ``,
	},
	{
		name: "acks before the id is durable: sender forgets on send",
		file: "machine/dataflow.go",
		old: `	for _, o := range w.Outputs {
		out.add(Effect{Kind: DoSend, Linked: true, Chan: o.Chan, Record: o.Record})
	}
	if t.weak`,
		new: `	for _, o := range w.Outputs {
		out.add(Effect{Kind: DoSend, Linked: true, Chan: o.Chan, Record: o.Record})
		t.store.Release(o.Chan, o.Record.ID)
		out.add(Effect{Kind: PostOp, Op: &world.StageRelease{Task: t.op.spec.ID, Chan: o.Chan, ID: o.Record.ID}})
	}
	if t.weak`,
	},
	{
		name: "id stored before the effect at sink",
		file: "machine/dataflow.go",
		old: `		t.sink.write(&r, out)
		if t.once {
			out.add(Effect{Kind: DoOp, Op: &world.StageWrite{Record: r, ID: true}})
		}
`,
		new: `		if t.once {
			out.add(Effect{Kind: DoOp, Op: &world.StageWrite{Record: r, ID: true}})
		}
		t.sink.write(&r, out)
`,
	},
	{
		name: "idle while outputs are unacked",
		file: "machine/dataflow.go",
		old:  `!t.asked || len(t.store.Kept) > 0 || `,
		new:  `!t.asked || `,
	},
	{
		name: "opaque adds to value at equal txid",
		file: "world/trident.go",
		old: `		base = row.prev
`,
		new: `		base = row.value
`,
	},
	{
		name: "transactional skips nothing",
		file: "world/trident.go",
		old:  `if op.State == "transactional" && again {`,
		new:  `if op.State == "transactional" && again && false {`,
	},
	{
		name: "transactional spout replays what is available",
		file: "machine/trident_coordinator.go",
		old: `	case "transactional":
		c.begin(c.newest, slices.Clone(ends), out)
`,
		new: `	case "none":
		c.begin(c.newest, slices.Clone(ends), out)
	case "transactional":
		ends := c.available(now)
		out.add(Effect{Kind: DoOp, Op: &world.TridentBegin{Txid: c.newest, Ends: ends}})
		c.begin(c.newest, ends, out)
`,
	},
	{
		name: "success noted before state is written",
		file: "world/trident.go",
		old: `	t.Started = op.Txid
	copy(t.Ends, op.Ends)
`,
		new: `	t.Started = op.Txid
	copy(t.Ends, op.Ends)
	t.Committed = op.Txid
	copy(t.At, op.Ends)
`,
	},
	{
		name: "opaque spout replays only the same range",
		file: "machine/trident_coordinator.go",
		old: `	case "opaque":
		ends := c.available(now)
`,
		new: `	case "opaque":
		ends := slices.Clone(ends)
`,
	},
	{
		name: "counter writes the batch before all of it is there",
		file: "machine/trident.go",
		old:  `t.txid == 0 || t.got < t.expected {`,
		new:  `t.txid == 0 || t.got+1 < t.expected {`,
	},
	{
		name: "decides after first vote",
		file: "machine/xa_coordinator.go",
		old:  `refused || c.at == world.Participants {`,
		new:  `refused || c.at == 1 {`,
	},
	{
		name: "decision not logged",
		file: "machine/xa_coordinator.go",
		old:  `Logged: c.job.Settings.CoordinatorLog}`,
		new:  `Logged: false}`,
	},
	{
		name: "presumed commit",
		file: "machine/xa_coordinator.go",
		old: `	default:
		c.decide(x, false, out)
	}
}

// asked`,
		new: `	default:
		c.decide(x, true, out)
	}
}

// asked`,
	},
	{
		name: "heuristics: without log aborts prepared",
		file: "machine/xa_coordinator.go",
		old: `	case !c.job.Settings.CoordinatorLog:
		c.lost = x
`,
		new: ``,
	},
	{
		name: "position committed outside",
		file: "world/xa.go",
		old: `	w.Own.(*XA).find(op.Txn).to[op.ID.Part] = op.ID.Off + 1
`,
		new: `	w.Own.(*XA).find(op.Txn).to[op.ID.Part] = op.ID.Off + 1
	w.Own.(*XA).At[op.ID.Part] = op.ID.Off + 1
`,
	},
	{
		name: "app does not rewind after abort",
		file: "machine/xa.go",
		old: `	t.offsets = slices.Clone(t.base)
	t.recount()
	t.txn,`,
		new: `	t.txn,`,
	},
	{
		name: "open txn left by dead app is kept",
		file: "machine/xa.go",
		old: `		out.add(Effect{Kind: DoOp, Op: &world.XAFinish{Txn: last, Participant: world.Database}})
`,
		new: ``,
	},
}

func TestMutantsOfStagesAreCaught(t *testing.T) {
	for _, m := range stageMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := probeWith(t, "./testdata/cells", &m, m.stageStrategy())
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s", r.Findings[0])
		})
	}
	for _, strategy := range []string{"dataflow", "trident", "xa"} {
		if r := probeWith(t, "./testdata/cells", nil, strategy); len(r.Findings)+len(r.Trouble) > 0 || r.Runs == 0 {
			t.Errorf("%s without a mistake: findings %v, trouble %v", strategy, r.Findings, r.Trouble)
		}
	}
}

// stageStrategy is the one whose file the mutant changes.
func (m *mutant) stageStrategy() string {
	for _, s := range []string{"trident", "xa"} {
		if strings.Contains(m.file, s) {
			return s
		}
	}
	return "dataflow"
}
