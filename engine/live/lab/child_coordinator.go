package lab

import (
	"context"
	"errors"
	"fmt"
	"io"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/live/proc"
)

// coordination is the coordinator's process: a leader, and the hub that joins it to
// the workers. When it is killed, the pending checkpoint is lost; the next one goes on
// from the newest that is sealed in the folder.
type coordination struct {
	*child
	job    *engine.Job
	hub    *hub
	leader *live.Leader
}

// RunCoordinator is the process of a coordinator. It returns when the lab is gone, or
// with an error when the job cannot be started at all.
func RunCoordinator(stdin io.Reader) error {
	c, err := meet(stdin)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		c.parent.Listen(func(proc.Frame) {})
		cancel()
	}()
	go c.pass()
	k := &coordination{child: c}
	if k.job, err = c.cfg.Spec.Job(true); err != nil {
		return err
	}
	store, err := live.OpenDir(c.cfg.Dir, 0)
	if err != nil {
		return err
	}
	k.leader, err = live.NewLeader(k.job, live.LeaderConfig{Store: store, Tell: k.order, Tap: c.tap, Epoch: c.cfg.epoch(), Notice: k.notice})
	if err != nil {
		return err
	}
	if k.hub, err = newHub(c.cfg.Secret, c.cfg.Lives, c.cfg.Timeout, k); err != nil {
		return err
	}
	go k.hub.serve(ctx)
	c.tell(frameReady, k.hub.listener.Addr())
	return k.lead(ctx)
}

// lead runs the job. After its end the process stays, so that the workers stay too.
func (k *coordination) lead(ctx context.Context) error {
	res, err := k.leader.Run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if d := (*live.Damaged)(nil); errors.As(err, &d) {
		return err // the lab starts the next coordinator, which looks again
	}
	end := done{AtRest: res.Reason == engine.AtRest, Why: res.Reason.String(), Result: res}
	if err != nil {
		end.Why = err.Error()
	}
	k.tell(frameDone, end)
	<-ctx.Done()
	return nil
}

func (k *coordination) order(o live.Order) { k.hub.order(k.job.Plan.Tasks[o.Task].Node, o) }

func (k *coordination) joined(node int)             { k.leader.Joined(tasksOf(k.job, node)...) }
func (k *coordination) report(_ int, r live.Report) { k.leader.Report(r) }
func (k *coordination) notice(n live.Notice)        { k.tell(frameNote, note{Kind: noteLeader, What: n}) }
func (k *coordination) lost(node, life int, frozen bool) {
	why := fmt.Sprintf("the connection to node/%d has ended", node)
	if frozen {
		why = fmt.Sprintf("node/%d gives no sign of life", node)
		k.tell(frameLost, lost{Node: node, Life: life})
	}
	k.leader.Lost(why, tasksOf(k.job, node)...)
}

// tasksOf are the tasks that a node runs.
func tasksOf(job *engine.Job, node int) []engine.TaskID {
	var ids []engine.TaskID
	for i := range job.Plan.Tasks {
		if job.Plan.Tasks[i].Node == node {
			ids = append(ids, engine.TaskID(i))
		}
	}
	return ids
}
