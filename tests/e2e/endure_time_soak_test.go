//go:build soak

package e2e

const (
	enduringRounds   = 20
	enduringTroubles = 10
)
