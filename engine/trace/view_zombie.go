package trace

import "effectivelyonce/engine"

// Zombie is a process that was replaced while it stood still, beside the one that
// replaced it. It lives on in the picture until the run ends.
type Zombie struct {
	Task    engine.TaskID
	Born    int16 // the attempt it was started in; 0 until it wakes
	Awake   bool
	Queue   int // elements it had in its queue when it woke up
	Writes  int // rows it has written since
	Ignored int // rows that the outside knew already
	Refused bool
	Token   int64 // that a store refused, and the newest it knew; 0: nobody refused a token
	Newest  int64
	batch   Task // what it had gathered
}

// Word is the zombie's state as the badge says it.
func (z *Zombie) Word() string {
	switch {
	case z.Refused:
		return "zombie, fenced"
	case z.Awake:
		return "zombie"
	}
	return "asleep, replaced"
}

// ZombieOf is the newest zombie of a task, nil if there is none.
func (v *View) ZombieOf(id engine.TaskID) *Zombie {
	for i := len(v.Zombies) - 1; i >= 0; i-- {
		if v.Zombies[i].Task == id {
			return &v.Zombies[i]
		}
	}
	return nil
}

// rest is a task that stands still from now on.
func (v *View) rest(e *engine.Event) {
	if v.isTask(e.Task) && v.Phase != Ended {
		v.Tasks[e.Task].Paused = true
	}
}

// leave makes zombies of those that stand still when they are replaced.
func (v *View) leave(id engine.TaskID) {
	t := &v.Tasks[id]
	if !t.Paused {
		return
	}
	t.Paused = false
	v.Zombies = append(v.Zombies, Zombie{Task: id, batch: Task{Batch: t.Batch}})
}

// haunt folds what a zombie did. It touches nothing that belongs to the process
// that has taken its place.
func (v *View) haunt(e *engine.Event) {
	z := v.zombie(e)
	v.touch(e.Task)
	if e.Kind == engine.ZombieWakes {
		z.Awake, z.Born, z.Queue = true, e.Zombie, int(e.Value)
		return
	}
	if z.Refused = z.Refused || e.Kind == engine.Fenced; e.Kind == engine.Fenced && e.Txn.IsZero() {
		z.Token, z.Newest = e.Before, e.After
	}
	if !v.writes(e.Task) {
		return
	}
	s := v.Job.Plan.Tasks[e.Task].Sink
	o := &v.Outside[s]
	v.dirty.Outside[s] = true
	switch e.Kind {
	case engine.EffectIgnored:
		z.Ignored++
		o.Ignored++
	case engine.SinkWrite, engine.DedupValue, engine.DedupID:
		if e.Rec == engine.NoRecord {
			v.batch(&z.batch, o, e)
			z.Writes += z.batch.Wrote
			return
		}
		o.halve(e)
		if e.Kind != engine.DedupValue {
			o.remember(e)
		}
		if e.Kind != engine.DedupID {
			o.write(e)
			z.Writes++
		}
	case engine.TxnBegin:
		o.Txns = append(o.Txns, Txn{ID: e.Txn, State: engine.TxnOpen, First: -1, Begun: e.T})
	case engine.Fenced:
		if !e.Txn.IsZero() {
			o.txn(e.Txn).Refused++
		}
	default:
		o.move(e)
	}
}

// zombie is the one that did e; one that was never seen to be replaced is added.
func (v *View) zombie(e *engine.Event) *Zombie {
	for i := range v.Zombies {
		z := &v.Zombies[i]
		if z.Task == e.Task && (z.Born == e.Zombie || e.Kind == engine.ZombieWakes && !z.Awake) {
			return z
		}
	}
	v.Zombies = append(v.Zombies, Zombie{Task: e.Task, Born: e.Zombie})
	return &v.Zombies[len(v.Zombies)-1]
}
