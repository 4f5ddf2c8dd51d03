//go:build soak

package e2e

// walkEvery: all lessons.
const walkEvery = 1
