//go:build soak

package explore_test

// soaking makes tests whose name begins with TestSoak run at full size.
const soaking = true
