//go:build soak

package lab

// labRuns is how many labs a test starts and closes.
const labRuns = 200
