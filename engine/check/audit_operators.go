package check

import (
	"slices"

	"effectivelyonce/engine"
)

// keyedRules are those of operators other than the counter, and of event time. They
// hold under every strategy:
//
//   - event time never goes back within an attempt, starts again where the snapshot
//     had it, and is the least over all inputs;
//   - a window fires when event time has reached its end, never before, and not a
//     second time with the same records;
//   - a record is dropped as late exactly when its window is gone;
//   - a join finds what its changelog says, restored with the snapshot;
//   - a dedup operator drops what it knows, and nothing else.
type keyedRules struct {
	job    *engine.Job
	alters bool // rows show something else than the input's value
	tasks  []keyedTask
}

// keyedTask is what a task holds, and what it held at its snapshots.
type keyedTask struct {
	now   keyedState
	most  engine.Time  // sources: the latest event time before the position
	saved []keyedState // their ckpt is the snapshot's
}

type keyedState struct {
	ckpt     int32
	mark     engine.Time
	lanes    []engine.Time
	panes    []auditPane
	table    []int64
	versions []tableVersion
	waiting  []engine.RecordID
}

type tableVersion struct {
	key   engine.KeyID
	since engine.Time
	value int64
}

type auditPane struct {
	key          engine.KeyID
	end          engine.Time
	count, fired int64
}

func (k *keyedRules) init(job *engine.Job) {
	s := &job.Settings
	k.job = job
	k.alters = s.Operator == engine.OperatorWindow || s.Operator == engine.OperatorJoin || s.Lookup != engine.LookupOff
	k.tasks = make([]keyedTask, len(job.Plan.Tasks))
}

func (k *keyedRules) reset() {
	for i := range k.tasks {
		k.tasks[i] = keyedTask{now: k.fresh(i), most: engine.NoTime, saved: k.tasks[i].saved[:0]}
	}
}

func (k *keyedRules) fresh(task int) keyedState {
	s := keyedState{mark: engine.NoTime, lanes: make([]engine.Time, len(k.job.Plan.Tasks[task].In)), table: make([]int64, len(k.job.Input.Keys))}
	for i := range s.lanes {
		s.lanes[i] = engine.NoTime
	}
	return s
}

func (s *keyedState) clone(ckpt int32) keyedState {
	return keyedState{ckpt: ckpt, mark: s.mark, lanes: slices.Clone(s.lanes), panes: slices.Clone(s.panes), table: slices.Clone(s.table),
		versions: slices.Clone(s.versions), waiting: slices.Clone(s.waiting)}
}

// plain reports whether there is nothing to watch.
func (k *keyedRules) plain() bool { return !k.alters }

func (k *keyedRules) apply(a *Audit, e *engine.Event) {
	if k.plain() || e.Task < 0 || int(e.Task) >= len(k.tasks) {
		if e.Kind == engine.RunEnded && e.Reason == engine.AtRest {
			k.rest(a, e)
		}
		return
	}
	t := &k.tasks[e.Task]
	switch e.Kind {
	case engine.SourceRead:
		t.most = max(t.most, k.job.EventTime(e.Rec))
	case engine.SourceRewound:
		t.most = k.mostBefore(int(e.Value), e.After)
	case engine.Watermark:
		k.watermark(a, e, t)
	case engine.WindowFired:
		k.fired(a, e, t)
	case engine.RecordJoined:
		k.joined(a, e, t)
	case engine.RecordProcessed:
		k.processed(a, e, t)
	case engine.SnapshotTaken:
		t.saved = append(t.saved, t.now.clone(e.Ckpt))
	case engine.RestoreDone:
		k.restore(e, t)
	}
}

func (k *keyedRules) restore(e *engine.Event, t *keyedTask) {
	t.now = k.fresh(int(e.Task))
	for i := len(t.saved) - 1; i >= 0 && e.Ckpt > 0; i-- {
		if t.saved[i].ckpt == e.Ckpt {
			t.now = t.saved[i].clone(0)
			break
		}
	}
	if k.job.Settings.WatermarkRestore == "none" {
		f := k.fresh(int(e.Task))
		t.now.mark, t.now.lanes = f.mark, f.lanes
	}
}

