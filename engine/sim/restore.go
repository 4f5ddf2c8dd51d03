package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// recoveryPoint is the checkpoint that an attempt starts from, 0: none.
func (s *Sim) recoveryPoint() int32 {
	if s.job.Settings.State.RestoreFrom == "none" {
		return 0
	}
	return s.world.Store.Sealed()
}

// part is a task's part of checkpoint n.
func (s *Sim) part(id int16, n int32) world.Snapshot {
	if own, ok := s.world.Own.(world.Versions); ok {
		return own.Version(engine.TaskID(id))
	}
	if n == 0 {
		return world.Snapshot{}
	}
	return s.world.Store.Restore(engine.TaskID(id))
}

// fetch brings a task's state over the network before the task comes to life. It
// reports false if that takes no time. Meanwhile the task takes nothing in, and a
// crash makes the next attempt fetch everything again.
func (s *Sim) fetch(id int16, n int32, alone bool, part *world.Snapshot) bool {
	d := machine.FetchTime(s.job, s.world, part)
	if d == 0 {
		return false
	}
	a := &s.actors[id]
	a.loading = true
	s.push(item{time: s.now + d, kind: itemFetched, actor: id, life: a.life, ckpt: n, final: alone, value: int64(s.world.Store.Counter() + 1), snap: part})
	return true
}

// fetched ends that.
func (s *Sim) fetched(it *item) {
	s.actors[it.actor].loading = false
	s.revive(it.actor, it.ckpt, int32(it.value), it.final, it.snap)
}
