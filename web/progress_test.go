package web_test

import (
	"bytes"
	"context"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
	"effectivelyonce/quizzes/progress"
	"effectivelyonce/quizzes/progress/sqlstore"
	"effectivelyonce/web"
)

// ailing is a real store that fails when a test says so.
type ailing struct {
	progress.Store
	ill atomic.Bool
}

func (a *ailing) sick() error {
	if a.ill.Load() {
		return &progress.Trouble{Why: "the disk is full", Cause: errors.New("a test says so")}
	}
	return nil
}

func (a *ailing) Add(ctx context.Context, who progress.Learner, h progress.History) error {
	if err := a.sick(); err != nil {
		return err
	}
	return a.Store.Add(ctx, who, h)
}

func (a *ailing) Erase(ctx context.Context, who progress.Learner) error {
	if err := a.sick(); err != nil {
		return err
	}
	return a.Store.Erase(ctx, who)
}

func (a *ailing) Ready(ctx context.Context) error {
	if err := a.sick(); err != nil {
		return err
	}
	return a.Store.Ready(ctx)
}

func newStore(t *testing.T) *ailing {
	t.Helper()
	store, err := sqlstore.SQLite(t.TempDir(), sqlstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &ailing{Store: store}
}

// person is a browser without scripts: it keeps its cookie and follows redirects.
type person struct {
	t      *testing.T
	s      http.Handler
	cookie *http.Cookie
	site   string // Sec-Fetch-Site; "" sends none of these headers
}

func newPerson(t *testing.T, s http.Handler) *person {
	return &person{t: t, s: s, site: "same-origin"}
}

func (p *person) send(r *http.Request) *http.Response {
	p.t.Helper()
	if p.cookie != nil {
		r.AddCookie(p.cookie)
	}
	if p.site != "" {
		r.Header.Set("Sec-Fetch-Site", p.site)
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	}
	w := httptest.NewRecorder()
	p.s.ServeHTTP(w, r)
	res := w.Result()
	for _, c := range res.Cookies() {
		p.cookie = c
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
			p.t.Errorf("cookie %+v", c)
		}
		if c.MaxAge < 0 {
			p.cookie = nil
		}
	}
	return res
}

// visit opens a page and returns it with what it says.
func (p *person) visit(path string) (*page, string) {
	p.t.Helper()
	res := p.send(httptest.NewRequest(http.MethodGet, path, nil))
	text := body(p.t, res)
	if res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: status %d\n%s", path, res.StatusCode, text)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	return &page{root}, text
}

// post sends a form and returns where that leads.
func (p *person) post(path string, v url.Values) (status int, to string) {
	p.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res := p.send(r)
	to, _, _ = strings.Cut(res.Header.Get("Location"), "#")
	return res.StatusCode, to
}

func (p *person) history(store progress.Store) progress.History {
	p.t.Helper()
	if p.cookie == nil {
		return progress.History{}
	}
	h, err := store.Load(context.Background(), progress.Learner(p.cookie.Value))
	if err != nil {
		p.t.Fatal(err)
	}
	return h
}

