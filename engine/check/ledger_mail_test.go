package check

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
)

// TestACallIsNoEmail: what goes to a card network is a call, in the ledger and in the
// chain; to a mailbox, or to nobody in particular, it is an e-mail.
func TestACallIsNoEmail(t *testing.T) {
	for title, mail := range map[string]bool{"": true, "Mailbox": true, "mail provider": true, "card network": false} {
		k := &engine.SinkSettings{Kind: engine.SinkEmail, Title: title}
		if got := IsMail(k); got != mail {
			t.Errorf("%q: IsMail %v, want %v", title, got, mail)
		}
		w := &chainWriter{set: k}
		if got := strings.Contains(w.verb(&WrittenRow{}), "e-mail"); got != mail {
			t.Errorf("%q: the chain speaks of an e-mail: %v, want %v", title, got, mail)
		}
	}
	if IsMail(&engine.SinkSettings{Kind: engine.SinkAppend}) {
		t.Error("a table is no mailbox")
	}
}
