package stage

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Whoever restores a store of kafka-streams must be seen to read its changelog: the
// store, the log and the task say it, from the restart to the end of the restore.
func TestRebuiltStoreNamesItsChangelog(t *testing.T) {
	sh := shape{rows: meters, set: []string{"topology=J", "strategy=kafka-streams", "processing.guarantee=exactly_once_v2", "sink=upsert", "output=total"},
		faults: []string{"crash-node:node/0@before:txn.commit~3"}}
	tr := sh.run(t)
	s := stageOf(tr)
	id, _ := s.Job.Plan.Find("count/0")
	seen := 0
	for n := 1; n <= tr.Len(); n++ {
		s.Apply(tr.At(n))
		r := all(t, s).Regions
		says := strings.Contains(r["count/0/state"], "rebuilding") && strings.Contains(r["shelf"], "count/0 reads it") && strings.Contains(r["shelf"], "made anew from the changelog")
		restores := s.view.Tasks[id].Status == trace.Restarted
		if says != restores {
			t.Fatalf("event %d, %s: restoring %v, said %v", n, tr.At(n).Kind, restores, says)
		}
		if says {
			seen++
			// What the aborted transaction had sent stays in the log and counts for nothing.
			if !strings.Contains(r["shelf"], "6 entries") || !strings.Contains(r["shelf"], "m1:3 m2:1 m4:2 · skips 8 aborted") {
				if s.view.Kept.Entries[id] == 14 {
					t.Fatalf("event %d: the changelog's card: %s", n, r["shelf"])
				}
			}
		}
	}
	if seen < 2 {
		t.Errorf("the store was rebuilt for %d events; the run is no example", seen)
	}
}

// A shield says that somebody was refused. Who it was has to be a word, also where
// the node is narrow.
func TestFencedZombieIsNamedOnANarrowNode(t *testing.T) {
	sh := shape{rows: cards, set: []string{"topology=J", "sink=transactional", "output=total"}, faults: []string{"pause:sink/0:8s@after:record.received~8@sink/0"}}
	tr := sh.run(t)
	for _, tall := range []bool{false, true} {
		s := New(tr.Job, Options{Faults: tr.Faults, Coordinator: true, Tall: tall})
		at := 0
		for n := 1; n <= tr.Len() && at == 0; n++ {
			s.Apply(tr.At(n))
			if e := tr.At(n); e.Kind == engine.Fenced && e.Zombie > 0 {
				at = n
			}
		}
		id, _ := s.Job.Plan.Find("sink/0")
		z := s.zombie(id)
		if at == 0 || z.Glyph != "fenced" || !strings.Contains(z.Word, "zombie") || sansText(z.Word, 11)+pillRoom > z.Pill.W+4 {
			t.Errorf("tall %v, event %d: %+v", tall, at, z)
		}
		// Both numbers of the fence are drawn: below the word or behind it.
		if said := z.Word + z.More; !strings.Contains(said, "epoch 1, newest 2") && !strings.Contains(said, "epoch 1, now 2") || z.Pill.Bottom() > s.lay.Nodes[id].H+s.roomBelow(id) {
			t.Errorf("tall %v: %+v with %d below", tall, z, s.roomBelow(id))
		}
	}
}

// What a zombie has is told apart from what its replacement has: both bear one name.
func TestZombieAndReplacementCountApart(t *testing.T) {
	for _, c := range []struct{ set, own string }{{"fencing=off", "had 8"}, {"fencing=on", "token 1"}} {
		tr := shape{rows: cards, set: []string{"topology=J", "sink=upsert", "output=total", c.set}, faults: []string{"pause:sink/0:8s@after:record.received~8@sink/0"}}.run(t)
		s := stageOf(tr)
		id, _ := s.Job.Plan.Find("sink/0")
		seen := 0
		for n := 1; n <= tr.Len(); n++ {
			s.Apply(tr.At(n))
			if z := s.view.ZombieOf(id); z == nil || !z.Awake || c.set == "fencing=on" && !z.Refused {
				continue
			}
			lines, _ := s.lines(id)
			label := s.nodeAttrs(id)["aria-label"]
			if z := s.zombie(id); !strings.HasPrefix(z.More, c.own) || !strings.HasPrefix(strings.Join(lines, ""), "new: ") || !strings.Contains(label, c.own) {
				t.Fatalf("%s, event %d: %+v beside %q, %s", c.set, n, z, lines, label)
			}
			seen++
		}
		if seen == 0 {
			t.Errorf("%s: no zombie acted; the run is no example", c.set)
		}
	}
}

