package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

// writeText prints a run for people: what it is, what happened, what came of it,
// and a link that opens it.
func (r *result) writeText(w io.Writer) error {
	b := bufio.NewWriter(w)
	r.writeHead(b)
	if err := trace.WriteTranscript(b, r.trace); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(b)
	r.writeVerdicts(b)
	r.writeRecovery(b)
	if link := r.link(); link != "" {
		_, _ = fmt.Fprintf(b, "\nWatch it: %s\n", link)
	}
	return b.Flush()
}

func (r *result) writeHead(w io.Writer) {
	in := r.job.Input
	_, _ = fmt.Fprintf(w, "%s: %s\n", r.job.Scenario, r.scenario.Title)
	if r.scenario.Story != "" {
		_, _ = fmt.Fprintln(w, r.scenario.Story)
	}
	_, _ = fmt.Fprintf(w, "\nTopology %s, %s, %s of %s, seed %d.\n", r.job.Settings.Topology, count(len(r.job.Plan.Tasks), "task"),
		count(in.Len(), "record"), in.Name, r.job.Seed)
	for _, f := range r.job.Conditions {
		_, _ = fmt.Fprintf(w, "Condition %s\n", f)
	}
	for _, f := range r.trace.Faults {
		_, _ = fmt.Fprintf(w, "Fault %s\n", f)
	}
	if diff := lessons.Differences(r.job); len(diff) > 0 {
		_, _ = fmt.Fprintln(w, "\nSettings that differ from the base values of this model:")
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, kv := range diff {
			_, _ = fmt.Fprintf(tw, "  %s\t%s\n", kv[0], kv[1])
		}
		_ = tw.Flush()
	}
	_, _ = fmt.Fprintln(w)
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// writeVerdicts prints the table of the page's verdict.
func (r *result) writeVerdicts(w io.Writer) {
	_, _ = fmt.Fprintf(w, "Verdict. Truth: %s, each counted once.\n\n", count(r.job.Input.Len(), "record"))
	width := len("Outside system")
	for i := range r.verdicts {
		width = max(width, utf8.RuneCountInString(r.outside(&r.verdicts[i])))
	}
	_, _ = fmt.Fprintf(w, "%-*s  Expected  Observed  Lost  Duplicated  Pending  Class\n", width, "Outside system")
	for i := range r.verdicts {
		v := &r.verdicts[i]
		_, _ = fmt.Fprintf(w, "%-*s  %8d  %8d  %4d  %10d  %7d  %s\n", width, r.outside(v), v.Expected, v.Observed, v.Lost, v.Duplicated, v.Pending, verdictWords(r.job, v))
	}
}

// outside names a sink as the page does and, where it matters, its reader.
func (r *result) outside(v *check.Verdict) string {
	name := v.Sink
	for i := range r.job.Settings.Sinks {
		if s := &r.job.Settings.Sinks[i]; s.Name == v.Sink && s.Title != "" {
			name = s.Title
		}
	}
	if v.Reader != "any" {
		name += ", " + v.Reader
	}
	return name
}

// writeRecovery prints how long the way back took, where state has a weight.
func (r *result) writeRecovery(w io.Writer) {
	if set := &r.job.Settings; set.State.KeyBytes == 0 && set.State.RemoteLatency == 0 {
		return
	}
	back, crashed := trace.RecoveryOf(r.trace)
	_, _ = fmt.Fprintln(w)
	if crashed {
		_, _ = fmt.Fprintln(w, back.String())
	}
	_, _ = fmt.Fprintln(w, back.Price.String())
}

// link opens the same run in a server at its default address; "" where none can.
func (r *result) link() string {
	if r.fromFile {
		return ""
	}
	q := r.query
	if q.OwnData != nil {
		packed, err := lessons.EncodeInput(q.OwnData)
		if err != nil {
			return "" // too large for a link; the page takes the same file by paste
		}
		q.Input = packed
	}
	return "http://localhost:8080/run?" + q.Encode()
}

// verdictWords is a verdict in the words of the page: the class first, then whom
// it hit. A test compares them.
func verdictWords(job *engine.Job, v *check.Verdict) string {
	var out string
	switch v.Class {
	case check.Exact:
		out = "Exact"
		if v.Hidden > 0 {
			out += fmt.Sprintf(", %d hidden", v.Hidden)
		}
	case check.Duplicated:
		out = "Duplicated: " + who(job, v.DuplicatedRows, v.Duplicated, "twice", true)
	case check.Lost:
		out = "Lost: " + who(job, v.LostRows, v.Lost, "missing", false)
	case check.Mixed:
		out = fmt.Sprintf("Lost %d and twice %d", v.Lost, v.Duplicated)
	case check.Wrong:
		out = "Wrong: " + who(job, v.WrongRows, v.Wrong, "wrong", false)
	case check.Stuck:
		out = "Stuck"
		if v.Pending > 0 {
			out += fmt.Sprintf(", %d pending", v.Pending)
		}
	}
	switch {
	case v.Rewound == 1:
		out += ", was older once"
	case v.Rewound > 1:
		out += fmt.Sprintf(", was older %d times", v.Rewound)
	}
	return out
}

// longNames is how much room the page has for names.
const longNames = 18

// who names the keys that a verdict hit, each once, or counts when they are many.
func who(job *engine.Job, rows []check.Ref, n int, word string, times bool) string {
	var keys []string
	most := 1
	for _, r := range rows {
		if k := job.Input.Keys[r.Key]; !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
		most = max(most, r.Times)
	}
	text := strings.Join(keys, ", ")
	if len(rows) != n || times && len(keys) != n || utf8.RuneCountInString(text) > longNames {
		return fmt.Sprintf("%d %s", n, word)
	}
	if times {
		text += fmt.Sprintf(" ×%d", most)
	}
	return text
}
