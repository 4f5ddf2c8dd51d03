package engine

import (
	"errors"
	"strings"
	"testing"
)

// A flaw and workers belong to the machines that can have them; everywhere else they
// are refused with the nearest legal choice.
func TestWhereFlawsAndWorkersBelong(t *testing.T) {
	in := &Input{Keys: []string{"a"}, Parts: [][]Datum{{{}}}}
	const loop = "strategy=offset-commit topology=LOOP "
	for _, c := range []struct{ settings, pair, nearest string }{
		{"flaw=handle-lost-answers-ok sink=transactional", "", ""},
		{"flaw=handle-lost-answers-ok sink=append", "flaw=handle-lost-answers-ok with sink=append", "sink=transactional"},
		{"flaw=handle-lost-answers-ok strategy=microbatch sink=transactional", "flaw=handle-lost-answers-ok with strategy=microbatch", "flaw=none"},
		{"flaw=no-final-checkpoint sink=transactional", "", ""},
		{"flaw=no-final-checkpoint " + loop, "flaw=no-final-checkpoint with strategy=offset-commit", "flaw=none"},
		{"flaw=commit-past-holes workers=4 " + loop, "", ""},
		{"flaw=commit-past-holes " + loop, "flaw=commit-past-holes with workers=1", "workers=4"},
		{"flaw=commit-past-holes", "flaw=commit-past-holes with strategy=barriers", "flaw=none"},
		{"workers=4", "workers=4 with strategy=barriers", "workers=1"},
		{"workers=4 commit=before " + loop, "workers=4 with commit=before", "commit=after"},
		{"workers=4 sink=transactional " + loop, "workers=4 with sink=transactional", "sink=dedup"},
		{"workers=4 sink=upsert output=total " + loop, "workers=4 with output=total", "output=event"},
		{"workers=4 sink=email emit=at-count:2 " + loop, "workers=4 with emit=at-count:2", "emit=every"},
		{"workers=2 sink=dedup " + loop, "", ""},
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
		var imp *Impossible
		switch {
		case c.pair == "" && err != nil:
			t.Errorf("%s: %v", c.settings, err)
		case c.pair != "" && (!errors.As(err, &imp) || !strings.Contains(err.Error(), c.pair) || imp.Nearest != c.nearest):
			t.Errorf("%s: %v\nwant %s, nearest %s", c.settings, err, c.pair, c.nearest)
		}
	}
	set := BaseSettings()
	if err := set.Set("flaw", "commit-past-hole"); err == nil || !strings.Contains(err.Error(), `did you mean "commit-past-holes"`) {
		t.Errorf("a misspelt flaw: %v", err)
	}
}
