package lab

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/kafka"
	"effectivelyonce/engine/live/proc"
)

// Config is what all labs of a server share.
type Config struct {
	Exe     string   // the program of the children; "": this one
	Dir     string   // for checkpoints and tables; each lab has a folder of its own in it, removed at its end
	Brokers []string // of a real Kafka; nil: each lab has an embedded broker
	Log     *slog.Logger
	Limits  Limits
	Port    int           // of the embedded broker; 0: a free one
	Replace time.Duration // after which a process that has ended is started again; 0: 500 ms
	Beat    time.Duration // heartbeat.timeout, without a sign of life for so long a worker is lost; 0: 1 s
}

// Limits bound what labs take from a machine. Zero values are the defaults.
type Limits struct {
	Labs int           // at a time (2)
	Life time.Duration // of a lab (15 min)
	Idle time.Duration // a lab that nobody looks at ends after so long (2 min)
}

// ErrBusy is a pool whose labs are all taken.
var ErrBusy = errors.New("as many labs are running as this server allows")

// Pool keeps the labs of a server. It is safe for concurrent use.
type Pool struct {
	cfg    Config
	mu     sync.Mutex
	labs   map[string]*Lab
	closed bool
	wait   sync.WaitGroup
}

// NewPool starts nothing yet.
func NewPool(cfg Config) *Pool {
	if cfg.Exe == "" {
		cfg.Exe = "/proc/self/exe" // also when the file has been replaced since
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Limits.Labs = orElse(cfg.Limits.Labs, 2)
	cfg.Limits.Life = orElse(cfg.Limits.Life, 15*time.Minute)
	cfg.Limits.Idle = orElse(cfg.Limits.Idle, 2*time.Minute)
	cfg.Replace = orElse(cfg.Replace, 500*time.Millisecond)
	cfg.Beat = orElse(cfg.Beat, time.Second)
	return &Pool{cfg: cfg, labs: map[string]*Lab{}}
}

func orElse[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Limits are what the pool allows.
func (p *Pool) Limits() Limits { return p.cfg.Limits }

// Brokers are those of a real Kafka; nil: each lab has its own.
func (p *Pool) Brokers() []string { return p.cfg.Brokers }

// Start starts a lab, with rate records a second (0: as fast as it goes). It returns
// before its processes serve. Errors: a spec that is not understood, ErrBusy.
func (p *Pool) Start(spec Spec, rate float64) (*Lab, error) {
	l, err := p.newLab(spec, rate)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.labs) >= p.cfg.Limits.Labs {
		return nil, ErrBusy
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the lab: %w", err)
	}
	p.labs[l.ID] = l
	p.wait.Go(func() {
		l.run()
		p.mu.Lock()
		delete(p.labs, l.ID)
		p.mu.Unlock()
	})
	return l, nil
}

// Get finds a running lab, nil if there is none, and notes that somebody looks at it.
func (p *Pool) Get(id string) *Lab {
	p.mu.Lock()
	l := p.labs[id]
	p.mu.Unlock()
	if l != nil {
		l.looked()
	}
	return l
}

// Running is how many labs run.
func (p *Pool) Running() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.labs)
}

// Close ends all labs and returns when none of their processes is left.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for _, l := range p.labs {
		l.Close()
	}
	p.mu.Unlock()
	p.wait.Wait()
}

// Lab is one job in processes of its own. It is safe for concurrent use.
type Lab struct {
	ID   string
	Spec Spec
	// Job has the records that the feeder brings. It is for pictures, and not what runs.
	Job *engine.Job

	cfg    Config
	setup  Setup
	dir    string
	secret proc.Secret
	began  time.Time
	group  *proc.Group
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{} // everything is gone
	wait   sync.WaitGroup

	mu          sync.Mutex
	changed     chan struct{} // closed and made again at every change
	slots       []*slot
	broker      kafka.Broker // nil: not yet there
	coordinator string       // where it listens
	rate        float64
	fed         []int32
	cutUntil    time.Time
	silent      time.Time // the broker has not answered since; zero: it does
	troubles    []concern
	haunted     time.Duration // the last process that had been replaced ended then
	story       story
	verdicts    verdicts
	done        *done
	seen        time.Time // somebody looked
	why         string    // it ended
}