func (k *keyedRules) watermark(a *Audit, e *engine.Event, t *keyedTask) {
	before, after := engine.Time(e.Before), engine.Time(e.After)
	again := before == engine.NoTime && e.Chan == engine.NoChan && after == t.now.mark
	if before != t.now.mark && !again && e.Chan != engine.NoChan || after < before || after < t.now.mark {
		a.broke(e, "time", "event time of %s goes from %s to %s where it was %s", a.name(e.Task), before, after, t.now.mark)
	}
	if bound := t.most - k.job.Settings.WatermarkDelay; a.job.Plan.Tasks[e.Task].Kind == engine.OpSource && after < engine.EndOfTime && after > bound {
		a.broke(e, "time", "%s sends watermark %s; what it has read allows %s", a.name(e.Task), after, bound)
	}
	if e.Chan != engine.NoChan {
		lane := a.job.Plan.Channels[e.Chan].ToIndex
		t.now.lanes[lane] = max(t.now.lanes[lane], engine.Time(e.Value))
		if least := max(before, slices.Min(t.now.lanes)); after != least {
			a.broke(e, "time", "event time of %s is told to be %s; the least over its inputs is %s", a.name(e.Task), after, least)
		}
	}
	t.now.mark = after
	k.forget(t)
}

// mostBefore is the latest event time before an offset.
func (k *keyedRules) mostBefore(part int, off int64) engine.Time {
	most := engine.NoTime
	for o := range off {
		most = max(most, k.job.EventTime(engine.RecordID{Part: int16(part), Off: int32(o)}))
	}
	return most
}

// forget drops the windows that have fired and that no record can reach any more.
func (k *keyedRules) forget(t *keyedTask) {
	t.now.panes = slices.DeleteFunc(t.now.panes, func(p auditPane) bool {
		return p.fired > 0 && p.end+k.job.Settings.AllowedLateness <= t.now.mark
	})
}

func (k *keyedRules) fired(a *Audit, e *engine.Event, t *keyedTask) {
	end := engine.Time(e.Value)
	if end > t.now.mark {
		a.broke(e, "fire", "%s fires the window to %s while event time is %s", a.name(e.Task), end, t.now.mark)
	}
	i := slices.IndexFunc(t.now.panes, func(p auditPane) bool { return p.key == e.Key && p.end == end })
	switch {
	case i < 0:
		a.broke(e, "fire", "%s fires the window to %s, which is not open", a.name(e.Task), end)
	case t.now.panes[i].count != e.After || t.now.panes[i].fired != e.Before || e.Before >= e.After:
		p := &t.now.panes[i]
		a.broke(e, "fire", "%s fires the window to %s with %d after %d; it holds %d and has fired with %d", a.name(e.Task), end, e.After, e.Before, p.count, p.fired)
	}
	if i >= 0 {
		t.now.panes[i].fired = e.After
	}
	k.forget(t)
	if tk := a.task(e); a.job.Settings.Strategy == "barriers" {
		a.inHand(e, tk, 0)
		tk.value = e.After * engine.ValueScale
	}
}

func (k *keyedRules) processed(a *Audit, e *engine.Event, t *keyedTask) {
	switch {
	case a.job.Plan.Tasks[e.Task].Kind != engine.OpCount:
	case k.job.Settings.Operator == engine.OperatorJoin:
		want := engine.Joined(e.Value, t.now.table[e.Key])
		if e.Reason == engine.TableChange {
			t.now.table[e.Key], want = e.Value, e.Value
			t.now.versions = append(t.now.versions, tableVersion{e.Key, k.job.EventTime(e.Rec), e.Value})
		} else if k.job.Settings.Clocked() {
			t.now.waiting = append(t.now.waiting, e.Rec)
			return
		}
		if e.After != want {
			a.broke(e, "join", "%s makes %d of %s where its table gives %d", a.name(e.Task), e.After, e.Rec, want)
		}
	case k.job.Settings.Operator == engine.OperatorWindow:
		k.into(a, e, t)
	}
}

