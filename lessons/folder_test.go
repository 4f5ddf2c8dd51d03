package lessons_test

import (
	"os"
	"strings"
	"testing"

	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// A lesson is a folder of files. This one is known to no line of Go; it must
// appear in the course and play.
func TestAFolderOfFilesIsALesson(t *testing.T) {
	cat, problems := lessons.Load(os.DirFS("testdata/course"))
	problems = append(problems, cat.Prepare(sim.Run)...)
	problems = append(problems, cat.CheckClaims(sim.Run, exploreAll)...)
	for _, p := range problems {
		t.Errorf("problem: %s", p)
	}
	l := cat.Lesson("toast")
	if l == nil || l.Coming || l.Number != 1 || l.Time() != "2 min" || len(l.Segments) != 2 {
		t.Fatalf("lesson %+v", l)
	}
	if jam := cat.Lesson("jam"); jam == nil || !jam.Coming || jam.Number != 2 {
		t.Errorf("a lesson without a folder is %+v, want it coming", jam)
	}
	plate, again := l.Segments[0], l.Segments[1]
	if want := `<p>4 slices will be on the plate, <span class="chip key-a" title="record rye, offset 0">r0</span> first.</p>`; plate.HTML != want {
		t.Errorf("found %s\nwant  %s", plate.HTML, want)
	}
	if plate.UntilEvent == 0 || again.StartEvent <= plate.UntilEvent || again.UntilEvent != again.LastEvent || again.LedgerID != "P0:0" {
		t.Errorf("segments stop at %d and go from %d to %d of %d, ledger of %q", plate.UntilEvent, again.StartEvent, again.UntilEvent, again.LastEvent, again.LedgerID)
	}
	if len(again.Beats) != 1 || !strings.Contains(again.HTML, `href="?seg=again&amp;scenario=toaster&amp;fault=crash-job@before:checkpoint.complete~1&amp;at=`) {
		t.Errorf("beat %+v in %s", again.Beats, again.HTML)
	}
	if why := again.Bet.Options[1].Why.HTML; why != "8 of them." {
		t.Errorf("the bet says %q", why)
	}
	if q := l.Quiz[0]; q.Derived == nil || q.Derived.Number != 8 {
		t.Errorf("the question's answer is %+v", q.Derived)
	}
	playsToItsEnd(t, cat, l)
}

// playsToItsEnd compiles and runs every step, as a page would.
func playsToItsEnd(t *testing.T, cat *lessons.Catalogue, l *lessons.Lesson) {
	t.Helper()
	for _, s := range l.Segments {
		job, faults, err := cat.Compile(l.Query(s))
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		r, err := quizzes.Play(sim.Run, job, faults)
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		if r.Trace.Len() != s.LastEvent {
			t.Errorf("%s has %d events, prepared for %d", s.ID, r.Trace.Len(), s.LastEvent)
		}
	}
}
