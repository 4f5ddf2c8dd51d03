package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to reach a state before the test gives up.
const patience = 20 * time.Second

// findChromium looks where distributions put it; CHROMIUM names another place.
func findChromium() (string, error) {
	names := []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
	for _, n := range names {
		if n == "" {
			continue
		}
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("the browser tests need Chromium and found none. Install it (Debian: apt-get install --no-install-recommends chromium) or name it in CHROMIUM")
}

// startBrowser starts the one browser of the package.
func startBrowser(profile string) (context.Context, context.CancelFunc, error) {
	path, err := findChromium()
	if err != nil {
		return nil, nil, err
	}
	opts := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(profile), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		// Tabs that nobody looks at play as fast as the one in front.
		chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("disable-backgrounding-occluded-windows", true), chromedp.Flag("disable-renderer-backgrounding", true)}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		stop()
		return nil, nil, fmt.Errorf("start %s: %w", path, err)
	}
	return ctx, func() { cancel(); stop() }, nil
}

// tab is one visitor with one page.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string // of the program; everything else is a third party
	as   look   // how it was opened

	mu       sync.Mutex
	trouble  []string
	requests []string
	offline  bool // connection errors on the console are expected, and a proxy's
	refused  bool // so are answers 400, 404 and 503
}

// look is how a tab looks at pages.
type look struct {
	width, height int64
	dark, calm    bool // calm: reduced motion
	noScript      bool
}

func open(t *testing.T, base string, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b := &tab{t: t, ctx: ctx, base: base, as: l}
	t.Cleanup(func() { b.verify(); cancel() })
	b.must(chromedp.Do(ctx))
	b.must(chromedp.Listen(ctx, b.hear))
	if l.width == 0 {
		l.width, l.height = 1440, 900
	}
	b.must(chromedp.Do(ctx, chromedp.EmulateViewport(l.width, l.height)))
	call(b, cdplog.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	b.scheme(l.dark, l.calm)
	if l.noScript {
		call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	return b
}

// call runs a command of the devtools protocol.
func call[P, R any](b *tab, cmd cdp.Command[P, R], params P) R {
	b.t.Helper()
	r, err := chromedp.Call(b.ctx, cmd, params)
	b.must(err)
	return r
}

func (b *tab) scheme(dark, calm bool) {
	f := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "no-preference"}}
	if dark {
		f[0].Value = "dark"
	}
	if calm {
		f[1].Value = "reduce"
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: f})
}

// hear collects what must not happen, and every request.
func (b *tab) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *cdplog.EventEntryAdded:
		expected := b.offline && (strings.Contains(e.Entry.Text, "net::ERR_") || strings.Contains(e.Entry.Text, "status of 502")) || b.refused && (strings.Contains(e.Entry.Text, "status of 40") || strings.Contains(e.Entry.Text, "status of 503"))
		if e.Entry.Level == cdplog.EntryLevelError && !expected {
			b.trouble = append(b.trouble, fmt.Sprintf("console: %s %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			b.trouble = append(b.trouble, fmt.Sprintf("console.%s: %v", e.Type, e.Args))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		b.trouble = append(b.trouble, "exception: "+text)
	case *network.EventRequestWillBeSent:
		url := e.Request.URL
		if !strings.Contains(url, "/favicon") { // asked for by the browser itself at each change of the URL, and answered by its cache
			b.requests = append(b.requests, url)
		}
		if !strings.HasPrefix(url, b.base) && !strings.HasPrefix(url, "data:") {
			b.trouble = append(b.trouble, "third party: "+url)
		}
	case *network.EventWebSocketCreated:
		b.requests = append(b.requests, e.URL)
		if host := strings.TrimPrefix(b.base, "http"); !strings.HasPrefix(e.URL, "ws"+host) {
			b.trouble = append(b.trouble, "third party: "+e.URL)
		}
	}
}

// verify fails the test for everything that hear collected. The lock is given
// back before the page is asked: what listens needs it to go on.
func (b *tab) verify() {
	b.mu.Lock()
	trouble := b.trouble
	b.mu.Unlock()
	for _, w := range trouble {
		b.t.Error(w)
	}
	if b.t.Failed() {
		b.t.Logf("the tab was at %s, %s", b.where(), b.describe())
	}
}

func (b *tab) where() string {
	url, err := chromedp.Run(b.ctx, chromedp.Location())
	if err != nil {
		return err.Error()
	}
	return url
}

// describe is the state of the page, for the message of a test that failed.
func (b *tab) describe() string {
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`(() => { const m = document.querySelector('main');
		return JSON.stringify({title: document.title, ...m?.dataset, focus: document.activeElement?.outerHTML.slice(0, 120), alert: document.getElementById('alert')?.textContent,
			error: document.querySelector('.error-page')?.textContent.slice(0, 400)}); })()`))
	if err != nil {
		return err.Error()
	}
	return s
}

