//go:build soak

package quizzes_test

// keySeeds is how many seeds a drawn question is tried with.
const keySeeds = 1000
