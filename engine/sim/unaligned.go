package sim

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// jump lets the barrier that has just reached a lane overtake the records that
// wait there, except one that the reader is working on.
func (s *Sim) jump(c engine.ChanID) {
	ch, spec := &s.chans[c], &s.job.Plan.Channels[c]
	at := 0
	for !ch.queue[at].arrived || ch.queue[at].elem.Kind != engine.BarrierElement || ch.queue[at].jumped >= 0 {
		at++
	}
	first := 0
	if a := &s.actors[spec.To]; a.busy && int(a.lane) == spec.ToIndex {
		first = 1
	}
	for first < at && ch.queue[first].jumped >= 0 {
		first++
	}
	barrier := ch.queue[at]
	barrier.jumped = 0
	for i := first; i < at; i++ {
		if ch.queue[i].elem.Kind != engine.WatermarkElement { // what is saved is records
			barrier.jumped++
		}
	}
	copy(ch.queue[first+1:at+1], ch.queue[first:at])
	ch.queue[first] = barrier
}

// overtaken lists the records that the barrier at the head of a lane has jumped.
// Later ones that have jumped as well may stand between it and them.
func (s *Sim) overtaken(c engine.ChanID) []engine.Record {
	q := s.chans[c].queue
	left := q[0].jumped
	s.jumped = s.jumped[:0]
	for i := 1; left > 0; i++ {
		if q[i].elem.Kind == engine.DataElement {
			s.jumped = append(s.jumped, q[i].elem.Record)
			left--
		}
	}
	return s.jumped
}

// upload starts a part on its way to the checkpoint store. In-flight records make
// it larger: each adds a twentieth of what a part costs.
func (s *Sim) upload(id int16, e *machine.Effect) {
	base := s.job.Settings.Costs.Snapshot
	base += base * engine.Time(len(e.Snapshot.InFlight)) / 20
	d := s.cost(base, costSnapshot, int(id), 0, engine.NoRecord, int(e.Ckpt)) + s.job.Settings.Transfer(machine.Uploaded(s.job, e.Snapshot))
	s.push(item{time: s.now + d, kind: itemStored, actor: id, life: s.actors[id].life, ckpt: e.Ckpt, snap: e.Snapshot})
}

// reinject puts a saved record back into its lane, where it waits before anything
// that the new attempt sends: a source whose input has ended may have told so
// already, and records may have come in while the reader fetched its state. A lane
// may then hold more than its capacity.
func (s *Sim) reinject(e *machine.Effect) {
	ch := &s.chans[e.Chan]
	back := queued{elem: engine.Element{Kind: engine.DataElement, Record: e.Record}, arrived: true, at: s.now, jumped: -1}
	ch.queue = slices.Insert(ch.queue, ch.back, back)
	ch.back++
	ch.records++
}
