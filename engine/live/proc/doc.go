// Package proc keeps a group of child processes of this same binary: it starts
// them, talks to each over pipes, kills, freezes and thaws them, and sees to it
// that none outlives its parent.
//
//	group.go   the parent's side: Group, Process
//	child.go   the child's side: Parent
//	frame.go   messages with a length in front
//	mesh.go    connections among children, opened with a secret
//	state.go   what the kernel says about a process id
//
// How a child learns that its parent is gone, in the order in which it helps: the
// kernel kills it (PR_SET_PDEATHSIG, prctl(2); this works on a frozen process too,
// because SIGKILL does), and its standard input, which only the parent holds, ends.
// Linux only, as the killing and freezing of the lab is.
package proc
