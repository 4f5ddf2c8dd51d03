package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // locks the table from outside
)

// labOf is a program with a lab whose log is kept, and a browser.
type labOf struct {
	*tab
	data string
	log  *keptLog
}

// keptLog is what a program has written to standard error.
type keptLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (k *keptLog) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.buf.Write(b)
}

func (k *keptLog) has(words string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return strings.Contains(k.buf.String(), words)
}

func newLabOf(t *testing.T, more ...string) *labOf {
	t.Helper()
	l := &labOf{data: t.TempDir(), log: &keptLog{}}
	p, err := launchLogged(l.log, "127.0.0.1:0", append([]string{"--data", l.data, "--live"}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	l.tab = open(t, p.URL, look{})
	return l
}

// file is a file of the lab's folder; name may have stars, and the last match counts.
func (l *labOf) file(name string) string {
	l.t.Helper()
	list, err := filepath.Glob(filepath.Join(l.data, "live", "lab-*", name))
	if err != nil || len(list) == 0 {
		l.t.Fatalf("no file %s: %v", name, err)
	}
	last := list[0]
	for _, f := range list {
		if len(f) > len(last) || len(f) == len(last) && f > last {
			last = f
		}
	}
	return last
}

// words waits until the sentence about the run's state has some words, or has not.
func (l *labOf) words(words string, there bool) {
	l.t.Helper()
	l.await(fmt.Sprintf(`document.querySelector('[data-region="live/words"]').textContent.includes(%q) === %t`, words, there))
}

// liveTrouble is something that goes wrong around a job, and passes.
type liveTrouble struct {
	name, setup string
	begin       func(t *testing.T, l *labOf) (end func())
	state, log  string // on the page while it lasts; in the log
}

// damaged stops the job, changes its newest checkpoint, and mends it later.
func damaged(change func(file string) error) func(*testing.T, *labOf) func() {
	return func(t *testing.T, l *labOf) func() {
		l.click(`[data-process="coordinator"] [value=freeze]`) // so that no newer one comes
		l.await(`document.querySelector('[data-region="process/coordinator"]').textContent.includes('frozen')`)
		file := l.file("checkpoints/checkpoint-*[0-9]")
		whole, err := os.ReadFile(file)
		if err == nil {
			err = change(file)
		}
		if err != nil {
			t.Fatal(err)
		}
		l.click(`[data-process="coordinator"] [value=kill]`)
		return func() {
			if err := os.WriteFile(file, whole, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
}

func fullDisk(t *testing.T, l *labOf) func() {
	quota := filepath.Join(filepath.Dir(l.file("checkpoints/life")), "quota")
	if err := os.WriteFile(quota, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	return func() { _ = os.Remove(quota) }
}

func lockedTable(t *testing.T, l *labOf) func() {
	db, err := sql.Open("sqlite", l.file("table.db"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(context.Background())
	for _, q := range []string{"PRAGMA busy_timeout=20000", "BEGIN IMMEDIATE"} {
		if err == nil {
			_, err = c.ExecContext(context.Background(), q)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = c.Close(); _ = db.Close() }
}

func cutOff(_ *testing.T, l *labOf) func() {
	l.click(fmt.Sprintf(`.live-controls [name=seconds][value="%d"]`, cutSeconds))
	return func() {}
}

// Each trouble is a state on the page and a line in the log while it lasts; when it
// has passed, the state is gone, the job comes to rest, and the reader finds each
// record once.
func TestTroublesOnThePage(t *testing.T) {
	for _, x := range []liveTrouble{
		{"disk full", "transactional", fullDisk, "Trouble with the checkpoints: ", "no space left on device"},
		{"torn snapshot", "dedup", damaged(func(file string) error { return os.Truncate(file, 9) }), "Trouble with coordinator: ", "is damaged"},
		{"missing snapshot", "position", damaged(os.Remove), "Trouble with coordinator: ", "is damaged"},
		{"broker cut off", "transactional", cutOff, "The workers do not reach the broker for another ", "the workers do not reach the broker for"},
		{"database locked", "dedup", lockedTable, "Trouble with the database: ", "SQLite: "},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel() // each waits for its records most of the time
			l := newLabOf(t)
			l.startLab(x.setup, 60, 5)
			l.await(`+document.querySelector('[data-region="verdict/sink"] .v-observed')?.textContent > 0`)
			l.sealed()
			end := x.begin(t, l)
			l.words(x.state, true)
			if !l.log.has(x.log) {
				t.Errorf("the log does not say %q", x.log)
			}
			end()
			l.awaitFor(2*time.Minute, fmt.Sprintf(`!document.querySelector('[data-region="live/words"]').textContent.includes(%q)`, x.state))
			l.awaitFor(2*time.Minute, `document.querySelector('[data-region="live/words"]').textContent.includes('The job has ended: at rest')`)
			l.awaitFor(time.Minute, exactly60)
			l.words("Trouble", false)
		})
	}
}

// sealed waits for a completed checkpoint.
func (l *labOf) sealed() {
	l.t.Helper()
	again, late := time.NewTicker(20*time.Millisecond), time.After(patience)
	defer again.Stop()
	for {
		if list, _ := filepath.Glob(filepath.Join(l.data, "live", "lab-*", "checkpoints", "checkpoint-*[0-9]")); len(list) > 0 {
			return
		}
		select {
		case <-again.C:
		case <-late:
			l.t.Fatal("no checkpoint was sealed")
		}
	}
}

// A broker whose port is taken says so, waits, and serves when the port is free.
func TestPortTakenOnThePage(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	l := newLabOf(t, "--broker-port", fmt.Sprint(taken.Addr().(*net.TCPAddr).Port))
	l.visit("/live")
	eval[bool](l.tab, `(document.querySelector('[name=records]').value = '60', document.querySelector('[name=rate]').value = '20', true)`)
	l.click(`.live-start .primary`)
	l.await(`document.querySelector('main[data-live]')`)
	l.words("Trouble with broker: ", true)
	l.words("address already in use", true)
	if !l.log.has("address already in use") {
		t.Error("the log does not say that the port is taken")
	}
	_ = taken.Close()
	l.awaitFor(time.Minute, `!document.querySelector('[data-region="live/words"]').textContent.includes('Trouble')`)
	l.awaitFor(2*time.Minute, exactly60)
}
