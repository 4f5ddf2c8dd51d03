package world

import "effectivelyonce/engine"

// Register gives a process that starts as this task its token: a number that grows
// with each start of the task. A store that checks tokens knows the newest one from
// here on, so that whoever was started earlier is refused, however late it comes
// (facts 11.4: checked by the store, not by the client).
func (w *World) Register(task engine.TaskID) int16 {
	w.tokens[task]++
	return w.tokens[task]
}

// Replaced reports whether a newer process has started as the task that asks.
func (w *World) Replaced() bool { return w.Asker >= 0 && w.Token < w.tokens[w.Asker] }

// Refuses reports whether a store that checks tokens turns the asker away, and fills
// in what that is recorded as: nothing was changed.
func (w *World) Refuses(ev *engine.Event) bool {
	if !w.Replaced() {
		return false
	}
	ev.Kind, ev.Before, ev.After = engine.Fenced, int64(w.Token), int64(w.tokens[w.Asker])
	return true
}
