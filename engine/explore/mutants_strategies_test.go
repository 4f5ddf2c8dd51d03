package explore_test

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write docs/mutants.md again")

// strategyMutants are mistakes in the strategies that cellMutants leave out, by
// strategy: each is looked for in the cells of its own.
var strategyMutants = []mutant{
	{name: "microbatch: the state is not restored", file: "machine/microbatch.go",
		old: `	s := in.Snapshot
`, new: `	s := world.Snapshot{}
`},
	{name: "microbatch: a source goes back one record too far", file: "machine/microbatch.go",
		old: `s.Offset = logs.End(done, t.op.spec.Part)`, new: `s.Offset = max(logs.End(done, t.op.spec.Part)-1, 0)`},
	{name: "microbatch: a batch is reported done before the sink has let go of it", file: "machine/microbatch.go",
		old: `if !t.sink.idle() {`, new: `if false {`},
	{name: "microbatch: a task that comes back takes itself for a batch further", file: "machine/microbatch.go",
		old: `	done := logs.Committed()
	t.batch`, new: `	done := max(logs.Committed()-1, 0)
	t.batch`},
	{name: "kafka-streams: exactly_once_v2 keeps the local store as it is", file: "machine/streams.go",
		old: `	if keys > 0 && !t.eos {`, new: `	if keys > 0 {`},
	{name: "kafka-streams: the positions committed are those of the beginning", file: "machine/streams_thread.go",
		old: `Offsets: append([]int32(nil), c.offsets...)`, new: `Offsets: make([]int32, len(c.offsets))`},
	{name: "kafka-streams: a counter that comes back takes one record of the repartition log again", file: "machine/streams.go",
		old: `t.at = kept.Read(t.op.spec.Index)`, new: `t.at = max(kept.Read(t.op.spec.Index)-1, 0)`},
	{name: "kafka-streams: a commit does not wait for rows on their way", file: "machine/streams.go",
		old: `t.taken == all {`, new: `t.taken <= all {`},
	{name: "dataflow: nobody looks at the ids", file: "machine/dataflow.go",
		old: `case t.once && t.store.Seen[row]:`, new: `case t.weak && t.store.Seen[row]:`},
	{name: "dataflow: outputs are not stored with the state", file: "world/stages.go",
		old: `	t.Kept = append(t.Kept, op.Outputs...)
	return`, new: `	return`},
	{name: "dataflow: a stage that comes back does not send again", file: "machine/dataflow.go",
		old: `	t.resend(engine.NoTask, out)
`, new: ``},
	{name: "dataflow: a sink stores the id before the effect", file: "machine/dataflow.go",
		old: `		t.sink.write(&r, out)
		if t.once {
			out.add(Effect{Kind: DoOp, Op: &world.StageWrite{Record: r, ID: true}})
		}
`, new: `		if t.once {
			out.add(Effect{Kind: DoOp, Op: &world.StageWrite{Record: r, ID: true}})
		}
		t.sink.write(&r, out)
`},
	{name: "trident: a transactional state adds a batch that it knows", file: "world/trident.go",
		old: `if op.State == "transactional" && again {`, new: `if op.State == "never" && again {`},
	{name: "trident: an opaque state starts from the value of the failed attempt", file: "world/trident.go",
		old: `base = row.prev`, new: `base = row.value`},
	{name: "trident: a transactional spout takes more the second time", file: "machine/trident_coordinator.go",
		old: `c.begin(c.newest, slices.Clone(ends), out)`, new: `c.begin(c.newest, c.available(now), out)`},
	{name: "trident: the position moves when a batch begins", file: "world/trident.go",
		old: `	copy(t.Ends, op.Ends)
`, new: `	copy(t.Ends, op.Ends)
	copy(t.At, op.Ends)
`},
	{name: "xa: an abort is taken for a commit", file: "machine/xa.go",
		old: `	if committed {
`, new: `	if true {
`},
	{name: "xa: the log is not written", file: "machine/xa_coordinator.go",
		old: `Logged: c.job.Settings.CoordinatorLog`, new: `Logged: false`},
	{name: "xa: the second participant is not told of the commit", file: "machine/xa_coordinator.go",
		old: `c.commit && c.at < world.Participants {`, new: `c.commit && c.at < 1 {`},
	{name: "xa: one vote is enough", file: "machine/xa_coordinator.go",
		old: `refused || c.at == world.Participants {`, new: `refused || c.at == 1 {`},
}

// strategy is the strategy a mutant's name begins with.
func (m *mutant) strategy() string {
	s, _, _ := strings.Cut(m.name, ":")
	return s
}

func TestMutantsOfStrategiesAreCaught(t *testing.T) {
	count := map[string]int{}
	for _, m := range strategyMutants {
		count[m.strategy()]++
	}
	for s, n := range count {
		if n < 3 {
			t.Errorf("%s has %d mutants", s, n)
		}
		if r := probeWith(t, "./testdata/cells", nil, s); len(r.Findings)+len(r.Trouble) > 0 || r.Runs == 0 {
			t.Fatalf("%s without a mistake: %d runs, findings %v, trouble %v", s, r.Runs, r.Findings, r.Trouble)
		}
	}
	for _, m := range strategyMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := probeWith(t, "./testdata/cells", &m, m.strategy())
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s; outside wrong in %d of %d runs", r.Findings[0], r.Wrong, r.Runs)
		})
	}
}

// docs/mutants.md lists every mutant; -rewrite writes it again.
func TestMutantsAreListed(t *testing.T) {
	const file = "../../docs/mutants.md"
	var b strings.Builder
	b.WriteString("# Mistakes that exploration finds\n\nWritten by `go test ./engine/explore -run MutantsAreListed -rewrite`; do not edit.\n\n")
	b.WriteString("Each line is the engine with one mistake in it (a patch, see decisions/0004-mutants-are-patches.md). A test builds it, crashes\neverything at every moment, and fails unless a run ends in a class that its cell of the guarantee matrix forbids, a class that\nmust occur does not, or a run breaks a rule.\n")
	b.WriteString(mutantTables())
	if *rewrite {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if listed, err := os.ReadFile(file); err != nil || string(listed) != b.String() {
		t.Errorf("docs/mutants.md does not list the mutants (%v); -rewrite writes it again", err)
	}
}
