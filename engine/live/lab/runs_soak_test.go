//go:build soak

package lab

import "time"

// labRuns is how many labs a test starts and closes.
const labRuns = 200

// cutFor is how long the broker is cut off in a test.
const cutFor = 30 * time.Second
