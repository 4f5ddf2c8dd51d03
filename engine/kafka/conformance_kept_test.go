package kafka

import (
	"os"
	"strings"
	"testing"
	"time"
)

// kept are the sequences of testdata/sequences.txt.
func kept(t *testing.T) (out [][]op) {
	t.Helper()
	text, err := os.ReadFile("testdata/sequences.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		ops, err := parseSequence(line)
		if err != nil {
			t.Fatalf("testdata/sequences.txt: %q: %v", line, err)
		}
		out = append(out, ops)
	}
	return out
}

func TestKeptSequencesAgreeWithKfake(t *testing.T) {
	for _, ops := range kept(t) {
		sameOnKfake(t, "kfake", ops, tally{})
	}
}

func TestKeptSequencesAgreeWithApacheKafka(t *testing.T) {
	b, ok := apache(t)
	if !ok {
		return
	}
	for _, ops := range kept(t) {
		timeout := time.Minute
		if expires(ops) {
			timeout = expiry
		}
		sameOnApache(t, b, "Apache Kafka", ops, timeout, tally{})
	}
}

// A model that makes a mistake is found out, and what shows it is made small. The last
// two mistakes are to forget a difference of kfake: each difference is there.
func TestMistakesOfTheModelAreFound(t *testing.T) {
	for wrong := none + 1; wrong < mistakes; wrong++ {
		fails := func(ops []op) error { return onKfake(t, ops, wrong, tally{}) }
		found := false
		for seed := uint64(0); seed < 400 && !found; seed++ {
			ops := sequence(seed)
			if fails(ops) == nil {
				continue
			}
			found = true
			small := smallest(ops, fails)
			if len(small) > 8 {
				t.Errorf("mistake %d: not made small: %s", wrong, sequenceText(small))
			}
			t.Logf("mistake %d, seed %d: %s", wrong, seed, sequenceText(small))
		}
		if !found {
			t.Errorf("mistake %d: no difference found", wrong)
		}
	}
}
