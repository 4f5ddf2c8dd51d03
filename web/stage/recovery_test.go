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
	}
}
