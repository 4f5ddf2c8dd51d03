package sim

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// forever is the end of an outage that has none.
const forever = engine.Time(1) << 62

// outages is what does not answer at this moment, and what waits to go wrong. No
// process dies of it: who asks has to wait.
type outages struct {
	storage engine.Time   // the checkpoint store stores nothing before this moment
	broker  engine.Time   // the broker answers nothing before this moment
	parts   []engine.Time // by partition: it cannot be read before this moment; nil: none was ever down
	foreign []engine.Txn  // transactions that a second job ends now
	armed   []int16       // faults that wait for the next write or message of their kind, in order
}

func (o *outages) forkFrom(src *outages) {
	parts, armed := append(o.parts[:0], src.parts...), append(o.armed[:0], src.armed...)
	foreign := append(o.foreign[:0], src.foreign...)
	*o = *src
	o.parts, o.armed, o.foreign = parts, armed, foreign
}

// wait is why a task or the coordinator cannot go on with its next effect.
type wait struct {
	held  bool
	again bool       // the effect was performed and its answer is lost: this is the retry
	seq   int64      // of the row whose answer is lost, within its transaction
	txn   engine.Txn // it belongs to
	late  bool       // the message it sends has been delayed enough
}

// strikeQuiet lets a fault take hold of which nobody dies.
func (s *Sim) strikeQuiet(f *engine.Fault, index int16) {
	until := forever
	if f.Length > 0 {
		until = s.now + f.Length
	}
	switch f.Kind {
	case engine.LoseResponse, engine.Late:
		s.outages.armed = append(s.outages.armed, index)
		return
	case engine.SecondJob:
		s.secondJob()
		return
	case engine.StorageDown:
		s.outages.storage = max(s.outages.storage, until)
	case engine.BrokerDown:
		if f.Part == engine.AllPartitions {
			s.outages.broker = max(s.outages.broker, until)
			break
		}
		if len(s.outages.parts) == 0 {
			s.outages.parts = append(s.outages.parts, make([]engine.Time, len(s.job.Input.Parts))...)
		}
		s.outages.parts[f.Part] = max(s.outages.parts[f.Part], until)
	default:
		return
	}
	if f.Length > 0 {
		s.push(item{time: until, kind: itemFaultEnded, fault: index})
	}
}

// quietEnded is the end of an outage: readers look again. Who waits with a request
// has asked at intervals and comes a moment later by itself.
func (s *Sim) quietEnded(f *engine.Fault) {
	if f.Kind != engine.BrokerDown {
		return
	}
	for i := range s.job.Plan.Tasks {
		s.work(int16(i))
	}
}

// unreadable reports whether an input partition or a log between operators cannot
// be read now.
func (s *Sim) unreadable(log int) bool {
	return s.now < s.outages.broker || log < len(s.outages.parts) && s.now < s.outages.parts[log]
}

// waits reports whether the actor has to wait with its next effect, and holds it.
func (s *Sim) waits(id int16, e *machine.Effect) bool {
	a := &s.actors[id]
	switch {
	case s.acting != nil: // a zombie is not held: what it sends is judged when it arrives
		return false
	case s.now < s.outages.broker && s.asksBroker(id, e):
		s.hold(id, s.outages.broker)
	case s.now < s.outages.storage && e.Kind == machine.DoSeal:
		s.sealLater(id, e)
		return true
	case s.now < s.outages.storage && asksStorage(e):
		s.hold(id, s.outages.storage)
	case e.Kind == machine.DoEndRun && s.unsettled():
		a.wait.held = true
	case !a.wait.late && len(s.outages.armed) > 0:
		index := s.armedFor(messageOf(e))
		if index < 0 {
			return false
		}
		until := s.now + s.fault(index).Length
		s.push(item{time: until, kind: itemFaultEnded, fault: index})
		a.wait.late = true
		s.holdUntil(id, until)
	}
	if a.wait.held {
		s.leave(id)
	}
	return a.wait.held
}

// hold lets the actor ask again a moment after an outage has ended.
func (s *Sim) hold(id int16, until engine.Time) {
	if until == forever {
		s.actors[id].wait.held = true
		return
	}
	s.holdUntil(id, until+s.cost(s.job.Settings.Costs.Commit, costRetry, int(id), 0, engine.NoRecord, 0))
}

func (s *Sim) holdUntil(id int16, until engine.Time) {
	a := &s.actors[id]
	a.wait.held = true
	s.push(item{time: until, kind: itemRelease, actor: id, life: a.life})
}

// releaseHeld lets an actor try its next effect again.
func (s *Sim) releaseHeld(id int16) {
	s.actors[id].wait.held = false
	s.wake(id)
}

