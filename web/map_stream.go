package web

import (
	"context"
	"strconv"

	"github.com/labstack/echo/v4"
)

// The stream of a crash map, /stream?view=map with the parameters of /map:
//
//	hello   how many runs there are, and how many of them are known
//	cells   places that changed: id, class, number, label; and parts of the page
//	end     the coverage in words; or error, with the words of a Problem
//
// Markup of parts and texts are the page's own; the browser puts them in place.

type mapHello struct {
	Type string `json:"type"`
	Done int    `json:"done"`
	Of   int    `json:"of"`
}

type mapCells struct {
	Type  string            `json:"type"`
	Done  int               `json:"done"`
	Of    int               `json:"of"`
	Cells [][4]string       `json:"cells"`
	Parts map[string]string `json:"parts"`
}

type mapEnd struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// streamMap makes the runs of a map and sends its cells as they change. It ends
// when the browser leaves: the next send fails, or the request's context ends.
func (s *Server) streamMap(c echo.Context, sock *socket, p *params) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), mapStreamTime+pageBudget)
	defer cancel()
	go func() { // a slice that is under way ends when nobody waits for it
		select {
		case <-sock.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	m, err := s.newMap(ctx, c.RealIP(), p)
	if err != nil {
		return err
	}
	done, of := m.coverage()
	if err := sock.send(mapHello{Type: "hello", Done: done, Of: of}); err != nil {
		return err
	}
	err = s.fill(ctx, c.RealIP(), m, &work{runs: mapRuns, events: mapEvents, time: mapStreamTime}, func(panel *mapPanel, points []Point) error {
		return s.sendCells(ctx, sock, m, panel, points)
	})
	if err != nil {
		select {
		case <-sock.gone:
			return errGone
		default:
		}
		return err
	}
	last := mapCells{Type: "cells", Parts: map[string]string{}}
	last.Done, last.Of = m.coverage()
	for _, panel := range m.Panels {
		if err := m.parts(ctx, panel, last.Parts); err != nil {
			return err
		}
		for bin := range m.bins() {
			last.Cells = m.appendBin(last.Cells, panel, bin)
		}
	}
	if last.Parts["table"], err = markup(ctx, mapTable(m)); err != nil {
		return err
	}
	last.Parts["cover"] = m.coverageWords()
	if err := sock.send(last); err != nil {
		return err
	}
	return sock.send(mapEnd{Type: "end", Text: m.coverageWords() + "."})
}

// sendCells sends the columns in which a slice made runs.
func (s *Server) sendCells(ctx context.Context, sock *socket, m *crashMap, panel *mapPanel, points []Point) error {
	msg := mapCells{Type: "cells", Parts: map[string]string{}}
	last := -1
	for _, p := range points {
		if bin := m.binOf(panel.columnOf(int(p.Gap))); bin != last {
			msg.Cells, last = m.appendBin(msg.Cells, panel, bin), bin
		}
	}
	if len(msg.Cells) == 0 {
		return nil
	}
	msg.Done, msg.Of = m.coverage()
	if err := m.parts(ctx, panel, msg.Parts); err != nil {
		return err
	}
	return sock.send(msg)
}

func (m *crashMap) appendBin(cells [][4]string, panel *mapPanel, bin int) [][4]string {
	for row := range m.Rows {
		c := m.cell(panel, row, bin)
		cells = append(cells, [4]string{"c-" + c.ID, c.Classes(), c.Text(), c.Label()})
	}
	return cells
}

// parts draws what the page says of a panel.
func (m *crashMap) parts(ctx context.Context, panel *mapPanel, into map[string]string) error {
	t, id := m.tally(panel), strconv.Itoa(panel.Index)
	counts, err := markup(ctx, mapCounts(m, t))
	if err != nil {
		return err
	}
	words, err := markup(ctx, plain(m.finding(panel, t)))
	into["counts-"+id], into["finding-"+id] = counts, words
	return err
}
