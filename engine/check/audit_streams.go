package check

import "effectivelyonce/engine"

// streamRules are what every run of a stream thread keeps: counters read the
// repartition log in its order, a commit comes when nothing is in hand, and with
// exactly_once_v2 nothing of a transaction is seen before it commits.
type streamRules struct {
	job     *engine.Job
	eos     bool
	offsets []int32 // by partition: committed
	at      []int32 // by partition: the next to read
	tasks   []streamTask
	rows    int64 // sent to sinks and not written yet, in all
	open    engine.Txn
	sent    bool // the open transaction holds positions
	asked   []int32
	reads   []int32
	newest  int32 // commit
}

// streamTask is what is known of a counter.
type streamTask struct {
	log     []engine.Event // record.sent events
	stable  int
	read    int32 // committed position
	at      int32
	store   []int64
	changes []int64
	sealed  []int64
	expect  engine.Kind // what must follow at this counter; 0: anything
	rec     engine.RecordID
}

func newStreamRules(job *engine.Job) *streamRules {
	return &streamRules{job: job, eos: job.Settings.Guarantee == "exactly_once_v2"}
}

func (r *streamRules) reset() {
	parts, keys := len(r.job.Input.Parts), len(r.job.Input.Keys)
	*r = streamRules{job: r.job, eos: r.eos, offsets: make([]int32, parts), at: make([]int32, parts), tasks: make([]streamTask, len(r.job.Plan.Tasks))}
	for i := range r.tasks {
		r.tasks[i].store, r.tasks[i].changes, r.tasks[i].sealed = make([]int64, keys), make([]int64, keys), make([]int64, keys)
	}
}

func (r *streamRules) counter(task engine.TaskID) bool {
	return task >= 0 && r.job.Plan.Tasks[task].Kind == engine.OpCount
}

func (r *streamRules) apply(a *Audit, e *engine.Event) {
	if r.counter(e.Task) {
		r.count(a, e, &r.tasks[e.Task])
	}
	switch e.Kind {
	case engine.SourceRead:
		if p := e.Rec.Part; e.Rec.Off != r.at[p] {
			a.broke(e, "offset", "%s is read where offset %d is next", e.Rec, r.at[p])
		}
		r.at[e.Rec.Part] = e.Rec.Off + 1
	case engine.RecordSent:
		r.send(a, e)
	case engine.SinkWrite, engine.EffectIgnored, engine.DedupID, engine.DedupValue:
		r.wrote(a, e)
	case engine.OffsetCommit:
		r.positions(a, e)
	case engine.TxnBegin, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired:
		r.transaction(a, e)
	case engine.RestartBegin:
		r.restart()
	case engine.SourceRewound:
		if p := e.Value; e.After != int64(r.offsets[p]) {
			a.broke(e, "restore", "%s goes to offset %d where %d is committed", a.name(e.Task), e.After, r.offsets[p])
		}
	case engine.RestoreDone:
		if e.Ckpt != r.newest {
			a.broke(e, "restore", "%s starts from commit %d where %d is the newest", a.name(e.Task), e.Ckpt, r.newest)
		}
	case engine.RunEnded:
		if e.Reason == engine.AtRest {
			r.rest(a, e)
		}
	}
}

// send: into the repartition log of a counter, or on from there to a sink.
func (r *streamRules) send(a *Audit, e *engine.Event) {
	if r.counter(e.Task) {
		r.rows++
		return
	}
	if r.eos && (e.Txn != r.open || r.open.IsZero()) {
		a.broke(e, "txn", "%s goes into the repartition log outside of the transaction", e.Rec)
	}
	t := &r.tasks[r.job.Plan.Channels[e.Chan].To]
	t.log = append(t.log, *e)
	if int64(len(t.log)) != e.After {
		a.broke(e, "log", "the repartition log is told to hold %d entries where it holds %d", e.After, len(t.log))
	}
	if !r.eos {
		t.stable = len(t.log)
	}
}