// joined: a record that waits is joined when event time is past it, once, with the
// version of the table that was valid at its time.
func (k *keyedRules) joined(a *Audit, e *engine.Event, t *keyedTask) {
	at := k.job.EventTime(e.Rec)
	i := slices.Index(t.now.waiting, e.Rec)
	if i < 0 || at >= t.now.mark {
		a.broke(e, "join", "%s joins %s of %s while event time is %s", a.name(e.Task), e.Rec, at, t.now.mark)
	}
	if i >= 0 {
		t.now.waiting = slices.Delete(t.now.waiting, i, i+1)
	}
	held, newest := int64(0), engine.NoTime
	for _, v := range t.now.versions {
		if v.key == e.Key && v.since <= at && v.since >= newest {
			held, newest = v.value, v.since
		}
	}
	if want := engine.Joined(e.Value, held); e.After != want {
		a.broke(e, "join", "%s makes %d of %s where its table gives %d", a.name(e.Task), e.After, e.Rec, want)
	}
	if tk := a.task(e); a.job.Settings.Strategy == "barriers" {
		a.inHand(e, tk, 0)
		tk.value = e.After
	}
}

func (k *keyedRules) into(a *Audit, e *engine.Event, t *keyedTask) {
	end := k.job.Settings.WindowEnd(k.job.EventTime(e.Rec))
	gone := end+k.job.Settings.AllowedLateness <= t.now.mark
	if late := e.Reason == engine.LateRecord; late != gone {
		a.broke(e, "late", "%s: late is %v; its window ends at %s, and event time is %s", e.Rec, late, end, t.now.mark)
	}
	if gone {
		return
	}
	i := slices.IndexFunc(t.now.panes, func(p auditPane) bool { return p.key == e.Key && p.end == end })
	if i < 0 {
		t.now.panes = append(t.now.panes, auditPane{key: e.Key, end: end})
		i = len(t.now.panes) - 1
	}
	p := &t.now.panes[i]
	if e.Before != p.count || e.After != p.count+1 {
		a.broke(e, "count", "%s counts from %d to %d in a window that holds %d", a.name(e.Task), e.Before, e.After, p.count)
	}
	p.count = e.After
}

// rest: no window is left that has something to say.
func (k *keyedRules) rest(a *Audit, e *engine.Event) {
	for i := range k.tasks {
		if n := len(k.tasks[i].now.waiting); n > 0 {
			a.broke(e, "rest", "%d records wait for their time at %s", n, a.job.Plan.Tasks[i].Name)
		}
		for _, p := range k.tasks[i].now.panes {
			if p.count > p.fired {
				a.broke(e, "rest", "the window to %s of %s holds %d records and has fired with %d", p.end, a.job.Plan.Tasks[i].Name, p.count, p.fired)
			}
		}
	}
}

// takes is a record that an operator takes in: what it must send on now. It reports
// whether the rules of the counter do not apply.
func (k *keyedRules) takes(a *Audit, e *engine.Event, tk *auditTask) bool {
	set := &k.job.Settings
	counter := a.job.Plan.Tasks[e.Task].Kind == engine.OpCount
	switch {
	case set.Lookup != engine.LookupOff && a.job.Plan.Tasks[e.Task].Kind == engine.OpForward:
		tk.value = e.After
		a.inHand(e, tk, 0)
		return true
	case !counter || set.Operator == engine.OperatorCount:
		return false
	case set.Operator == engine.OperatorDedup:
		k.first(a, e, tk)
		return true
	case set.Operator == engine.OperatorWindow || e.Reason == engine.TableChange || e.Reason == engine.AwaitsTime:
		a.owesNothing(e, tk)
		return true
	}
	tk.value = e.After
	a.inHand(e, tk, 0)
	return true
}

// first: what is known is dropped; a key may be forgotten when its time is up.
func (k *keyedRules) first(a *Audit, e *engine.Event, tk *auditTask) {
	if e.Before != tk.counts[e.Key] && e.Before != 0 || e.After != e.Before+1 || (e.Before > 0) != (e.Reason == engine.KnownRecord) {
		a.broke(e, "dedup", "%s takes the key from %d to %d where %d were seen", a.name(e.Task), e.Before, e.After, tk.counts[e.Key])
	}
	tk.counts[e.Key] = e.After
	a.owesNothing(e, tk)
	if e.Before == 0 {
		a.inHand(e, tk, 1)
	}
}

// sentAs is what a record on a channel carries beside its id: a total, or its value
// where that is not the input's.
func (a *Audit) sentAs(e *engine.Event, tk *auditTask) int64 {
	if !a.keyed.alters {
		return tk.total
	}
	if a.job.Plan.Tasks[e.Task].Kind != engine.OpSource && e.Value != tk.value {
		a.broke(e, "value", "%s sends %s with %d where it has %d", a.name(e.Task), e.Rec, e.Value, tk.value)
	}
	return e.Value
}
