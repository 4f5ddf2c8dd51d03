package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
)

// windowMessage is a stretch of a long run. Its first step carries every region,
// so that a window can be shown without the ones before it.
type windowMessage struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Steps []step `json:"steps"`
}

// handleWindow answers /window?QUERY&from=N&to=N with events from…to, both
// included. The answer is a pure function of the URL: a browser keeps it and
// asks by ETag whether it still holds.
func (s *Server) handleWindow(c echo.Context) error {
	p, to, err := parseWindow(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	r, err := s.runOf(c, p.Query)
	if err != nil {
		return err
	}
	if p.From < 0 {
		return bad("from", "nothing", "the number of the window's first event")
	}
	if err := r.checkAt("from", p.From); err != nil {
		return err
	}
	if to < p.From || to > r.Last() || to-p.From >= windowSize {
		return bad("to", fmt.Sprint(to), fmt.Sprintf("%d to %d, for the %d events from %d on", p.From, min(r.Last(), p.From+windowSize-1), windowSize, p.From))
	}
	body, err := window(c.Request().Context(), r, p.Tall, p.From, to)
	if err != nil {
		return err
	}
	h := fnv.New64a()
	h.Write(body)
	tag := fmt.Sprintf(`"%x"`, h.Sum64())
	c.Response().Header().Set("ETag", tag)
	if c.Request().Header.Get("If-None-Match") == tag {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// parseWindow reads the parameters of every page, and to, which only windows have.
func parseWindow(query string) (p *params, to int, err error) {
	v, err := url.ParseQuery(query)
	if err != nil {
		return nil, 0, bad("URL", query, "pairs name=value, percent-encoded")
	}
	if to, err = eventNumber("to", v); err != nil {
		return nil, 0, err
	}
	v.Del("to")
	p, err = readParams(v)
	return p, to, err
}

func window(ctx context.Context, r *run, tall bool, from, to int) ([]byte, error) {
	m := windowMessage{From: from, To: to}
	d := newDrawer(r, tall)
	st, err := d.key(ctx, from)
	for ; err == nil && d.n < to; st, err = d.next(ctx) {
		m.Steps = append(m.Steps, st)
	}
	if err != nil {
		return nil, err
	}
	m.Steps = append(m.Steps, st)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(m)
	return b.Bytes(), err
}
