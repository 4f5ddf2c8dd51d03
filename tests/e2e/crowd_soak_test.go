//go:build soak

package e2e

import "time"

// crowdTime is how long a crowd answers.
const crowdTime = time.Minute
