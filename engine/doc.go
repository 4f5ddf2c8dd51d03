// Package engine holds the nouns of the stream engine: what flows (Record,
// Barrier), what a job is made of (Plan, Task, Channel, Settings, Input), what
// can happen (Event) and what can go wrong (Fault). It has no behaviour in time.
//
// The packages below it, in the order in which they may import each other:
//
//	world    what survives a crash and what lies outside
//	machine  tasks, coordinators, sink writers: pure state machines
//	trace    the numbered events of a run, and the fold that turns them into a picture
//	check    the oracle: what the outside world holds against what it should hold
//	sim      the seeded scheduler on a virtual clock that performs what machines ask
//	explore  every fault at every gap
//
// A run is a pure function of (scenario, settings, input, seed, faults). Nothing
// in here reads a clock, a random source, a file or an environment variable.
package engine
