package explore_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
)

// cellNames are the columns of curriculum 3.1 and 3.2, in their order: column of
// the engine, and who reads where there are two. "email random" is held to what is
// said of "email none".
var cellNames = [12]string{"append", "upsert", "dedup atomic", "dedup id-first", "dedup value-first", "offset-with-output",
	"transactional read_committed", "transactional read_uncommitted", "email none", "email from-input", "files, log honoured", "files, log ignored"}

// sinksTable is curriculum 3.1 (event) and 3.2 (total), in its code: e exact,
// d duplicated, l lost, m mixed, w wrong, s stuck; with ! it must occur, without it
// may, absent it must never; r, a reader may see a total go back; ✗n, refused with
// message n of 3.6.
var sinksTable = []struct {
	row          string
	event, total [12]string
}{
	{"batch",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "✗1", "✗1", "✗1", "e d!", "e", "e", "e"},
		[12]string{"e d!", "e r", "e", "e l!", "e", "✗1", "✗1", "✗1", "e d!", "e", "e", "e"}},
	{"offset-commit, before",
		[12]string{"e l!", "e l!", "e l!", "e l!", "e l!", "e", "e l!", "e l!", "e l!", "e l!", "✗2", "✗2"},
		[12]string{"e l!", "e l!", "e l!", "e l!", "e l!", "e", "e l!", "e l!", "e l!", "e l!", "✗2", "✗2"}},
	{"offset-commit, after",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "e", "e d!", "e d!", "e d!", "e", "✗2", "✗2"},
		[12]string{"e d!", "e r", "e l r", "e l! r", "e l r", "e", "e d!", "e d!", "e d!", "e w", "✗2", "✗2"}},
	{"offset-commit, auto",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "e", "e d!", "e d!", "e d!", "e", "✗2", "✗2"},
		[12]string{"e d!", "e r", "e l r", "e l! r", "e l r", "e", "e d!", "e d!", "e d!", "e w", "✗2", "✗2"}},
	{"microbatch",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "e", "e", "e d!", "e d!", "e", "e", "e d!"},
		[12]string{"e d!", "e r", "e l r", "e l! r", "e l r", "e", "e", "e d!", "e d!", "e w", "e", "e d!"}},
	{"microbatch, async progress",
		[12]string{"✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3"},
		[12]string{"✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3", "✗3"}},
	{"microbatch, async progress, no state", [12]string{"e d!"}, [12]string{}},
	{"barriers exactly_once, aligned",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "e", "e", "e d!", "e d!", "e", "e", "e d!"},
		[12]string{"e d!", "e r", "e l r", "e l! r", "e l r", "e l r", "e", "e d!", "e d!", "e w", "e", "e d!"}},
	{"barriers exactly_once, unaligned",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "e", "e", "e d!", "e d!", "e", "e", "e d!"},
		[12]string{"e d!", "e r", "e l r", "e l! r", "e l r", "e l r", "e", "e d!", "e d!", "e w", "e", "e d!"}},
	{"barriers at_least_once, skewed",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "e", "e d!", "e d!", "e d!", "e", "e d!", "e d!"},
		[12]string{"e d!", "e d! r", "e d l m r", "e d l! m r", "e d l m r", "e d l m r", "e d!", "e d!", "e d!", "e w", "e d!", "e d!"}},
	{"barriers exactly_once, timeout shorter than the outage",
		[12]string{6: "e l!", 7: "e d!"}, [12]string{6: "e l!", 7: "e d!"}},
	{"kafka-streams at_least_once",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "e", "✗4", "✗4", "e d!", "e", "✗2", "✗2"},
		[12]string{"e d! w", "e d!", "e d!", "e d! l! m", "e d!", "e d!", "✗4", "✗4", "e d! w", "e w!", "✗2", "✗2"}},
	{"kafka-streams exactly_once_v2",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "e", "e", "e d!", "e d!", "e", "✗2", "✗2"},
		[12]string{"e d!", "e r", "e", "e l!", "e", "e", "e", "e d!", "e d!", "e", "✗2", "✗2"}},
	{"dataflow exactly_once, strong",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "✗5", "✗5", "✗5", "e d!", "e", "✗5", "✗5"},
		[12]string{"e d!", "e r", "e", "e l!", "e", "✗5", "✗5", "✗5", "e d!", "e", "✗5", "✗5"}},
	{"dataflow exactly_once, weak",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "✗5", "✗5", "✗5", "e d!", "e", "✗5", "✗5"},
		[12]string{"e d! w", "e l r", "e l", "e l!", "e l", "✗5", "✗5", "✗5", "e d! w", "e w", "✗5", "✗5"}},
	{"dataflow at_least_once",
		[12]string{"e d!", "e", "e", "e l!", "e d!", "✗5", "✗5", "✗5", "e d!", "e", "✗5", "✗5"},
		[12]string{"e d!", "e d! r", "e d!", "e d! l! m", "e d!", "✗5", "✗5", "✗5", "e d!", "e w!", "✗5", "✗5"}},
}

