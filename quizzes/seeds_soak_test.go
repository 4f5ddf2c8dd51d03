//go:build soak

package quizzes_test

// keySeeds is how many seeds a drawn question is tried with.
const keySeeds = 1000

// momentSeeds is the same for a question that crashes the run at every moment.
const momentSeeds = 1000