// A transaction that goes on over several lines of a topic has one frame, open where
// it goes on, and one name.
func TestTransactionOverLinesIsNamedOnce(t *testing.T) {
	tr := shape{rows: cards, set: []string{"topology=J", "sink=transactional", "output=total"}, faults: []string{"pause:sink/0:8s@after:record.received~8@sink/0"}}.run(t)
	s := stageOf(tr)
	most := 0
	for n := 1; n <= tr.Len(); n++ {
		s.Apply(tr.At(n))
		names := map[string]int{}
		pieces, from, to := 0, 0, 0
		for k := range s.lay.Panels[0].Lines {
			for _, r := range s.outsideLine(0, k).Runs {
				pieces++
				if r.Label != "" {
					names[r.Label]++
				}
				if r.From {
					from++
				}
				if r.To {
					to++
				}
				if (r.From || r.To) != (r.edge() != "") {
					t.Fatalf("event %d: %+v has the edge %q", n, r, r.edge())
				}
			}
		}
		for name, times := range names {
			if times > 1 {
				t.Fatalf("event %d: %q stands there %d times", n, name, times)
			}
		}
		if len(s.view.Outside[0].Rows) <= len(s.lay.Panels[0].Lines)*s.lay.Panels[0].PerLine && from != to {
			t.Fatalf("event %d: %d pieces go on, %d have begun before", n, to, from)
		}
		most = max(most, pieces-len(names))
	}
	if most < 2 {
		t.Errorf("at most %d lines without a name; the run is no example", most)
	}
}

// The number of the event stands below the track: above it lies the mark of the event.
func TestBubbleHidesNoMark(t *testing.T) {
	tr := runOf(t, "J expired")
	_, html := page(t, tr, tr.Len(), Options{})
	i := strings.Index(html, `class="bubble"`)
	if i < 0 || !strings.Contains(html[i:i+120], `y="64"`) || trackY+trackH > 64 {
		t.Errorf("the bubble: %s", html[max(0, i):i+120])
	}
}

// A stretch of the timeline that is too short for its word has it as its title.
func TestShortStretchesHaveTheirWord(t *testing.T) {
	tr := runOf(t, "J expired")
	_, html := page(t, tr, tr.Len(), Options{})
	if i := strings.Index(html, "span-down"); i < 0 || !strings.Contains(html[i:i+400], "<title>down</title>") {
		t.Errorf("the stretch in which the job is down: %s", html[max(0, i):max(0, i)+400])
	}
}

// A loop that reads its input again to have its counts back sends nothing of what was
// written and saved before: it does not say that it still has to be written.
func TestALoopThatFillsItsCountsOwesNothing(t *testing.T) {
	tr := shape{rows: meters, set: strings.Fields("strategy=offset-commit topology=LOOP sink=upsert output=total state.recovery=replay-input"), faults: []string{"crash-node:node/0@before:offset.commit~3"}}.run(t)
	s := stageOf(tr)
	fills := 0
	for n := 1; n <= tr.Len(); n++ {
		s.Apply(tr.At(n))
		for p := range s.view.Logs {
			said := s.loopAttrs(0, p)["aria-label"]
			if again := strings.Contains(said, "counts again"); again {
				fills++
			} else if l := &s.view.Logs[p]; l.Next < l.Refill && s.view.Tasks[0].Status == trace.Running {
				t.Fatalf("event %d: %s", n, said)
			}
		}
	}
	if fills < 3 {
		t.Errorf("counts were filled for %d events; the run is no example", fills)
	}
	for p := range s.view.Logs {
		if said := s.loopAttrs(0, p)["aria-label"]; !strings.Contains(said, "everything read is written and saved") {
			t.Errorf("at the end: %s", said)
		}
	}
}
