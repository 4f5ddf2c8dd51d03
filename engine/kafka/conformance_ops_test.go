package kafka

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// op is one step of a sequence. What a and b choose from depends on what there is
// when it is carried out (they are taken modulo, the newest life or transaction being
// 0), so that any step can be left out of a sequence and the rest still means something.
type op struct {
	kind string
	a, b int
}

// The steps, and what a and b choose.
var opKinds = []struct {
	kind   string
	weight int
}{
	{"life", 3},      // a task comes to life again (a), from a checkpoint (b); the older life becomes a zombie
	{"begin", 8},     // of a life (a), zombies too
	{"write", 9},     // into a transaction (a), 1 to 3 rows (b), by the life that began it
	{"precommit", 8}, // a transaction (a)
	{"commit", 5},    // a transaction (a), by the life that began it or by one that was promised it (b)
	{"abort", 1},     // a transaction (a), by the life that began it or one that found it lingering (b)
	{"plain", 2},     // a row without a transaction
	{"expire", 2},    // the time of every open transaction is up
	{"read", 3},      // both readers, and both ends
}

// sequence makes one from a seed: without steps named in without.
func sequence(seed uint64, without ...string) []op {
	rnd := rand.New(rand.NewPCG(seed, 8))
	total := 0
	for _, k := range opKinds {
		total += k.weight
	}
	ops := []op{{"life", 0, 0}}
	newer := func() int { return min(rnd.IntN(8), rnd.IntN(8)) / 2 } // 0 to 3, the new more often
	for range 8 + rnd.IntN(24) {
		at := rnd.IntN(total)
		for _, k := range opKinds {
			if at -= k.weight; at < 0 {
				if !slices.Contains(without, k.kind) {
					ops = append(ops, op{k.kind, newer(), rnd.IntN(12)})
				}
				break
			}
		}
	}
	return ops
}

func sequenceText(ops []op) string {
	var out []string
	for _, o := range ops {
		out = append(out, fmt.Sprintf("%s %d %d", o.kind, o.a, o.b))
	}
	return strings.Join(out, "; ")
}

func parseSequence(text string) (ops []op, err error) {
	for _, part := range strings.Split(text, ";") {
		var o op
		if _, err := fmt.Sscanf(strings.TrimSpace(part), "%s %d %d", &o.kind, &o.a, &o.b); err != nil {
			return nil, fmt.Errorf("step %q: %w", part, err)
		}
		ops = append(ops, o)
	}
	return ops, nil
}

// shrink leaves out steps as long as the sequence still fails: halves, quarters, …,
// single ones.
func shrink(ops []op, fails func([]op) bool) []op {
	for size := len(ops) / 2; size > 0; {
		smaller := false
		for from := 0; from+size <= len(ops); {
			less := slices.Concat(ops[:from], ops[from+size:])
			if fails(less) {
				ops, smaller = less, true
			} else {
				from += size
			}
		}
		if !smaller || size > 1 {
			size /= 2
		}
	}
	return ops
}
