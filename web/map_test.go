package web

import (
	"slices"
	"testing"

	"effectivelyonce/engine/check"
)

// The beginning of the list is spread over the whole, and nothing is missing.
func TestSpreadIsCoarseFirst(t *testing.T) {
	for _, c := range []struct {
		n    int
		want []int
	}{{1, []int{0}}, {2, []int{0, 1}}, {4, []int{0, 2, 1, 3}}, {5, []int{0, 4, 2, 1, 3}}, {8, []int{0, 4, 2, 6, 1, 5, 3, 7}}} {
		if got := spread(c.n); !slices.Equal(got, c.want) {
			t.Errorf("spread(%d) = %v, want %v", c.n, got, c.want)
		}
	}
	for n := range 700 {
		got := slices.Sorted(slices.Values(spread(n + 1)))
		if len(got) != n+1 || got[0] != 0 || got[n] != n {
			t.Fatalf("spread(%d) holds %d places", n+1, len(got))
		}
	}
}

func TestAscendingIsALongestRun(t *testing.T) {
	for _, c := range []struct{ numbers, want []int32 }{
		{[]int32{1, 2, 3}, []int32{1, 2, 3}},
		{[]int32{0, 4, 0, 5}, []int32{4, 5}},       // 0: the other run does not have it
		{[]int32{5, 1, 6, 2, 3}, []int32{1, 2, 3}}, // another order
		{[]int32{0, 0}, nil},
		{nil, nil},
	} {
		if got := pick(c.numbers, ascending(c.numbers)); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.numbers, got, c.want)
		}
	}
}

func TestChoicesAreSplitAtSettings(t *testing.T) {
	got := splitChoice("sink=transactional,readers=read_committed,read_uncommitted,dedup.write=id-first")
	if want := []string{"sink=transactional", "readers=read_committed,read_uncommitted", "dedup.write=id-first"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A cell shows the class, and never by colour alone: each class has a look, a
// word, and a number where one is due.
func TestCellsSayTheirClass(t *testing.T) {
	for _, c := range []struct {
		cell              mapCell
		look, text, label string
	}{
		{mapCell{Class: check.Exact, Tried: 1, Of: 1, bin: 1}, "mc exact", "", "sink/0, moment 4: exact"},
		{mapCell{Class: check.Duplicated, Rows: 2, With: 1, Tried: 1, Of: 1, bin: 1}, "mc duplicated d1", "2", "sink/0, moment 4: duplicated 2"},
		{mapCell{Class: check.Duplicated, Rows: 4, With: 1, Tried: 1, Of: 1, bin: 1}, "mc duplicated d2", "4", "sink/0, moment 4: duplicated 4"},
		{mapCell{Class: check.Duplicated, Rows: 11, With: 3, Tried: 5, Of: 6, bin: 6, Also: []check.Class{check.Wrong}, Rewound: true}, "mc duplicated d3 back also-wrong", "3",
			"sink/0, moment 4: duplicated 11 in 3 of 5 moments tried, of 6, also wrong, a total went back"},
		{mapCell{Class: check.Lost, Rows: 120, With: 1, Tried: 1, Of: 1, bin: 1}, "mc lost", "", "sink/0, moment 4: lost 120"},
		{mapCell{Class: check.Mixed, Rows: 3, With: 1, Tried: 1, Of: 1, bin: 1}, "mc mixed", "3", "sink/0, moment 4: lost and duplicated 3"},
		{mapCell{Class: check.Stuck, Rows: 3, With: 1, Tried: 1, Of: 1, bin: 1}, "mc stuck", "", "sink/0, moment 4: stuck 3"},
		{mapCell{Of: 1, bin: 1}, "mc hollow", "", "sink/0, moment 4: not tried yet"},
		{mapCell{None: true, bin: 1}, "mc none", "", "sink/0, moment 4: this job has no such task"},
	} {
		c.cell.name, c.cell.label = "sink/0", "moment 4"
		if look, text, label := c.cell.Classes(), c.cell.Text(), c.cell.Label(); look != c.look || text != c.text || label != c.label {
			t.Errorf("%q %q %q, want %q %q %q", look, text, label, c.look, c.text, c.label)
		}
	}
}
