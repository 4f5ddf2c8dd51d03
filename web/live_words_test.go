package web

import (
	"strings"
	"testing"
	"time"
)

// A broker that gives no answer is said to give none, and not when it does.
func TestLiveSaysThatTheBrokerIsSilent(t *testing.T) {
	s := LiveStatus{Fed: 3, All: 9}
	if got := liveWords(&s); strings.Contains(got, "broker") {
		t.Errorf("with a broker that answers: %q", got)
	}
	s.Silent = 4200 * time.Millisecond
	if got, want := liveWords(&s), "The broker has not answered for 4 s. Who needs it waits."; !strings.Contains(got, want) {
		t.Errorf("%q does not say %q", got, want)
	}
}
