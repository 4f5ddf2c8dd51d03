package web_test

import (
	"strings"
	"testing"
)

// What is said of why a reader saw what it saw fits its isolation level, the class of
// its verdict, and whose transaction was committed.
func TestWhyFitsTheVerdict(t *testing.T) {
	srv := newServer(t)
	for query, words := range map[string][2]string{
		"scenario=skip-align-2pc&fault=crash-job@before:checkpoint.complete~2":                                                {"6 results (", "read_uncommitted reader"},
		"scenario=late-window-again&fault=crash-job@after:checkpoint.complete~1":                                              {"Why values of the billing are off", "stayed exact"},
		"scenario=incident-c18&fault=crash-job@before:txn.commit~2":                                                           {"of the start before was never committed", "The restart committed"},
		"scenario=sandbox&set=sink=dedup&set=dedup.write=value-first&set=output=event&fault=crash:sink/0@after:dedup.value~4": {"its id was not", "cannot be rolled back"},
		"scenario=sandbox&fault=crash-job@before:txn.commit~1":                                                                {"was complete: the restart committed it", "start before"},
	} {
		said := body(t, get(t, srv, "/card/reveal?"+query))
		if !strings.Contains(said, words[0]) || strings.Contains(said, words[1]) {
			t.Errorf("%s: %q has to be there and %q not: %s", query, words[0], words[1], said)
		}
	}
}
