//go:build !soak

package explore_test

const soaking = false
