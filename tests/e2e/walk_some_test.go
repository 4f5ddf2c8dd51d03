//go:build !soak

package e2e

// walkEvery: CI has time for every fourth lesson; make soak walks all.
const walkEvery = 4