// count is how many requests the tab has made.
func (b *tab) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.requests)
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// visit goes to a path and waits until the run is there, if the page has one.
func (b *tab) visit(path string) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.base+path)))
}

// await asks the page until an expression is true, whatever is loaded meanwhile.
// It asks from here: a page without scripts runs no timers of its own.
func (b *tab) await(expr string) {
	b.t.Helper()
	b.awaitFor(patience, expr)
}

// awaitFor awaits what takes longer than a page does.
func (b *tab) awaitFor(patience time.Duration, expr string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		// While a navigation is under way there is nobody to ask: an error, and the next try.
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expr+")")); err == nil && ok {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			b.t.Fatalf("waited in vain for %s\nthe page: %s", expr, b.describe())
		}
	}
}

// state waits until the player is in one of the states and no flight is on.
func (b *tab) state(states ...string) {
	b.t.Helper()
	list, _ := json.Marshal(states)
	b.await(`(m => m && m.dataset.position && ` + string(list) + `.includes(m.dataset.state) && !m.hasAttribute('data-waiting') && !m.querySelector('[data-overlay] > *'))(document.querySelector('main[data-query]'))`)
}

// at waits until the page stands still at event n.
func (b *tab) at(n int) {
	b.t.Helper()
	b.state("paused", "frozen", "ended")
	b.await(fmt.Sprintf(`document.querySelector('main').dataset.position === '%d'`, n))
}

func eval[T any](b *tab, expr string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expr))
	if err != nil {
		b.t.Fatalf("%s: %v", expr, err)
	}
	return v
}

// click clicks with the mouse in the middle of the first visible match.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.await(`[...document.querySelectorAll(` + quote(selector) + `)].some(e => e.getClientRects().length)`)
	p := eval[[2]float64](b, `(() => { const e = [...document.querySelectorAll(`+quote(selector)+`)].find(e => e.getClientRects().length);
		e.scrollIntoView({block: 'nearest', behavior: 'instant'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	b.must(chromedp.Do(b.ctx, chromedp.MouseClickXY(p[0], p[1])))
}

// press types keys into whatever has the focus.
func (b *tab) press(keys string) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(keys)))
}

// number is a data attribute of main.
func (b *tab) number(name string) int {
	b.t.Helper()
	return eval[int](b, `Number(document.querySelector('main').dataset.`+name+`)`)
}

// picture is everything that the server drew on the page for this event: the
// contents of all regions and the attributes of the static layer.
func (b *tab) picture() string {
	b.t.Helper()
	return eval[string](b, `(() => {
		const fits = e => !e.closest('.stage.tall'); // without scripts the phone's drawing is on the page as well, hidden
		const regions = [...document.querySelectorAll('[data-region]')].filter(fits).map(e => e.dataset.region + ' ' + e.innerHTML);
		const fixed = [...document.querySelectorAll('[data-attrs]')].filter(fits).map(e => e.dataset.attrs + ' ' + [...e.attributes]
			.filter(a => !/^(tabindex|data-(watched|changed|prompted|key)|aria-disabled)$/.test(a.name)).map(a => a.name + '=' + a.value).sort().join(' '));
		return [...regions, ...fixed].sort().join('\n'); })()`)
}

// back goes back in the history and lets the page tell when it is there: a page
// that comes from the back/forward cache has no load event to wait for.
func (b *tab) back() {
	b.t.Helper()
	eval[bool](b, `(history.back(), true)`)
}

func (b *tab) reload() {
	b.t.Helper()
	call(b, page.Reload, page.ReloadParams{})
}

func quote(s string) string {
	q, _ := json.Marshal(s)
	return string(q)
}
