//go:build !soak

package e2e

// How often a page that stays open is played to its end before it is weighed, and how
// often each trouble comes; make soak does more.
const (
	enduringRounds   = 2
	enduringTroubles = 1
	enduringSettings = ""
)
