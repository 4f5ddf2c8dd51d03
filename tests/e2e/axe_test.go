package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeSource is the script of axe-core.
func axeSource(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("axe-core is not installed; run: npm ci --prefix tests (%v)", err)
	}
	return string(source)
}

// ofColour are the rules of axe whose result depends on colours: what a page that
// was found in order has to be asked again when only its theme has changed.
var ofColour = []string{"color-contrast", "link-in-text-block"}

// axe runs in the page through the devtools protocol, which the content security
// policy does not bind: the policy stays as strict as it is. Without rules it runs
// all of them.
func (b *tab) axe(source, what string, rules ...string) {
	b.t.Helper()
	if !b.is(`typeof axe === 'object'`) {
		b.must(chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](source+"; 0")))
	}
	only := ""
	if len(rules) > 0 {
		only = `, runOnly: {type: 'rule', values: ['` + strings.Join(rules, `', '`) + `']}`
	}
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ['violations']`+only+`}).then(r =>
		JSON.stringify(r.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map(n => n.target + ' ' + n.failureSummary).join(' | '))))`, chromedp.EvalAwaitPromise))
	b.must(err)
	var found []string
	b.must(json.Unmarshal([]byte(out), &found))
	for _, f := range found {
		b.t.Errorf("%s: %s", what, f)
	}
}

// settleColours ends all transitions: no colour is on its way to another.
func (b *tab) settleColours() {
	b.t.Helper()
	eval[bool](b, `(document.getAnimations().forEach(a => a instanceof CSSTransition && a.finish()), true)`)
}

// axeBoth runs axe on what the page shows: all of it in the theme that the tab was
// opened with, and its colours in the other. The page is the same one.
func (b *tab) axeBoth(source, what string) {
	b.t.Helper()
	themes := map[bool]string{false: "light", true: "dark"}
	b.settleColours()
	b.axe(source, what+", "+themes[b.as.dark])
	b.scheme(!b.as.dark, b.as.calm)
	b.settleColours()
	b.axe(source, what+", "+themes[!b.as.dark], ofColour...)
	b.scheme(b.as.dark, b.as.calm)
	b.settleColours()
}

// axeLook is axeBoth on a page of which that is all, found no wider than the screen.
func (b *tab) axeLook(source, what string) {
	b.t.Helper()
	b.await(`document.readyState === 'complete' && document.querySelector('main')`)
	b.axeBoth(source, what)
	if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("%s is %d pixels wider than the screen", what, over)
	}
}

// shared gives each item to one of two visitors, who look at the same time: a page
// waits for its server, and the server for its page, half of the time. Both have
// ended when it returns.
func shared[T any](t *testing.T, l look, items []T, do func(*tab, T)) {
	t.Helper()
	t.Run("visitors", func(t *testing.T) {
		for first := range 2 {
			t.Run(fmt.Sprint(first+1), func(t *testing.T) {
				t.Parallel()
				b := open(t, site.URL, l)
				for i := first; i < len(items); i += 2 {
					do(b, items[i])
				}
			})
		}
	})
}
