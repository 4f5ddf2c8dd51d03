package quizzes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// drawnBy is a question of the course, drawn by a seed.
func drawnBy(t *testing.T, eng quizzes.Engine, cat *lessons.Catalogue, id string, seed uint64) *quizzes.Question {
	t.Helper()
	q, _ := cat.Question(id)
	if q == nil {
		t.Fatalf("no question %s", id)
	}
	d, err := q.Derive(eng, seed)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func course(t *testing.T) (*lessons.Catalogue, quizzes.Engine) {
	t.Helper()
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cat, cat.Engine(sim.Run)
}

// What q11.3 says to each moment is what a crash at that moment does to the
// transaction: it did not exist, it was aborted while open, it was promised to a
// checkpoint that was never sealed, or it was committed before the crash.
func TestEachMomentOfAPromiseIsSaidRightly(t *testing.T) {
	cat, eng := course(t)
	for _, seed := range []uint64{2, 5, 8471} {
		d := drawnBy(t, eng, cat, "q11.3", seed)
		said := map[string]bool{}
		for n := 0; n <= d.Derived.Last; n++ {
			g, err := d.Grade(quizzes.Reply{Moment: n})
			if err != nil {
				t.Fatal(err)
			}
			if want := promiseAt(t, eng, d, n); !strings.Contains(g.Why.Text, want) {
				t.Errorf("seed %d, a crash at %d: the run says %q, the page %q", seed, n, want, g.Why.Text)
			}
			said[g.Why.Text] = true
		}
		if len(said) != 5 {
			t.Errorf("seed %d: %d explanations of 5", seed, len(said))
		}
	}
}

// promiseAt plays the crash and says how the transaction of the question fared.
func promiseAt(t *testing.T, eng quizzes.Engine, d *quizzes.Question, at int) string {
	t.Helper()
	var no, begun, committed, sealed, aborted int
	if _, err := fmt.Sscan(d.Fill("{n}"), &no); err != nil {
		t.Fatal(err)
	}
	f, err := engine.ParseFault(fmt.Sprintf("crash-job@%d", at))
	if err != nil {
		t.Fatal(err)
	}
	r, err := quizzes.Play(eng.Run, d.Derived.Job, []engine.Fault{f})
	if err != nil {
		t.Fatal(err)
	}
	promised, struck := 0, false
	for n := 1; n <= r.Trace.Len(); n++ {
		e := r.Trace.At(n)
		switch {
		case e.Kind == engine.FaultInjected:
			struck = true
		case struck && e.Kind == engine.TxnAbort:
			aborted++
		case struck:
		case e.Kind == engine.TxnBegin:
			begun++
		case e.Kind == engine.TxnPrecommit:
			promised++
		case e.Kind == engine.CheckpointComplete:
			sealed++
		case e.Kind == engine.TxnCommit:
			committed++
		}
	}
	switch {
	case begun < no:
		return "does not exist yet"
	case promised < no && aborted > 0:
		return "is still open then. It is aborted"
	case promised >= no && sealed < no && aborted > 0:
		return "no sealed checkpoint holds the promise. Aborted"
	case sealed >= no && committed < no:
		return "only this commit can publish it"
	case committed >= no:
		return "committed already"
	}
	return fmt.Sprintf("begun %d, promised %d, sealed %d, committed %d, aborted %d", begun, promised, sealed, committed, aborted)
}

// What q05.3 says to each event is true of that event: its kind, its source, its
// checkpoint.
func TestEachEventOfACutIsSaidRightly(t *testing.T) {
	cat, eng := course(t)
	for _, seed := range []uint64{2, 7, 210} {
		d := drawnBy(t, eng, cat, "q05.3", seed)
		var p, c int
		if _, err := fmt.Sscan(d.Fill("{p} {c}"), &p, &c); err != nil {
			t.Fatal(err)
		}
		tr := d.Derived.Run.Trace
		for n := 1; n <= d.Derived.Last; n++ {
			g, err := d.Grade(quizzes.Reply{Moment: n})
			if err != nil {
				t.Fatal(err)
			}
			if want := cutSaid(tr, tr.At(n), p, c); !strings.Contains(g.Why.Text, want) {
				t.Errorf("seed %d, event %d, %s: want %q, the page says %q", seed, n, trace.Sentence(tr, tr.At(n)), want, g.Why.Text)
			}
		}
	}
}

func cutSaid(tr *trace.Trace, e *engine.Event, p, c int) string {
	name := ""
	if e.Task >= 0 {
		name = tr.Job.Plan.Name(e.Task)
	}
	source := strings.HasPrefix(name, "source/")
	switch own := name == fmt.Sprintf("source/%d", p); {
	case e.Kind == engine.BarrierInjected || e.Kind == engine.SnapshotTaken && source:
		switch {
		case own && int(e.Ckpt) == c:
			return "noted its offset in the moment"
		case own:
			return "The right source, and another checkpoint"
		case int(e.Ckpt) == c:
			return "This is the other source. For the same checkpoint it notes its place in P" + fmt.Sprint(1-p)
		}
		return "The other source, and another checkpoint"
	case e.Kind == engine.SnapshotTaken:
		return "A task behind the sources makes its part"
	case e.Kind == engine.BarrierArrived:
		return "A barrier comes to a task behind the sources"
	case e.Kind == engine.BarrierAligned:
		return "has the barrier on all inputs"
	case slices.Contains([]engine.Kind{engine.SnapshotStored, engine.CheckpointAcked}, e.Kind):
		return "stored and reported here"
	case e.Kind == engine.CheckpointComplete:
		return "The seal makes the number count"
	case e.Kind == engine.CheckpointTriggered:
		return "The order goes out here"
	case e.Kind == engine.SourceRead:
		return "Reading moves the place"
	}
	return "No offset is noted here"
}

// q14.4 cannot be told by its setting: each guarantee has exact runs and others. And
// what it says of an exact one is what the run shows: what was aborted, how many
// records were counted again, and how many of them without being read again.
func TestACrashOfStreamsIsNotToldByItsSetting(t *testing.T) {
	cat, eng := course(t)
	seen := map[string]int{}
	for seed := uint64(1); seed <= 60; seed++ {
		d := drawnBy(t, eng, cat, "q14.4", seed)
		v, err := d.Derived.Run.Ask("setting processing.guarantee")
		if err != nil {
			t.Fatal(err)
		}
		exact := d.Options[0].Right
		seen[fmt.Sprint(v, " ", exact)]++
		if exact {
			saidOfRepeats(t, seed, d)
		}
	}
	for _, s := range []string{"at_least_once", "exactly_once_v2"} {
		yes, no := seen[s+" true"], seen[s+" false"]
		if yes*4 < no || no*4 < yes {
			t.Errorf("%s: %d exact runs, %d others", s, yes, no)
		}
	}
}

func saidOfRepeats(t *testing.T, seed uint64, d *quizzes.Question) {
	t.Helper()
	tr := d.Derived.Run.Trace
	read, counted := map[engine.RecordID]int{}, map[engine.RecordID]int{}
	aborted, again, waited := false, 0, 0
	var before []engine.RecordID
	for n := 1; n <= tr.Len(); n++ {
		e, after := tr.At(n), n > d.Derived.At
		switch {
		case e.Kind == engine.SourceRead && after:
			read[e.Rec] |= 2
		case e.Kind == engine.SourceRead:
			read[e.Rec] |= 1
			before = append(before, e.Rec)
		case e.Kind == engine.RecordProcessed && after:
			counted[e.Rec] |= 2
		case e.Kind == engine.RecordProcessed:
			counted[e.Rec] |= 1
		case e.Kind == engine.TxnAbort:
			aborted = true
		}
	}
	for _, id := range before {
		if counted[id] == 3 {
			again++
		}
		if read[id] == 1 && counted[id]&2 != 0 {
			waited++
		}
	}
	why, lost := d.Options[0].Why.Text, d.Options[1].Why.Text
	if want := fmt.Sprintf("%d record", again); again > 0 && !strings.Contains(why, want) || again == 0 && strings.Contains(why, "counted again") {
		t.Errorf("seed %d: %d records were counted again; %q", seed, again, why)
	}
	if aborted != strings.Contains(why, "aborted transaction") {
		t.Errorf("seed %d: aborted %v; %q", seed, aborted, why)
	}
	if want := fmt.Sprintf("%d from before lay in the repartition log", waited); waited > 0 && !strings.Contains(lost, want) {
		t.Errorf("seed %d: want %q; %q", seed, want, lost)
	}
	if strings.Contains(why, "or recognised") || strings.Contains(lost, "Everything from there on") {
		t.Errorf("seed %d: %q, %q", seed, why, lost)
	}

}

// No event of a question is told so that it says too much or something false.
func TestEventsAreToldWithoutHints(t *testing.T) {
	cat, eng := course(t)
	for id, want := range map[string]string{"q14.4": "with no output rows.", "q16.4": "remembered id"} {
		all := ""
		for seed := uint64(1); seed < 12; seed++ {
			tr := drawnBy(t, eng, cat, id, seed).Derived.Run.Trace
			for n := 1; n <= tr.Len(); n++ {
				all += quizzes.Told(tr, n) + "\n"
			}
		}
		if strings.Contains(all, "was empty") || strings.Contains(all, "still missing") || !strings.Contains(all, want) {
			t.Errorf("%s: a sentence says too much, or none says %q", id, want)
		}
	}
}
