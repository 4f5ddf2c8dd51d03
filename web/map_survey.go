package web

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// Bounds of one request for a crash map. Events are those of the runs that are
// made, because a run of 20,000 events costs as much as a hundred short ones.
const (
	mapRuns   = 20_000
	mapEvents = 12_000_000 // about five seconds of one processor
	mapAtOnce = 400_000    // events before a page is sent that a script will fill
	mapSlice  = 40_000     // events between two chances for others, about 15 ms

	mapPageTime   = pageBudget * 6 / 10 // the rest is for drawing the page
	mapStreamTime = 3 * pageBudget
)

// survey is what is known of one crash map. It grows as pages ask for more of it,
// and can be thrown away at any time: all of it can be computed again.
type survey struct {
	mu      sync.Mutex
	runs    Survey
	targets []string
	gaps    int
	cells   []cell // gap after gap, target after target
}

// cell is one run, small.
type cell struct {
	class   uint8 // 1 + index into check.Classes; 0: not tried
	rewound bool
	lost    int32
	more    int32 // duplicated, or wrong, or pending: what the class speaks of
}

func (c *cell) is() check.Class {
	if c.class == 0 {
		return ""
	}
	return check.Classes()[c.class-1]
}

// rows is how many rows the class concerns.
func (c *cell) rows() int { return int(c.lost + c.more) }

func newCell(t Tried) cell {
	c := cell{class: uint8(slices.Index(check.Classes(), t.Class) + 1), rewound: t.Rewound}
	switch t.Class {
	case check.Lost:
		c.lost = int32(t.Lost)
	case check.Mixed:
		c.lost, c.more = int32(t.Lost), int32(t.Duplicated)
	case check.Duplicated:
		c.more = int32(t.Duplicated)
	case check.Wrong:
		c.more = int32(t.Wrong)
	case check.Stuck:
		c.more = int32(t.Pending)
	}
	return c
}

// surveyOf finds the survey of a query, or begins it. Its errors are those that
// problemOf knows.
func (s *Server) surveyOf(ctx context.Context, client string, q lessons.Query, kinds []string) (*survey, error) {
	key := queryOf(q) + "&kind=" + strings.Join(kinds, ",")
	if v, ok := s.surveys.get(key); ok {
		return v, nil
	}
	job, faults, err := s.compile(ctx, q)
	if err != nil {
		return nil, err
	}
	leave, err := s.gate.enter(ctx, client)
	if err != nil {
		return nil, problemOf(err)
	}
	defer leave()
	runs, err := s.runner.Survey(job, faults, kinds)
	if err != nil {
		return nil, err
	}
	v := &survey{runs: runs, targets: runs.Targets(), gaps: runs.Base().Len() + 1}
	v.cells = make([]cell, v.gaps*len(v.targets))
	s.surveys.put(key, v, len(v.cells)+8*v.gaps)
	return v, nil
}

// at is what is known of one run. The caller holds the lock.
func (v *survey) at(gap, target int) *cell { return &v.cells[gap*len(v.targets)+target] }

// work is what one request may still spend.
type work struct {
	runs, events int
	time         time.Duration // at most, on a machine that is busy
}

func (w *work) over() bool { return w.runs <= 0 || w.events <= 0 }

// try makes runs for the points until a slice is used up, and returns those that
// are left. The turn is given back after each slice, so that a large map does not
// keep anybody else waiting for longer than one.
func (s *Server) try(ctx context.Context, client string, v *survey, points []Point, w *work) ([]Point, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(points) > 0 && v.at(int(points[0].Gap), points[0].Target).class != 0 {
		points = points[1:]
	}
	if len(points) == 0 || w.over() {
		return points, nil
	}
	leave, err := s.gate.enter(ctx, client)
	if err != nil {
		return nil, problemOf(err)
	}
	defer leave()
	made, slice := 0, min(mapSlice, w.events)
	err = v.runs.Try(ctx, points, func(p Point, t Tried) bool {
		*v.at(int(p.Gap), p.Target) = newCell(t)
		made++
		w.runs--
		cost := t.Events - int(p.Gap) + 20 // the fork itself is not free
		w.events -= cost
		slice -= cost
		return slice > 0 && !w.over()
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, problemOf(ctx.Err())
		}
		return nil, problemOf(fmt.Errorf("crash map: %w", err))
	}
	return points[made:], nil
}

// spread lists the places 0 to n-1 so that each beginning of the list is spread
// evenly: the first, the middle, the quarters…
func spread(n int) []int {
	width := bits.Len(uint(n - 1))
	var out []int
	for i := range 1 << width {
		if at := int(bits.Reverse64(uint64(i)) >> (64 - width)); width > 0 && at < n {
			out = append(out, at)
		} else if width == 0 {
			out = append(out, 0)
		}
	}
	return out
}
