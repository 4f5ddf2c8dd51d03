//go:build soak

package e2e

// The settings make the most events that we found: a checkpoint is always under way.
const (
	enduringRounds   = 20
	enduringTroubles = 10
	enduringSettings = "&set=parallelism=4&set=checkpoint.interval=1ms&set=checkpoint.min-pause=0s"
)
