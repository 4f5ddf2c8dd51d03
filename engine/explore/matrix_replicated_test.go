package explore_test

import (
	"fmt"
	"testing"
)

// The table of replicated in curriculum 3.3. With k = 1 the node of either copy
// dies; crash-job takes both.
func TestReplicatedTable(t *testing.T) {
	nodes := []string{"crash-node:node/0", "crash-node:node/1", "crash:replica/0", "crash:replica/1"}
	for _, c := range []struct {
		k     int
		log   string
		cell  string
		kinds []string
	}{
		{1, "sync", "", nodes}, {1, "async", "", nodes}, {1, "off", "", nodes},
		{0, "sync", "", []string{"crash-node:node/0"}}, {0, "sync", "", []string{"crash-job"}}, {1, "sync", "", []string{"crash-job"}},
		{0, "async", "l!", []string{"crash-node:node/0"}}, {0, "async", "l!", []string{"crash-job"}}, {1, "async", "l!", []string{"crash-job"}},
		{0, "off", "l!", []string{"crash-node:node/0"}}, {0, "off", "l!", []string{"crash-job"}}, {1, "off", "l!", []string{"crash-job"}},
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
