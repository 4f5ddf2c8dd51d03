package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
	"effectivelyonce/quizzes/progress"
	"effectivelyonce/static"
)

// Config is what a server is made of. Runner and Catalogue are required.
type Config struct {
	Runner    Runner
	Catalogue *lessons.Catalogue
	Inputs    Inputs         // where large own records are kept; nil: in memory, for 30 days
	Progress  progress.Store // where learners' progress is kept; nil: nowhere
	Lab       Lab            // jobs in real processes; nil: switched off
	Log       *slog.Logger   // nil: silent
	Now       func() time.Time
	Turns     int                   // runs computed at the same time; 0: one per processor
	Trouble   func() ContentTrouble // asked for each page; nil: there never is any
}

// ContentTrouble is what is wrong with the content folder while a page is drawn.
// Whoever writes in the folder reads it on the page; the zero value is none.
type ContentTrouble struct {
	Line     string // one sentence: how much is wrong, and what the pages show meanwhile
	Problems []lessons.Problem
}

// Server answers HTTP. It is safe for concurrent use and holds no state of a
// run; what it caches can be computed again from a URL.
type Server struct {
	runner    Runner
	catalogue *lessons.Catalogue
	inputs    Inputs
	keeper    keeper
	lab       Lab // nil: switched off
	log       *slog.Logger
	now       func() time.Time
	gate      *gate
	runs      *cache[*run]
	surveys   *cache[*survey]
	asked     *cache[*quizzes.Question] // drawn questions, worked out
	assets    *static.Assets
	matrix    *matrixPage
	intervals atomic.Pointer[measurements]
	handler   http.Handler
	mistakes  atomic.Int64 // panics so far; a number on an error page
	closing   atomic.Bool
	sockets   sockets
	mending   func() ContentTrouble
}

// Sizes of what is kept and waits.
const (
	cachedEvents = 400_000 // of all cached traces together, about 25 MB
	cachedCells  = 2_000_000

	cachedQuestions = 100_000 // events of their runs
	waitingAHead    = 8       // runs one client may have waiting
	waitingInAll    = 256
	inputLifetime   = 30 * 24 * time.Hour
)

// New builds a server. It fails only where the program itself is broken: a
// missing part, or an embedded file of an unknown kind.
func New(cfg Config) (*Server, error) {
	if cfg.Runner == nil || cfg.Catalogue == nil {
		return nil, fmt.Errorf("web: a runner and a catalogue are required")
	}
	assets, err := static.Load(static.Files)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Turns <= 0 {
		cfg.Turns = runtime.GOMAXPROCS(0)
	}
	if cfg.Trouble == nil {
		cfg.Trouble = func() ContentTrouble { return ContentTrouble{} }
	}
	if cfg.Inputs == nil {
		cfg.Inputs = newMemoryInputs(inputLifetime, cfg.Now)
	}
	s := &Server{runner: cfg.Runner, catalogue: cfg.Catalogue, inputs: cfg.Inputs, log: cfg.Log, now: cfg.Now, assets: assets,
		gate: newGate(cfg.Turns, waitingAHead, waitingInAll), runs: newCache[*run](cachedEvents), surveys: newCache[*survey](cachedCells),
		asked: newCache[*quizzes.Question](cachedQuestions)}
	s.keeper.store, s.mending, s.lab = cfg.Progress, cfg.Trouble, cfg.Lab
	if s.matrix, err = newMatrix(s.catalogue); err != nil {
		return nil, err
	}
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP answers one request. HEAD is answered like GET; net/http keeps the
// body back.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		get := r.WithContext(r.Context())
		get.Method = http.MethodGet
		r = get
	}
	s.handler.ServeHTTP(w, r)
}

// Close prepares the end: /readyz says no, so that a balancer sends nobody here
// any more, and every open stream is told to come back later. Requests that are
// being answered go on; shutting down the HTTP server waits for them.
func (s *Server) Close() {
	s.closing.Store(true)
	s.sockets.close()
}

