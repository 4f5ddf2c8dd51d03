//go:build soak

package e2e

// cutSeconds is how long a test cuts the broker off.
const cutSeconds = 30
