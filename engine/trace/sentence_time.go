package trace

import (
	"fmt"
	"strconv"

	"effectivelyonce/engine"
)

// Clock prints an event time.
func Clock(t int64) string {
	switch {
	case engine.Time(t) >= engine.EndOfTime:
		return "the end"
	case engine.Time(t) <= engine.NoTime:
		return "nothing"
	}
	if minute := int64(60 * engine.Second); t != 0 && t%minute == 0 {
		return strconv.FormatInt(t/minute, 10) + "m"
	}
	return engine.Time(t).String()
}

// time is what watermarks and windows do.
func (s *speaker) time() string {
	e := s.e
	switch {
	case e.Kind == engine.WindowFired && e.Before > 0:
		return fmt.Sprintf("fired %s's window to %s again: %d are in it, %d before.", s.key(), Clock(e.Value), e.After, e.Before)
	case e.Kind == engine.WindowFired:
		return fmt.Sprintf("fired %s's window to %s: %s in it.", s.key(), Clock(e.Value), count(e.After, "record", "records"))
	case e.Kind == engine.RecordJoined:
		return fmt.Sprintf("joined %s, whose time has come: %s became %s.", s.rec(), engine.FormatNumber(e.Before), engine.FormatNumber(e.After))
	case e.Chan != engine.NoChan && e.After == e.Before:
		return fmt.Sprintf("got watermark %s from %s; the other inputs hold it at %s.", Clock(e.Value), s.from(), Clock(e.After))
	case e.Chan != engine.NoChan:
		return fmt.Sprintf("got watermark %s from %s; event time is %s.", Clock(e.Value), s.from(), Clock(e.After))
	case s.task().Kind != engine.OpSource:
		return fmt.Sprintf("told its outputs again that event time is %s.", Clock(e.After))
	}
	return fmt.Sprintf("sent watermark %s: nothing earlier will follow.", Clock(e.After))
}

// operator is what a step other than the counter did with a record; false where it
// is a plain one.
func (s *speaker) operator() (string, bool) {
	e, set := s.e, &s.t.Job.Settings
	number := engine.FormatNumber
	switch kind := s.task().Kind; {
	case kind == engine.OpForward && set.Lookup != engine.LookupOff && e.Reason == engine.KnownRecord:
		return fmt.Sprintf("took the stored answer for %s: %s.", s.rec(), number(e.After)), true
	case kind == engine.OpForward && set.Lookup != engine.LookupOff:
		return fmt.Sprintf("asked outside about %s: %s became %s.", s.rec(), number(e.Before), number(e.After)), true
	case kind != engine.OpCount:
		return "", false
	case e.Reason == engine.LateRecord:
		return fmt.Sprintf("dropped %s as late: its window to %s is gone.", s.rec(), Clock(int64(set.WindowEnd(s.t.Job.EventTime(e.Rec))))), true
	case e.Reason == engine.KnownRecord:
		return fmt.Sprintf("dropped %s: it remembers the first %s.", s.rec(), s.key()), true
	case e.Reason == engine.TableChange:
		return fmt.Sprintf("set %s to %s in its table; it was %s.", s.key(), number(e.After), number(e.Before)), true
	case e.Reason == engine.AwaitsTime:
		return fmt.Sprintf("holds %s until event time has passed %s.", s.rec(), Clock(int64(s.t.Job.EventTime(e.Rec)))), true
	case set.Operator == engine.OperatorWindow:
		return fmt.Sprintf("put %s into the window to %s: %d became %d.", s.rec(), Clock(int64(set.WindowEnd(s.t.Job.EventTime(e.Rec)))), e.Before, e.After), true
	case set.Operator == engine.OperatorJoin:
		return fmt.Sprintf("joined %s with its table: %s became %s.", s.rec(), number(e.Before), number(e.After)), true
	case set.Operator == engine.OperatorDedup:
		return fmt.Sprintf("let %s through as the first %s.", s.rec(), s.key()), true
	}
	return "", false
}

// copied says what is in the snapshot of a step with state.
func (s *speaker) copied() string {
	n := s.e.After
	switch s.t.Job.Settings.Operator {
	case engine.OperatorWindow:
		return count(n, "open window", "open windows")
	case engine.OperatorJoin:
		return count(n, "entry", "entries")
	}
	return count(n, "key", "keys")
}
