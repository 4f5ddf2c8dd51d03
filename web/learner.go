package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"effectivelyonce/quizzes/progress"
)

// The cookie of a learner. Browsers keep it for 400 days at most.
const (
	learnerCookie = "learner"
	learnerDays   = 400
)

// Times that a page is willing to wait for the store.
const (
	loadTime = 2 * time.Second
	saveTime = 6 * time.Second
	askAgain = 5 * time.Second // how old the knowledge may be that the store is well
)

// keeper is the store as pages use it: nothing it says stops a page, and the log
// tells once when it fails and once when it is well again.
type keeper struct {
	store progress.Store // nil: this server keeps nothing

	mu    sync.Mutex
	why   string // why nothing can be saved; "" it can
	asked time.Time
}

// keeps reports whether this server keeps progress at all.
func (s *Server) keeps() bool { return s.keeper.store != nil }

// noted remembers how the store answered, and tells the log when that changed.
func (s *Server) noted(err error) (why string) {
	why = progress.WhyNot(err)
	k := &s.keeper
	k.mu.Lock()
	before := k.why
	k.why, k.asked = why, s.now()
	k.mu.Unlock()
	switch {
	case why != "" && why != before:
		s.log.Error("progress cannot be saved; the site goes on and shows what can be read", "why", why, "err", err)
	case why == "" && before != "":
		s.log.Info("progress can be saved again")
	}
	return why
}

// trouble says why nothing can be saved at the moment. It asks the store when
// that was not known for a while.
func (s *Server) trouble(ctx context.Context) string {
	if !s.keeps() {
		return ""
	}
	k := &s.keeper
	k.mu.Lock()
	why, fresh := k.why, !k.asked.IsZero() && s.now().Sub(k.asked) < askAgain
	k.mu.Unlock()
	if fresh {
		return why
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	return s.noted(s.keeper.store.Ready(ctx))
}

// learner is who sent the request; false for somebody new.
func learner(c echo.Context) (progress.Learner, bool) {
	cookie, err := c.Cookie(learnerCookie)
	if err != nil {
		return "", false
	}
	return progress.ParseLearner(cookie.Value)
}

// newLearner gives a new learner their cookie. It says nothing about anybody, is
// not readable by scripts, and other sites cannot send it with their forms.
func newLearner(c echo.Context) progress.Learner {
	who := progress.NewLearner()
	setLearner(c, string(who), learnerDays*24*60*60)
	return who
}

func setLearner(c echo.Context, value string, age int) {
	c.SetCookie(&http.Cookie{Name: learnerCookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: c.Request().TLS != nil || c.Request().Header.Get("X-Forwarded-Proto") == "https"})
}

// save keeps entries of whoever sent the request, who becomes a learner with the
// first one. It returns why that failed, for the page; "" when it is kept.
func (s *Server) save(c echo.Context, more progress.History) (why string) {
	if !s.keeps() || more.Empty() {
		return ""
	}
	who, known := learner(c)
	if !known {
		who = newLearner(c)
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), saveTime)
	defer cancel()
	return s.noted(s.keeper.store.Add(ctx, who, more))
}

// history is what is kept of whoever sent the request, and why it cannot be read.
func (s *Server) history(c echo.Context) (h progress.History, why string) {
	who, known := learner(c)
	if !s.keeps() || !known {
		return h, ""
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), loadTime)
	defer cancel()
	h, err := s.keeper.store.Load(ctx, who)
	if err != nil {
		return progress.History{}, s.noted(err)
	}
	return h, ""
}

// visited reports whether the learner came to this page themselves: a browser
// says so, and neither a prefetch nor a frame is a visit. Where the site is served
// without TLS under a name of a network, browsers say only which page led here.
func visited(r *http.Request) bool {
	h := r.Header
	from := h.Get("Sec-Fetch-Site")
	if from == "" {
		return sentFromHere(r)
	}
	return h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document" && h.Get("Sec-Purpose") == "" &&
		(from == "same-origin" || from == "none")
}

// played reports whether a page of ours led here. What a link from elsewhere
// shows is not the learner's own result.
func played(r *http.Request) bool {
	return visited(r) && (r.Header.Get("Sec-Fetch-Site") == "same-origin" || sentFromHere(r))
}

// sentFromHere goes by the page that led here. Our pages name themselves to us.
func sentFromHere(r *http.Request) bool {
	from, err := url.Parse(r.Referer())
	return err == nil && from.Host != "" && from.Host == r.Host
}

// fromScript reports whether a script of ours sent the form and stays on its page:
// it takes any answer, a browser that goes on to a page asks for HTML.
func fromScript(r *http.Request) bool { return r.Header.Get("Accept") == "*/*" }

// sameOrigin refuses forms that another site sends: by Sec-Fetch-Site, or where a
// browser does not say that, by Origin.
func sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	check := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		if err := check.Check(c.Request()); err != nil {
			return &Problem{Status: http.StatusForbidden, Param: "form", Found: clipped(c.Request().Header.Get("Origin"), 120), Allowed: "forms of this site",
				Msg: "This form was sent from another site. Nothing was saved."}
		}
		return next(c)
	}
}

// atOnce reads a form of at most maxForm bytes, strictly: names that no page of
// ours sends are refused as they are in a URL.
func atOnce(c echo.Context) (*params, error) {
	r := c.Request()
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/x-www-form-urlencoded") {
		return nil, &Problem{Status: http.StatusUnsupportedMediaType, Param: "Content-Type", Found: clipped(kind, 60), Allowed: "application/x-www-form-urlencoded"}
	}
	if err := r.ParseForm(); err != nil {
		return nil, &Problem{Status: 400, Param: "form", Msg: "The form could not be read: " + err.Error() + "."}
	}
	return readParams(r.PostForm)
}
