package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// LeaderConfig is what a Leader needs from around it. Store and Tell are required.
type LeaderConfig struct {
	Store Store
	Tell  func(Order) // to the host of the order's task; must not wait
	Tap   Tap         // nil: nobody watches
	Epoch time.Time   // time 0 of events; zero: when the leader was made
	// Restarts is how often the job comes back before Run gives up, 0: always. The
	// first restart waits restart.delay (of the settings), each further one that follows
	// without a completed checkpoint twice as long, up to MaxDelay (0: 5 s), so that a
	// broker or disk that is away is not hammered.
	Restarts int
	MaxDelay time.Duration
	// StopTimeout is how long a task may take to end; a host that does not answer counts
	// as lost. 0: 10 s.
	StopTimeout time.Duration
	Notice      func(Notice) // states for people; nil: nobody listens; must not wait
	// Crash is asked before each effect of the coordinator; true ends Run with ErrCrashed
	// there, as a crash of its process would. For tests.
	Crash func(attempt int16, e *machine.Effect) bool
}

// NoticeKind is a state of a live job.
type NoticeKind uint8

// States.
const (
	NoticeWaiting  NoticeKind = iota + 1 // for the hosts of Why (task names)
	NoticeRunning                        // Attempt has started from checkpoint Ckpt (0: the beginning)
	NoticeDeclined                       // checkpoint Ckpt was given up: Task could not store its part (NoTask: it could not be sealed): Why
	NoticeFailed                         // Task failed (or the job): Reason, Why; it restarts after Delay
	NoticeStore                          // the checkpoint store cannot be used: Why; tried again after Delay
	NoticeEnded                          // the run is over: Reason
)

// Notice says what state the job is in.
type Notice struct {
	Kind    NoticeKind
	Reason  engine.Reason
	Task    engine.TaskID
	Attempt int16
	Ckpt    int32
	Delay   time.Duration
	Why     string
}

// Result is how a run ended.
type Result struct {
	Reason      engine.Reason
	Attempts    int // starts of the job by this leader
	Checkpoints int // completed
	Declined    int // given up because a part could not be stored
	Newest      int32
}

// ErrCrashed is what Run returns when LeaderConfig.Crash struck.
var ErrCrashed = errors.New("the coordinator was killed")

// Leader steps the coordinator of a job, seals its checkpoints, and restarts it. A
// crash of its process loses the pending checkpoint; a new Leader on the same store
// stops what still runs and goes on from the newest sealed one.
type Leader struct {
	job      *engine.Job
	cfg      LeaderConfig
	strategy machine.Strategy
	mail     *mailbox[said]
	rec      recorder

	phase   phase
	wakes   int32 // the newest wake-up; older ones change nothing
	due     bool  // the delay before the next start is over
	tasks   []standing
	attempt int16
	coord   machine.Coordinator
	out     machine.Out
	world   *world.World // knows which checkpoint is pending, for what becomes void when the job fails
	parts   []PartRef    // of the pending checkpoint
	acked   int64
	far     []int32 // by task: offset before which something is known to have been read
	streak  int     // restarts since a checkpoint was completed
	missing string  // what was last told to be waited for
	result  Result
	err     error
	newest  atomic.Int32
}

// phase is what a leader awaits.
type phase uint8

const (
	stopping phase = iota // the tasks' stop, their hosts, and the delay
	running               // the job's end, or a failure
	over                  // nothing
)

// standing is what the leader knows about a task.
type standing struct {
	joined   bool
	stopping bool // it was told to stop
}

// said is one thing that a leader hears.
type said struct {
	kind   saidKind
	report Report
	task   engine.TaskID
	n      int32 // attempt of a timer, or number of a wake-up
	ckpt   int32
	why    string
}

type saidKind uint8

const (
	saidReport saidKind = iota
	saidJoined
	saidLost
	saidTimer
	saidTimeout
	saidWake
	saidSlow // a stop takes too long
)

// NewLeader makes a leader; Run runs it.
func NewLeader(job *engine.Job, cfg LeaderConfig) (*Leader, error) {
	if err := Runs(job); err != nil {
		return nil, err
	}
	if cfg.Epoch.IsZero() {
		cfg.Epoch = time.Now()
	}
	if cfg.MaxDelay == 0 {
		cfg.MaxDelay = 5 * time.Second
	}
	if cfg.StopTimeout == 0 {
		cfg.StopTimeout = 10 * time.Second
	}
	return &Leader{job: job, cfg: cfg, strategy: machine.New(job), mail: newMailbox[said](), tasks: make([]standing, len(job.Plan.Tasks)),
		far: make([]int32, len(job.Plan.Tasks)), world: world.New(job),
		rec: newRecorder(tapping{tap: cfg.Tap, epoch: cfg.Epoch}, engine.CoordinatorID, 0)}, nil
}

// Report takes in what a task says. It does not wait.
func (l *Leader) Report(r Report) { l.mail.put(said{kind: saidReport, report: r}) }

