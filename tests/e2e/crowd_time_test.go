//go:build !soak

package e2e

import "time"

// crowdTime is how long a crowd answers; make soak takes a minute.
const crowdTime = 2 * time.Second
