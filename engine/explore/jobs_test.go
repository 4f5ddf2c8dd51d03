package explore_test

import (
	"testing"

	"effectivelyonce/engine"
)

// cards is the input set cards-16 of the reference job.
func cards() *engine.Input {
	in := &engine.Input{Name: "cards-16", Unit: "€", Keys: []string{"ana", "ben", "cleo", "dan", "eve"}}
	const ana, ben, cleo, dan, eve = 0, 1, 2, 3, 4
	in.Parts = [][]engine.Datum{
		{{Key: ana, Value: 12}, {Key: ben, Value: 30}, {Key: ana, Value: 5}, {Key: cleo, Value: 44},
			{Key: ben, Value: 9}, {Key: ana, Value: 20}, {Key: cleo, Value: 3}, {Key: ben, Value: 15}},
		{{Key: dan, Value: 18}, {Key: ana, Value: 7}, {Key: eve, Value: 25}, {Key: ben, Value: 11},
			{Key: dan, Value: 6}, {Key: eve, Value: 40}, {Key: ana, Value: 9}, {Key: cleo, Value: 21}},
	}
	for _, p := range in.Parts {
		for o := range p {
			p[o].Value *= engine.ValueScale
		}
	}
	return in
}

// shape is one column of the guarantee matrix.
type shape struct {
	kind engine.SinkKind
	out  engine.Output
}

// reference is topology J over cards-16 with the base settings and one sink; a
// transactional one is read both ways.
func reference(t testing.TB, s shape, seed uint64, change ...func(*engine.Settings)) *engine.Job {
	t.Helper()
	job := tryReference(s, seed, change...)
	if job == nil {
		t.Fatal("the reference job cannot be built")
	}
	return job
}

// tryReference is the reference job, nil where it cannot be built.
func tryReference(s shape, seed uint64, change ...func(*engine.Settings)) *engine.Job {
	set := engine.BaseSettings()
	sink := engine.BaseSink("sink")
	sink.Kind, sink.Output = s.kind, s.out
	sink.Readers = []engine.Isolation{engine.ReadCommitted, engine.ReadUncommitted}
	set.Sinks = []engine.SinkSettings{sink}
	for _, c := range change {
		c(&set)
	}
	job, err := engine.NewJob("reference", set, cards(), seed, nil)
	if err != nil {
		return nil
	}
	return job
}
