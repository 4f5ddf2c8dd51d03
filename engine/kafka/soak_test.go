//go:build soak

package kafka

import (
	"flag"
	"testing"
)

var (
	sequencesFrom = flag.Uint64("sequences-from", 0, "the first seed of the generated sequences")
	sequencesN    = flag.Uint64("sequences", 10_000, "how many of them are compared with kfake")
)

// TestSoakSequencesOnKfake compares ten thousand sequences.
func TestSoakSequencesOnKfake(t *testing.T) { conformKfake(t, *sequencesFrom, *sequencesN) }

// TestSoakSequencesOnApacheKafka compares five hundred, and twenty more in which
// transactions expire.
func TestSoakSequencesOnApacheKafka(t *testing.T) {
	if b, ok := apache(t); ok {
		conformApache(t, b, *sequencesFrom, 500, 20)
	}
}