func (s *Server) routes() http.Handler {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.fail
	e.Use(s.middleware()...)

	e.GET("/", s.handleHome)
	e.GET("/lessons/:slug", s.handleLesson)
	e.GET("/lessons/:slug/print", s.handlePrint)
	e.POST("/lessons/:slug", s.handleLessonForm)
	e.POST("/lessons/:slug/seen", s.handleSeen)
	e.GET("/progress", s.handleProgress)
	e.GET("/progress/export", s.handleExport)
	e.POST("/progress/import", s.handleImport)
	e.POST("/progress/erase", s.handleErase)
	e.GET("/run", s.handleRun)
	e.POST("/run", s.handlePaste)
	e.GET("/levels", s.handleLevels)
	e.GET("/levels/:slug", s.handleLevel)
	e.GET("/glossary", s.handleGlossary)
	e.GET("/matrix", s.handleMatrix)
	e.GET("/map", s.handleMap)
	e.GET("/card/map", s.handleMapCard)
	e.GET("/sandbox", s.handleSandbox)
	e.POST("/sandbox", s.handleSandboxPaste)
	e.GET("/sandbox/"+ownJob+".yaml", s.handleSandboxFile)
	e.GET("/twin", s.handleTwin)
	e.GET("/twin/clock", s.handleTwinClock)
	e.GET("/card/promise", s.handlePromise)
	e.GET("/interval", s.handleInterval)
	e.GET("/interview", s.handleInterview)
	e.POST("/interview", s.handleInterviewForm)
	e.GET("/live", s.handleLive)
	e.POST("/live", s.handleLiveStart)
	e.GET("/live/:id", s.handleLiveRun)
	e.POST("/live/:id", s.handleLiveDeed)
	e.GET(liveStreamPath, s.handleLiveStream)
	e.GET("/incidents", s.handleIncidents)
	e.GET("/incidents/:slug", s.handleIncident)
	e.GET("/card/predict", s.handlePredict)
	e.GET("/card/reveal", s.handleReveal)
	e.GET("/card/inspect", s.handleInspect)
	e.GET("/card.svg", s.handleCard)
	e.GET("/api/run", s.handleAPIRun)
	e.GET("/api/explore", s.handleAPIExplore)
	e.GET("/stream", s.handleStream)
	e.GET("/window", s.handleWindow)
	e.GET("/static/*", echo.WrapHandler(s.assets))
	e.GET("/favicon.ico", s.handleFavicon)
	e.GET("/favicon.svg", s.handleFavicon)
	e.GET("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })
	e.GET("/readyz", s.handleReady)
	return e
}

// handleReady says whether learners should be sent here. A server that cannot save
// answers is alive (/healthz) and serves whoever comes, but another may do better.
func (s *Server) handleReady(c echo.Context) error {
	if s.closing.Load() {
		return c.String(http.StatusServiceUnavailable, "closing\n")
	}
	if s.keeps() {
		ctx, cancel := context.WithTimeout(c.Request().Context(), loadTime)
		defer cancel()
		if why := s.noted(s.keeper.store.Ready(ctx)); why != "" {
			return c.String(http.StatusServiceUnavailable, "read only: "+why+"\n")
		}
	}
	return c.String(http.StatusOK, "ok\n")
}

// favicon is the brand: what was, the barrier, what will be.
const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 16"><rect x="0" y="4" width="7" height="8" rx="2.5" fill="#1A1C20"/>` +
	`<path d="M10 0v3.4M10 6.3v3.4M10 12.6V16" stroke="#4A3FC4" stroke-width="2"/><rect x="13.8" y="4.8" width="5.4" height="6.4" rx="2" fill="#FFFFFF" stroke="#1A1C20" stroke-width="1.6"/></svg>`

func (s *Server) handleFavicon(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", "public, max-age=86400")
	return c.Blob(http.StatusOK, "image/svg+xml", []byte(favicon))
}
