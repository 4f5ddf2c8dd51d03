package web

import (
	"fmt"
	"net/http"
	"strings"
)

// Problem is a refusal that a person can act on: which part of the request was
// not understood, what was found there, what is allowed, and the nearest right
// word. It is the one error that pages, fragments, the API and the stream print.
type Problem struct {
	Status  int    // HTTP status
	Param   string // the parameter, or the thing that was asked for
	Found   string // as it came; escape it before it meets HTML
	Allowed string
	Nearest string   // "" when nothing is near
	Msg     string   // one sentence that says more, or everything
	Mistake string   // the number in our log, when it was our mistake
	Pair    []string // two settings that do not go together; Nearest is then KEY=VALUE to set
	Without string   // a URL that works: the request without what was wrong
	Err     error    // what lies beneath, for callers that know a way out; nil: nothing more
}

// Unwrap is what lies beneath.
func (p *Problem) Unwrap() error { return p.Err }

// Error is the problem in one line, as the CLI would say it.
func (p *Problem) Error() string {
	var b strings.Builder
	switch {
	case p.Msg != "":
		b.WriteString(p.Msg)
	case p.Found != "":
		fmt.Fprintf(&b, "%s: found %q", p.Param, p.Found)
	default:
		b.WriteString(p.Param + ": not understood")
	}
	if p.Allowed != "" && !strings.Contains(p.Msg, p.Allowed) {
		b.WriteString("; allowed: " + p.Allowed)
	}
	if p.Nearest != "" && !strings.Contains(p.Msg, p.Nearest) {
		fmt.Fprintf(&b, "; did you mean %q?", p.Nearest)
	}
	return b.String()
}

// Title is the headline of the page.
func (p *Problem) Title() string {
	switch {
	case p.Status >= 500 && p.Status != http.StatusServiceUnavailable:
		return "This stopped by our mistake"
	case p.Status == http.StatusServiceUnavailable:
		return "The server is busy"
	case p.Status == http.StatusNotFound:
		return "There is no such place"
	case p.Status == http.StatusGone:
		return "These records are no longer kept"
	case p.Status == http.StatusMethodNotAllowed:
		return "This page only answers GET"
	}
	if p.Status == http.StatusRequestURITooLong {
		return "This link is too long"
	}
	if len(p.Pair) > 0 {
		return "These two settings do not go together"
	}
	return "One part of this link was not understood"
}

func bad(param, found, allowed string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Param: param, Found: found, Allowed: allowed}
}

func ourMistake(id string) *Problem {
	return &Problem{Status: http.StatusInternalServerError, Mistake: id,
		Msg: "The server failed while it answered. That is a bug of ours, not part of a lesson."}
}
