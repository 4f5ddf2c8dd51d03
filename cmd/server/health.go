package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// healthTime is how long a server may take to say that it is well.
const healthTime = 3 * time.Second

// healthCommand is the health check of a container that holds nothing else.
func healthCommand(ctx context.Context, args []string, s Streams) (int, error) {
	rest, err := newFlags().parse(args)
	if err != nil {
		return 0, err
	}
	url := "http://127.0.0.1:8080/healthz"
	switch len(rest) {
	case 0:
	case 1:
		url = rest[0]
	default:
		return 0, usagef("found %d arguments; allowed: one URL", len(rest))
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, usagef("%s", err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		_, _ = fmt.Fprintln(s.Err, err)
		return exitDiffer, nil
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, _ = fmt.Fprintf(s.Err, "%s answers %s\n", url, res.Status)
		return exitDiffer, nil
	}
	return exitDone, nil
}

func healthHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `server health [URL]

Asks a running server whether it is well (http://127.0.0.1:8080/healthz). Status 0
if it is, 1 if not.
`)
}
