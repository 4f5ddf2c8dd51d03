package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"effectivelyonce/quizzes/progress"
)

// Limits on what a request may be; architecture sections 5 and 8.
const (
	maxURL     = 9 << 10                   // the 8 KiB of a query and some margin
	maxBody    = 64 << 10                  // own records that are pasted
	maxForm    = maxBody * 3 / 2           // the same with the form around it
	maxImport  = progress.MaxFile + 64<<10 // a file of progress, and the form around it
	pageBudget = 10 * time.Second
)

// policy is what a page may load: what we serve, and nothing written inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors "

func (s *Server) middleware() []echo.MiddlewareFunc {
	return []echo.MiddlewareFunc{
		headers,
		s.recovered,
		limits,
		sameOrigin,
		middleware.GzipWithConfig(middleware.GzipConfig{
			Level: 5, MinLength: 1024,
			Skipper: func(c echo.Context) bool { return isSocket(c) || c.Path() == "/static/*" },
		}),
	}
}

// headers sets what holds for every answer. Pages are private and checked again,
// but never no-store: going back must be instant.
func headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ancestors := "'none'"
		if c.Path() == "/run" && c.QueryParam("embed") == "1" {
			ancestors = "*"
		}
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy+ancestors)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "private, no-cache")
		return next(c)
	}
}

// recovered turns a panic into the page that calls it our mistake. The number on
// the page is the one in the log.
func (s *Server) recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			if r == http.ErrAbortHandler {
				panic(r)
			}
			id := strconv.FormatInt(s.mistakes.Add(1), 10)
			s.log.Error("panic", "mistake", id, "uri", c.Request().URL.Path, "what", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = ourMistake(id)
		}()
		return next(c)
	}
}

// liveStreamPath is the route of a live run's socket.
const liveStreamPath = "/live/:id/stream"

// isSocket reports whether the request becomes a socket, which has bounds of its own.
func isSocket(c echo.Context) bool { return c.Path() == "/stream" || c.Path() == liveStreamPath }

// limits bounds the URL, the body and the time of a request.
func limits(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if n := len(r.URL.RequestURI()); n > maxURL {
			if r.URL.Path == "/interview" {
				return &Problem{Status: http.StatusRequestURITooLong, Param: "URL", Found: fmt.Sprintf("%d characters", n),
					Allowed: fmt.Sprintf("at most %d; words of your own are sent by the form, and are not written into the address by hand", maxURL), Without: "/interview"}
			}
			return &Problem{Status: http.StatusRequestURITooLong, Param: "URL", Found: fmt.Sprintf("%d characters", n),
				Allowed: fmt.Sprintf("at most %d; own records that are longer are pasted on /run", maxURL)}
		}
		if r.Body != nil {
			most := int64(maxForm)
			if c.Path() == "/progress/import" {
				most = maxImport
			}
			r.Body = http.MaxBytesReader(c.Response(), r.Body, most)
		}
		if isSocket(c) || c.Path() == "/static/*" {
			return next(c)
		}
		ctx, cancel := context.WithTimeout(r.Context(), pageBudget)
		defer cancel()
		defer c.SetRequest(r) // an error page is drawn when the time is up, after a panic too
		c.SetRequest(r.WithContext(ctx))
		return next(c)
	}
}
