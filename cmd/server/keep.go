package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"effectivelyonce/quizzes/progress"
	"effectivelyonce/quizzes/progress/sqlstore"
)

// openStore is where progress is kept: the database where one is named, else a
// file in the data folder. Without either nothing is kept, and the store is nil.
// A database that does not answer is no error here: the site goes on without it,
// says so, and tries again.
func openStore(cfg Config) (progress.Store, error) {
	opt := sqlstore.Options{Count: cfg.Count}
	if cfg.Database != "" {
		return sqlstore.PostgreSQL(cfg.Database, opt)
	}
	if cfg.Data == "" {
		return nil, nil
	}
	return sqlstore.SQLite(cfg.Data, opt)
}

// firstAnswer is how long the start waits to learn whether the store is well.
const firstAnswer = 10 * time.Second

// tryStore tells the log at the start whether answers can be saved.
func tryStore(store progress.Store, log *slog.Logger) {
	if store == nil || log == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), firstAnswer)
	defer cancel()
	if err := store.Ready(ctx); err != nil {
		log.Error("progress cannot be saved; the site starts read only and tries again", "why", progress.WhyNot(err), "err", err)
	}
}

// countsCommand prints how often each choice of each question was made.
func countsCommand(ctx context.Context, args []string, s Streams) (int, error) {
	f := newFlags()
	data, database, format := f.text("data", defaultData()), f.text("database", ""), f.text("format", "csv")
	rest, err := f.parse(args)
	switch {
	case err != nil:
		return 0, err
	case len(rest) > 0:
		return 0, usagef("found argument %q; counts takes flags only", rest[0])
	}
	if err := oneOf("format", format.value, "csv", "json"); err != nil {
		return 0, err
	}
	store, err := openStore(Config{Data: data.value, Database: database.value})
	if err != nil {
		return 0, usagef("flag --database: %v", err)
	}
	defer func() { _ = store.Close() }()
	counts, err := store.Counts(ctx)
	if err != nil {
		return 0, err
	}
	if format.value == "json" {
		if counts == nil {
			counts = []progress.Count{}
		}
		enc := json.NewEncoder(s.Out)
		enc.SetIndent("", "  ")
		return exitDone, enc.Encode(counts)
	}
	w := csv.NewWriter(s.Out)
	err = w.Write([]string{"question", "chosen", "outcome", "times"})
	for _, c := range counts {
		err = errors.Join(err, w.Write([]string{c.Question, c.Chosen, c.Outcome, strconv.Itoa(c.Times)}))
	}
	w.Flush()
	return exitDone, errors.Join(err, w.Error())
}

func countsHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `server counts [--data DIR | --database URL] [--format csv|json]

Prints how often each choice of each question was made, right, partly or missed.
There is something to print after "server serve --count-answers". Who answered is
not in it; sentences that somebody wrote are left out.
`)
}