// Joined says that a host for these tasks is there. Its tasks are told to stop first,
// whatever they were doing.
func (l *Leader) Joined(tasks ...engine.TaskID) {
	for _, id := range tasks {
		l.mail.put(said{kind: saidJoined, task: id})
	}
}

// Lost says that the host of these tasks is gone, and that nothing it may still say
// is handed on. The job restarts when a host for each of them has joined again.
func (l *Leader) Lost(why string, tasks ...engine.TaskID) {
	for _, id := range tasks {
		l.mail.put(said{kind: saidLost, task: id, why: why})
	}
}

// Newest is the newest checkpoint completed by this leader, or restored from.
func (l *Leader) Newest() int32 { return l.newest.Load() }

// Run leads the job until it has come to rest, gives up, or the context is done. A
// *Damaged error says that the newest checkpoint cannot be restored from; nothing was
// started then, and nothing was changed.
func (l *Leader) Run(ctx context.Context) (Result, error) {
	l.due = true
	l.proceed()
	for l.phase != over {
		w, ok := l.mail.next(nil)
		if !ok {
			l.rec.flush()
			select {
			case <-l.mail.bell:
				continue
			case <-ctx.Done():
				l.err = ctx.Err()
				l.stopAll()
				l.rec.flush()
				return l.result, l.err
			}
		}
		l.hear(&w)
	}
	l.rec.flush()
	return l.result, l.err
}

func (l *Leader) hear(w *said) {
	switch w.kind {
	case saidReport:
		l.reported(&w.report)
	case saidJoined:
		if l.tasks[w.task].joined {
			l.lost(w.task, "its host came back")
		}
		l.tasks[w.task].joined = true
		l.stop(w.task)
	case saidLost:
		l.lost(w.task, w.why)
	case saidTimer, saidTimeout:
		if w.n != int32(l.attempt) || l.phase != running {
			return
		}
		in := machine.In{Kind: machine.InTimer}
		if w.kind == saidTimeout {
			in = machine.In{Kind: machine.InTimeout, Ckpt: w.ckpt}
		}
		l.step(&in)
	case saidWake:
		if w.n == l.wakes {
			l.due = true
		}
	case saidSlow:
		if w.n == l.wakes && l.tasks[w.task].stopping {
			l.lost(w.task, "it does not stop")
		}
	}
	l.proceed()
}

// stop ends whatever a task does, whichever attempt it belongs to.
func (l *Leader) stop(id engine.TaskID) {
	l.tasks[id].stopping = true
	l.cfg.Tell(Order{Kind: OrderStop, Task: id, Attempt: 32767})
	n := l.wakes
	time.AfterFunc(l.cfg.StopTimeout, func() { l.mail.put(said{kind: saidSlow, task: id, n: n}) })
}

func (l *Leader) stopAll() {
	l.rec.flush()
	for id := range l.tasks {
		if l.tasks[id].joined && !l.tasks[id].stopping {
			l.stop(engine.TaskID(id))
		}
	}
}

func (l *Leader) lost(id engine.TaskID, why string) {
	l.tasks[id] = standing{}
	if l.phase == running {
		l.fail(id, engine.Crashed, why)
	}
}

func (l *Leader) reported(r *Report) {
	if r.Kind == ReportStopped {
		l.tasks[r.Task].stopping = false
		return
	}
	if r.Attempt != l.attempt || l.phase != running {
		return
	}
	l.far[r.Task] = max(l.far[r.Task], r.Offset)
	switch r.Kind {
	case ReportAck:
		l.parts[r.Task] = r.Part
		l.step(&machine.In{Kind: machine.InAck, Task: r.Task, Ckpt: r.Ckpt, Final: r.Final, Value: r.Value})
	case ReportDeclined:
		l.decline(r.Task, r.Ckpt, r.Why)
	case ReportFinished:
		l.step(&machine.In{Kind: machine.InFinished, Task: r.Task})
	case ReportFailed:
		l.fail(r.Task, r.Reason, r.Why)
	case ReportEnded:
		l.finish(r.Reason, nil)
	case ReportRefused:
		l.finish(engine.NeverStarted, fmt.Errorf("%s was refused at its start: %s", l.job.Plan.Name(r.Task), r.Why))
	}
}

// decline gives a checkpoint up before its time-out: what cannot be stored will not
// be acknowledged. How many of these in a row the job bears is the setting
// checkpoint.tolerable-failures.
func (l *Leader) decline(id engine.TaskID, n int32, why string) {
	if n != l.world.Store.Pending() {
		return
	}
	l.result.Declined++
	l.notice(Notice{Kind: NoticeDeclined, Task: id, Ckpt: n, Why: why})
	l.step(&machine.In{Kind: machine.InTimeout, Ckpt: n})
}

func (l *Leader) notice(n Notice) {
	if l.cfg.Notice != nil {
		n.Attempt = l.attempt
		l.cfg.Notice(n)
	}
}
