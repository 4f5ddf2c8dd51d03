package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestAxeOnWhatOpens finds nothing on what pages open over themselves, in light and
// dark. The inspector of each kind of thing: TestEverythingOnTheStageCanBeInspected.
// The menu of phones: TestMenuOnAPhone.
func TestAxeOnWhatOpens(t *testing.T) {
	source := axeSource(t)
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=alignment-tour&fault=crash:count/0@64&at=500")
	b.await(complete)
	b.click(`[data-task="topic/0"] .box`)
	const transaction = `[...document.querySelectorAll('#inspector a, #inspector button')].find(e => /^transaction/i.test(e.textContent.trim()))`
	b.await(transaction)
	eval[bool](b, `(`+transaction+`.click(), true)`)
	b.await(`/transaction/i.test(document.querySelector('#inspector h2')?.textContent)`)
	b.axeBoth(source, "the inspector of a transaction")
	for _, what := range []string{"share", "describe"} {
		b.click("[data-do=" + what + "]")
		b.await(`document.querySelector('#inspector textarea')`)
		b.axeBoth(source, what)
		b.press(kb.Escape)
	}
	for path, ready := range map[string]string{
		"/run?scenario=hook-charges":                    complete,
		"/map?scenario=hook-charges&choice=sink=append": filled,
		"/twin?scenario=skip-align&set=checkpoint.mode=exactly_once&other=checkpoint.mode=at_least_once": `document.querySelector('main.twin[data-complete]')`,
		"/sandbox?scenario=short-timeout": `document.querySelector('.promise-says')`,
	} {
		b.visit(path)
		b.await(ready)
		b.press("?")
		b.await(`document.querySelector('dialog[open]')`)
		b.axeBoth(source, "the list of keys of "+path)
	}
	b.visit("/sandbox?scenario=short-timeout")
	b.await(`document.querySelector('.promise-says')`)
	for _, x := range []string{"as-link", "as-file", "as-command", "as-product"} {
		b.click("#" + x + " summary")
		b.axeBoth(source, "the sandbox's job, "+x)
	}
}
