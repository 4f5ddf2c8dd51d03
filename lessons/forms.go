package lessons

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/quizzes"
)

// forms prints the inline forms of a text. Without a run, numbers are dots and
// links are words; that is what a page shows when nobody called Prepare.
type forms struct {
	cat   *Catalogue
	in    *engine.Input // for the tints of keys; may be nil
	run   *quizzes.Run  // may be nil
	query Query
	seg   string          // of the segment the text stands in; "" none
	seen  map[string]bool // glossary terms already explained in this lesson
	draw  *quizzes.Question
	play  func(Query) (*played, error) // for numbers of other runs; nil: there are none
}

// Resolve is part of prose.Resolver.
func (f *forms) Resolve(name, arg, text string) (string, error) {
	switch name {
	case "chip", "result":
		return f.chip(name, arg)
	case "barrier", "checkpoint", "txn":
		n, err := f.number(arg)
		if err != nil {
			return "", err
		}
		return glyph(name, n), nil
	case "crash":
		return `<svg class="icon" aria-hidden="true"><use href="#g-crash"></use></svg>`, nil
	case "event":
		return f.event(arg, text)
	case "run":
		return f.value(arg)
	case "id", "key":
		if f.draw == nil || f.draw.Fill("{"+name+"}") == "{"+name+"}" {
			return "", fmt.Errorf("nothing is drawn here; a question draws with draw: record")
		}
		return html.EscapeString(f.draw.Fill("{" + name + "}")), nil
	case "term":
		return f.term(arg, text)
	case "calc":
		n, err := quizzes.Calc(arg, nil)
		return quizzes.Value{Num: n}.String(), err
	case "worst":
		return f.worst(arg)
	}
	known := []string{"chip", "result", "barrier", "checkpoint", "txn", "crash", "event", "run", "calc", "worst", "id", "key", "term"}
	return "", fmt.Errorf("unknown form %q; allowed: %s", name, strings.Join(known, ", "))
}

func glyph(name, n string) string {
	n = html.EscapeString(n)
	switch name {
	case "barrier":
		return `<span class="glyph">barrier <span class="flag">` + n + `</span></span>`
	case "checkpoint":
		return `<span class="glyph"><svg class="icon" aria-hidden="true"><use href="#g-checkpoint"></use></svg>checkpoint ` + n + `</span>`
	}
	return `<span class="glyph"><svg class="icon" aria-hidden="true"><use href="#g-transaction"></use></svg>transaction ` + n + `</span>`
}

// number is a number as written, or an expression over the run.
func (f *forms) number(arg string) (string, error) {
	if n, err := strconv.Atoi(arg); err == nil {
		return strconv.Itoa(n), nil
	}
	v, err := f.ask(arg)
	return v, err
}

func (f *forms) ask(expr string) (string, error) {
	e, err := quizzes.ParseExpr(expr)
	if err != nil {
		return "", err
	}
	if f.run == nil {
		return "…", nil
	}
	v, err := e.Value(f.run)
	if err != nil {
		return "", err
	}
	return spaced.ReplaceAllString(v.String(), "$1 $2"), nil
}

// spaced finds a time as a setting has it, 300ms; in a sentence it is 300 ms.
var spaced = regexp.MustCompile(`^(\d+)(ms|s)$`)

func (f *forms) value(expr string) (string, error) {
	if f.draw != nil {
		expr = f.draw.Fill(expr)
	}
	if expr, of, ok := strings.Cut(expr, " in "); ok {
		return f.elsewhere(expr, strings.Fields(of))
	}
	s, err := f.ask(expr)
	return html.EscapeString(s), err
}

var tints = []string{"key-a", "key-b", "key-c", "key-d"}

// chip draws a record (key and offset) or a result (key and value) as the stage does.
func (f *forms) chip(name, arg string) (string, error) {
	key, n, ok := strings.Cut(arg, " ")
	if !ok {
		return "", fmt.Errorf("write {%s KEY NUMBER}", name)
	}
	n, err := f.number(strings.TrimSpace(n))
	if err != nil {
		return "", err
	}
	tint := 0
	if f.in != nil {
		if tint = slices.Index(f.in.Keys, key); tint < 0 {
			return "", fmt.Errorf("the input has no key %q; allowed: %s", key, strings.Join(f.in.Keys, ", "))
		}
	}
	word := "record " + key + ", offset " + n
	if name == "result" {
		word = "result " + key + " " + n
	}
	return fmt.Sprintf(`<span class="chip %s" title="%s">%s</span>`, tints[tint%len(tints)], html.EscapeString(word), html.EscapeString(f.label(key)+n)), nil
}

// label is how short the stage writes a key on a chip: the first letters, as many
// as tell the keys apart, up to three.
func (f *forms) label(key string) string {
	if f.in == nil {
		return key
	}
	letters := []rune(key)
	for n := 1; n <= 3 && n < len(letters); n++ {
		short := string(letters[:n])
		if !slices.ContainsFunc(f.in.Keys, func(k string) bool { return k != key && strings.HasPrefix(k, short) }) {
			return short
		}
	}
	return key
}

func (f *forms) event(name, text string) (string, error) {
	if f.run == nil {
		if text == "" {
			text = "this event"
		}
		return html.EscapeString(text), nil
	}
	n, err := f.run.At(quizzes.Moment("after:" + name))
	if err != nil {
		return "", err
	}
	if text == "" {
		text = "event " + strconv.Itoa(n)
	}
	return fmt.Sprintf(`<a href="?%s" data-event="%d">%s</a>`, html.EscapeString(link(f.query, f.seg, n)), n, html.EscapeString(text)), nil
}

// link is the query of a page that shows the run at an event; the page's own path
// goes before it.
func link(q Query, seg string, at int) string {
	head := ""
	if seg != "" {
		head = "seg=" + readable.Replace(url.QueryEscape(seg)) + "&"
	}
	return head + q.Encode() + "&at=" + strconv.Itoa(at)
}

// Encode writes the query as URLs have it, in a fixed order and as readable as a
// URL allows.
func (q Query) Encode() string {
	var b strings.Builder
	add := func(k, v string) {
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(k + "=" + readable.Replace(url.QueryEscape(v)))
	}
	add("scenario", q.Scenario)
	for _, s := range q.Set {
		add("set", s)
	}
	if q.Seed != "" {
		add("seed", q.Seed)
	}
	for _, s := range q.Faults {
		add("fault", s)
	}
	if q.Input != "" {
		add("input", q.Input)
	}
	return b.String()
}

// readable undoes escapes that a query does not need, so that a fault can be read.
var readable = strings.NewReplacer("%3A", ":", "%40", "@", "%2F", "/", "%28", "(", "%29", ")", "%3D", "=", "%7E", "~")

func (f *forms) term(id, text string) (string, error) {
	t := f.cat.terms[id]
	if t == nil {
		var ids []string
		for k := range f.cat.terms {
			ids = append(ids, k)
		}
		slices.Sort(ids)
		return "", fmt.Errorf("the glossary has no term %q; allowed: %s", id, strings.Join(ids, ", "))
	}
	if text == "" {
		text = t.Word
	}
	if f.seen == nil || f.seen[id] {
		return html.EscapeString(text), nil
	}
	f.seen[id] = true
	return fmt.Sprintf(`<span class="term" tabindex="0" data-term="%s" aria-describedby="term-%s">%s<span class="note" role="tooltip" id="term-%s">%s</span></span>`,
		html.EscapeString(id), html.EscapeString(id), html.EscapeString(text), html.EscapeString(id), html.EscapeString(t.Text)), nil
}
