package live

import (
	"context"

	"effectivelyonce/engine"
)

// pump fetches ahead for a source task, which must be free for a checkpoint while
// its partition has nothing to read.
type pump struct {
	src  Source
	ch   chan fetched
	free chan []engine.Record
}

type fetched struct {
	records []engine.Record
	end     bool
	err     error
}

func newPump(src Source) *pump {
	p := &pump{src: src, ch: make(chan fetched, 2), free: make(chan []engine.Record, 3)}
	for range cap(p.free) {
		p.free <- nil
	}
	return p
}

// run fetches until the input ends, fails, or the task does.
func (p *pump) run(ctx context.Context) {
	for {
		var f fetched
		select {
		case f.records = <-p.free:
		case <-ctx.Done():
			return
		}
		f.records, f.end, f.err = p.src.Fetch(ctx, f.records[:0])
		select {
		case p.ch <- f:
		case <-ctx.Done():
			return
		}
		if f.end || f.err != nil {
			return
		}
	}
}
