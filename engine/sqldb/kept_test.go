package sqldb

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestKeptSequencesAgree(t *testing.T) {
	text, err := os.ReadFile("testdata/sequences.txt")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, address string) {
		db, r, n := hasty(t, address), reader(t, address, ""), 0
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
				continue
			}
			q, err := parseSequence(line)
			if err != nil {
				t.Fatal(err)
			}
			if q.String() != line {
				t.Errorf("%s is read as %s", line, q)
			}
			if err := playOn(db, r, q); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			n++
		}
		if n < 10 {
			t.Errorf("only %d sequences", n)
		}
	})
}

// mistakes are ways to get the tables wrong: the setting that the database is told
// instead, or a statement with old in place of what it says.
func mistakes() []struct{ sink, told, old, new string } {
	return []struct{ sink, told, old, new string }{
		{sink: "upsert total fencing", told: "upsert total"},
		{sink: "dedup atomic fencing", told: "dedup atomic"},
		{sink: "upsert", told: "append"},
		{sink: "upsert fencing", old: "token <= ?", new: "token < ?"},
		{sink: "dedup atomic", old: "WHERE eo_ids.at < ?", new: "WHERE eo_ids.at <= ?"},
		{sink: "dedup id-first", old: "eo_balances.value + excluded.value", new: "excluded.value"},
		{sink: "dedup value-first", old: "SELECT at FROM eo_ids", new: "SELECT at + 1 FROM eo_ids"},
		{sink: "dedup atomic", old: "COMMIT", new: "ROLLBACK"},
		// Facts 11.3: comparing with "differs" is wrong.
		{sink: "offset-with-output partition", old: "last < excluded.last", new: "last <> excluded.last"},
		{sink: "offset-with-output single", old: "last < excluded.last", new: "last <= excluded.last"},
		{sink: "offset-with-output key-and-partition", old: "ends < excluded.ends", new: "ends <> excluded.ends"},
	}
}

// A table that keeps another promise than the model is found, and what shows it is
// made small.
func TestMistakesAreFound(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		db, r := hasty(t, address), reader(t, address, "")
		for _, m := range mistakes() {
			fails := func(q sequence) bool {
				p := &player{ctx: context.Background(), job: sinkOf(q.sink), db: db, reader: r, place: newPlace()}
				if m.told != "" {
					p.other = sinkOf(m.told)
				}
				if m.old != "" {
					p.mutant = func(text string) string { return strings.ReplaceAll(text, m.old, m.new) }
				}
				return p.play(q) != nil
			}
			found := ""
			for seed := uint64(0); seed < 60 && found == ""; seed++ {
				if q := generate(seed, []string{m.sink}); fails(q) {
					small := shrink(q, fails)
					found = small.String()
					if len(small.steps) > 8 {
						t.Errorf("%+v: not made small: %s", m, small)
					}
				}
			}
			if found == "" {
				t.Errorf("%+v: no difference found", m)
			}
			t.Logf("%+v: %s", m, found)
		}
	})
}
