//go:build soak

package e2e

// serverKills is how many servers with a lab a test kills.
const serverKills = 200
