// Package lab runs a job in real processes of this same binary: a broker, a
// coordinator, and one worker for each node of the plan. A learner kills, freezes
// and thaws them, cuts the broker off, and watches what comes of it.
//
//	lab.go, life.go      the lab itself, in the server: starts, watches and replaces processes
//	child_*.go           what each child process does; config.go is what it is told
//	hub.go, node.go      coordinator and workers on the network of the lab
//	link.go, wire.go     one channel of the plan between two workers; messages as gob
//
// A process of the job that dies is started again by the lab, as an orchestrator
// would. That the job restores from its newest checkpoint, and what it tells the
// outside, is decided by the same machines as in the simulation (engine/machine).
// The broker is the one process that the lab never kills: it is the outside world.
package lab
