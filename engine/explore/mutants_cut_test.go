package explore_test

// cutMutants are mistakes in drawing the line of an unaligned checkpoint.
var cutMutants = []mutant{
	{
		name: "records in flight are not saved",
		file: "machine/barrier_cut.go", jobs: "unaligned",
		old: `s.InFlight = append([]world.InFlight(nil), t.part.flight...)`,
		new: `s.InFlight = nil`,
	},
	{
		name: "what is taken between the copy and a lane's barrier is not saved",
		file: "machine/barrier_cut.go", jobs: "unaligned",
		old: `if t.way == overtake && t.ckpt != 0 && t.arrived&(1<<lane) == 0 {`,
		new: `if false && t.arrived&(1<<lane) == 0 {`,
	},
	{
		name: "the state is copied at the last barrier",
		file: "machine/barrier_cut.go", jobs: "unaligned",
		old: `	if arrived == 1 {
`,
		new: `	if arrived == lanes {
`,
	},
	{
		name: "records behind the barrier are saved as well",
		file: "sim/unaligned.go", jobs: "unaligned", interleaving: true,
		old: `for i := 1; left > 0; i++ {`,
		new: `for i := 1; i < len(q); i++ {`,
	},
	{
		name: "the job ends while records are in flight",
		file: "machine/coordinator.go", jobs: "unaligned",
		old: `c.last = c.ended == c.sources() && !c.flying`,
		new: `c.last = c.ended == c.sources()`,
	},
}
