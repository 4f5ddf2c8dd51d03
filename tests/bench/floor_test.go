// Package bench measures the engine against a floor and a peer in one run. It is
// a module of its own so that the peer is no dependency of the product.
package bench

import (
	"fmt"
	"strconv"
	"testing"

	streams "github.com/reugn/go-streams"
	"github.com/reugn/go-streams/extension"
	"github.com/reugn/go-streams/flow"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
)

// input makes n records over keys, spread over two partitions, available at once.
func input(n, keys int) *engine.Input {
	in := &engine.Input{Name: "bench", Parts: make([][]engine.Datum, 2)}
	for k := range keys {
		in.Keys = append(in.Keys, "key-"+strconv.Itoa(k))
	}
	for i := range n {
		in.Parts[i%2] = append(in.Parts[i%2], engine.Datum{Key: engine.KeyID(i * 7 % keys), Value: int64(i) * engine.ValueScale})
	}
	return in
}

func job(tb testing.TB, in *engine.Input, changes ...string) *engine.Job {
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for i := 0; i < len(changes); i += 2 {
		if err := set.Set(changes[i], changes[i+1]); err != nil {
			tb.Fatal(err)
		}
	}
	j, err := engine.NewJob("bench", set, in, 1, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// BenchmarkEngineKeyedCount is the deterministic engine, aligned checkpoints and
// transactional sink, tracing on (G4). One operation is a run of 500 records.
func BenchmarkEngineKeyedCount(b *testing.B) {
	j := job(b, input(500, 50), "topology", "J2", "sink", "transactional", "gap", "1ms", "checkpoint.interval", "100ms")
	events := 0
	b.ReportAllocs()
	for b.Loop() {
		tr, err := sim.Run(j, nil)
		if err != nil {
			b.Fatal(err)
		}
		events = tr.Len()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/record")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
}

// BenchmarkPeerKeyedFold is go-streams v0.13.0 doing the same count per key,
// without any guarantee.
func BenchmarkPeerKeyedFold(b *testing.B) {
	const n = 500
	for b.Loop() {
		in := make(chan any, n)
		out := make(chan any, n)
		for i := range n {
			in <- "key-" + strconv.Itoa(i*7%50)
		}
		close(in)
		keyed := flow.NewKeyed(func(s string) string { return s },
			func() streams.Flow { return flow.NewFold(0, func(_ string, acc int) int { return acc + 1 }) })
		go extension.NewChanSource(in).Via(keyed).To(extension.NewChanSink(out))
		got := 0
		for range out {
			got++
		}
		if got != n {
			b.Fatal(fmt.Errorf("peer gave %d results, want %d", got, n))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}

type ring struct {
	buf  [64]int64
	r, w int
}

type stepper interface{ step() bool }

//go:noinline
func (r *ring) push(v int64) { r.buf[r.w&63] = v; r.w++ }

//go:noinline
func (r *ring) pop() int64 { v := r.buf[r.r&63]; r.r++; return v }

func (r *ring) step() bool {
	r.push(r.pop() + 1)
	return true
}

// BenchmarkFloorRingStep is the floor of G13: one step through an interface that
// takes a value from a ring and puts one in.
func BenchmarkFloorRingStep(b *testing.B) {
	var s stepper = &ring{}
	for b.Loop() {
		s.step()
	}
}
