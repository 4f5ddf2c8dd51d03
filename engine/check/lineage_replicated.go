package check

import "effectivelyonce/engine"

// copies follows a table that the engine keeps in several copies (OpReplica). A
// reader asks the copy with the lowest number that lives, and asks at rest: the
// table is inside, so nobody watches it change.
type copies struct {
	first  engine.TaskID
	n      int
	keys   int
	lost   uint64  // bit per copy
	values []int64 // copy × keys
}

func (c *copies) init(job *engine.Job) {
	for i := range job.Plan.Tasks {
		if job.Plan.Tasks[i].Kind == engine.OpReplica {
			if c.n == 0 {
				c.first = engine.TaskID(i)
			}
			c.n++
		}
	}
	c.keys = len(job.Input.Keys)
	c.values = make([]int64, c.n*c.keys)
}

func (c *copies) reset() {
	c.lost = 0
	clear(c.values)
}

func (c *copies) copyFrom(o *copies) {
	c.lost = o.lost
	copy(c.values, o.values)
}

// of is the copy that the task is, -1 if it is none.
func (c *copies) of(task engine.TaskID) int {
	if i := int(task - c.first); c.n > 0 && i >= 0 && i < c.n {
		return i
	}
	return -1
}

// serving is the copy that answers readers, -1 if there is none.
func (c *copies) serving() int {
	for i := range c.n {
		if c.lost&(1<<i) == 0 {
			return i
		}
	}
	return -1
}

// copyRan notes that a copy has run an invocation: its row of the key has changed.
func (f *Fold) copyRan(e *engine.Event) {
	i := f.copies.of(e.Task)
	if i < 0 {
		return
	}
	f.copies.values[i*f.copies.keys+int(e.Key)] = e.After
	f.showCopy()
}

// copyLost notes that a copy, or the whole job, was found dead.
func (f *Fold) copyLost(e *engine.Event) {
	c := &f.copies
	switch i := c.of(e.Task); {
	case i >= 0:
		c.lost |= 1 << i
	case e.Task < 0:
		c.lost = 1<<c.n - 1
	}
	f.showCopy()
}

// copyBack notes that a copy lives again, with an empty table.
func (f *Fold) copyBack(e *engine.Event) {
	if i := f.copies.of(e.Task); i >= 0 {
		f.copies.lost &^= 1 << i
		clear(f.copies.values[i*f.copies.keys : (i+1)*f.copies.keys])
		f.showCopy()
	}
}

// showCopy puts the table of the serving copy where readers look. While none
// serves they keep what they saw last.
func (f *Fold) showCopy() {
	i := f.copies.serving()
	if i < 0 {
		return
	}
	s := f.sinkOf(f.copies.first + engine.TaskID(i))
	heads := f.lin.headsOf(f.lin.slot(f.copies.first + engine.TaskID(i)))
	for k := range s.cells {
		s.cells[k] = cell{set: heads[k] != 0, value: f.copies.values[i*f.copies.keys+k], link: heads[k]}
	}
}
