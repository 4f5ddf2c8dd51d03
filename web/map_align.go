package web

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Panels of a crash map share their columns. Runs of different choices have
// different events, so a column is an event that all of them have, in the same
// order; what a run has of its own lies in the column before it.

// happening is an event told apart from the others without its number and time:
// by what it is about, and how often that happened before.
type happening struct {
	kind         engine.Kind
	task, sender string
	rec          engine.RecordID
	ckpt         int32
	attempt      int16
	again        int
}

func happenings(t *trace.Trace) []happening {
	out := make([]happening, t.Len())
	seen := make(map[happening]int, t.Len())
	for n := 1; n <= t.Len(); n++ {
		e := t.At(n)
		h := happening{kind: e.Kind, rec: e.Rec, ckpt: e.Ckpt, attempt: e.Attempt, task: t.Job.Plan.Name(e.Task)}
		if e.Chan >= 0 {
			h.sender = t.Job.Plan.Name(t.Job.Plan.Channels[e.Chan].From)
		}
		seen[h]++
		h.again = seen[h]
		out[n-1] = h
	}
	return out
}

// align finds the shared columns. The answer holds, for each trace, the first gap
// of every column, and behind the last one the number of gaps. Column 0 begins
// before everything. Of one trace every gap is a column.
func align(traces []*trace.Trace) [][]int32 {
	first := happenings(traces[0])
	places := [][]int32{make([]int32, len(first))}
	for i := range first {
		places[0][i] = int32(i + 1)
	}
	for _, t := range traces[1:] {
		at := map[happening]int32{}
		for i, h := range happenings(t) {
			at[h] = int32(i + 1)
		}
		var there []int32
		for _, n := range places[0] {
			there = append(there, at[first[n-1]])
		}
		keep := ascending(there)
		for i := range places {
			places[i] = pick(places[i], keep)
		}
		places = append(places, pick(there, keep))
	}
	for i, t := range traces {
		places[i] = append(append([]int32{0}, places[i]...), int32(t.Len()+1))
	}
	return places
}

func pick(from []int32, at []int) []int32 {
	out := make([]int32, len(at))
	for i, k := range at {
		out[i] = from[k]
	}
	return out
}

// ascending is a longest run of places in which the numbers grow; zeros are out.
func ascending(numbers []int32) []int {
	var tails []int // place of the smallest last number of a run of each length
	before := make([]int, len(numbers))
	for i, n := range numbers {
		if n == 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(tails, n, func(at int, n int32) int { return int(numbers[at] - n) })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]int, len(tails))
	for i, at := len(tails)-1, tails[len(tails)-1]; i >= 0; i-- {
		out[i], at = at, before[at]
	}
	return out
}
