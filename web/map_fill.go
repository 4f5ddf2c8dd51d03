package web

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// fill makes runs in the order in which they are of use: in every bin of every
// panel one moment, then another one in the middle of what is left, and so on.
// The panels take turns slice by slice, so that they fill side by side. It ends
// when the work or the time allowed is used up or everything shown was tried; tell
// hears of every slice, with the panel and its points that are done.
func (s *Server) fill(ctx context.Context, client string, m *crashMap, w *work, tell func(p *mapPanel, done []Point) error) error {
	within, cancel := context.WithTimeout(ctx, w.time)
	defer cancel()
	err := s.passes(within, client, m, w, tell)
	if ctx.Err() == nil && errors.Is(within.Err(), context.DeadlineExceeded) {
		return nil // what is there is shown, and the page says how much that is
	}
	return err
}

func (s *Server) passes(ctx context.Context, client string, m *crashMap, w *work, tell func(p *mapPanel, done []Point) error) error {
	orders := map[int][]int{}
	for pass := 0; ; pass++ {
		lists, more := make([][]Point, len(m.Panels)), false
		for i, p := range m.Panels {
			var any bool
			lists[i], any = m.pass(p, pass, orders)
			more = more || any
		}
		if !more {
			return nil
		}
		if err := s.turns(ctx, client, m, lists, w, tell); err != nil || w.over() {
			return err
		}
	}
}

// turns works through one list a panel. The panels of a round are worked at side
// by side, each in a turn of its own, and told of one after the other.
func (s *Server) turns(ctx context.Context, client string, m *crashMap, lists [][]Point, w *work, tell func(*mapPanel, []Point) error) error {
	left, used, errs := make([][]Point, len(lists)), make([]work, len(lists)), make([]error, len(lists))
	for !w.over() && slices.ContainsFunc(lists, func(l []Point) bool { return len(l) > 0 }) {
		var round sync.WaitGroup
		for i, p := range m.Panels {
			used[i] = *w
			round.Go(func() { left[i], errs[i] = s.try(ctx, client, p.known, lists[i], &used[i]) })
		}
		round.Wait()
		before := *w
		for i, p := range m.Panels {
			if errs[i] != nil {
				return errs[i]
			}
			w.runs -= before.runs - used[i].runs
			w.events -= before.events - used[i].events
			done := lists[i][:len(lists[i])-len(left[i])]
			lists[i] = left[i]
			if tell == nil || len(done) == 0 {
				continue
			}
			if err := tell(p, done); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass lists, in ascending order, the moments of one pass that were not tried;
// any says whether some bin has that many moments at all.
func (m *crashMap) pass(p *mapPanel, pass int, orders map[int][]int) (list []Point, any bool) {
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	for bin := range m.bins() {
		from, to := m.gaps(p, bin)
		n := to - from
		if pass >= n {
			continue
		}
		any = true
		if orders[n] == nil {
			orders[n] = spread(n)
		}
		gap := from + orders[n][pass]
		for t := range p.targets {
			if p.known.at(gap, t).class == 0 {
				list = append(list, Point{Gap: int32(gap), Target: t})
			}
		}
	}
	return list, any
}

// missing reports whether something shown was not tried.
func (m *crashMap) missing() bool {
	tried, of := m.coverage()
	return tried < of
}

// coverage counts the runs of what is shown: those made, and all there are.
func (m *crashMap) coverage() (tried, of int) {
	for _, p := range m.Panels {
		a, b := m.panelCoverage(p)
		tried, of = tried+a, of+b
	}
	return tried, of
}

func (m *crashMap) panelCoverage(p *mapPanel) (tried, of int) {
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	n := len(p.targets)
	shown := p.known.cells[int(p.cols[m.From])*n : int(p.cols[m.To+1])*n]
	for i := range shown {
		if shown[i].class != 0 {
			tried++
		}
	}
	return tried, len(shown)
}

// fillSelected makes the runs of the selected column, or of the map as far as it
// goes at once when nothing is selected.
func (s *Server) fillSelected(ctx context.Context, client string, m *crashMap) error {
	one := *m
	if m.Sel != nil {
		bin := m.binOf(m.Sel.Column)
		one.From, one.To = m.startOf(bin), m.endOf(bin)
	}
	return s.fill(ctx, client, &one, &work{runs: mapRuns, events: mapAtOnce, time: mapPageTime}, nil)
}
