package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"effectivelyonce/tests/pgtest"
)

// crowdSize is how many learners answer at once.
const crowdSize = 100

// stores runs a test with each kind of store: the arguments of the server.
func stores(t *testing.T, test func(t *testing.T, store []string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, []string{"--data", t.TempDir()}) })
	t.Run("PostgreSQL", func(t *testing.T) {
		c := pgtest.Start(false)
		t.Cleanup(c.Remove)
		test(t, []string{"--database", c.URL(t)})
	})
}

// pupil is a learner who answers as fast as the server takes it. What was said to
// be saved is remembered, to be compared with what is there in the end.
type pupil struct {
	name   string
	client *http.Client
	saved  []string
}

func newPupil(t *testing.T, n int) *pupil {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &pupil{name: fmt.Sprintf("p%d", n), client: &http.Client{Jar: jar, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

var errUnsaved = errors.New("the page says that it is not saved")

// answer sends the form of one question, as a page without scripts does.
func (p *pupil) answer(site, ticket string) error {
	choice := []string{"a", "b", "c", "d"}[len(p.saved)%4]
	res, err := p.client.PostForm(site+"/lessons/one-crash-two-charges", url.Values{"seg": {"quiz"}, "quiz": {"q01.1:" + choice}, "ticket": {ticket}})
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	switch to := res.Header.Get("Location"); {
	case res.StatusCode != http.StatusSeeOther:
		return fmt.Errorf("status %d", res.StatusCode)
	case strings.Contains(to, "unsaved=1"):
		return errUnsaved
	}
	p.saved = append(p.saved, ticket)
	return nil
}

// learn answers until told to stop, or until the server is gone. An answer that
// the page says was not saved is sent again, with its ticket.
func (p *pupil) learn(site string, over func() bool) error {
	for n := 0; !over(); {
		switch err := p.answer(site, fmt.Sprintf("%s-%d", p.name, n)); {
		case err == nil:
			n++
		case !errors.Is(err, errUnsaved):
			return err
		}
	}
	return nil
}

// kept are the tickets that the server has of the learner, in order, without what
// the server adds to them.
func (p *pupil) kept(site string) ([]string, error) {
	res, err := p.client.Get(site + "/progress/export")
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	var file struct {
		History struct {
			Answers []struct{ Ticket string }
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&file); err != nil {
		return nil, fmt.Errorf("status %d: %w", res.StatusCode, err)
	}
	var out []string
	for _, a := range file.History.Answers {
		out = append(out, a.Ticket[:strings.LastIndexByte(a.Ticket, '-')])
	}
	return out, nil
}

// account compares what was said to be saved with what is there: all of it, each
// once, and at most the one answer more whose reply was lost.
func (p *pupil) account(t *testing.T, site string, more int) {
	t.Helper()
	there, err := p.kept(site)
	if err != nil {
		t.Errorf("%s: %v", p.name, err)
		return
	}
	times := map[string]int{}
	for _, ticket := range there {
		times[ticket]++
	}
	for _, ticket := range p.saved {
		if times[ticket] != 1 {
			t.Errorf("%s is kept %d times", ticket, times[ticket])
		}
	}
	if n := len(there) - len(p.saved); n < 0 || n > more {
		t.Errorf("%s: %d answers are kept, %d were said to be saved", p.name, len(there), len(p.saved))
	}
}

// crowd lets pupils answer at once, and returns how their learning ended.
func crowd(pupils []*pupil, site string, over func() bool) []error {
	var wg sync.WaitGroup
	errs := make([]error, len(pupils))
	for i, p := range pupils {
		wg.Go(func() { errs[i] = p.learn(site, over) })
	}
	wg.Wait()
	return errs
}

// TestACrowdOverHTTPLosesNothing: a hundred learners answer at once, through the
// whole server. Every answer that a page said to be kept is there, once.
func TestACrowdOverHTTPLosesNothing(t *testing.T) {
	stores(t, func(t *testing.T, store []string) {
		site, err := launchArgs("127.0.0.1:0", store...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(site.kill)
		var pupils []*pupil
		for n := range crowdSize {
			pupils = append(pupils, newPupil(t, n))
		}
		end := time.Now().Add(crowdTime)
		for i, err := range crowd(pupils, site.URL, func() bool { return time.Now().After(end) }) {
			if err != nil {
				t.Errorf("%s: %v", pupils[i].name, err)
			}
		}
		all := 0
		for _, p := range pupils {
			p.account(t, site.URL, 0)
			all += len(p.saved)
		}
		if all < crowdSize {
			t.Errorf("%d answers of %d learners", all, crowdSize)
		}
		t.Logf("%d learners, %v, %d answers, none lost", crowdSize, crowdTime, all)
	})
}

// TestKilledWhileACrowdAnswers kills the server with answers of many learners in
// its hands. What was said to be saved is there when it is started again, and an
// answer whose reply was lost can be given again and shows once.
func TestKilledWhileACrowdAnswers(t *testing.T) {
	stores(t, func(t *testing.T, store []string) {
		site, err := launchArgs("127.0.0.1:0", store...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(site.kill)
		var pupils []*pupil
		for n := range 20 {
			p := newPupil(t, n)
			if err := p.answer(site.URL, p.name+"-first"); err != nil { // from here on they have their cookie
				t.Fatal(err)
			}
			pupils = append(pupils, p)
		}
		var asked atomic.Int64
		crowd(pupils, site.URL, func() bool {
			if asked.Add(1) == 120 {
				_ = site.cmd.Process.Kill()
			}
			return false
		})
		_ = site.cmd.Wait() // it was killed: the status says nothing
		again, err := launchArgs(strings.TrimPrefix(site.URL, "http://"), store...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(again.kill)
		for _, p := range pupils {
			p.account(t, again.URL, 1)
			ticket := fmt.Sprintf("%s-%d", p.name, len(p.saved)-1) // the one under way at the kill
			if err := p.answer(again.URL, ticket); err != nil {
				t.Errorf("%s, given again: %v", ticket, err)
			}
			p.account(t, again.URL, 1)
		}
	})
}