// asksBroker reports whether an effect is a request to the broker.
func (s *Sim) asksBroker(id int16, e *machine.Effect) bool {
	switch e.Kind {
	case machine.DoBegin, machine.DoWrite, machine.DoPrecommit, machine.DoCommit, machine.DoAbort:
		return !e.Txn.IsZero() && s.job.Settings.Sinks[s.job.Plan.Tasks[id].Sink].Kind == engine.SinkTransactional
	case machine.DoOp:
		op, ok := e.Op.(world.BrokerOp)
		return ok && op.AsksBroker()
	}
	return false
}

func asksStorage(e *machine.Effect) bool {
	_, ok := e.Op.(world.StorageOp)
	return ok && e.Kind == machine.DoOp
}

// sealLater tries to seal when the store is back. By then the checkpoint may have
// expired.
func (s *Sim) sealLater(id int16, e *machine.Effect) {
	a := &s.actors[id]
	a.pos++
	if s.outages.storage != forever {
		s.push(item{time: s.outages.storage, kind: itemSeal, actor: id, life: a.life, ckpt: e.Ckpt, value: e.After})
	}
}

// sealNow is the second try of a seal.
func (s *Sim) sealNow(it *item) {
	if s.world.Store.Pending() != it.ckpt {
		return
	}
	a := &s.actors[it.actor]
	a.effects = append(a.effects, machine.Effect{Kind: machine.DoSeal, Ckpt: it.ckpt, After: it.value})
	s.wake(it.actor)
}

// uploadWaits reports whether a part cannot be stored now; its upload starts again
// when the store is back.
func (s *Sim) uploadWaits(it *item) bool {
	if s.now >= s.outages.storage {
		return false
	}
	if s.outages.storage != forever {
		again := *it
		again.time = s.outages.storage + s.cost(s.job.Settings.Costs.Snapshot, costSnapshot, int(it.actor), 1, engine.NoRecord, int(it.ckpt))
		s.push(again)
	}
	return true
}

// commitWaits reports whether a commit request finds no broker; it is sent again.
func (s *Sim) commitWaits(it *item) bool {
	if s.now >= s.outages.broker {
		return false
	}
	if s.outages.broker != forever {
		again := *it
		again.time = s.outages.broker + s.cost(s.job.Settings.Costs.Commit, costRetry, int(it.actor), 0, engine.NoRecord, int(it.txn.No))
		s.push(again)
	}
	return true
}

// clockWaits reports whether nobody is there to look at a transaction's clock. It
// runs on all the same: once the broker is back it ends what is overdue, before it
// hears anybody (facts 4.5: the start time is in the transaction log; the real sweep
// runs every 10 s, Kafka 4.x).
func (s *Sim) clockWaits(it *item) bool {
	if s.now >= s.outages.broker {
		return false
	}
	if s.outages.broker != forever {
		again := *it
		again.time = s.outages.broker
		s.push(again)
	}
	return true
}

// unsettled reports whether a transaction is left that holds up readers until its
// time is up. The outside has not come to rest before that.
func (s *Sim) unsettled() bool {
	for i := range s.world.Topics {
		if s.job.Settings.Sinks[i].Kind == engine.SinkTransactional && s.world.Topics[i].Unsettled() {
			return true
		}
	}
	return false
}

// settle lets the run end that has waited for the last transaction.
func (s *Sim) settle() {
	if s.unsettled() {
		return
	}
	for id := range s.actors {
		a := &s.actors[id]
		if a.wait.held && a.pos < len(a.effects) && a.effects[a.pos].Kind == machine.DoEndRun {
			s.releaseHeld(int16(id))
		}
	}
}

// armedFor takes the first armed fault that waits for this message, -1 if none does.
func (s *Sim) armedFor(m engine.Message) int16 {
	for i, index := range s.outages.armed {
		if f := s.fault(index); m != "" && f.Kind == engine.Late && f.Message == m {
			s.outages.armed = slices.Delete(s.outages.armed, i, i+1)
			return index
		}
	}
	return -1
}

// messageOf is what an effect sends whose sender waits for the answer.
func messageOf(e *machine.Effect) engine.Message {
	switch e.Kind {
	case machine.DoCommit:
		return engine.CommitMessage
	case machine.DoAbort:
		return engine.AbortMessage
	case machine.DoOp:
		if op, ok := e.Op.(world.MessageOp); ok {
			return op.Message()
		}
	}
	return ""
}

// delay makes a message late that is on its way by itself. It then arrives whatever
// has become of its sender.
func (s *Sim) delay(m *item, what engine.Message) {
	if len(s.outages.armed) == 0 {
		return
	}
	index := s.armedFor(what)
	if index < 0 {
		return
	}
	m.time += s.fault(index).Length
	m.late = true
	s.push(item{time: m.time, kind: itemFaultEnded, fault: index})
}
