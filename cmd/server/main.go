// Command server is Effectively Once: a stream engine to crash, and the course
// about it.
//
//	server [serve]  the site
//	server run      one run of a scenario, for people or as JSON
//	server explore  every crash at every moment
//	server matrix   the guarantees of every strategy with every sink
//	server new-lesson  the folder of a new lesson, with texts to write
//	server check    everything the content folder says, checked by the engine
//	server counts   how often each answer was given
//	server health   asks a running server, for containers without a shell
//
// Exit status: 0 done, whatever the class; 1 where --expect differs or check
// found problems; 2 usage or bad input.
//
//	main.go     subcommands and exit status
//	flags.go    flags, read strictly
//	content.go  the catalogue: embedded, or a folder
//	runner.go   the engine as package web wants it
//	lab.go      processes of the live lab, and the lab as package web wants it
//	serve.go    the program as a value: Config, New, Run, Close
//	keep.go     where progress is kept; counts
//	run.go, report.go      run, and how a run is printed
//	matrix.go, matrix_text.go  matrix, and how it is printed
//	explore.go, check.go, health.go  the other subcommands
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"effectivelyonce/engine"
)

// Exit statuses.
const (
	exitDone   = 0
	exitDiffer = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := Main(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(status)
}

// Streams is where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// command is one subcommand. Its status counts only when it returns no error.
type command struct {
	name, line string
	run        func(ctx context.Context, args []string, s Streams) (status int, err error)
	help       func(w io.Writer)
}

func commands() []command {
	return []command{
		{"serve", "serve the site", serveCommand, serveHelp},
		{"run", "run a scenario once", runCommand, runHelp},
		{"explore", "crash everything at every moment", exploreCommand, exploreHelp},
		{"matrix", "the guarantees of every strategy and sink", matrixCommand, matrixHelp},
		{"check", "check the content with the engine", checkCommand, checkHelp},
		{"new-lesson", "write the folder of a new lesson", newLessonCommand, newLessonHelp},
		{"counts", "how often each answer was given", countsCommand, countsHelp},
		{"health", "ask a running server whether it is well", healthCommand, healthHelp},
	}
}

// Main runs the program and returns its exit status.
func Main(ctx context.Context, args []string, s Streams) int {
	name := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	} else if len(args) > 0 && isHelp(args[0]) {
		name = "help"
	}
	if name == "help" {
		return help(args, s)
	}
	var names []string
	for _, c := range append(commands(), labParts()...) {
		if c.name == name {
			return finish(c, args, s, ctx)
		}
		if c.line != "" {
			names = append(names, c.name)
		}
	}
	msg := fmt.Sprintf("server: unknown command %q; allowed: %s, help", name, strings.Join(names, ", "))
	if near := engine.Nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	_, _ = fmt.Fprintln(s.Err, msg)
	return exitUsage
}

func finish(c command, args []string, s Streams, ctx context.Context) int {
	for _, a := range args {
		if isHelp(a) {
			c.help(s.Out)
			return exitDone
		}
	}
	status, err := c.run(ctx, args, s)
	if err == nil {
		return status
	}
	_, _ = fmt.Fprintf(s.Err, "server %s: %s\n", c.name, err)
	var u *usage
	if errors.As(err, &u) {
		_, _ = fmt.Fprintf(s.Err, "See: server help %s\n", c.name)
	}
	return exitUsage
}

func isHelp(a string) bool { return a == "-h" || a == "-help" || a == "--help" }

func help(args []string, s Streams) int {
	for _, c := range commands() {
		if len(args) > 0 && args[0] == c.name {
			c.help(s.Out)
			return exitDone
		}
	}
	_, _ = fmt.Fprint(s.Out, "Effectively Once: crash a stream engine, and see what the world saw.\n\n")
	for _, c := range commands() {
		_, _ = fmt.Fprintf(s.Out, "  server %-10s %s\n", c.name, c.line)
	}
	_, _ = fmt.Fprint(s.Out, "\nserver help COMMAND tells more. Without a command the site is served.\n")
	return exitDone
}
