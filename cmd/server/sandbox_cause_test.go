package main

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var (
	causeNote = regexp.MustCompile(`data-cause="([^"]*)"[\s\S]*?<a href="([^"]*)">Use ([^<]*)</a>`)
	causeLine = regexp.MustCompile(`<span class="cause [^"]*" data-says="([^"]*)"`)
	promises  = regexp.MustCompile(`<p class="promise-says">([^<]*)</p>`)
)

// Where a promise is not met, the setting that causes it is named with the nearest
// change that helps: its line is outlined in the product's settings, the way out
// stands at the promise and at the settings, and leads to a job that promises more.
func TestSandboxNamesTheCause(t *testing.T) {
	h := site(t)
	const loop = "scenario=sandbox&set=strategy=offset-commit&set=topology=LOOP&set=sink=append&set=output=event&set=commit.every=4&set=commit="
	for _, c := range []struct{ query, key, use, then string }{
		{"scenario=skip-align", "checkpoint.mode", "checkpoint.mode=exactly_once", "Exact, wherever"},
		{"scenario=short-timeout", "sinks.sink.transaction.timeout", "transaction.timeout=5s", "Exact, wherever"},
		{"scenario=sandbox&set=sink=dedup&set=output=event&set=dedup.retention=2s&set=restart.delay=3s", "sinks.sink.dedup.retention", "dedup.retention=10s", "Exact, wherever"},
		{loop + "before", "commit", "commit=after", "Can end duplicated"},
		{loop + "after", "sinks.sink.sink", "sink=upsert", "Exact, wherever"},
	} {
		_, page := ask(h, "/sandbox?"+c.query+"&card=promise")
		notes, lines := causeNote.FindAllStringSubmatch(page, -1), causeLine.FindAllStringSubmatch(page, -1)
		if len(notes) != 2 || len(lines) != 1 {
			t.Errorf("%s: %d notes and %d outlined lines, want one note at the promise, one at the settings, and one line", c.query, len(notes), len(lines))
			continue
		}
		if notes[0][1] != c.key || lines[0][1] != c.key || notes[0][3] != c.use {
			t.Errorf("%s: blames %s, outlines %s, offers %s; want %s and %s", c.query, notes[0][1], lines[0][1], notes[0][3], c.key, c.use)
		}
		status, next := ask(h, html.UnescapeString(notes[0][2])+"&card=promise")
		if says := promises.FindStringSubmatch(next); status != http.StatusOK || says == nil || !strings.HasPrefix(says[1], c.then) {
			t.Errorf("%s leads to status %d, %q, want %q", notes[0][2], status, says, c.then)
		}
	}
	if _, page := ask(h, "/sandbox?scenario=sandbox&card=promise"); causeNote.MatchString(page) || causeLine.MatchString(page) {
		t.Error("a setup that keeps its promise is blamed")
	}
}
