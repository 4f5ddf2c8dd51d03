package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Every kind that can happen has a sentence of its own, short enough for the log,
// in Latin-1, past tense left to the reader of the transcript.
func TestSentencesFit(t *testing.T) {
	said := map[engine.Kind]bool{}
	all := runs(t)
	all["phrases"] = phrases(t)
	for name, s := range phraseBooks {
		all[name] = s.trace(t)
	}
	for name, tr := range all {
		for n := 1; n <= tr.Len(); n++ {
			e := tr.At(n)
			actor, rest := trace.Phrase(tr, e)
			s := trace.Sentence(tr, e)
			said[e.Kind] = true
			switch {
			case actor == "" || s != actor+" "+rest:
				t.Errorf("%s: event %d has no actor: %q", name, n, s)
			case utf8.RuneCountInString(s) > trace.MaxSentence:
				t.Errorf("%s: event %d is told in %d runes: %q", name, n, utf8.RuneCountInString(s), s)
			case !strings.HasSuffix(s, ".") || strings.Contains(s, "  ") || strings.Contains(s, "%!"):
				t.Errorf("%s: event %d is told badly: %q", name, n, s)
			}
			for _, r := range s {
				if r > 0xff {
					t.Errorf("%s: event %d: %q is not Latin-1 in %q", name, n, r, s)
				}
			}
		}
	}
	for k := engine.NoKind + 1; k < engine.KindCount; k++ {
		if !said[k] {
			t.Errorf("no run of the tests has a %s", k)
		}
	}
}

// Names as long as they may be do not break the line.
func TestLongNamesAreClipped(t *testing.T) {
	long := strings.Repeat("k", engine.MaxKeyRunes)
	sink := strings.Repeat("s", 40)
	for _, kind := range []string{"append", "upsert", "email", "transactional"} {
		j := job(t, long+"1 12,"+long+"2 13|"+long+"1 5.5", "sinks="+sink, "sink="+kind, "parallelism=4")
		tr := run(t, j, "crash-job@30")
		for n := 1; n <= tr.Len(); n++ {
			if s := trace.Sentence(tr, tr.At(n)); utf8.RuneCountInString(s) > trace.MaxSentence {
				t.Errorf("%d runes: %q", utf8.RuneCountInString(s), s)
			}
		}
	}
}

func TestEveryKindHasAGlyph(t *testing.T) {
	groups := strings.Join(trace.Groups(), " ")
	j := job(t, cards)
	for k := engine.NoKind + 1; k < engine.KindCount; k++ {
		g := trace.GlyphOf(trace.New(j, nil), &engine.Event{Kind: k, Task: engine.TaskID(len(j.Plan.Tasks) - 1), Fault: -1})
		if g.Name == "" || g.Letter < '!' || !strings.Contains(groups, g.Group) {
			t.Errorf("%s has glyph %+v", k, g)
		}
	}
}

// phrases is a trace that never ran: every kind of event once or more, with each
// turn that its sentence can take.
func phrases(t *testing.T) *trace.Trace {
	t.Helper()
	j := job(t, cards, "topology=J2", "sinks=topic+table+mailbox+ledger", "sinks.topic.sink=transactional", "sinks.table.sink=upsert",
		"sinks.table.output=total", "sinks.mailbox.sink=email", "sinks.ledger.sink=upsert")
	var faults []engine.Fault
	for _, spec := range []string{"crash:count/1@57", "slow:count/0:x10:1.5s@0s", "crash-job@before:txn.commit~2"} {
		f, err := engine.ParseFault(spec)
		if err != nil {
			t.Fatal(err)
		}
		faults = append(faults, f)
	}
	tr := trace.New(j, faults)
	task := func(name string) engine.TaskID {
		id, ok := j.Plan.Find(name)
		if !ok {
			t.Fatalf("no task %s", name)
		}
		return id
	}
	add := func(k engine.Kind, who string, e engine.Event) {
		e.Kind, e.Attempt, e.T = k, max(e.Attempt, 1), e.T+engine.Time(tr.Len())*1250
		e.Task = engine.JobID
		if who != "" {
			e.Task = task(who)
		}
		if e.Fault == 0 {
			e.Fault = -1
		} else {
			e.Fault--
		}
		if e.Key == 0 && e.Value == 0 && e.Rec == (engine.RecordID{}) {
			e.Rec = engine.NoRecord
		}
		if e.Chan == 0 {
			e.Chan = engine.NoChan
		}
		tr.Append(e)
	}
	addPhrases(add, task, j.Plan.Tasks[task("count/0")].In[1])
	return tr
}

func TestPhraseBook(t *testing.T) {
	tr := phrases(t)
	var b bytes.Buffer
	if err := trace.WriteTranscript(&b, tr); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/phrases.txt", b.Bytes())
	b.Reset()
	if err := trace.WriteNDJSON(&b, tr); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/phrases.ndjson", b.Bytes())
	for _, name := range slices.Sorted(maps.Keys(phraseBooks)) {
		tr := phraseBooks[name].trace(t)
		b.Reset()
		if err := errors.Join(trace.WriteTranscript(&b, tr), trace.WriteNDJSON(&b, tr)); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/phrases-"+strings.ReplaceAll(name, " ", "-")+".txt", b.Bytes())
	}
}

func TestNDJSON(t *testing.T) {
	var b bytes.Buffer
	for name, tr := range runs(t) {
		b.Reset()
		if err := trace.WriteNDJSON(&b, tr); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != tr.Len() {
			t.Fatalf("%s: %d lines for %d events", name, len(lines), tr.Len())
		}
		for i, line := range lines {
			checkLine(t, tr, tr.At(i+1), line)
		}
	}
}

func checkLine(t *testing.T, tr *trace.Trace, e *engine.Event, line string) {
	t.Helper()
	var m struct {
		N       int
		T       float64
		Kind    string
		Task    string
		Record  *string
		Channel *string
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if m.N != int(e.N) || m.T != e.T.Millis() || m.Kind != e.Kind.String() || m.Task != tr.Job.Plan.Name(e.Task) {
		t.Errorf("event %+v printed as %s", e, line)
	}
	if (m.Record != nil) != (e.Rec != engine.NoRecord) && e.Kind != engine.Fenced {
		t.Errorf("record of %+v printed as %s", e, line)
	}
	if (m.Channel != nil) != (e.Chan != engine.NoChan) {
		t.Errorf("channel of %+v printed as %s", e, line)
	}
}

// Keys are whatever people bring.
func TestJSONQuotesWhatPeopleBring(t *testing.T) {
	for _, key := range []string{`a"b\`, "<script>", "tab\tnew\nline", "\x00\x1f", "é日本\u2028", "bad\xffutf8"} {
		j := job(t, "x 1|y 2")
		j.Input.Keys[0] = key
		tr := run(t, j)
		var b bytes.Buffer
		if err := trace.WriteNDJSON(&b, tr); err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(b.String(), "\n")
		var m struct{ Key string }
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Key != strings.ToValidUTF8(key, "\uFFFD") {
			t.Errorf("key %q came back as %q (%v) from %s", key, m.Key, err, line)
		}
	}
}

func TestTextIsTheLastField(t *testing.T) {
	tr := runs(t)["MAP"]
	got := string(trace.AppendJSON(nil, tr, tr.At(1), `a "text"`))
	if !strings.HasSuffix(got, `,"text":"a \"text\""}`) {
		t.Errorf("got %s", got)
	}
}

// golden compares with a file; REWRITE=1 writes it anew.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if os.Getenv("REWRITE") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with REWRITE=1 and read the difference", path)
	}
}