// count: a record is the next of the log and visible; store and changelog follow,
// then the row.
func (r *streamRules) count(a *Audit, e *engine.Event, t *streamTask) {
	next := engine.NoKind
	switch e.Kind {
	case engine.RecordProcessed:
		if int(t.at) >= t.stable || t.log[t.at].Rec != e.Rec || t.log[t.at].Attempt != e.Attempt {
			a.broke(e, "log", "%s counts %s, which is not what readers of the log see at %d", a.name(e.Task), e.Rec, t.at)
		}
		t.at++
		if e.Before != t.store[e.Key] || e.After != e.Before+1 {
			a.broke(e, "count", "%s counts from %d where its store holds %d", a.name(e.Task), e.Before, t.store[e.Key])
		}
		t.rec, next = e.Rec, engine.StateWrite
	case engine.StateWrite:
		t.store[e.Key], next = e.After, engine.ChangelogAppend
	case engine.ChangelogAppend:
		if e.After != t.store[e.Key] || e.Before != t.changes[e.Key] {
			a.broke(e, "changelog", "the changelog goes from %d to %d where it holds %d and the store %d", e.Before, e.After, t.changes[e.Key], t.store[e.Key])
		}
		t.changes[e.Key] = e.After
	case engine.StoreWiped, engine.StandbyPromoted:
		clear(t.store)
		return
	case engine.RestoreDone:
		r.restored(a, e, t)
		return
	case engine.Fenced:
		t.expect = engine.NoKind
		return
	default:
		return
	}
	if t.expect != engine.NoKind && (t.expect != e.Kind || t.rec != e.Rec) {
		a.broke(e, "changelog", "%s does %s of %s where %s of %s is next", a.name(e.Task), e.Kind, e.Rec, t.expect, t.rec)
	}
	t.expect = next
}

// restored: with transactions a store that holds anything is wiped first, and then
// holds what the changelog has committed. Without, it is as it was, or, if its disk
// is lost, what was appended.
func (r *streamRules) restored(a *Audit, e *engine.Event, t *streamTask) {
	keys := int64(0)
	for _, v := range t.store {
		keys += min(v, 1)
	}
	switch {
	case r.eos && keys > 0:
		a.broke(e, "wipe", "%s goes on with a store that may hold what was never committed", a.name(e.Task))
	case !r.eos && e.Before != keys:
		a.broke(e, "wipe", "%s finds %d keys in a store that holds %d", a.name(e.Task), e.Before, keys)
	}
	if r.eos {
		copy(t.store, t.sealed)
	} else if keys == 0 {
		copy(t.store, t.changes)
	}
	held := int64(0)
	for _, v := range t.store {
		held += min(v, 1)
	}
	if e.After != held {
		a.broke(e, "changelog", "%s goes on with %d keys where its changelog has %d that were not deleted", a.name(e.Task), e.After, held)
	}
}

// loseDisk takes a counter's local store.
func (r *streamRules) loseDisk(task engine.TaskID) { clear(r.tasks[task].store) }

func (r *streamRules) wrote(a *Audit, e *engine.Event) {
	set := &r.job.Settings.Sinks[r.job.Plan.Tasks[e.Task].Sink]
	if set.Kind == engine.SinkTransactional && e.Txn != r.open {
		a.broke(e, "txn", "%s writes %s outside of the transaction", a.name(e.Task), e.Rec)
	}
	second := engine.DedupValue
	if set.DedupWrite == "value-first" {
		second = engine.DedupID
	}
	if e.Kind != second {
		r.rows--
	}
}

// positions: they are where everybody stands, with nothing in hand.
func (r *streamRules) positions(a *Audit, e *engine.Event) {
	r.asked = engine.UnpackPositions(e.Value, e.After, len(r.at))
	for p, at := range r.asked {
		if at != r.at[p] {
			a.broke(e, "position", "offset %d of partition %d is committed where %d is next", at, p, r.at[p])
		}
	}
	if r.rows != 0 {
		a.broke(e, "position", "positions are committed while %d rows are on their way", r.rows)
	}
	r.reads = r.reads[:0]
	for i := range r.tasks {
		if !r.counter(engine.TaskID(i)) {
			continue
		}
		at := int32(e.Before >> (16 * len(r.reads)) & 0xffff)
		if t := &r.tasks[i]; at != t.at || t.expect != engine.NoKind {
			a.broke(e, "position", "position %d of %s is committed where %d is next", at, a.name(engine.TaskID(i)), t.at)
		}
		r.reads = append(r.reads, at)
	}
	if r.sent = r.eos; r.eos != !e.Txn.IsZero() {
		a.broke(e, "position", "positions are sent to transaction %d under %s", e.Txn.No, r.job.Settings.Guarantee)
	}
	if !r.eos {
		r.commit(a, e)
	}
}
