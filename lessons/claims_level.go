package lessons

import (
	"errors"
	"fmt"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/quizzes"
)

// level plays everything that a level says about itself: doing nothing and every
// decoy must fail, the best move and every other solution must win within the
// budget.
func (k *claims) level(lv *Level) {
	try := func(m LevelMove, what string, want bool) {
		won, why, err := k.won(lv, m)
		var impossible *engine.Impossible
		switch {
		case m.Refused && errors.As(err, &impossible):
		case err != nil:
			k.bad(lv.file, m.line, fmt.Sprintf("level, %s: %s", what, err), "")
		case m.Refused:
			k.bad(lv.file, m.line, fmt.Sprintf("level, %s can be built, the file says it is refused", what), retune)
		case won != want && want:
			k.bad(lv.file, m.line, fmt.Sprintf("level, %s does not win: %s", what, why), retune)
		case won != want:
			k.bad(lv.file, m.line, fmt.Sprintf("level, %s wins, a decoy must not", what), retune)
		}
	}
	try(LevelMove{line: lv.places["best"]}, "doing nothing", false)
	try(lv.Best, "the best move", true)
	for i, m := range lv.Also {
		try(m, fmt.Sprintf("also[%d]", i), true)
	}
	for i, m := range lv.Decoys {
		try(m, fmt.Sprintf("decoys[%d]", i), false)
	}
}

// won reports whether a move wins a level: an adversary's by its one run, a repair
// by the whole crash map.
func (k *claims) won(lv *Level, m LevelMove) (won bool, why string, err error) {
	q := lv.Query()
	start, _, err := k.cat.Compile(q)
	if err != nil {
		return false, "", err
	}
	q.Set = append(q.Set, m.Set...)
	q.Faults = m.Faults
	job, faults, err := k.cat.Compile(q)
	if err != nil {
		return false, "", err
	}
	if why := lv.Refuses(lv.Changed(start, job, m.Set), faults); why != "" {
		return false, why, nil
	}
	r, err := quizzes.Play(k.run, job, faults)
	if err != nil {
		return false, "", err
	}
	if lv.Kind == "adversary" {
		return lv.WonBy(r)
	}
	if !slices.Contains(lv.All, string(r.Class())) {
		return false, fmt.Sprintf("%s without any crash", r.Class()), nil // the map need not be drawn
	}
	found, err := k.explore(job, faults, lv.Kinds)
	if err != nil {
		return false, "", err
	}
	won, why = lv.Repaired(found)
	return won, why, nil
}
