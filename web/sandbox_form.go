package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

// fieldGroup is a part of the form.
type fieldGroup struct {
	Title  string
	Fields []formField
	Idle   bool // none of them can act; shown with the reason, not hidden
}

// formField is one setting.
type formField struct {
	Key, ID, Name, Value string
	Words                []string // a list to choose from; nil: free text
	Allowed              string
	Idle                 string // why it cannot act
	Own                  string // the scenario's own value, where this is another
}

// sinkFields is the form of one sink.
type sinkFields struct {
	Name   string
	Kind   formField
	Fields []formField
	Idle   []formField
	Remove templ.SafeURL // "" for the only one
}

// inForm are settings that have a place of their own in the form.
var inForm = []string{"strategy", "topology", "sinks", "sink"}

// jobFields are the settings of the whole job: those that act by what they are
// about, then those that cannot.
func (p *sandboxPage) jobFields() []fieldGroup {
	groups := []fieldGroup{{Title: "Size and routing"}, {Title: "When it saves"}, {Title: "Failure and time"}, {Title: "What work costs"}, {Title: "Cannot act here", Idle: true}}
	for _, d := range engine.SettingInfos() {
		if d.PerSink || d.Alias || slices.Contains(inForm, d.Key) {
			continue
		}
		f := p.fieldOf(d, d.Key, nil)
		at := 1
		switch {
		case f.Idle != "":
			at = 4
		case strings.HasPrefix(d.Key, "cost."):
			at = 3
		case d.Shape:
			at = 0
		case slices.Contains([]string{"restart.delay", "crash.detection", "gap", "backlog", "horizon", "channel.capacity"}, d.Key):
			at = 2
		}
		groups[at].Fields = append(groups[at].Fields, f)
	}
	return slices.DeleteFunc(groups, func(g fieldGroup) bool { return len(g.Fields) == 0 })
}

// fieldOf is a setting as the form shows it; full is its name in a link.
func (p *sandboxPage) fieldOf(d engine.SettingInfo, full string, k *engine.SinkSettings) formField {
	f := formField{Key: d.Key, Name: "set." + full, ID: "f-" + strings.ReplaceAll(full, ".", "-"), Words: d.Words, Allowed: d.Allowed,
		Value: p.Setup.Settings.Value(d.Key, k), Idle: p.Setup.Settings.Idle(d.Key, k)}
	own := k
	if k != nil {
		own = sinkOf(&p.Setup.Own, k.Name)
	}
	if v := p.Setup.Own.Value(d.Key, own); v != f.Value {
		f.Own = v
	}
	for _, b := range p.Setup.Bad { // as it was typed
		if key, value, ok := strings.Cut(b.Found, "="); ok && key == full {
			f.Value = value
		}
	}
	if f.Words != nil && !slices.Contains(f.Words, f.Value) { // as it was typed, or "" for the strategy's own
		f.Words = append([]string{f.Value}, f.Words...)
	}
	if d.Key == "readers" {
		f.Words = []string{"read_committed", "read_uncommitted", "read_committed+read_uncommitted"}
	}
	return f
}

func sinkOf(set *engine.Settings, name string) *engine.SinkSettings {
	for i := range set.Sinks {
		if set.Sinks[i].Name == name {
			return &set.Sinks[i]
		}
	}
	return nil
}

func (p *sandboxPage) sinkForms() []sinkFields {
	set := &p.Setup.Settings
	var out []sinkFields
	for i := range set.Sinks {
		k := &set.Sinks[i]
		s := sinkFields{Name: k.Name}
		for _, d := range engine.SettingInfos() {
			if !d.PerSink || d.Alias {
				continue
			}
			switch f := p.fieldOf(d, "sinks."+k.Name+"."+d.Key, k); {
			case d.Key == "sink":
				s.Kind = f
			case f.Idle != "":
				s.Idle = append(s.Idle, f)
			default:
				s.Fields = append(s.Fields, f)
			}
		}
		if len(set.Sinks) > 1 {
			s.Remove = sandboxURL(p.withSinks(slices.Delete(sinkNames(set), i, i+1)))
		}
		out = append(out, s)
	}
	return out
}

func sinkNames(set *engine.Settings) []string { return strings.Split(set.Value("sinks", nil), ",") }

// withSinks is the query with these sinks; the settings of those that stay are
// spelled with their names.
func (p *sandboxPage) withSinks(names []string) lessons.Query {
	set := p.Setup.Settings.Clone()
	own := p.Setup.Scenario.Settings.Clone()
	list := strings.Join(names, ",")
	if set.Set("sinks", list) != nil || own.Set("sinks", list) != nil {
		return p.Query
	}
	q := p.Query
	q.Set = nil
	if list != p.Setup.Scenario.Settings.Value("sinks", nil) {
		q.Set = append(q.Set, "sinks="+list)
	}
	q.Set = append(q.Set, lessons.Changes(&set, &own)...)
	if p.Setup.Input != p.Setup.Scenario.Input.Name {
		q.Set = append(q.Set, "input="+p.Setup.Input)
	}
	return q
}

// addSink is the page with one more sink; "" where there are enough.
func (p *sandboxPage) addSink() templ.SafeURL {
	names := sinkNames(&p.Setup.Settings)
	if len(names) >= 4 {
		return ""
	}
	for n := 2; ; n++ {
		if name := "sink" + strconv.Itoa(n); !slices.Contains(names, name) {
			return sandboxURL(p.withSinks(append(names, name)))
		}
	}
}

