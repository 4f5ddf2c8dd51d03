package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// says waits for words of the page.
func (b *tab) says(words string) {
	b.t.Helper()
	b.await(`document.querySelector('main')?.textContent.includes(` + quote(words) + `)`)
}

// TestAxeWhileNothingCanBeSaved looks at the pages of a server whose database is
// damaged, on a wide screen and on a phone: all of them say so, and an answer that
// could not be saved is still in its form.
func TestAxeWhileNothingCanBeSaved(t *testing.T) {
	source, dir := axeSource(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "progress.db"), []byte(strings.Repeat("not a database. ", 600)), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := launchWith("127.0.0.1:0", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	for _, width := range []int64{1280, 390} {
		b := open(t, p.URL, look{width: width, height: 844})
		b.refused = true
		for _, path := range []string{"/", "/progress", "/interview", kindsPlan + "&n=1"} {
			b.visit(path)
			b.says("Read only for now:")
			b.axeLook(source, fmt.Sprintf("%s, nothing can be saved, %d wide", path, width))
		}
		b.visit("/lessons/one-crash-two-charges?seg=quiz")
		b.await(`document.querySelector('#quiz-q01\\.1 [type=radio]')`)
		eval[bool](b, `(document.querySelector('#quiz-q01\\.1 [type=radio]').click(), document.querySelector('#quiz-q01\\.1 button').click(), true)`)
		b.says("This answer could not be saved")
		b.axeLook(source, fmt.Sprintf("an answer that could not be saved, %d wide", width))
	}
}

// importFile sends a file by the form of the page.
func (b *tab) importFile(text string) {
	b.t.Helper()
	eval[bool](b, `(() => { const d = new DataTransfer(), i = document.querySelector('#file'); d.items.add(new File([`+quote(text)+`], 'progress.json', {type: 'application/json'}));
		i.files = d.files; i.form.requestSubmit(); return true; })()`)
}

// TestAxeOnImportAndErase looks at what the progress page says after a damaged file,
// a good one, erasing without being sure, and erasing.
func TestAxeOnImportAndErase(t *testing.T) {
	source := axeSource(t)
	for _, width := range []int64{1280, 390} {
		b := open(t, site.URL, look{width: width, height: 844})
		b.refused = true
		at := func(what string) string { return fmt.Sprintf("%s, %d wide", what, width) }
		b.visit("/lessons/one-crash-two-charges?seg=quiz")
		b.await(`document.querySelector('#quiz-q01\\.1 [type=radio]')`)
		eval[bool](b, `(document.querySelector('#quiz-q01\\.1 [type=radio]').click(), document.querySelector('#quiz-q01\\.1 button').click(), true)`)
		b.await(`document.querySelector('#quiz-q01\\.1')?.hasAttribute('data-answered')`)
		b.visit("/progress")
		b.says("1 answer so far")
		file := eval[string](b, kept)
		b.importFile(file[:len(file)/2])
		b.says("Nothing was imported. The file is damaged")
		b.axeLook(source, at("import refused"))
		b.importFile(file)
		b.says("The file was imported")
		b.axeLook(source, at("imported"))
		eval[bool](b, `(() => { const i = document.querySelector('[name=sure]'); i.required = false; i.form.requestSubmit(); return true; })()`)
		b.says("Nothing was erased. Tick the box if you mean it.")
		b.axeLook(source, at("not sure"))
		eval[bool](b, `(() => { const i = document.querySelector('[name=sure]'); i.click(); i.form.requestSubmit(); return true; })()`)
		b.says("Everything that was kept of you is erased")
		b.axeLook(source, at("erased"))
	}
}

// TestAxeOnEveryReview looks at the end of an interview: nothing answered, some,
// all right, and after its time.
func TestAxeOnEveryReview(t *testing.T) {
	source := axeSource(t)
	const plan = "/interview?minutes=15&plan=q01.1~3,q04.1~3,q10.4~3&n=4"
	states := map[string]string{
		"nothing answered":   plan + "&since=1",
		"some, and partly":   plan + "&since=1&a=1:a&a=3:a.b",
		"all right":          plan + "&since=1&a=1:b&a=2:a.b.c.d.e&a=3:a.b.c.d.e.f.g.h.i.j.k.l.m",
		"the time is over":   plan + "&timer=1&since=1&a=1:b",
		"while time is left": plan + fmt.Sprintf("&timer=1&since=%d", time.Now().Unix()),
	}
	for _, width := range []int64{1280, 390} {
		shared(t, look{width: width, height: 844}, slices.Sorted(maps.Keys(states)), func(b *tab, what string) {
			b.visit(states[what])
			b.says("Question by question")
			b.axeLook(source, fmt.Sprintf("the review, %s, %d wide", what, width))
			if what == "all right" {
				b.says("Every question was answered right.")
			}
		})
	}
}

// TestInterviewClockTicks: the clock counts down by itself. It is no live region,
// and that the time is over is said once. With reduced motion it shows minutes.
func TestInterviewClockTicks(t *testing.T) {
	ends := func(in time.Duration) string {
		return fmt.Sprintf("/interview?minutes=15&timer=1&plan=q01.1~3,q04.1~3&n=1&since=%d", time.Now().Add(in-15*time.Minute).Unix())
	}
	const left = `document.querySelector('[data-left]')?.textContent`
	b := open(t, site.URL, look{})
	b.visit(ends(10 * time.Minute))
	b.await(`/^[0-9]+:[0-5][0-9] left\.$/.test(` + left + `)`)
	first := eval[string](b, left)
	b.await(left + ` !== ` + quote(first))
	if !b.is(`!document.querySelector('[data-ends]').closest('[aria-live]') && document.querySelector('[data-ends]').getAttribute('role') === 'timer' && !document.querySelector('[data-over]').textContent`) {
		t.Error("each tick is said")
	}
	b.visit(ends(3 * time.Second))
	b.await(`document.querySelector('[data-ends]').textContent.startsWith('The time is over.') && document.querySelector('[data-over]').textContent.startsWith('The time is over.')`)
	calm := open(t, site.URL, look{calm: true})
	calm.visit(ends(10 * time.Minute))
	calm.await(`/^(9|10) min left\.$/.test(` + left + `)`)
}