// ownTable is curriculum 3.3 and 3.4: row, column and reader, with an output where
// the two differ.
var ownTable = map[string]string{
	"offset-commit, state.recovery=none/append":                  "e d! w!",
	"offset-commit, state.recovery=none/upsert":                  "e l! r",
	"offset-commit, state.recovery=remote/append":                "e d! w!",
	"offset-commit, state.recovery=remote/upsert":                "e d!",
	"offset-commit, state.recovery=remote/offset-with-output":    "e",
	"offset-commit, state.recovery=replay-input/append":          "e d!",
	"offset-commit, state.recovery=replay-input/upsert":          "e r",
	"spout non-transactional, state non-transactional/own table": "e d!",
	"spout non-transactional, state transactional/own table":     "e d!",
	"spout non-transactional, state opaque/own table":            "e d!",
	"spout transactional, state non-transactional/own table":     "e d!",
	"spout transactional, state transactional/own table":         "e",
	"spout transactional, state opaque/own table":                "e",
	"spout opaque, state non-transactional/own table":            "e d!",
	"spout opaque, state transactional/own table":                "e l!",
	"spout opaque, state opaque/own table":                       "e",

	"k=1, command.log=sync, one node dies/own table":                         "e",
	"k=1, command.log=async, one node dies/own table":                        "e",
	"k=1, command.log=off, one node dies/own table":                          "e",
	"k=0, command.log=sync, the only node dies, or the whole job/own table":  "e",
	"k=0, command.log=async, the only node dies, or the whole job/own table": "e l!",
	"k=0, command.log=off, the only node dies, or the whole job/own table":   "e l!",
	"k=1, command.log=sync, the whole job dies/own table":                    "e",
	"k=1, command.log=async, the whole job dies/own table":                   "e l!",
	"k=1, command.log=off, the whole job dies/own table":                     "e l!",

	"coordinator.log=on, the application dies/transactional read_committed":    "e",
	"coordinator.log=on, the application dies/transactional read_uncommitted":  "e d!",
	"coordinator.log=on, the coordinator dies/transactional read_committed":    "e",
	"coordinator.log=on, the coordinator dies/transactional read_uncommitted":  "e d!",
	"coordinator.log=off, the application dies/transactional read_committed":   "e",
	"coordinator.log=off, the application dies/transactional read_uncommitted": "e d!",
	"coordinator.log=off, the coordinator dies/transactional read_committed":   "e s!",
	"coordinator.log=off, the coordinator dies/transactional read_uncommitted": "e d! s!",
}

// refusalWords are what message n of curriculum 3.6 says.
var refusalWords = map[string]string{
	"✗1": "A batch task has no position to resume from", "✗2": "Nobody decides when a file is final",
	"✗3": "Async progress tracking is for stateless queries", "✗4": "Kafka Streams opens transactions only under exactly_once_v2",
	"✗5": "Dataflow does not promise order between stages|Not modelled: this engine removes repeats by record id",
}