func (p *Pool) newLab(spec Spec, rate float64) (*Lab, error) {
	job, err := spec.Job(false)
	if err != nil {
		return nil, err
	}
	secret := proc.NewSecret()
	setup, _ := FindSetup(spec.Setup) // the job has found it already
	l := &Lab{ID: fmt.Sprintf("%x", secret[:8]), Spec: spec, Job: job, cfg: p.cfg, setup: setup, secret: proc.NewSecret(), began: time.Now(),
		group: proc.NewGroup(p.cfg.Exe), ended: make(chan struct{}), changed: make(chan struct{}), rate: rate, fed: make([]int32, partitions), seen: time.Now()}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.dir = filepath.Join(p.cfg.Dir, "lab-"+l.ID)
	if p.cfg.Brokers == nil {
		l.slots = append(l.slots, newSlot(roleBroker, "broker", 0))
	}
	if !setup.Loop {
		l.slots = append(l.slots, newSlot(roleCoordinator, "coordinator", 0))
	}
	for n := range job.Plan.Nodes() {
		l.slots = append(l.slots, newSlot(roleWorker, fmt.Sprintf("node/%d", n), n))
	}
	return l, nil
}

// run is the life of a lab.
func (l *Lab) run() {
	defer close(l.ended)
	defer func() { _ = os.RemoveAll(l.dir) }()
	for _, s := range l.slots {
		l.wait.Go(func() { l.keep(s) })
	}
	l.wait.Go(l.feed)
	l.wait.Go(l.judge)
	l.wait.Go(l.pulse)
	if l.setup.Loop {
		l.wait.Go(l.awaitRest)
	}
	l.watch()
	l.cancel()
	l.group.Close()
	l.wait.Wait()
	l.mu.Lock()
	l.touch()
	l.mu.Unlock()
}

// watch waits for the end of the lab: somebody closes it, nobody looks any more, or
// its time is up.
func (l *Lab) watch() {
	tick, turn := time.NewTicker(time.Second), time.NewTicker(hold/5)
	defer tick.Stop()
	defer turn.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-turn.C:
			l.mu.Lock()
			if l.story.release(l.since()) {
				l.touch()
			}
			l.mu.Unlock()
		case now := <-tick.C:
			l.mu.Lock()
			switch {
			case now.Sub(l.began) > l.cfg.Limits.Life:
				l.why = fmt.Sprintf("a lab lives for %s at most", l.cfg.Limits.Life)
			case now.Sub(l.seen) > l.cfg.Limits.Idle:
				l.why = fmt.Sprintf("nobody looked at it for %s", l.cfg.Limits.Idle)
			}
			over := l.why != ""
			l.mu.Unlock()
			if over {
				return
			}
		}
	}
}

// Close ends the lab. Its processes are gone when Ended is closed.
func (l *Lab) Close() {
	l.mu.Lock()
	l.why = orElse(l.why, "it was closed")
	l.mu.Unlock()
	l.cancel()
}

// Ended is closed when no process of the lab is left.
func (l *Lab) Ended() <-chan struct{} { return l.ended }

func (l *Lab) looked() {
	l.mu.Lock()
	l.seen = time.Now()
	l.mu.Unlock()
}

// touch wakes whoever waits for a change. The caller holds the lock.
func (l *Lab) touch() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// config is what a process of the lab is told. The caller holds the lock.
func (l *Lab) config() config {
	c := config{Spec: l.Spec, Secret: l.secret, Dir: filepath.Join(l.dir, "checkpoints"), Database: filepath.Join(l.dir, "table.db"),
		Lab: "lab-" + l.ID, Epoch: l.began.UnixMicro(), Beat: l.cfg.Beat / 5, Timeout: l.cfg.Beat, Rate: shownRate, Coordinator: l.coordinator, Port: l.cfg.Port}
	if l.broker != nil {
		c.Brokers = l.broker.Addrs()
	}
	if c.Session = l.cfg.Beat; l.cfg.Brokers != nil {
		c.Session = 6 * time.Second // group.min.session.timeout.ms (Kafka 4.3.1)
	}
	for _, s := range l.slots {
		if s.role == roleWorker {
			c.Lives = append(c.Lives, s.life)
		}
	}
	return c
}

// shownRate is how many events of records a second and task are shown; beyond it
// some records are left out, and the page says so.
const shownRate = 40
