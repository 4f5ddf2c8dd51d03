package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"effectivelyonce/engine/live/lab"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes/progress"
	"effectivelyonce/web"
)

// Config is what the site is made of. The zero value serves the embedded content
// on :8080 and says nothing.
type Config struct {
	Addr       string       // host:port; port 0 takes a free one
	Data       string       // folder for what is kept; made when something is first kept; "": nothing is kept
	Database   string       // URL of a PostgreSQL that keeps it instead; "": the folder
	Count      bool         // keep counts of answers by question and choice
	Content    string       // folder with lessons; "": those in the program
	Live       bool         // the live lab is switched on: learners start processes on this machine
	Kafka      []string     // brokers of a real Kafka for the lab; nil: it is embedded
	BrokerPort int          // of the embedded one; 0: a free one
	Log        *slog.Logger // nil: silent
}

// App is the site: New listens, Run serves, Close ends it.
type App struct {
	listener net.Listener
	server   *http.Server
	site     *folderSite
	store    progress.Store // nil: nothing is kept
	labs     *lab.Pool      // nil: switched off
	problems []lessons.Problem
}

// Times of the HTTP server. A socket outlives them: it is hijacked.
const (
	readHeaderTime = 10 * time.Second
	idleTime       = 2 * time.Minute
	shutdownTime   = 10 * time.Second
)

// New loads the content and listens. Connections wait until Run. Content that is
// not right is left out and listed by Problems.
func New(cfg Config) (*App, error) {
	from, err := openContent(cfg.Content)
	if err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	store, err := openStore(cfg)
	if err != nil {
		return nil, err
	}
	tryStore(store, cfg.Log)
	made := web.Config{Runner: runner{}, Log: cfg.Log, Progress: store}
	if store != nil {
		made.Inputs = store
	}
	pool, err := openLab(cfg)
	if err != nil {
		return nil, err
	}
	if pool != nil {
		made.Lab = labs{pool}
	}
	site, problems, err := newSite(from, cfg.Content != "", cfg.Log, made)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", cfg.Addr, err)
	}
	a := &App{listener: l, site: site, store: store, labs: pool, problems: problems}
	a.server = &http.Server{Handler: site, ReadHeaderTimeout: readHeaderTime, IdleTimeout: idleTime}
	return a, nil
}

// URL is the address at which the site answers on this machine.
func (a *App) URL() string {
	host, port, err := net.SplitHostPort(a.listener.Addr().String())
	if err != nil {
		return "http://" + a.listener.Addr().String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Problems are what was not right with the content when the site was made.
func (a *App) Problems() []lessons.Problem { return a.problems }

// Run serves until the context ends, then finishes the requests under way.
func (a *App) Run(ctx context.Context) error {
	served := make(chan error, 1)
	go func() { served <- a.server.Serve(a.listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	a.site.Close()
	a.closeLabs()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := a.server.Shutdown(stopping); err != nil {
		return fmt.Errorf("shut down: %w", err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return a.closeStore()
}

// closeLabs ends all labs and returns when none of their processes is left.
func (a *App) closeLabs() {
	if a.labs != nil {
		a.labs.Close()
	}
}

// closeStore ends the connections to the store, after the last request.
func (a *App) closeStore() error {
	if a.store == nil {
		return nil
	}
	return a.store.Close()
}

// Close ends everything at once. It may be called after Run, and more than once.
func (a *App) Close() error {
	a.closeLabs()
	return errors.Join(a.server.Close(), a.closeStore())
}

func serveCommand(ctx context.Context, args []string, s Streams) (int, error) {
	f := newFlags()
	addr, data, dir := f.text("addr", ":8080"), f.text("data", defaultData()), f.text("content", "")
	database, kafka, port := f.text("database", ""), f.text("kafka", ""), f.text("broker-port", "0")
	live, tally := f.Bool("live", false, ""), f.Bool("count-answers", false, "")
	rest, err := f.parse(args)
	switch {
	case err != nil:
		return 0, err
	case len(rest) > 0:
		return 0, usagef("found argument %q; serve takes flags only", rest[0])
	case kafka.given && !*live:
		return 0, usagef("flag --kafka: found it without --live; allowed: both, it is the broker of the live lab")
	}
	brokers, err := brokersOf(kafka)
	if err != nil {
		return 0, err
	}
	brokerPort, err := brokerPortOf(port, *live && !kafka.given)
	if err != nil {
		return 0, err
	}
	if database.given && data.given {
		return 0, usagef("flags --database and --data: found both; allowed: one, progress is kept in one place")
	}
	if database.given {
		if _, err := openStore(Config{Database: cmp.Or(database.value, "none")}); err != nil {
			return 0, usagef("flag --database: %v", err)
		}
	}
	app, err := New(Config{Addr: addr.value, Data: data.value, Database: database.value, Count: *tally, Content: dir.value,
		Live: *live, Kafka: brokers, BrokerPort: brokerPort, Log: slog.New(slog.NewTextHandler(s.Err, nil))})
	if err != nil {
		return 0, err
	}
	defer func() { _ = app.Close() }()
	for _, p := range app.Problems() {
		_, _ = fmt.Fprintln(s.Err, p)
	}
	_, _ = fmt.Fprintf(s.Out, "Effectively Once is at %s\n", app.URL())
	return exitDone, app.Run(ctx)
}

// defaultData is the user's data folder for the program. It is not made here.
func defaultData() string {
	if dir, err := os.UserConfigDir(); err == nil {
		return filepath.Join(dir, "effectivelyonce")
	}
	return "effectivelyonce-data"
}

func serveHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `server [serve] [--addr :8080] [--data DIR | --database URL] [--content DIR] [--count-answers]
               [--live [--kafka BROKERS | --broker-port PORT]]

Serves the site and prints its address. Ends at SIGINT or SIGTERM, after the
requests under way.

  --addr     host:port; port 0 takes a free one (:8080)
  --data     folder for learners' progress and pasted records, in SQLite
             (the user's folder for programs)
  --database postgres://… keeps them in PostgreSQL instead; several servers may
             share it. SQLite may be shared by servers of one machine.
  --count-answers  count how often each choice is made; see server help counts
  --live     switch the live lab on: learners start a broker, a coordinator and
             workers on this machine, and kill them (Linux; off)
  --kafka    host:port,… of a Kafka that the lab uses instead of an embedded one
  --broker-port  port of the embedded broker on 127.0.0.1, for tools of your own;
             one lab at a time gets it, another waits (0: a free one)
  --content  folder with lessons instead of those in the program. A page shows
             the files as they are when it is loaded. After a change that is not
             right, pages stay as they were and say which file and line is wrong.
`)
}
