//go:build !soak

package quizzes_test

// keySeeds is how many seeds a drawn question is tried with; make soak tries 1000.
const keySeeds = 50

// momentSeeds is the same for a question that crashes the run at every moment.
const momentSeeds = 6
