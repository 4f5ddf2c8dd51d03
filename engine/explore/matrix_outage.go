package explore

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
)

// PartOutage is the section of the faults that are no crash of the matrix's own
// (curriculum 3.5): an answer that never arrives, memories that are too short, a new
// name at each start, and a time limit that expires although nothing fails.
const PartOutage = "outage"

// endless is how many times over an input is read where it must not end before a job
// is given up.
const endless = 16

func outageRows() []Row {
	row := func(name string, settings []string, columns ...string) Row {
		return Row{Part: PartOutage, Name: name, Strategy: "barriers", Settings: settings, Columns: columns}
	}
	lost := row("lose-response, the answer to one write is lost", nil,
		"append", "upsert", "dedup atomic", "offset-with-output", "transactional", "email none", "email random", "email from-input")
	lost.Kinds = []string{string(engine.LoseResponse) + ":sink/0"}
	provider := row("provider.dedup.window=200ms, shorter than the outage", []string{"provider.dedup.window=200ms"}, "email from-input")
	store := row("dedup.retention=200ms, shorter than the outage", []string{"dedup.retention=200ms"}, "dedup atomic")
	provider.Outputs, store.Outputs = []engine.Output{engine.EventOutput}, []engine.Output{engine.EventOutput}
	const prefix = "transactional.id.prefix=random-per-start"
	rows := []Row{lost, provider, store,
		row(prefix+", a long horizon", []string{prefix}, "transactional"),
		row(prefix+", a horizon of 5s", []string{prefix, "horizon=5s"}, "transactional")}
	for _, times := range []int{1, endless} {
		for _, then := range []string{"ignore", "fail"} {
			const short = "transaction.timeout=150ms"
			r := row(short+", shorter than the interval, on.expired="+then, []string{short, "on.expired=" + then}, "transactional")
			r.Calm, r.Times = true, times
			if times > 1 {
				r.Name += ", endless input"
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// timesOver is an input that is n times as long; 0 and 1 leave it as it is.
func timesOver(in *engine.Input, n int) *engine.Input {
	if n < 2 {
		return in
	}
	long := *in
	long.Parts = slices.Clone(in.Parts)
	for p := range long.Parts {
		long.Parts[p] = slices.Repeat(in.Parts[p], n)
	}
	return &long
}

// calmCells are the cells of a job in which nothing fails: one run.
func calmCells(job *engine.Job, blank *MatrixCell, opt *MatrixOptions) ([]MatrixCell, error) {
	tr, err := sim.Run(job, nil)
	if err != nil {
		return nil, err
	}
	var broken []Broken
	if opt.Audit {
		if vs := check.Invariants(tr); len(vs) > 0 {
			broken = append(broken, Broken{Example: Example{Events: tr.Len()}, Violations: vs})
		}
	}
	var cells []MatrixCell
	for _, v := range check.Judge(tr) {
		c := *blank
		c.Isolation, c.Points, c.Broken = v.Reader, 1, broken
		c.Classes, c.Examples = map[check.Class]int{v.Class: 1}, map[check.Class]MatrixExample{v.Class: {Seed: opt.Seed}}
		if v.Rewound > 0 {
			c.Rewound = 1
		}
		cells = append(cells, c)
	}
	return cells, nil
}
