package explore_test

import "testing"

// flawMutants are mistakes in a loop with workers and in the settings that put a bug
// of a real system in.
var flawMutants = []mutant{
	{name: "workers: the position behind the last record that is done is saved", file: "machine/offset_workers.go",
		old: `past := t.job.Settings.Flaw == engine.CommitPastHoles`, new: `past := t.job.Settings.Flaw != engine.LostAnswersOK`},
	{name: "workers: with one record the whole group is done", file: "machine/offset_workers.go",
		old: `		done[i] = true
`, new: `		for j := range done {
			done[j] = true
		}
`},
	{name: "workers: the first of a group counts as done", file: "machine/offset_workers.go",
		old: `	done := make([]bool, len(group))
`, new: `	done := make([]bool, len(group))
	done[0] = true
`},
	{name: "flaw=none: the position passes the holes only without the flaw", file: "machine/offset_workers.go",
		old: `past := t.job.Settings.Flaw == engine.CommitPastHoles`, new: `past := t.job.Settings.Flaw != engine.CommitPastHoles`},
	{name: "flaw=none: the sink forgets what it has promised", file: "machine/writer.go",
		old: `forgets: job.Settings.Flaw == engine.LostAnswersOK`, new: `forgets: job.Settings.Flaw == engine.NoFlaw`},
	{name: "flaw=none: nobody waits for the last checkpoint", file: "machine/flaws.go",
		old: `c.job.Settings.Flaw == engine.NoFinalCheckpoint`, new: `c.job.Settings.Flaw == engine.NoFlaw`},
	{name: "flaw=no-final-checkpoint: what is not sealed is committed all the same", file: "machine/flaws.go",
		old: `c.job.Settings.Flaw == engine.NoFinalCheckpoint`, new: `c.job.Settings.Flaw == "never"`},
}

func TestMutantsOfFlawsAreCaught(t *testing.T) {
	if r := probeWith(t, "./testdata/cells", nil, "flaws"); len(r.Findings)+len(r.Trouble) > 0 || r.Runs == 0 {
		t.Fatalf("without a mistake: %d runs, findings %v, trouble %v", r.Runs, r.Findings, r.Trouble)
	}
	for _, m := range flawMutants {
		t.Run(m.name, func(t *testing.T) {
			r := probeWith(t, "./testdata/cells", &m, "flaws")
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s; outside wrong in %d of %d runs", r.Findings[0], r.Wrong, r.Runs)
		})
	}
}