// hidden are the hidden inputs of a form.
func hidden(t *testing.T, form *html.Node) url.Values {
	t.Helper()
	if m, _ := attr(form, "method"); m != "post" {
		t.Errorf("the form is sent by %q", m)
	}
	_, query, _ := strings.Cut(formURL(t, form, nil), "?")
	v, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// asked is a question with one right option, in its lesson.
func asked(t *testing.T) (path string, q *quizzes.Question, right, wrong string) {
	t.Helper()
	for _, l := range catalogue().Lessons() {
		for _, q := range l.Quiz {
			if q.Kind != quizzes.Single {
				continue
			}
			for _, o := range q.Options {
				if o.Right {
					right = q.ID + ":" + o.ID
				} else {
					wrong = q.ID + ":" + o.ID
				}
			}
			return "/lessons/" + l.Slug, q, right, wrong
		}
	}
	t.Fatal("no question has one right option")
	return
}

// betting is a lesson with a bet.
func betting(t *testing.T) (l *lessons.Lesson, seg *lessons.Segment) {
	t.Helper()
	for _, l := range catalogue().Lessons() {
		for _, seg := range l.Segments {
			if seg.Bet != nil {
				return l, seg
			}
		}
	}
	t.Fatal("no lesson has a bet")
	return
}

func withStore(store progress.Store) func(*web.Config) {
	return func(c *web.Config) { c.Progress = store }
}

// Without scripts a bet and an answer are saved, once, and the page that follows
// can be loaded again.
func TestAnswersAreSavedWithoutScripts(t *testing.T) {
	store := newStore(t)
	s := newServer(t, withStore(store))
	p := newPerson(t, s)
	l, seg := betting(t)
	v := url.Values{"seg": {seg.ID}, "bet": {seg.ID + ":" + seg.Bet.Options[0].ID}, "confidence": {"sure"}, "reason": {"so <it> seems"}}
	status, to := p.post("/lessons/"+l.Slug, v)
	if status != http.StatusSeeOther || strings.Contains(to, "reason") || strings.Contains(to, "unsaved") {
		t.Fatalf("the bet leads to %d %q", status, to)
	}
	p.visit(to)
	p.visit(to)
	path, q, _, wrong := asked(t)
	quiz, _ := p.visit(path + "?seg=quiz")
	form := hidden(t, quiz.byID("quiz-"+q.ID))
	form.Set("quiz", wrong)
	for range 2 { // pressed twice
		if status, to = p.post(path, form); status != http.StatusSeeOther {
			t.Fatalf("the answer leads to %d", status)
		}
	}
	answered, _ := p.visit(to)
	if _, ok := attr(answered.byID("quiz-"+q.ID), "data-answered"); !ok {
		t.Error("the page after the answer does not show it")
	}
	h := p.history(store)
	if len(h.Bets) != 1 || h.Bets[0].Confidence != "sure" || h.Bets[0].Reason != "so <it> seems" || h.Bets[0].Right != seg.Bet.Options[0].Right {
		t.Errorf("bets kept: %+v", h.Bets)
	}
	if len(h.Answers) != 1 || h.Answers[0].Question != q.ID || h.Answers[0].Right {
		t.Errorf("answers kept: %+v", h.Answers)
	}
	if len(h.Seen) == 0 {
		t.Error("no step was noted as seen")
	}
	other := newPerson(t, newServer(t, withStore(store))) // another server, another tab
	other.cookie = p.cookie
	if _, said := other.visit(path + "?seg=quiz"); !strings.Contains(said, "You answered this on") {
		t.Error("another server on the same store does not know of the answer")
	}
}

// A save that fails says so and keeps the answer in the form; sent again it is
// saved once.
func TestAnAnswerIsNeverLostSilently(t *testing.T) {
	store := newStore(t)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := newServer(t, withStore(store), func(c *web.Config) { c.Now = func() time.Time { return now } })
	p := newPerson(t, s)
	path, q, right, _ := asked(t)
	quiz, _ := p.visit(path + "?seg=quiz")
	form := hidden(t, quiz.byID("quiz-"+q.ID))
	form.Set("quiz", right)
	store.ill.Store(true)
	status, to := p.post(path, form)
	if status != http.StatusSeeOther {
		t.Fatalf("a save that failed leads to %d", status)
	}
	answered, said := p.visit(to)
	for _, want := range []string{"This answer could not be saved", "Save again", "Read only for now:</b> the disk is full", right + `" checked`} {
		if !strings.Contains(said, want) {
			t.Errorf("the page after a failed save does not say %q", want)
		}
	}
	again := hidden(t, answered.byID("quiz-"+q.ID))
	if again.Get("ticket") != form.Get("ticket") {
		t.Errorf("the form has another ticket than the one that failed")
	}
	again.Set("quiz", right)
	l, seg := betting(t)
	bet := url.Values{"seg": {seg.ID}, "bet": {seg.ID + ":" + seg.Bet.Options[0].ID}, "confidence": {"low"}, "reason": {"a guess"}}
	_, to = p.post("/lessons/"+l.Slug, bet)
	if _, said = p.visit(to); !strings.Contains(said, `value="a guess"`) || !strings.Contains(said, `value="low" checked`) {
		t.Error("the bet that could not be saved is not in its form any more")
	}
	store.ill.Store(false)
	for range 2 {
		if _, to = p.post(path, again); strings.Contains(to, "unsaved") {
			t.Errorf("sent again it leads to %q", to)
		}
	}
	if h := p.history(store); len(h.Answers) != 1 || !h.Answers[0].Right {
		t.Errorf("answers kept: %+v", h.Answers)
	}
}

// What a link shows is not saved: only a form is, and only one of this site.
func TestOnlyOwnFormsAreSaved(t *testing.T) {
	store := newStore(t)
	s := newServer(t, withStore(store))
	path, _, right, _ := asked(t)
	p := newPerson(t, s)
	p.visit("/progress")
	p.site = "cross-site"
	p.visit(path + "?seg=quiz&quiz=" + right)
	if p.cookie != nil {
		t.Error("a link from another site made a learner")
	}
	p.site = "same-origin"
	p.visit(path + "?seg=quiz&quiz=" + right)
	for _, site := range []string{"cross-site", "same-site"} {
		p.site = site
		if status, _ := p.post(path, url.Values{"quiz": {right}}); status != http.StatusForbidden {
			t.Errorf("a form from %s: status %d", site, status)
		}
	}
	if h := p.history(store); len(h.Answers) != 0 {
		t.Errorf("saved: %+v", h.Answers)
	}
	p.site = "same-origin"
	for _, v := range []url.Values{{}, {"bet": {"nothing:a"}}, {"quiz": {"nothing:a"}}, {"quiz": {right}, "more": {"x"}}} {
		if status, _ := p.post(path, v); status != http.StatusBadRequest {
			t.Errorf("form %v: status %d", v, status)
		}
	}
}

func upload(t *testing.T, p *person, data []byte) (int, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	f, err := w.CreateFormFile("file", "progress.json")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write(data)
	_ = w.Close()
	r := httptest.NewRequest(http.MethodPost, "/progress/import", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	res := p.send(r)
	return res.StatusCode, body(t, res)
}

func TestExportImportErase(t *testing.T) {
	store := newStore(t)
	s := newServer(t, withStore(store))
	path, _, right, wrong := asked(t)
	p := newPerson(t, s)
	for _, a := range []string{right, wrong} {
		p.post(path, url.Values{"quiz": {a}})
	}
	p.visit(path + "?seg=end")
	file := []byte(body(t, p.send(httptest.NewRequest(http.MethodGet, "/progress/export", nil))))
	if bytes.Contains(file, []byte(p.cookie.Value)) {
		t.Error("the file holds the number in the cookie")
	}
	other := newPerson(t, s)
	if status, said := upload(t, other, file[:len(file)-40]); status != http.StatusBadRequest || !strings.Contains(said, "Nothing was imported. The file is damaged") {
		t.Errorf("a damaged file: status %d\n%s", status, said)
	}
	if other.cookie != nil {
		t.Error("a damaged file made a learner")
	}
	for range 2 {
		if status, said := upload(t, other, file); status != http.StatusSeeOther {
			t.Fatalf("status %d\n%s", status, said)
		}
	}
	if _, said := other.visit("/progress?done=import"); !strings.Contains(said, "2 answers so far, 1 right") || !strings.Contains(said, "done on") {
		t.Errorf("after the import the page says\n%s", said)
	}
	if status, _ := other.post("/progress/erase", nil); status != http.StatusBadRequest || other.history(store).Empty() {
		t.Errorf("erased without being sure: status %d", status)
	}
	who := *other
	if status, _ := other.post("/progress/erase", url.Values{"sure": {"1"}}); status != http.StatusSeeOther || other.cookie != nil {
		t.Errorf("erase: status %d, cookie %v", status, other.cookie)
	}
	if h := who.history(store); !h.Empty() {
		t.Errorf("left after erasing: %+v", h)
	}
	if h := p.history(store); len(h.Answers) != 2 {
		t.Errorf("erasing one learner changed another: %+v", h)
	}
}

// The home page knows how far a learner is, and what is due.
func TestHomeShowsWhatIsDoneAndDue(t *testing.T) {
	store := newStore(t)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := newServer(t, withStore(store), func(c *web.Config) { c.Now = func() time.Time { return now } })
	p := newPerson(t, s)
	if _, said := p.visit("/"); !strings.Contains(said, "Start here") || p.cookie != nil {
		t.Error("a new visitor is not told where to start, or has a cookie already")
	}
	path, q, right, _ := asked(t)
	p.visit(path)
	if _, said := p.visit("/"); !strings.Contains(said, "Continue lesson") || !strings.Contains(said, "you are here, 1 of") {
		t.Error("the home page does not lead back into the lesson")
	}
	p.visit(path + "?seg=quiz")
	p.post(path, url.Values{"quiz": {right}})
	p.visit(path + "?seg=end")
	if _, said := p.visit("/"); !strings.Contains(said, "Choose the next lesson") || strings.Contains(said, "due today") {
		t.Error("the home page does not know that the lesson is done")
	}
	now = now.AddDate(0, 0, 4)
	if _, said := p.visit("/"); !strings.Contains(said, "1 review is due today") {
		t.Error("after four days no review is due")
	}
	progressed, _ := p.visit("/progress")
	for _, a := range progressed.all(func(n *html.Node) bool { h, _ := attr(n, "href"); return strings.HasSuffix(h, "#quiz-"+q.ID) }) {
		href, _ := attr(a, "href")
		review, _ := p.visit(strings.Split(href, "#")[0])
		form := hidden(t, review.byID("quiz-"+q.ID))
		if form.Get("draw") != "2" {
			t.Errorf("the review has draw %q, want a new one", form.Get("draw"))
		}
		form.Set("quiz", right)
		p.post(path, form)
	}
	if _, said := p.visit("/progress"); !strings.Contains(said, "The next one is due in 4 days") {
		t.Errorf("after the review the page says\n%s", said)
	}
}

// A store that fails makes the site read only; it is told once, and it passes.
func TestReadOnlyWhileTheStoreIsIll(t *testing.T) {
	store := newStore(t)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := newServer(t, withStore(store), func(c *web.Config) { c.Now = func() time.Time { return now } })
	p := newPerson(t, s)
	store.ill.Store(true)
	for _, path := range []string{"/", "/progress", "/lessons/" + firstLesson(t).Slug} {
		if _, said := p.visit(path); !strings.Contains(said, "Read only for now:</b> the disk is full") {
			t.Errorf("%s does not say that nothing is kept", path)
		}
	}
	if res := get(t, s, "/readyz"); res.StatusCode != http.StatusServiceUnavailable || body(t, res) != "read only: the disk is full\n" {
		t.Errorf("/readyz: status %d", res.StatusCode)
	}
	if res := get(t, s, "/healthz"); res.StatusCode != http.StatusOK {
		t.Errorf("/healthz: status %d", res.StatusCode)
	}
	store.ill.Store(false)
	now = now.Add(time.Minute)
	if _, said := p.visit("/"); strings.Contains(said, "Read only") {
		t.Error("the store is well again, and the page does not know")
	}
	if res := get(t, s, "/readyz"); res.StatusCode != http.StatusOK {
		t.Errorf("/readyz after recovery: status %d", res.StatusCode)
	}
}
