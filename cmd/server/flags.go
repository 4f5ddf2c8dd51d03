package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"effectivelyonce/engine"
)

// usage is a command line that was not understood.
type usage struct{ msg string }

func (u *usage) Error() string { return u.msg }

func usagef(format string, args ...any) error { return &usage{fmt.Sprintf(format, args...)} }

// flagSet is a flag.FlagSet that takes flags before and after the arguments,
// each flag once unless it repeats, and names the nearest flag for a wrong one.
type flagSet struct{ *flag.FlagSet }

func newFlags() flagSet {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return flagSet{fs}
}

// once is a flag that may be given once.
type once struct {
	value string
	given bool
}

func (o *once) String() string { return o.value }

func (o *once) Set(v string) error {
	if o.given {
		return errors.New("it is given twice")
	}
	o.value, o.given = v, true
	return nil
}

// many is a flag that repeats.
type many []string

func (m *many) String() string { return strings.Join(*m, " ") }

func (m *many) Set(v string) error {
	*m = append(*m, v)
	return nil
}

// text declares a flag given at most once.
func (f flagSet) text(name, def string) *once {
	o := &once{value: def}
	f.Var(o, name, "")
	return o
}

// texts declares a flag that repeats.
func (f flagSet) texts(name string) *many {
	m := &many{}
	f.Var(m, name, "")
	return m
}

func (f flagSet) names() []string {
	var out []string
	f.VisitAll(func(fl *flag.Flag) { out = append(out, "--"+fl.Name) })
	return out
}

// parse reads the command line and returns what is no flag.
func (f flagSet) parse(args []string) ([]string, error) {
	var rest []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return nil, f.explain(err)
		}
		if f.NArg() == 0 {
			break
		}
		if len(f.Args()) < len(args) && args[len(args)-f.NArg()-1] == "--" {
			return append(rest, f.Args()...), nil
		}
		rest = append(rest, f.Arg(0))
		args = f.Args()[1:]
	}
	return rest, nil
}

// explain turns the flag package's words into ours.
func (f flagSet) explain(err error) error {
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: -"); ok {
		name = "--" + strings.TrimLeft(name, "-")
		out := fmt.Sprintf("unknown flag %s; allowed: %s", name, strings.Join(f.names(), ", "))
		if near := engine.Nearest(name, f.names()); near != "" {
			out += fmt.Sprintf("; did you mean %q?", near)
		}
		return usagef("%s", out)
	}
	if name, ok := strings.CutPrefix(msg, "flag needs an argument: -"); ok {
		return usagef("flag --%s needs a value", strings.TrimLeft(name, "-"))
	}
	if i := strings.Index(msg, "for flag -"); i >= 0 {
		name, why, _ := strings.Cut(msg[i+len("for flag -"):], ": ")
		return usagef("flag --%s: %s", name, why)
	}
	return usagef("%s", msg)
}

// oneOf checks a flag with a closed list of values.
func oneOf(name, value string, allowed ...string) error {
	for _, a := range allowed {
		if a == value {
			return nil
		}
	}
	msg := fmt.Sprintf("flag --%s: found %q; allowed: %s", name, value, strings.Join(allowed, ", "))
	if near := engine.Nearest(value, allowed); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return usagef("%s", msg)
}
