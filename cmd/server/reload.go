package main

import (
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
	"effectivelyonce/web"
)

// folderSite is the site over a content folder in which somebody may be writing. Before a
// page is answered it looks whether a file changed, and if so, reads the folder
// again: whoever saves a file and reloads the page sees the new text. Content that
// has become wrong is not taken over; pages stay as they last were right and say
// what is wrong. The content in the program never changes and is not looked at.
//
// It is safe for concurrent use. Requests wait while the folder is read.
type folderSite struct {
	from  folder
	watch bool
	log   *slog.Logger
	made  web.Config // all but the catalogue

	serving atomic.Pointer[web.Server]
	trouble atomic.Pointer[web.ContentTrouble]

	mu     sync.Mutex // one look at a time
	stamp  string     // of the files that were read last
	closed bool
}

// newSite reads the content and builds the site over it. What is not right at the
// start is left out and returned: there is nothing better to show.
func newSite(from folder, watch bool, log *slog.Logger, made web.Config) (*folderSite, []lessons.Problem, error) {
	s := &folderSite{from: from, watch: watch, log: log, made: made}
	s.trouble.Store(&web.ContentTrouble{})
	if watch {
		s.stamp = stampOf(from.fs)
	}
	cat, problems := s.read()
	first, err := s.build(cat)
	if err != nil {
		return nil, nil, err
	}
	s.serving.Store(first)
	s.say("What is wrong is left out of these pages.", problems)
	return s, problems, nil
}

func (s *folderSite) read() (*lessons.Catalogue, []lessons.Problem) {
	cat, problems := lessons.Load(s.from.fs)
	problems = append(problems, cat.Prepare(sim.Run)...)
	return cat, s.from.place(problems)
}

func (s *folderSite) build(cat *lessons.Catalogue) (*web.Server, error) {
	cfg := s.made
	cfg.Catalogue = cat
	cfg.Trouble = func() web.ContentTrouble { return *s.trouble.Load() }
	return web.New(cfg)
}

// say is what every page shows of the problems; without problems, nothing.
func (s *folderSite) say(what string, problems []lessons.Problem) {
	t := &web.ContentTrouble{Problems: problems}
	if len(problems) > 0 {
		t.Line = fmt.Sprintf("%s in the content folder. %s", count(len(problems), "problem"), what)
	}
	s.trouble.Store(t)
}

// ServeHTTP answers from the content as it is now, or as it last was right.
func (s *folderSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.watch && !strings.HasPrefix(r.URL.Path, "/static/") {
		s.look()
	}
	s.serving.Load().ServeHTTP(w, r)
}

// look reads the folder again if a file of it is another one than it was.
func (s *folderSite) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp := stampOf(s.from.fs)
	if stamp == s.stamp || s.closed {
		return
	}
	s.stamp = stamp
	cat, problems := s.read()
	var next *web.Server
	if len(problems) == 0 {
		var err error
		if next, err = s.build(cat); err != nil {
			problems = []lessons.Problem{{File: s.from.name, What: err.Error(), Do: "see the log"}}
		}
	}
	if len(problems) > 0 {
		s.log.Warn("the content folder changed and is not right; pages show it as it was before", "folder", s.from.name, "problems", len(problems), "first", problems[0].String())
		s.say("Pages show it as it last was right.", problems)
		return
	}
	s.log.Info("the content folder changed and was read again", "folder", s.from.name)
	s.say("", nil)
	s.serving.Swap(next).Close() // open pages ask again, and are answered from the new content
}

// Close tells open streams to come back later, as web.Server does.
func (s *folderSite) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.serving.Load().Close()
}

// stampOf tells apart two states of a folder: names, sizes and times of its files.
// Hidden files, which editors write beside those they save, do not count. What
// cannot be looked at is part of the stamp too, and reading it reports why.
func stampOf(fsys fs.FS) string {
	var b strings.Builder
	_ = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintln(&b, p, err)
			return nil
		}
		if d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			fmt.Fprintln(&b, p, err)
			return nil
		}
		fmt.Fprintln(&b, p, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return b.String()
}
