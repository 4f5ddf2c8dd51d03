package world

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"effectivelyonce/engine"
)

// values lists a state by key.
func values(c *Counts) []int64 {
	out := make([]int64, c.Keys())
	for k := range out {
		out[k] = c.At(engine.KeyID(k))
	}
	return out
}

// Against a plain slice: random writes, snapshots, restores and copies, over one page
// and several. A snapshot and a copy must stay as they were.
func TestCountsAreASliceByKey(t *testing.T) {
	for _, keys := range []int{1, 3, pageKeys, pageKeys + 1, 3*pageKeys + 7} {
		rng := rand.New(rand.NewPCG(uint64(keys), 1))
		c, want := NewCounts(keys), make([]int64, keys)
		type kept struct {
			c    *Counts
			want []int64
		}
		var held []kept
		var older *Counts
		for step := range 4000 {
			k := engine.KeyID(rng.IntN(keys))
			switch rng.IntN(40) {
			case 0:
				held = append(held, kept{c.Snapshot(), slices.Clone(want)})
			case 1:
				if len(held) > 0 {
					h := held[rng.IntN(len(held))]
					c.Restore(h.c)
					copy(want, h.want)
				}
			case 2: // go on with a copy that reuses old memory
				older, c = c, older.CopyFrom(c)
				held = append(held, kept{older.Snapshot(), slices.Clone(want)})
			case 3:
				c.Set(k, 0)
				want[k] = 0
			case 4:
				if step%10 == 0 {
					c.Clear()
					clear(want)
				}
			default:
				if got := c.Add(k); got != want[k] {
					t.Fatalf("%d keys, step %d: before %d, want %d", keys, step, got, want[k])
				}
				want[k]++
			}
		}
		held = append(held, kept{c, want})
		for i, h := range held {
			if !slices.Equal(values(h.c), h.want) || h.c.Used() != entries(h.want) {
				t.Fatalf("%d keys: state %d of %d has changed, or counts %d keys of %d", keys, i, len(held), h.c.Used(), entries(h.want))
			}
		}
	}
}

// A snapshot of a million keys makes the task stand still for a thousandth of the
// time that a full copy of a map with the same state takes; writing goes on at the
// price of a page.
func TestSnapshotsOfLargeStateDoNotPause(t *testing.T) {
	const keys = 1_000_000
	c, m := NewCounts(keys), make(map[engine.KeyID]int64, keys)
	for k := range engine.KeyID(keys) {
		c.Add(k)
		m[k] = 1
	}
	least := func(n int, f func()) time.Duration {
		best := time.Hour
		for range n {
			from := time.Now()
			f()
			best = min(best, time.Since(from))
		}
		return best
	}
	var copied map[engine.KeyID]int64
	var s *Counts
	full := least(3, func() { copied = maps.Clone(m) })
	runtime.GC() // the copies' garbage is not the snapshot's doing
	pause := least(50, func() { s = c.Snapshot() })
	if len(copied) != keys || s.Used() != keys {
		t.Fatal("not everything was copied")
	}
	if pause*1000 > full {
		t.Fatalf("a snapshot takes %v, a full copy %v", pause, full)
	}
	t.Logf("snapshot %v, full copy %v: 1/%d", pause, full, full/pause)
}

func BenchmarkCountsSnapshot1M(b *testing.B) {
	c := NewCounts(1_000_000)
	for b.Loop() {
		c.Snapshot()
	}
}

func BenchmarkMapClone1M(b *testing.B) {
	var sink map[engine.KeyID]int64
	m := make(map[engine.KeyID]int64, 1_000_000)
	for k := range engine.KeyID(1_000_000) {
		m[k] = 1
	}
	for b.Loop() {
		sink = maps.Clone(m)
	}
	_ = sink
}
