package engine

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// BadFault is a fault that was not understood.
type BadFault struct {
	Spec, Where, Why string
}

// Error names the fault, the part and what is allowed there.
func (e *BadFault) Error() string {
	spec := e.Spec
	if len(spec) > 120 {
		spec = spec[:120] + "…"
	}
	return fmt.Sprintf("fault %q, %s: %s", spec, e.Where, e.Why)
}

func badFault(spec, where, why string) error { return &BadFault{Spec: spec, Where: where, Why: why} }

const maxFaultSpec = 200

// ParseFault reads a fault as architecture section 5 spells it:
//
//	KIND [":" TARGET] {":" ARG} "@" WHEN
//
// '#' is read as '~'. Names are not looked up; see Fault.Resolve.
func ParseFault(spec string) (Fault, error) {
	var f Fault
	if len(spec) > maxFaultSpec || !utf8.ValidString(spec) {
		return f, badFault(spec, "whole", fmt.Sprintf("allowed: at most %d bytes of UTF-8 text", maxFaultSpec))
	}
	norm := strings.ReplaceAll(spec, "#", "~")
	head, when, ok := strings.Cut(norm, "@")
	if !ok {
		return f, badFault(spec, "moment", `missing; write "@" and a moment, for example crash:count/0@57`)
	}
	if err := f.parseHead(spec, strings.Split(head, ":")); err != nil {
		return f, err
	}
	w, err := parseWhen(spec, when)
	f.When = w
	return f, err
}

func (f *Fault) parseHead(spec string, parts []string) error {
	f.Kind = FaultKind(parts[0])
	args := parts[1:]
	switch f.Kind {
	case CrashJob:
		if len(args) > 0 {
			return badFault(spec, "target", "crash-job takes no target; every process of the job dies")
		}
	case Crash:
		if len(args) != 1 || args[0] == "" {
			return badFault(spec, "target", "crash takes one target: a task like count/0, or coordinator")
		}
		f.Target = args[0]
	case CrashNode:
		if len(args) != 1 || args[0] == "" {
			return badFault(spec, "target", "crash-node takes one target: a node like node/0")
		}
		f.Target = args[0]
	case Slow:
		return f.parseSlow(spec, args)
	case Pause:
		return f.parsePause(spec, args)
	default:
		if known, err := f.parseOutage(spec, args); known {
			return err
		}
		why := fmt.Sprintf("unknown kind %q; allowed: %s", parts[0], strings.Join(FaultKinds(), ", "))
		if near := Nearest(parts[0], FaultKinds()); near != "" {
			why += fmt.Sprintf("; did you mean %q?", near)
		}
		return badFault(spec, "kind", why)
	}
	return nil
}

func (f *Fault) parseSlow(spec string, args []string) error {
	if len(args) < 2 || len(args) > 3 || args[0] == "" {
		return badFault(spec, "arguments", "slow is written slow:TASK:xN or slow:TASK:xN:DURATION")
	}
	f.Target = args[0]
	num, ok := strings.CutPrefix(args[1], "x")
	n, err := strconv.ParseInt(num, 10, 32)
	if !ok || err != nil || n < 2 || n > 1000 {
		return badFault(spec, "factor", fmt.Sprintf("found %q; allowed: x2 to x1000", args[1]))
	}
	f.Factor = n
	if len(args) == 3 {
		d, err := ParseDuration(args[2])
		if err != nil || d == 0 {
			return badFault(spec, "length", fmt.Sprintf("found %q; allowed: %s", args[2], durationWords))
		}
		f.Length = d
	}
	return nil
}

func parseWhen(spec, s string) (When, error) {
	w := When{Rec: NoRecord, K: 1, taskID: NoTask, sendID: NoTask}
	if rest, ok := strings.CutPrefix(s, "before:"); ok {
		w.Form = BeforeNamed
		return parseNamed(spec, rest, w)
	}
	if rest, ok := strings.CutPrefix(s, "after:"); ok {
		w.Form = AfterNamed
		return parseNamed(spec, rest, w)
	}
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		if n > MaxEvents {
			return w, badFault(spec, "moment", fmt.Sprintf("event %d is out of range; a run has at most %d events", n, MaxEvents))
		}
		w.Form, w.N = AfterEvent, int32(n)
		return w, nil
	}
	if t, err := ParseDuration(s); err == nil {
		w.Form, w.T = AtTime, t
		return w, nil
	}
	return w, badFault(spec, "moment", fmt.Sprintf("found %q; allowed: an event number, a duration like 300ms, before:EVENT or after:EVENT", s))
}

// parseNamed reads EVENT ["(" RECORD|CHANNEL ")"] ["~" K] ["@" TASK].
func parseNamed(spec, s string, w When) (When, error) {
	s, w.Task, _ = strings.Cut(s, "@")
	s, k, counted := strings.Cut(s, "~")
	if counted {
		n, err := strconv.ParseUint(k, 10, 31)
		if err != nil || n < 1 || n > MaxEvents {
			return w, badFault(spec, "moment", fmt.Sprintf("found ~%s; allowed: ~1 to ~%d", k, MaxEvents))
		}
		w.K = int(n)
	}
	name, arg, hasArg := strings.Cut(s, "(")
	kind, ok := ParseKind(name)
	if !ok {
		why := fmt.Sprintf("unknown event %q; allowed: %s", name, strings.Join(KindNames(), ", "))
		if near := Nearest(name, KindNames()); near != "" {
			why += fmt.Sprintf("; did you mean %q?", near)
		}
		return w, badFault(spec, "moment", why)
	}
	w.Event = kind
	if !hasArg {
		return w, nil
	}
	arg, closed := strings.CutSuffix(arg, ")")
	if !closed || arg == "" {
		return w, badFault(spec, "moment", `"(" must hold a record like P0:3 or a sending task like enrich/0 and be closed by ")"`)
	}
	if id, err := ParseRecordID(arg); err == nil {
		w.Rec = id
		return w, nil
	}
	w.Sender = arg
	return w, nil
}
