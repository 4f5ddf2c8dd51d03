package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live/lab"
	"effectivelyonce/web"
)

// labPart is a process of the lab: a subcommand that help does not list, because the
// lab alone can start it.
func labPart(name string, run func(stdin io.Reader) error) command {
	return command{name: name, run: func(_ context.Context, _ []string, s Streams) (int, error) {
		if err := run(s.In); err != nil {
			return 0, err
		}
		return exitDone, nil
	}, help: func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "server %s is a process of the live lab, which starts it itself.\n", name)
	}}
}

func labParts() []command {
	return []command{labPart("broker", lab.RunBroker), labPart("coordinator", lab.RunCoordinator), labPart("worker", lab.RunWorker)}
}

// openLab makes the lab, which starts nothing before somebody asks for it.
func openLab(cfg Config) (*lab.Pool, error) {
	if !cfg.Live {
		return nil, nil
	}
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("--live needs Linux, this is %s: the lab kills, freezes and watches processes as Linux does", runtime.GOOS)
	}
	dir := os.TempDir()
	if cfg.Data != "" {
		dir = filepath.Join(cfg.Data, "live")
	}
	return lab.NewPool(lab.Config{Dir: dir, Brokers: cfg.Kafka, Port: cfg.BrokerPort, Log: orSilent(cfg.Log)}), nil
}

func orSilent(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// brokersOf reads the flag --kafka.
func brokersOf(f *once) ([]string, error) {
	if !f.given {
		return nil, nil
	}
	list := strings.Split(f.value, ",")
	for _, a := range list {
		if host, port, err := net.SplitHostPort(a); err != nil || host == "" || port == "" {
			return nil, usagef("flag --kafka: found %q; allowed: host:port, several with commas between", a)
		}
	}
	return list, nil
}

// brokerPortOf reads the flag --broker-port. embedded: there is a broker that has one.
func brokerPortOf(f *once, embedded bool) (int, error) {
	if !f.given {
		return 0, nil
	}
	n, err := strconv.Atoi(f.value)
	switch {
	case err != nil || n < 0 || n > 65535:
		return 0, usagef("flag --broker-port: found %q; allowed: 0 (a free one) to 65535", f.value)
	case !embedded:
		return 0, usagef("flag --broker-port: found it without an embedded broker; allowed: with --live, and without --kafka")
	}
	return n, nil
}

// labs is the lab as package web wants it.
type labs struct{ pool *lab.Pool }

func (l labs) Setups() []web.LiveSetup {
	var out []web.LiveSetup
	for _, s := range lab.Setups() {
		out = append(out, web.LiveSetup{ID: s.ID, Title: s.Title, Story: s.Story})
	}
	return out
}

func (l labs) Start(setup string, records int, rate float64) (string, error) {
	if rate < 0 || rate > lab.MostRate {
		return "", fmt.Errorf("found %v records a second; allowed: 0 (as fast as it goes) to %d", rate, lab.MostRate)
	}
	r, err := l.pool.Start(lab.Spec{Setup: setup, Records: records, Seed: uint64(time.Now().UnixNano())}, rate)
	if errors.Is(err, lab.ErrBusy) {
		return "", fmt.Errorf("%w, %d; end one, or come back in a few minutes", err, l.pool.Limits().Labs)
	}
	if err != nil {
		return "", err
	}
	return r.ID, nil
}

func (l labs) Run(id string) web.LiveRun {
	if r := l.pool.Get(id); r != nil {
		return liveRun{r}
	}
	return nil
}

func (l labs) Bounds() web.LiveBounds {
	b := l.pool.Limits()
	return web.LiveBounds{Labs: b.Labs, Records: lab.MostRecords, Rate: lab.MostRate, Life: b.Life, Idle: b.Idle, Kafka: strings.Join(l.pool.Brokers(), ", ")}
}

// liveRun is one lab as package web wants it.
type liveRun struct{ *lab.Lab }

func (r liveRun) Job() *engine.Job { return r.Lab.Job }

func (r liveRun) Status() (web.LiveStatus, <-chan struct{}) {
	s, changed := r.Lab.Status()
	out := web.LiveStatus{Since: s.Since, Rate: s.Rate, Fed: s.Fed, All: s.All, Left: s.Left, Every: s.Every, Events: s.Events, Cut: s.Cut, Silent: s.Silent,
		Verdicts: s.Verdicts, ReadAt: s.ReadAt, ReadWhy: s.ReadWhy, Done: s.Done, DoneWhy: s.DoneWhy, Why: s.Why, Troubles: s.Troubles}
	for _, p := range s.Processes {
		out.Processes = append(out.Processes, web.LiveProcess{Name: p.Name, PID: p.PID, State: p.State.String(), Ready: p.Ready, Starts: p.Starts,
			Old: p.Earlier, OldIs: p.Haunts.String(), Safe: p.Safe})
	}
	for _, l := range s.Lines {
		out.Lines = append(out.Lines, web.LiveLine{T: l.T, Who: l.Who, Text: l.Text, Loud: l.Loud})
	}
	return out, changed
}
