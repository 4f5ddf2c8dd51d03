package web

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

// params is what a URL says, read strictly: nothing is guessed and nothing that
// was not understood is skipped.
type params struct {
	lessons.Query
	forStore
	At        int // event shown; -1: not given
	From      int // stream and windows only; -1: not given
	To        int // windows only; -1: not given
	Card      string
	Predict   []string // SINK:CLASS or SINK/READER:CLASS
	Bets      []string // SEGMENT:OPTION
	Quiz      []string // QUESTION:OPTION
	Answer    string   // of a question that has no options
	Seg       string
	Way       string   // lessons: the path through the course that the reader is on
	What      string   // what the inspector looks at
	Kind      string   // exploration only
	Depth     string   // exploration only
	Choices   []string // crash map: KEY=VALUE,KEY=VALUE… or base, one a panel
	Cols      string   // crash map: the columns shown, FROM-TO
	Sel       string   // crash map: FAULT@COLUMN
	Full      bool     // crash map: the whole budget before the page is sent
	View      string   // stream: map, or nothing for a run
	FromForm  bool     // some settings came as set.KEY=VALUE; the URL has a shorter spelling
	Embed     bool
	Projector bool
	Tall      bool // stream and windows: the drawing for narrow screens
}

// single are the parameters that may be given once, many those that repeat.
var (
	single = []string{"scenario", "seed", "input", "at", "from", "to", "card", "seg", "path", "what", "embed", "projector", "tall", "kind", "depth", "confidence", "reason", "answer", "draw", "ticket", "unsaved", "cols", "sel", "full", "view"}
	many   = []string{"set", "fault", "predict", "bet", "quiz", "choice"}
)

const (
	maxValue   = 8 << 10
	maxRepeats = 64
)

// parse reads the query of a request. Every error is a *Problem.
func (s *Server) parse(c echo.Context) (*params, error) {
	v, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return nil, &Problem{Status: 400, Param: "URL", Found: c.Request().URL.RawQuery, Allowed: "pairs name=value, percent-encoded", Msg: "The query of this URL is not well formed: " + err.Error() + "."}
	}
	return readParams(v)
}

func readParams(v url.Values) (*params, error) {
	if err := checkNames(v); err != nil {
		return nil, err
	}
	p := &params{At: -1, From: -1, To: -1, Card: v.Get("card"), Seg: v.Get("seg"), Way: v.Get("path"), What: v.Get("what"),
		Predict: predictions(v), Bets: v["bet"], Quiz: v["quiz"], Kind: v.Get("kind"), Depth: v.Get("depth"), Answer: v.Get("answer"),
		Choices: v["choice"], Cols: v.Get("cols"), Sel: v.Get("sel"), View: v.Get("view")}
	p.Query = lessons.Query{Scenario: v.Get("scenario"), Seed: v.Get("seed"), Faults: v["fault"], Input: v.Get("input")}
	p.Set, p.FromForm = settings(v)
	var err error
	if p.At, err = eventNumber("at", v); err != nil {
		return nil, err
	}
	if p.From, err = eventNumber("from", v); err != nil {
		return nil, err
	}
	if p.To, err = eventNumber("to", v); err != nil {
		return nil, err
	}
	if p.Embed, err = flag("embed", v); err != nil {
		return nil, err
	}
	if p.Projector, err = flag("projector", v); err != nil {
		return nil, err
	}
	if p.Full, err = flag("full", v); err != nil {
		return nil, err
	}
	if p.View != "" && p.View != "map" {
		return nil, bad("view", p.View, "map")
	}
	if p.forStore, err = readForStore(v); err != nil {
		return nil, err
	}
	if p.Tall, err = flag("tall", v); err != nil {
		return nil, err
	}
	if c := p.Card; c != "" && c != "predict" && c != "reveal" && c != "promise" {
		return nil, &Problem{Status: 400, Param: "card", Found: c, Allowed: "predict, reveal", Nearest: engine.Nearest(c, []string{"predict", "reveal"})}
	}
	return p, nil
}

