package explore_test

import (
	"fmt"
	"testing"
)

// What the table of replicated in curriculum 3.3 leaves out: three copies, and
// clients that die.
func TestReplicatedBesideTheTable(t *testing.T) {
	nodes := []string{"crash-node:node/0", "crash-node:node/1", "crash:replica/0", "crash:replica/1"}
	for _, c := range []struct {
		k     int
		log   string
		cell  string
		kinds []string
	}{
		{2, "sync", "", append([]string{"crash-job", "crash-node:node/2"}, nodes...)},
		{1, "sync", "", []string{"crash:client/0", "crash:client/1"}},
		{1, "off", "", []string{"crash:client/0", "crash:client/1"}},
	} {
		for _, out := range []string{"event", "total"} {
			t.Run(fmt.Sprintf("k=%d,%s,%v,%s", c.k, c.log, c.kinds[0], out), func(t *testing.T) {
				job, err := jobOf(1, fmt.Sprintf("strategy=replicated sink=state k=%d command.log=%s output=%s", c.k, c.log, out))
				if err != nil {
					t.Fatal(err)
				}
				f := everyGap(t, job, c.kinds...)
				if err := f.against(c.cell, true); err != nil {
					t.Error(err)
				}
				t.Logf("%d runs %v rewound %d", f.runs, f.classes, f.rewound)
			})
		}
	}
}
