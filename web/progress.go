package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"effectivelyonce/quizzes/progress"
)

// progressPage shows what is kept of a learner, and lets them have it.
type progressPage struct {
	chrome
	*standing
	Keeps   bool
	Trouble string // why nothing can be saved or read; "" it can
	Notice  string // what was just done
	Problem string // why an import, or erasing, was refused
}

// notices are what a page says after a form, by the parameter done.
func notice(done string) (string, bool) {
	switch done {
	case "":
		return "", true
	case "import":
		return "The file was imported. What was here already stayed as it was.", true
	case "erase":
		return "Everything that was kept of you is erased, and so is the cookie.", true
	}
	return "", false
}

func (s *Server) handleProgress(c echo.Context) error {
	v, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return &Problem{Status: 400, Param: "URL", Msg: "The query of this URL is not well formed: " + err.Error() + "."}
	}
	for name, values := range v {
		if name != "done" || len(values) > 1 {
			return &Problem{Status: 400, Param: "parameter", Found: clipped(name, 60), Allowed: "done, once", Without: "/progress"}
		}
	}
	said, ok := notice(v.Get("done"))
	if !ok {
		return &Problem{Status: 400, Param: "done", Found: clipped(v.Get("done"), 60), Allowed: "import, erase", Without: "/progress"}
	}
	return s.progress(c, http.StatusOK, said, "")
}

func (s *Server) progress(c echo.Context, status int, said, problem string) error {
	h, why := s.history(c)
	if why == "" {
		why = s.trouble(c.Request().Context())
	}
	p := &progressPage{chrome: s.chrome("Your progress · Effectively Once", "progress"), standing: s.newStanding(&h, s.now()), Keeps: s.keeps(),
		Trouble: why, Notice: said, Problem: problem}
	p.Nav = "/progress"
	return s.render(c, status, progressView(p))
}

// handleExport sends what is kept as a file.
func (s *Server) handleExport(c echo.Context) error {
	h, why := s.history(c)
	if why != "" {
		return &Problem{Status: http.StatusServiceUnavailable, Param: "progress", Msg: "Your progress cannot be read at the moment: " + why + "."}
	}
	b, err := progress.Write(h, s.now())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Content-Disposition", `attachment; filename="effectively-once-progress.json"`)
	return c.Blob(http.StatusOK, "application/json; charset=utf-8", b)
}

// handleImport adds a file to what is kept; all of it or nothing.
func (s *Server) handleImport(c echo.Context) error {
	if !s.keeps() {
		return s.progress(c, http.StatusServiceUnavailable, "", "This server keeps no progress.")
	}
	data, err := readFile(c.Request())
	if err != nil {
		return s.progress(c, http.StatusBadRequest, "", "Nothing was imported. "+sentence(err.Error()))
	}
	h, err := progress.Read(data)
	if err != nil {
		return s.progress(c, http.StatusBadRequest, "", "Nothing was imported. "+sentence(err.Error()))
	}
	if why := s.save(c, h); why != "" {
		return s.progress(c, http.StatusServiceUnavailable, "", "Nothing was imported: "+why+". The file is still good; try again later.")
	}
	return c.Redirect(http.StatusSeeOther, "/progress?done=import")
}

// readFile reads the file of the form. Its size was bounded before.
func readFile(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "multipart/form-data" {
		return nil, errors.New("found no file; allowed: an export of this page, sent by its form")
	}
	file, _, err := r.FormFile("file")
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, errors.New("the file is larger than any export")
	case err != nil:
		return nil, errors.New("choose a file that this page has written before")
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(file)
}

// handleErase forgets the learner, when they say so.
func (s *Server) handleErase(c echo.Context) error {
	if c.Request().PostFormValue("sure") != "1" {
		return s.progress(c, http.StatusBadRequest, "", "Nothing was erased. Tick the box if you mean it.")
	}
	who, known := learner(c)
	if s.keeps() && known {
		ctx, cancel := context.WithTimeout(c.Request().Context(), saveTime)
		defer cancel()
		if why := s.noted(s.keeper.store.Erase(ctx, who)); why != "" {
			return s.progress(c, http.StatusServiceUnavailable, "", "Nothing was erased: "+why+".")
		}
	}
	setLearner(c, "", -1)
	return c.Redirect(http.StatusSeeOther, "/progress?done=erase")
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if s[0] >= 'a' && s[0] <= 'z' {
		s = string(s[0]-'a'+'A') + s[1:]
	}
	if s[len(s)-1] != '.' {
		s += "."
	}
	return s
}
