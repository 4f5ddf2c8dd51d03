package explore_test

// zombieMutants are mistakes in what happens to a writer that was replaced while it
// stood still. The sink sleeps at every gap, for three lengths.
var zombieMutants = []mutant{
	{
		name: "no store looks at a token",
		file: "world/token.go", jobs: "zombie",
		old: `	if !w.Replaced() {
`,
		new: `	if !w.Replaced() || w.Asker >= 0 {
`,
	},
	{
		name: "the token is checked by the client, which knows only its own",
		file: "world/token.go", jobs: "zombie",
		old: `w.Token < w.tokens[w.Asker]`,
		new: `w.Token < min(w.Token, w.tokens[w.Asker])`,
	},
	{
		name: "a replacement starts with the token of the one it replaces",
		file: "world/token.go", jobs: "zombie",
		old: `	w.tokens[task]++
`,
		new: `	w.tokens[task] = 1
`,
	},
	{
		name: "a replacement does not raise its producer's epoch",
		file: "world/topic.go", jobs: "zombie",
		old: `	e.n++
`,
		new: `	e.n = 1
`,
	},
	{
		name: "the broker commits for an old epoch",
		file: "sim/broker.go", jobs: "zombie",
		old: `	if s.stale(id) || state == engine.TxnAborted`,
		new: `	if state == engine.TxnAborted`,
	},
	{
		name: "a writer goes on after it was refused",
		file: "sim/zombie.go", jobs: "zombie",
		old: `			s.lay(z) // it has been told
`,
		new: ``,
	},
	{
		name: "a task that woke up in time is replaced all the same",
		file: "sim/pause.go", jobs: "zombie",
		old: `	if a.life == it.life && a.nap.on && a.nap.until > s.now {`,
		new: `	if a.life == it.life {`,
	},
	{
		name: "a task that stands still finishes what it has begun",
		file: "sim/pause.go", jobs: "zombie",
		old: `	a.nap.on = true
	s.leave(id)
`,
		new: `	a.nap.on = true
`,
	},
}
