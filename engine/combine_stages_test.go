package engine

import (
	"errors"
	"strings"
	"testing"
)

// TestWhatStagesStatesAndVotersRefuse is curriculum 3.6, numbers 5, 11 and 12, and
// what follows from the topologies.
func TestWhatStagesStatesAndVotersRefuse(t *testing.T) {
	in := &Input{Keys: []string{"a"}, Parts: [][]Datum{{{}}}}
	const order, byID = "Dataflow does not promise order between stages, which a position guard needs.", "Not modelled: this engine removes repeats by record id."
	for _, c := range []struct{ settings, pair, why, nearest string }{
		{"strategy=dataflow sink=offset-with-output", "strategy=dataflow with sink=offset-with-output", order, "sink=dedup"},
		{"strategy=dataflow sink=transactional", "strategy=dataflow with sink=transactional", byID, "sink=dedup"},
		{"strategy=dataflow sink=files", "strategy=dataflow with sink=files", byID, "sink=dedup"},
		{"strategy=dataflow topology=LOOP", "topology=LOOP with strategy=dataflow", "LOOP is one process", "strategy=offset-commit"},
		{"strategy=xa topology=LOOP sink=email", "strategy=xa with sink=email", "A mailbox cannot promise to send later.", "sink=transactional"},
		{"strategy=xa topology=LOOP sink=upsert", "strategy=xa with sink=upsert", "cannot promise", "sink=transactional"},
		{"strategy=xa sink=transactional", "strategy=xa with topology=J", "LOOP is one process", "topology=LOOP"},
		{"strategy=trident sink=email output=total", "strategy=trident with sink=email", "The guarantee is a property of the state object.", "sink=state"},
		{"strategy=trident sink=state", "sink=state with output=event", "one count per key", "output=total"},
		{"strategy=trident sink=state output=total emit=at-count:2", "sink=state with emit=at-count:2", "Nothing is sent", "emit=every"},
		{"strategy=trident sink=state output=total topology=MAP", "strategy=trident with topology=MAP", "counter", "topology=J"},
		{"strategy=barriers sink=state", "strategy=barriers with sink=state", "", "sink=upsert"},
		{"strategy=dataflow", "", "", ""},
		{"strategy=dataflow topology=MAP", "", "", ""},
		{"strategy=trident sink=state output=total topology=K", "", "", ""},
		{"strategy=xa topology=LOOP sink=transactional", "", "", ""},
	} {
		set := BaseSettings()
		set.Sinks = []SinkSettings{BaseSink("sink")}
		for _, kv := range strings.Fields(c.settings) {
			k, v, _ := strings.Cut(kv, "=")
			if err := set.Set(k, v); err != nil {
				t.Fatal(err)
			}
		}
		_, err := NewJob("test", set, in, 1, nil)
		if c.pair == "" {
			if err != nil {
				t.Errorf("%s: %v", c.settings, err)
			}
			continue
		}
		var imp *Impossible
		if !errors.As(err, &imp) {
			t.Errorf("%s: %v", c.settings, err)
			continue
		}
		if got := imp.Settings[0] + " with " + imp.Settings[1]; got != c.pair || !strings.Contains(imp.Why, c.why) || imp.Nearest != c.nearest {
			t.Errorf("%s: %v", c.settings, err)
		}
	}
}
