//go:build soak

package e2e

// walkEvery: all lessons.
const walkEvery = 1

// finishedBy is what one kind of reader finishes: all of them.
func finishedBy(int) []string { return finished }
