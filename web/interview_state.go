package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

// interviewState is an interview as its URL says it. Nothing of it is kept on the
// server: a page that is loaded again, or gone back to, is the same.
type interviewState struct {
	Minutes int
	Chapter int // 0: all
	Timer   bool
	Since   int64 // when it began, in seconds since 1970
	Plan    []planned
	Now     int            // number of the question from 1; one more than there are: the review
	Given   map[int]string // replies by number of the question
	Words   map[int]string // what was written to open questions, as far as there is room
	Until   int64          // when the last answer was given; 0 none

	quiz           []string // of the form just sent
	answer, ticket string
	unsaved        bool // the answer of this page could not be kept; ticket is the one it was sent with
}

var interviewKeys = []string{"minutes", "focus", "timer", "since", "plan", "n", "a", "w", "text", "until", "quiz", "answer", "ticket", "unsaved"}

// readInterview reads the parameters strictly. Errors are *Problem.
func readInterview(cat *lessons.Catalogue, v url.Values) (*interviewState, error) {
	for name, values := range v {
		if !contains(interviewKeys, name) {
			return nil, &Problem{Status: 400, Param: "parameter " + strconv.Quote(clipped(name, 60)), Found: clipped(name, 60), Allowed: strings.Join(interviewKeys, ", "),
				Nearest: engine.Nearest(name, interviewKeys), Without: "/interview"}
		}
		if len(values) > 1 && name != "a" && name != "w" && name != "quiz" || len(values) > maxRepeats {
			return nil, bad(name, strconv.Itoa(len(values))+" values", "one value")
		}
	}
	st := &interviewState{Minutes: 30, Now: 1, Given: map[int]string{}, Words: map[int]string{}, quiz: v["quiz"], answer: strings.ReplaceAll(v.Get("answer"), "\r\n", "\n"), ticket: v.Get("ticket")}
	var err error
	if st.Timer, err = flag("timer", v); err != nil {
		return nil, err
	}
	if st.unsaved, err = flag("unsaved", v); err != nil {
		return nil, err
	}
	if m := v.Get("minutes"); m != "" {
		if st.Minutes, err = strconv.Atoi(m); err != nil || !slices.Contains(interviewLengths, st.Minutes) {
			return nil, bad("minutes", clipped(m, 60), "15, 30, 45")
		}
	}
	if f := v.Get("focus"); f != "" && f != "all" {
		if st.Chapter, err = strconv.Atoi(f); err != nil || st.Chapter < 1 || st.Chapter > len(cat.Chapters()) {
			return nil, bad("focus", clipped(f, 60), "all, or the number of a chapter, 1 to "+strconv.Itoa(len(cat.Chapters())))
		}
	}
	for name, at := range map[string]*int64{"since": &st.Since, "until": &st.Until} {
		if x := v.Get(name); x != "" {
			if *at, err = strconv.ParseInt(x, 10, 40); err != nil || *at < 0 {
				return nil, bad(name, clipped(x, 60), "seconds since 1970")
			}
		}
	}
	for _, words := range []string{st.answer, v.Get("text")} {
		if n := utf8.RuneCountInString(words); n > maxRunes || len(words) > maxOpen {
			return nil, bad("answer", strconv.Itoa(n)+" characters", "at most "+strconv.Itoa(maxRunes)+" characters")
		}
	}
	if len(st.ticket) > 40 {
		return nil, bad("ticket", clipped(st.ticket, 60), "at most 40 characters")
	}
	if v.Get("plan") == "" {
		return st, nil
	}
	if st.Plan, err = readPlan(cat, v.Get("plan")); err != nil {
		return nil, err
	}
	return st, st.readPlace(v)
}

// readPlace reads where the interview is, and what was answered.
func (st *interviewState) readPlace(v url.Values) error {
	var err error
	if n := v.Get("n"); n != "" {
		if st.Now, err = strconv.Atoi(n); err != nil || st.Now < 1 || st.Now > len(st.Plan)+1 {
			return bad("n", clipped(n, 60), "1 to "+strconv.Itoa(len(st.Plan)+1))
		}
	}
	for _, a := range v["a"] {
		num, reply, ok := strings.Cut(a, ":")
		n, err := strconv.Atoi(num)
		if err != nil || !ok || n < 1 || n > len(st.Plan) || len(reply) > 80 {
			return bad("a", clipped(a, 60), "NUMBER:ANSWER of a question of the plan")
		}
		st.Given[n] = reply
	}
	if text := v.Get("text"); text != "" && st.Now <= len(st.Plan) { // of links as they were before words were packed
		st.Words[st.Now] = text
	}
	return st.readWords(v["w"])
}

// fields are the hidden inputs that keep the interview, at question n.
func (st *interviewState) fields(n int) []field {
	out := []field{{"minutes", strconv.Itoa(st.Minutes)}}
	if st.Chapter > 0 {
		out = append(out, field{"focus", strconv.Itoa(st.Chapter)})
	}
	if st.Timer {
		out = append(out, field{"timer", "1"})
	}
	out = append(out, field{"since", strconv.FormatInt(st.Since, 10)}, field{"plan", planText(st.Plan)}, field{"n", strconv.Itoa(n)})
	for i := 1; i <= len(st.Plan); i++ {
		if a, ok := st.Given[i]; ok {
			out = append(out, field{"a", strconv.Itoa(i) + ":" + a})
		}
	}
	if st.Until > 0 {
		out = append(out, field{"until", strconv.FormatInt(st.Until, 10)})
	}
	for i := 1; i <= len(st.Plan); i++ {
		if words := st.Words[i]; words != "" {
			out = append(out, field{"w", strconv.Itoa(i) + ":" + packWords(words)})
		}
	}
	return out
}

// href is the URL of question n.
func (st *interviewState) href(n int) string {
	var w links
	for _, f := range st.fields(n) {
		w.add(f.Name, f.Value)
	}
	return "/interview?" + w.String()
}
