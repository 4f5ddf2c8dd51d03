package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// withLab launches a program of its own whose live lab is switched on.
func withLab(t *testing.T) *program {
	t.Helper()
	p, err := launchArgs("127.0.0.1:0", "--data", t.TempDir(), "--live")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// startLab starts a lab from the page.
func (b *tab) startLab(setup string, records, rate int) {
	b.t.Helper()
	b.visit("/live")
	b.click(`[name=setup][value="` + setup + `"]`)
	eval[bool](b, fmt.Sprintf(`(document.querySelector('[name=records]').value = '%d', document.querySelector('[name=rate]').value = '%d', true)`, records, rate))
	b.click(`.live-start .primary`)
	b.await(`document.querySelector('main[data-live]') && document.querySelector('[data-region="process/node/1"]')?.textContent.includes('running')`)
}

// pid is the id of a process as the page shows it; 0: there is none.
func (b *tab) pid(name string) int {
	n, _ := strconv.Atoi(eval[string](b, `document.querySelector('[data-region="process/`+name+`"] .pid')?.textContent ?? ''`))
	return n
}

// exactly60: the reader has found each of 60 records once.
const exactly60 = `[...document.querySelector('[data-region="verdict/sink"]').children].slice(1).map(c => c.textContent.trim()).join(' ') === '60 60 0 0 0 Exact'`

// runs reports whether the machine has a process with this id that is not a zombie.
func runs(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

// The learner kills a worker: its process is gone from the machine, another takes its
// place, the job restarts, and the reader finds each record once.
func TestWorkerIsKilledFromTheBrowser(t *testing.T) {
	b := open(t, withLab(t).URL, look{})
	b.startLab("transactional", 60, 5)
	b.await(`+document.querySelector('[data-region="verdict/sink"] .v-observed')?.textContent > 0`)
	victim := b.pid("node/1")
	if !runs(victim) {
		t.Fatalf("process %d is on the page and not on the machine", victim)
	}
	b.click(`[data-process="node/1"] [value=kill]`)
	b.await(`document.querySelector('[data-region="live/lines"]').textContent.includes('process ` + strconv.Itoa(victim) + ` has ended')`)
	if runs(victim) {
		t.Errorf("process %d is still there", victim)
	}
	b.await(`document.querySelector('[data-region="live/lines"]').textContent.includes('attempt 2 starts')`)
	b.await(`document.querySelector('[data-region="process/node/1"]').textContent.includes('running')`)
	if now := b.pid("node/1"); now == victim || !runs(now) {
		t.Errorf("process %d was killed, and %d serves", victim, now)
	}
	b.await(`document.querySelector('[data-region="live/words"]').textContent.includes('The job has ended: at rest')`)
	b.await(exactly60)
	eval[bool](b, `(document.querySelector('#live-at').focus(), true)`)
	b.press(kb.ArrowLeft)
	b.await(`document.querySelector('#live-follow').getAttribute('aria-pressed') === 'false'`)
	eval[bool](b, `(document.querySelector('[data-leave] button').focus(), true)`)
	b.press(kb.Enter)
	b.await(`location.pathname === '/live'`)
}

// The stage's crash button, by keyboard, kills the process of the task.
func TestTaskOnTheStageIsKilledByKeyboard(t *testing.T) {
	b := open(t, withLab(t).URL, look{})
	b.startLab("dedup", 60, 20)
	victim := b.pid("node/0")
	eval[bool](b, `(document.querySelector('[data-crash="count/0"]').focus(), true)`)
	b.press(kb.Enter)
	b.await(`document.querySelector('[data-region="live/lines"]').textContent.includes('process ` + strconv.Itoa(victim) + ` was sent SIGKILL')`)
	b.await(exactly60)
}

// Without scripts forms and a reload do the same, at the width of a phone too.
func TestLiveWithoutScripts(t *testing.T) {
	b := open(t, withLab(t).URL, look{width: 390, height: 844, noScript: true})
	b.visit("/live")
	b.click(`.live-start .primary`)
	b.await(`document.querySelector('main[data-live]')`)
	patiently(b, func() bool { return b.pid("node/1") != 0 })
	victim := b.pid("node/1")
	b.click(`[data-process="node/1"] [value=kill]`)
	b.await(`document.querySelector('[data-region="live/lines"]').textContent.includes('SIGKILL')`)
	patiently(b, func() bool { return !runs(victim) && b.pid("node/1") != victim && b.pid("node/1") != 0 })
}

// patiently loads the page again until it shows what is waited for.
func patiently(b *tab, ok func() bool) {
	b.t.Helper()
	for late := time.Now().Add(patience); !ok(); {
		if time.Now().After(late) {
			b.t.Fatal("did not happen: " + b.describe())
		}
		b.reload()
	}
}

// The pages of the lab are clean for axe, switched off and on, and nothing scrolls
// sideways on a phone.
func TestLivePagesAreAccessible(t *testing.T) {
	source := axeSource(t)
	axe := source
	off := open(t, site.URL, look{width: 390, height: 844})
	off.visit("/live")
	off.axe(axe, "/live, switched off")
	lab := withLab(t)
	for _, l := range []look{{}, {width: 390, height: 844, dark: true}} {
		b := open(t, lab.URL, l)
		b.visit("/live")
		b.axe(axe, "/live")
		b.startLab("append", 60, 20)
		b.axe(axe, "a live run")
		if wide := eval[bool](b, `document.documentElement.scrollWidth > innerWidth`); wide {
			t.Errorf("a live run scrolls sideways at %d", l.width)
		}
	}
}
