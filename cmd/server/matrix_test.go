package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
	"effectivelyonce/lessons"
	"effectivelyonce/web"
)

// shownCells are the cells of the site, which a test of engine/explore compares
// with the engine.
func shownCells(t *testing.T) []explore.MatrixCell {
	t.Helper()
	var file struct{ Cells []explore.MatrixCell }
	if err := json.Unmarshal(web.MatrixJSON, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cells) < 400 {
		t.Fatalf("%d cells", len(file.Cells))
	}
	return file.Cells
}

func TestTheMatrixOfTheDocsIsThatOfTheSite(t *testing.T) {
	docs, err := os.ReadFile("../../docs/matrix.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := writeMatrixMarkdown(&b, shownCells(t), 1); err != nil {
		t.Fatal(err)
	}
	if b.String() != string(docs) {
		t.Error("docs/matrix.md is not that of web/matrix.json; make matrix writes both again")
	}
}

func TestMatrixForPeople(t *testing.T) {
	var b strings.Builder
	if err := writeMatrixText(&b, shownCells(t), 3); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"seeds 1 to 3", "barriers exactly_once, aligned, event output\n  append                              duplicated ",
		"transactional, read_committed       exact ", "cannot be built: Nobody decides when a file is final.", "Nearest legal choice: sink=append.",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

// A matrix that is given up says so and prints nothing.
func TestMatrixEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if cells, err := matrixCells(ctx, 1); !errors.Is(err, context.Canceled) || cells != nil {
		t.Errorf("%d cells, %v", len(cells), err)
	}
}

// The smallest example of every class is a run of that class, also through the
// scenario that the page opens it with.
func TestExamplesOfTheMatrixAreWhatTheySay(t *testing.T) {
	cat, _, err := catalogueFor("barrier-cut")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range web.MatrixLinks(cat) {
		q := lessons.Query{Scenario: link.Query.Scenario, Set: link.Query.Set, Faults: link.Query.Faults, Input: link.Query.Input}
		job, faults, err := cat.Compile(q)
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		tr, err := runner{}.Run(t.Context(), job, faults)
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		if got := check.Judge(tr)[0].Class; got != link.Class || tr.Len() < link.At {
			t.Errorf("%v: %s, want %s", q, got, link.Class)
		}
	}
}
