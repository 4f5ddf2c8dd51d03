//go:build soak

package sqldb

import "testing"

// 10,000 other sequences than those of every test run.
func TestSoakSequences(t *testing.T) { compare(t, 1_000_000, 1_010_000) }
