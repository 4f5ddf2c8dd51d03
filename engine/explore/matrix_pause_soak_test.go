//go:build soak

package explore_test

import "testing"

// Over fifty seeds no pause of the sink leads to a class that the table forbids.
func TestSoakPauseOfTheSink(t *testing.T) { checkPauses(t, 50) }