func checkNames(v url.Values) error {
	known := append(append([]string{}, single...), many...)
	for name, values := range v {
		name = formName(name)
		if !contains(known, name) {
			return &Problem{Status: 400, Param: "parameter " + strconv.Quote(name), Found: name, Allowed: strings.Join(known, ", "), Nearest: engine.Nearest(name, known),
				Msg: "There is no parameter " + strconv.Quote(name) + "."}
		}
		if contains(single, name) && len(values) > 1 {
			return bad(name, strings.Join(values, " and "), "one value")
		}
		if len(values) > maxRepeats {
			return bad(name, strconv.Itoa(len(values))+" values", "at most "+strconv.Itoa(maxRepeats))
		}
		for _, x := range values {
			if name == "answer" { // in one's own words, and in lines
				x = lineBreaks.Replace(x)
			}
			if why := unclean(x); why != "" {
				return &Problem{Status: 400, Param: name, Found: x, Allowed: "printable text in UTF-8, at most 8 KiB", Msg: "The value of " + name + " " + why + "."}
			}
		}
	}
	return nil
}

// formName is the parameter that an input of a form without scripts stands for:
// such a form needs a name of its own for each row.
func formName(name string) string {
	if strings.HasPrefix(name, "predict-") {
		return "predict"
	}
	if strings.HasPrefix(name, "set.") {
		return "set"
	}
	return name
}

// settings are the values of set, and those of inputs named set.KEY. What a form
// left empty is not set.
func settings(v url.Values) (set []string, fromForm bool) {
	set = append(set, v["set"]...)
	for _, key := range engine.SettingKeys() {
		for _, x := range v["set."+key] {
			fromForm = true
			if x != "" {
				set = append(set, key+"="+x)
			}
		}
	}
	return set, fromForm
}

// predictions are the answers of the predict card. A form without scripts needs a
// name for each row, predict-0, predict-1…
func predictions(v url.Values) []string {
	out := append([]string(nil), v["predict"]...)
	for i := range maxRepeats {
		out = append(out, v["predict-"+strconv.Itoa(i)]...)
	}
	return out
}

// lineBreaks are what a text of several lines may hold besides printable characters.
var lineBreaks = strings.NewReplacer("\r", "", "\n", " ", "\t", " ")

// unclean says what is wrong with a value that no parameter may have.
func unclean(s string) string {
	switch {
	case len(s) > maxValue:
		return "is longer than 8 KiB"
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "holds a control character"
	}
	return ""
}

func eventNumber(name string, v url.Values) (int, error) {
	s := v.Get(name)
	if s == "" && !v.Has(name) {
		return -1, nil
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n > engine.MaxEvents {
		return 0, bad(name, s, "the number of an event, 0 to "+strconv.Itoa(engine.MaxEvents))
	}
	return int(n), nil
}

func flag(name string, v url.Values) (bool, error) {
	switch s := v.Get(name); s {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	default:
		return false, bad(name, s, "0, 1")
	}
}

// queryOf writes a query the way data-query and all links spell it: scenario,
// set, seed, fault, input, in this order, readable where a URL allows it.
func queryOf(q lessons.Query) string {
	var w links
	w.add("scenario", q.Scenario)
	for _, x := range q.Set {
		w.add("set", x)
	}
	if q.Seed != "" {
		w.add("seed", q.Seed)
	}
	for _, x := range q.Faults {
		w.add("fault", x)
	}
	if q.Input != "" {
		w.add("input", q.Input)
	}
	return w.String()
}

// links writes a query string.
type links struct{ strings.Builder }

func (w *links) add(name, value string) {
	if w.Len() > 0 {
		w.WriteByte('&')
	}
	w.WriteString(name)
	w.WriteByte('=')
	w.WriteString(escape(value))
}

// escape is percent-encoding that leaves alone what a query may hold as it is,
// so that fault=crash:count/1@57 can be read.
func escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~:/@()=,*!", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
