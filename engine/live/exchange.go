package live

import (
	"context"

	"effectivelyonce/engine"
)

// exchange is the channels of one attempt, as far as their readers are hosted here.
// An attempt that ends takes its exchange with it: elements of one attempt never
// reach a task of another.
type exchange struct {
	attempt int16
	inboxes []*inbox // by task, nil if it is hosted elsewhere
}

// inbox is where all lanes of a task arrive. It has room for everything its lanes
// can hold, so that only a lane's own capacity ever makes a writer wait.
type inbox struct {
	ch    chan delivery
	lanes []lane
}

// lane is one bounded channel. Its empty batches are its capacity: a writer takes
// one, fills it and delivers it, the reader puts it back.
type lane struct {
	free chan []engine.Element
}

type delivery struct {
	lane  int
	batch []engine.Element
}

// batches is how many batches a channel holds. With few, a barrier has little
// to wait behind; with one, writer and reader would take turns.
const batches = 4

func newExchange(job *engine.Job, attempt int16, hosted []bool) *exchange {
	x := &exchange{attempt: attempt, inboxes: make([]*inbox, len(hosted))}
	for id := range hosted {
		if !hosted[id] {
			continue
		}
		n := len(job.Plan.Tasks[id].In)
		b := &inbox{ch: make(chan delivery, n*batches), lanes: make([]lane, n)}
		for i := range b.lanes {
			b.lanes[i].free = make(chan []engine.Element, batches)
			for range batches {
				b.lanes[i].free <- nil
			}
		}
		x.inboxes[id] = b
	}
	return x
}

// put copies a batch that came from another process into a lane.
func (b *inbox) put(ctx context.Context, lane int, batch []engine.Element) error {
	select {
	case own := <-b.lanes[lane].free:
		b.ch <- delivery{lane, append(own[:0], batch...)}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
