package check

import (
	"slices"

	"effectivelyonce/engine"
)

// panes follow which inputs are in each window, and which were in it when it
// fired. Like the lineage of totals they believe what was processed, copied and
// restored, not the counts that the windows report.
type panes struct {
	on     bool
	open   []pane
	marks  []engine.Time // by task
	fired  []firing      // every row that a window wrote, oldest first
	saved  []pane        // those of pictures
	copies []panePicture
	late   int // records dropped because their window was gone
}

// pane is a key's part of a window at a task.
type pane struct {
	task  engine.TaskID
	key   engine.KeyID
	end   engine.Time
	link  int32
	fired bool
}

type firing struct {
	row     engine.RecordID
	attempt int16
	count   int64
	link    int32
}

type panePicture struct {
	task engine.TaskID
	ckpt int32
	mark engine.Time
	at   int
	n    int
}

func (p *panes) init(job *engine.Job) {
	p.on = job.Settings.Operator == engine.OperatorWindow
	p.marks = make([]engine.Time, len(job.Plan.Tasks))
	p.reset()
}

func (p *panes) reset() {
	p.open, p.fired, p.saved, p.copies, p.late = p.open[:0], p.fired[:0], p.saved[:0], p.copies[:0], 0
	for i := range p.marks {
		p.marks[i] = engine.NoTime
	}
}

func (p *panes) copyFrom(o *panes) {
	p.open, p.marks = append(p.open[:0], o.open...), append(p.marks[:0], o.marks...)
	p.fired, p.saved = append(p.fired[:0], o.fired...), append(p.saved[:0], o.saved...)
	p.copies, p.late = append(p.copies[:0], o.copies...), o.late
}

// LateRecords is how many records were dropped because their windows were gone,
// over all attempts (Flink 2.x: numLateRecordsDropped, which starts anew with each).
func (f *Fold) LateRecords() int { return f.panes.late }

// windowed takes in an event that concerns windows. It reports whether nothing
// else is to be done with it.
func (f *Fold) windowed(e *engine.Event) bool {
	p := &f.panes
	if !p.on || e.Task < 0 || int(e.Task) >= len(p.marks) || f.job.Plan.Tasks[e.Task].Kind != engine.OpCount {
		return false
	}
	switch e.Kind {
	case engine.RecordProcessed:
		if e.Reason == engine.LateRecord {
			p.late++
		} else if rec := f.truth.index(e.Rec); rec >= 0 {
			at := p.find(e.Task, e.Key, f.job.Settings.WindowEnd(f.job.EventTime(e.Rec)))
			p.open[at].link = f.lin.extend(p.open[at].link, rec)
		}
	case engine.Watermark:
		p.marks[e.Task] = engine.Time(e.After)
		p.close(f.job, e.Task)
	case engine.WindowFired:
		at := p.find(e.Task, e.Key, engine.Time(e.Value))
		p.open[at].fired = true
		p.fired = append(p.fired, firing{row: e.Rec, attempt: e.Attempt, count: e.After, link: p.open[at].link})
		p.close(f.job, e.Task)
	case engine.SnapshotTaken:
		p.picture(e)
	case engine.RestoreDone:
		p.restore(f.job, e)
	default:
		return false
	}
	return true
}

// find is the place of a pane, which is opened if there is none.
func (p *panes) find(task engine.TaskID, key engine.KeyID, end engine.Time) int {
	at := slices.IndexFunc(p.open, func(o pane) bool { return o.task == task && o.key == key && o.end == end })
	if at < 0 {
		p.open = append(p.open, pane{task: task, key: key, end: end})
		at = len(p.open) - 1
	}
	return at
}

// close forgets the windows that have fired and that no record can reach any more.
func (p *panes) close(job *engine.Job, task engine.TaskID) {
	mark := p.marks[task]
	p.open = slices.DeleteFunc(p.open, func(o pane) bool {
		return o.task == task && o.fired && o.end+job.Settings.AllowedLateness <= mark
	})
}

func (p *panes) picture(e *engine.Event) {
	c := panePicture{task: e.Task, ckpt: e.Ckpt, mark: p.marks[e.Task], at: len(p.saved)}
	for _, o := range p.open {
		if o.task == e.Task {
			p.saved = append(p.saved, o)
		}
	}
	c.n = len(p.saved) - c.at
	p.copies = append(p.copies, c)
}

func (p *panes) restore(job *engine.Job, e *engine.Event) {
	p.open = slices.DeleteFunc(p.open, func(o pane) bool { return o.task == e.Task })
	p.marks[e.Task] = engine.NoTime
	for i := len(p.copies) - 1; i >= 0 && e.Ckpt > 0; i-- {
		if c := p.copies[i]; c.task == e.Task && c.ckpt == e.Ckpt {
			p.open = append(p.open, p.saved[c.at:c.at+c.n]...)
			if job.Settings.WatermarkRestore != "none" {
				p.marks[e.Task] = c.mark
			}
			return
		}
	}
}

// inRow is the history of a window's row as it came to a sink, 0 if no window has
// fired such a row.
func (p *panes) inRow(e *engine.Event) int32 {
	for i := len(p.fired) - 1; i >= 0; i-- {
		if w := &p.fired[i]; w.row == e.Rec && w.attempt == e.Attempt && w.count*engine.ValueScale == e.Value {
			return w.link
		}
	}
	return 0
}

// chain is the history a with that of b added to it.
func (l *lineage) chain(a, b int32) int32 {
	for ; b != 0; b = l.links[b].prev {
		a = l.extend(a, l.links[b].rec)
	}
	return a
}

// windowIsRight reports whether a row shows the count that its window has in the
// input, and whether that is what went into it.
func (f *Fold) windowIsRight(row engine.RecordID, link int32, value int64) bool {
	key, end := f.job.Input.At(row).Key, f.job.Settings.WindowEnd(f.job.EventTime(row))
	n := int64(f.lin.links[link].n)
	return link != 0 && value == n*engine.ValueScale && n == f.job.WindowCount(key, end)
}
