package web

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine/trace"
	"effectivelyonce/static"
	"effectivelyonce/web/stage"
)

// shareView is one moment of a run for others: its link, the code that embeds it
// and the picture that link previews show.
type shareView struct {
	Title, Text string // what a preview says
	Link        string
	Iframe      string
	Picture     string // URL
}

// meta is what a page says of itself to programs that draw link previews.
type meta struct{ Title, Text, URL, Picture string }

// origin is the address of this site as the reader's browser sees it.
func origin(c echo.Context) string { return c.Scheme() + "://" + c.Request().Host }

// momentText is one sentence about the page's event.
func momentText(page *runPage) string {
	if page.At == 0 {
		return fmt.Sprintf("Before event 1 of %d. Crash it at any moment and see what the outside world got.", page.Run.Last())
	}
	e := page.Run.Trace.At(page.At)
	return fmt.Sprintf("Event %d of %d: %s", page.At, page.Run.Last(), trace.Sentence(page.Run.Trace, e))
}

func (s *Server) newShare(c echo.Context, page *runPage) *shareView {
	v := &shareView{Title: s.momentTitle(page), Text: momentText(page), Link: origin(c) + string(page.href(page.At))}
	bare := *page
	bare.Path, bare.Keep = "/run", nil
	v.Picture = origin(c) + "/card.svg?" + page.query() + "&at=" + strconv.Itoa(page.At)
	v.Iframe = fmt.Sprintf(`<iframe src="%s&amp;embed=1" title="%s" width="1024" height="720" loading="lazy" allow="clipboard-write"></iframe>`,
		strings.ReplaceAll(origin(c)+string(bare.href(page.At)), "&", "&amp;"), strings.ReplaceAll(v.Title, `"`, "&quot;"))
	return v
}

func (s *Server) momentTitle(page *runPage) string {
	if sc := s.catalogue.Scenario(page.Run.Query.Scenario); sc != nil {
		return sc.Title
	}
	return page.Run.Query.Scenario
}

// whole is the URL of the same moment as a page of its own, for one that is
// embedded.
func (p *runPage) whole() templ.SafeURL {
	own := *p
	own.Keep = nil
	return own.href(p.At)
}

// metaOf is the preview of a page that shows a run.
func (s *Server) metaOf(c echo.Context, page *runPage, title string) *meta {
	v := s.newShare(c, page)
	return &meta{Title: title, Text: v.Text, URL: v.Link, Picture: v.Picture}
}

// handleCard answers /card.svg?QUERY&at=N: the stage at one event as a picture
// that needs nothing else. It is a function of the URL alone, so it may be kept.
func (s *Server) handleCard(c echo.Context) error {
	page, _, err := s.cardPage(c)
	if err != nil {
		return err
	}
	css, err := cardStyle()
	if err != nil {
		return err
	}
	v := newCardPicture(page, s.momentTitle(page))
	v.Style = css
	out, err := markup(c.Request().Context(), cardSVG(v))
	if err != nil {
		return err
	}
	h := c.Response().Header()
	sum := sha256.Sum256([]byte(css))
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; frame-ancestors 'none'")
	h.Set("Cache-Control", "public, max-age=86400")
	return c.Blob(http.StatusOK, "image/svg+xml", []byte(wellFormed(out)))
}

// cardPicture is what the picture of a moment shows.
type cardPicture struct {
	Title, Text, Tags string
	Verdicts          []string // one a reader, at most four
	Style             string
	stage             *stage.Stage
}

func newCardPicture(page *runPage, title string) *cardPicture {
	v := &cardPicture{Title: trace.Clip(title, 52), Text: trace.Clip(momentText(page), 118), Tags: trace.Clip(strings.Join(page.tags(), "  ·  "), 100)}
	v.stage = page.draw.stage
	for _, x := range v.stage.Verdicts() {
		if len(v.Verdicts) < 4 {
			word := happened(&x)
			if !x.Final && x.Class == "exact" {
				word = "exact so far"
			}
			v.Verdicts = append(v.Verdicts, trace.Clip(capitalised(x.Sink)+": "+lower(word), 34))
		}
	}
	return v
}

// cardSheets are the style sheets that the drawing of a stage needs.
var cardSheets = []string{"tokens", "stage", "stage-outside", "chip", "helpers"}

var (
	lightDark  = regexp.MustCompile(`light-dark\(([^,()]+), [^()]+\)`)
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/\s*`)
)

// cardStyle is the style of the picture: light, and without the network.
func cardStyle() (string, error) {
	var b strings.Builder
	b.WriteString("@layer tokens, base, layout, stage, components, pages;\n")
	for _, name := range cardSheets {
		text, err := static.Files.ReadFile("css/" + name + ".css")
		if err != nil {
			return "", fmt.Errorf("web: %w", err)
		}
		b.WriteString(cssComment.ReplaceAllString(lightDark.ReplaceAllString(string(text), "$1"), ""))
	}
	b.WriteString("svg { color-scheme: light; color: var(--ink); font-family: var(--sans); } .card-ground { fill: var(--paper); } [data-crash] { display: none; }\n" +
		".card-title { font: 600 38px var(--serif); fill: var(--ink); } .card-text { font: 400 23px var(--serif); fill: var(--ink); } .card-small { font: 500 17px var(--sans); fill: var(--ink-2); } .card-said { font: 600 19px var(--sans); fill: var(--ink); }\n")
	return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(b.String()), nil
}

// wellFormed gives attributes without a value an empty one: what HTML allows and
// a picture of its own does not.
func wellFormed(s string) string {
	var b strings.Builder
	tag, quoted, start := false, false, 0
	for i := range len(s) {
		c := s[i]
		switch {
		case !tag:
			tag, start = c == '<' && i+1 < len(s) && s[i+1] != '/' && s[i+1] != '!', 0
		case c == '"':
			quoted, start = !quoted, 0
		case quoted:
		case c == ' ' || c == '>' || c == '/':
			if start > 0 {
				b.WriteString(`=""`)
			}
			start = 0
			if c == ' ' {
				start = -1
			}
			tag = c != '>'
		case c == '=':
			start = 0
		case start == -1:
			start = i
		}
		b.WriteByte(c)
	}
	return b.String()
}

// describeView is a moment in words.
type describeView struct {
	At    int
	Lines []string
}

// Text is all of it, to be copied.
func (v *describeView) Text() string { return strings.Join(v.Lines, "\n") }

// inspectMoment answers for the two things that are the moment itself: share and
// moment. It is false for anything else.
func (s *Server) inspectMoment(c echo.Context, page *runPage, what string) (bool, error) {
	switch what {
	case "share":
		return true, s.render(c, http.StatusOK, sharePanel(s.newShare(c, page)))
	case "moment":
		return true, s.render(c, http.StatusOK, describePanel(&describeView{At: page.At, Lines: page.draw.stage.Describe()}))
	}
	return false, nil
}
