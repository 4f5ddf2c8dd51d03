package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// itemKind is what happens at an instant of virtual time.
type itemKind uint8

const (
	itemStart      itemKind = iota + 1 // the job (re)starts
	itemRestart                        // one process restarts
	itemDetect                         // the failure of actor is noticed
	itemArrive                         // the oldest element under way on channel reaches the reader
	itemDone                           // the task has finished its work on the head of lane
	itemRead                           // the source has read its next record
	itemWake                           // the source's next record is available
	itemStored                         // the upload of a snapshot has finished
	itemMessage                        // a message for the coordinator or a task
	itemCommit                         // a commit request reaches the broker
	itemExpire                         // the broker's patience with a transaction is over
	itemFault                          // a fault given by time
	itemFaultEnded                     // a fault that lasts is over
	itemFetched                        // a task's state has come over the network
	itemRelease                        // actor tries again what it had to wait with
	itemSeal                           // the coordinator tries again to seal a checkpoint
	itemAwake                          // a pause of actor is over
	itemMissed                         // actor has shown no sign of life for too long
	itemZombie                         // zombie number actor wakes, has done its work on lane, or its commit of txn arrives
)

// item is one entry of the virtual-time queue. Items of a process that has died
// since carry an older life and are dropped.
type item struct {
	time  engine.Time
	seq   uint32
	kind  itemKind
	actor int16
	to    int16
	chan_ engine.ChanID
	lane  int16
	fault int16
	life  int32
	ckpt  int32
	final bool
	late  bool // a message that arrives whatever has become of its sender
	note  int8
	what  machine.InKind
	value int64
	txn   engine.Txn
	snap  *world.Snapshot // a task's part on its way to or from the store; never written again
}

func (it *item) less(o *item) bool {
	if it.time != o.time {
		return it.time < o.time
	}
	return it.seq < o.seq
}

// push adds an item behind all others of its instant.
func (s *Sim) push(it item) {
	it.seq = s.seq
	s.seq++
	s.queue = append(s.queue, it)
	q := s.queue
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if !q[i].less(&q[up]) {
			break
		}
		q[i], q[up] = q[up], q[i]
		i = up
	}
}

func (s *Sim) pop() item {
	q := s.queue
	top := q[0]
	n := len(q) - 1
	q[0] = q[n]
	q[n] = item{}
	q = q[:n]
	s.queue = q
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < n; c++ {
			if q[c].less(&q[least]) {
				least = c
			}
		}
		if least == i {
			return top
		}
		q[i], q[least] = q[least], q[i]
		i = least
	}
}

// happen lets an item take hold. It reports whether an event was appended.
func (s *Sim) happen(it *item) bool {
	switch it.kind {
	case itemStart:
		s.start()
	case itemRestart:
		s.startAlone(it.actor)
	case itemDetect:
		s.detect(it)
	case itemFault:
		s.strikes = append(s.strikes, it.fault)
	case itemFaultEnded:
		return s.faultEnded(it)
	case itemAwake:
		return s.awake(it)
	case itemMissed:
		s.missed(it)
	case itemZombie:
		return s.zombieDue(it)
	case itemExpire:
		return s.expire(it)
	case itemArrive:
		return s.arrive(it)
	default:
		if !it.late && !s.same(it) {
			return false
		}
		if s.holds(it) {
			return false
		}
		return s.happenTo(it)
	}
	return false
}

// happenTo lets an item of a living process take hold.
func (s *Sim) happenTo(it *item) bool {
	switch it.kind {
	case itemDone:
		s.done(it)
	case itemRead:
		s.read(it)
	case itemWake:
		s.work(it.actor)
	case itemStored:
		return s.stored(it)
	case itemCommit:
		return s.commit(it)
	case itemFetched:
		s.fetched(it)
	case itemMessage:
		s.message(it)
	case itemRelease:
		s.releaseHeld(it.actor)
	case itemSeal:
		s.sealNow(it)
	}
	return false
}

// same reports whether the process that an item was made for still lives.
func (s *Sim) same(it *item) bool {
	a := &s.actors[it.actor]
	return a.alive && a.life == it.life
}

// message delivers to the coordinator at once, to a task when it is free.
func (s *Sim) message(it *item) {
	to := &s.actors[it.to]
	if !to.alive {
		return
	}
	in := machine.In{Kind: it.what, Ckpt: it.ckpt, Final: it.final, Task: s.idOf(it.actor), Note: it.note, Value: it.value}
	if it.to == s.coordinator() {
		s.in = in
		s.tell(it.to, &s.in)
		return
	}
	to.mail = append(to.mail, in)
	s.work(it.to)
}
