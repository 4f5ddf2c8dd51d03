package web_test

import (
	"strings"
	"testing"
)

// The hints that a learner opened at a lesson's level stand in the address, without
// scripts, and are kept with the result.
func TestHintsOfALessonsLevelAreKept(t *testing.T) {
	store := newStore(t)
	p := newPerson(t, newServer(t, withStore(store)))
	pg, said := p.visit("/lessons/durable-state?seg=level")
	if !strings.Contains(said, "Hint: where to look") || strings.Contains(said, "What does the restarted loop still have") {
		t.Error("the first page of the level offers no hint, or tells one")
	}
	_, said = p.visit("/lessons/durable-state?seg=hint-2")
	for _, want := range []string{"What does the restarted loop still have", "The log still holds everything", "Hint: the move", `name="seg" value="hint-2"`, `data-segment="hint-2"`} {
		if !strings.Contains(said, want) {
			t.Errorf("with two hints opened there is no %q", want)
		}
	}
	if pg.byID("step-level") == nil {
		t.Error("the level is not the step of this page")
	}
	p.visit("/lessons/durable-state?seg=hint-2&scenario=plain-memory&set=state.recovery%3Dreplay-input")
	h := p.history(store)
	if len(h.Levels) != 1 || h.Levels[0].Hints != 2 {
		t.Errorf("kept are %+v", h.Levels)
	}
	if len(h.Seen) != 1 || h.Seen[0].Segment != "level" {
		t.Errorf("seen are %+v", h.Seen)
	}
	if res := get(t, newServer(t), "/lessons/durable-state?seg=hint-4"); res.StatusCode != 400 || !strings.Contains(body(t, res), "hint-1 to hint-3") {
		t.Errorf("a hint that is not there: status %d", res.StatusCode)
	}
}