// kindWords say what a strategy or a sink does, beside its name. One that is not
// here is shown by its name alone.
var kindWords = map[string]string{
	"barriers": "checkpoints, cut by barriers", "microbatch": "offset log, commit log, re-run the batch", "kafka-streams": "changelogs and repartition topics",
	"offset-commit": "a plain consumer loop", "batch": "task retry on immutable input", "trident": "txid batches, state that knows them",
	"dataflow": "every stage stores and drops repeats", "replicated": "k+1 copies run each command", "xa": "two systems, one coordinator",
	"append": "writes at once, nothing to undo", "upsert": "sets by id or key", "dedup": "remembers event ids", "offset-with-output": "position and result in one write",
	"transactional": "commits with the checkpoint, batch or commit", "email": "a side effect per record", "files": "renamed when final", "state": "the engine's own table",
	"J": "sources, one counter, sinks", "J2": "two counters, two sinks", "K": "an enrich step before the counter", "MAP": "no state but offsets", "LOOP": "one process reads, counts, writes",
	"BATCH": "map and reduce over whole files",
}

func (p *sandboxPage) choice(key string) formField {
	for _, d := range engine.SettingInfos() {
		if d.Key == key {
			return p.fieldOf(d, d.Key, nil)
		}
	}
	panic("web: no setting " + key)
}

// fromForm reports whether a query has the long names of a form.
func fromForm(v url.Values) bool {
	for name := range v {
		if strings.HasPrefix(name, "set.") || strings.HasPrefix(name, "fault.") {
			return true
		}
	}
	return false
}

// maxFields bounds a form: every setting of every sink, and every fault.
const maxFields = 800

func boundForm(v url.Values) error {
	if len(v) > maxFields {
		return bad("form", strconv.Itoa(len(v))+" fields", "at most "+strconv.Itoa(maxFields))
	}
	for name, values := range v {
		for _, x := range append([]string{name}, values...) {
			if why := unclean(x); why != "" {
				return &Problem{Status: 400, Param: clipped(name, 60), Found: clipped(x, 200), Allowed: "printable text in UTF-8, at most 8 KiB", Msg: "A value " + why + "."}
			}
		}
	}
	return nil
}

// formQuery turns the long names of the form into a query that says only what
// differs from the scenario. What was not understood stays in it, so that the page
// can say so beside the field.
func (s *Server) formQuery(v url.Values) (lessons.Query, error) {
	q := lessons.Query{Scenario: v.Get("scenario"), Seed: v.Get("seed"), Input: v.Get("input"), Set: v["set"]}
	var names []string
	for name := range v {
		if key, ok := strings.CutPrefix(name, "set."); ok && v.Get(name) != "" {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	for _, key := range names {
		q.Set = append(q.Set, key+"="+strings.TrimSpace(v.Get("set."+key)))
	}
	q.Faults = append(v["fault"], composeFaults(v)...)
	setup, err := s.catalogue.Setup(lessons.Query{Scenario: q.Scenario})
	if err != nil {
		return q, problemOf(err)
	}
	if q.Seed == strconv.FormatUint(setup.Scenario.Seed, 10) {
		q.Seed = ""
	}
	page := &sandboxPage{Setup: setup, Query: q}
	return page.tidy(q), nil
}

func (p *sandboxPage) seed() string {
	if p.Query.Seed != "" {
		return p.Query.Seed
	}
	return strconv.FormatUint(p.Setup.Scenario.Seed, 10)
}

func (p *sandboxPage) to(path string) templ.SafeURL {
	return templ.SafeURL(path + "?" + queryOf(p.Query))
}

func (p *sandboxPage) promiseURL() templ.SafeURL {
	return templ.SafeURL(string(sandboxURL(p.Query)) + "&card=promise")
}

// pasteQuery is the query that pasted records join.
func (p *sandboxPage) pasteQuery() string {
	q := p.Query
	q.Input = ""
	return queryOf(q)
}

func (p *sandboxPage) ownRecordsOff() templ.SafeURL {
	q := p.Query
	q.Input = ""
	return sandboxURL(q)
}

// written is a moment as the text field shows it: what the list does not have.
func (p *sandboxPage) written(r faultRow) string {
	if r.Spec == "" || p.listed(r.When) {
		return ""
	}
	return r.When
}

// scripted is the page with the faults that the scenario is told with.
func (p *sandboxPage) scripted() templ.SafeURL {
	q := p.Query
	q.Faults = p.Setup.Scenario.Script
	return sandboxURL(q)
}

// orOwn is a word of a list; the empty one leaves the choice to the strategy.
func orOwn(word string) string {
	if word == "" {
		return "the strategy's own"
	}
	return word
}

// suggested are the lists behind text fields: a click is enough for usual values.
var suggested = []struct {
	ID     string
	Values []string
}{
	{"durations", []string{"0ms", "20ms", "40ms", "100ms", "150ms", "300ms", "500ms", "1s", "2s", "3s", "10s", "30s", "1m", "15m"}},
	{"numbers", []string{"0", "1", "2", "3", "4", "8", "16", "100"}},
	{"arguments", []string{"x2", "x20", "x20:1s", "500ms", "1s", "3s", "8s"}},
	{"anything", nil},
}

// list is the id of the suggestions for a text field.
func (f formField) list() string {
	switch {
	case strings.HasPrefix(f.Allowed, "a duration"):
		return "durations"
	case strings.HasPrefix(f.Allowed, "a whole number"):
		return "numbers"
	}
	return "anything"
}