// expectations are both tables by the key of a cell.
func expectations() map[string]string {
	out := map[string]string{}
	for _, r := range sinksTable {
		for i, name := range cellNames {
			for output, cells := range map[string][12]string{"event": r.event, "total": r.total} {
				if cells[i] == "" {
					continue
				}
				out[r.row+"/"+name+"/"+output] = cells[i]
				if name == "email none" {
					out[r.row+"/email random/"+output] = cells[i]
				}
			}
		}
	}
	for _, p := range pauseTable {
		out[p.key()] = p.cell
	}
	for place, cell := range outageTable {
		out[place] = cell
	}
	for place, cell := range ownTable {
		out[place+"/total"] = cell
		if !strings.HasPrefix(place, "spout ") && !strings.HasPrefix(place, "offset-commit") {
			out[place+"/event"] = cell
		}
	}
	return out
}

func keyOf(c *explore.MatrixCell) string {
	key := c.Row + "/" + c.Column
	if c.Sink == string(engine.SinkTransactional) {
		key += " " + c.Isolation
	}
	return key + "/" + string(c.Output)
}

// against holds what was found against a cell of the table.
func against(c *explore.MatrixCell, cell string, musts bool) error {
	words := strings.Fields(cell)
	if strings.HasPrefix(cell, "✗") {
		for _, w := range strings.Split(refusalWords[cell], "|") {
			if strings.HasPrefix(c.Refused, w) && len(c.Pair) == 2 && c.Nearest != "" {
				return nil
			}
		}
		return fmt.Errorf("refused with %q, pair %v, nearest %q; want %s", c.Refused, c.Pair, c.Nearest, cell)
	}
	if c.Refused != "" || c.Points == 0 {
		return fmt.Errorf("%d runs, refused %q; want %q", c.Points, c.Refused, cell)
	}
	p := promise{cell: cell}
	if err := p.holds(&explore.Column{Classes: c.Classes, Rewound: c.Rewound}, musts); err != nil {
		return fmt.Errorf("%w; the table says %q; found %v, smallest %v", err, strings.Join(words, " "), c.Classes, c.Examples)
	}
	if len(c.Broken) > 0 {
		return fmt.Errorf("%s breaks a rule: %v", c.Broken[0].Fault, c.Broken[0].Violations)
	}
	return nil
}

// Every cell of curriculum 3.1 to 3.4 at seed 1, over every crash point: what must
// occur does, what is absent does not, and no run breaks a rule.
func TestMatrixIsTheTableOfTheCurriculum(t *testing.T) {
	want := expectations()
	var all []explore.MatrixCell
	err := explore.Matrix(context.Background(), cards16(), explore.MatrixOptions{Seed: 1, Audit: true}, func(cells []explore.MatrixCell) {
		for i := range cells {
			c := &cells[i]
			key := keyOf(c)
			cell, ok := want[key]
			delete(want, key)
			if !ok {
				t.Errorf("%s: the table has no such cell", key)
				continue
			}
			if err := against(c, cell, true); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
		all = append(all, cells...)
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range want {
		t.Errorf("%s: not explored", key)
	}
	shownAsItIs(t, all)
}

// shownAsItIs holds the matrix that the site shows against the one just explored.
func shownAsItIs(t *testing.T, cells []explore.MatrixCell) {
	t.Helper()
	shown, err := os.ReadFile("../../web/matrix.json")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := explore.WriteMatrix(&b, cells); err != nil {
		t.Fatal(err)
	}
	if b.String() != string(shown) {
		t.Error("web/matrix.json is not what the engine does; make matrix writes it again")
	}
}

// A cell that is not what the table says is an error: the comparison can fail.
func TestCellsThatDisagreeAreErrors(t *testing.T) {
	found := explore.MatrixCell{Points: 9, Classes: map[check.Class]int{check.Exact: 8, check.Lost: 1}}
	for cell, fine := range map[string]bool{"e l!": true, "e l": true, "e": false, "e d! l": false, "✗1": false} {
		if err := against(&found, cell, true); (err == nil) != fine {
			t.Errorf("%q: %v", cell, err)
		}
	}
	found.Rewound = 1
	if against(&found, "e l!", true) == nil || against(&found, "e l! r", true) != nil {
		t.Error("a total that goes back is not seen")
	}
	if against(&explore.MatrixCell{}, "e", true) == nil {
		t.Error("a cell without runs passes")
	}
}
