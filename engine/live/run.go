package live

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"effectivelyonce/engine"
)

// Config is a job whose tasks and coordinator share one process. The fields are
// those of HostConfig and LeaderConfig; how host and leader reach each other is
// filled in.
type Config struct {
	Host   HostConfig
	Leader LeaderConfig
}

// Run runs a job in this process until it has come to rest, gives up, or the
// context is done, and leaves no goroutine behind. Store, Tap and Epoch of the host
// serve the leader too where it has none.
func Run(ctx context.Context, job *engine.Job, cfg Config) (Result, error) {
	l, h, err := Together(job, cfg)
	if err != nil {
		return Result{}, err
	}
	defer h.Close()
	return l.Run(ctx)
}

// Together makes a leader and a host for all tasks that call each other, as Run does.
// The caller runs the leader and closes the host.
func Together(job *engine.Job, cfg Config) (*Leader, *Host, error) {
	var host *Host
	lc := cfg.Leader
	lc.Tell = func(o Order) { host.Do(o) }
	if lc.Store == nil {
		lc.Store = cfg.Host.Store
	}
	if lc.Tap == nil {
		lc.Tap, lc.Epoch = cfg.Host.Tap, cfg.Host.Epoch
	}
	l, err := NewLeader(job, lc)
	if err != nil {
		return nil, nil, err
	}
	hc := cfg.Host
	hc.Report, hc.Epoch = l.Report, l.cfg.Epoch
	host = NewHost(job, hc)
	l.Joined(host.Tasks()...)
	return l, host, nil
}

// Fingerprint names what a checkpoint's parts belong to: a manifest of another job,
// or of the same job with another parallelism, is refused.
func Fingerprint(job *engine.Job) string {
	return fmt.Sprintf("%s %s keys=%d %s", job.Settings.Strategy, job.Settings.Operator, len(job.Input.Keys), strings.Join(job.Plan.TaskNames(), " "))
}

func asDamaged(err error, d **Damaged) bool { return errors.As(err, d) }

// manifestName is the file of a sealed checkpoint.
func manifestName(n int32) string { return fmt.Sprintf("checkpoint-%d", n) }
