//go:build !soak

package e2e

// walkEvery: CI has time for every eleventh lesson; make soak walks all.
const walkEvery = 11

// finishedBy is what one kind of reader finishes: a lesson each, as CI has no time
// for all of them by each.
func finishedBy(kind int) []string { return finished[kind : kind+1] }
