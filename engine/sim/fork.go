package sim

import (
	"effectivelyonce/engine/trace"
	"effectivelyonce/engine/world"
)

// Fork copies the state at this gap into another Sim, whose memory is reused. The
// copy goes its own way; the events so far are shared.
func (s *Sim) Fork(into *Sim) {
	old := *into
	*into = *s
	into.trace, into.world, into.outages = old.trace, old.world, old.outages
	into.outages.forkFrom(&s.outages)
	if into.trace == nil {
		into.trace, into.world = &trace.Trace{}, &world.World{}
	}
	s.trace.Fork(into.trace)
	s.world.Fork(into.world)
	into.queue = append(old.queue[:0], s.queue...)
	into.ready = append(old.ready[:0], s.ready...)
	into.furthest = append(old.furthest[:0], s.furthest...)
	into.position = append(old.position[:0], s.position...)
	into.reads, into.jumped = old.reads[:0], old.jumped[:0]
	into.plans = append(old.plans[:0], s.plans...)
	into.found = append(old.found[:0], s.found...)
	into.strikes = append(old.strikes[:0], s.strikes...)
	into.zombies = old.zombies
	for len(into.zombies) < len(s.zombies) {
		into.zombies = append(into.zombies, zombie{})
	}
	into.zombies = into.zombies[:len(s.zombies)]
	for i := range s.zombies {
		into.zombies[i].forkFrom(&s.zombies[i])
	}
	into.risen = append(old.risen[:0], s.risen...)
	into.out.Effects = old.out.Effects[:0]
	into.coord = s.coord.Fork(old.coord)
	into.chans = old.chans
	for len(into.chans) < len(s.chans) {
		into.chans = append(into.chans, channel{})
	}
	into.chans = into.chans[:len(s.chans)]
	for i := range s.chans {
		q := append(into.chans[i].queue[:0], s.chans[i].queue...)
		into.chans[i] = s.chans[i]
		into.chans[i].queue = q
	}
	into.actors = old.actors
	for len(into.actors) < len(s.actors) {
		into.actors = append(into.actors, actor{})
	}
	into.actors = into.actors[:len(s.actors)]
	for i := range s.actors {
		into.actors[i].forkFrom(&s.actors[i])
	}
}

func (a *actor) forkFrom(src *actor) {
	task, effects, mail, held := a.task, a.effects, a.mail, a.nap.held
	*a = *src
	a.task = task
	if src.task != nil && src.alive {
		a.task = src.task.Fork(task)
	}
	a.effects, a.pos = append(effects[:0], src.effects[src.pos:]...), 0
	a.mail = append(mail[:0], src.mail...)
	a.nap.held = append(held[:0], src.nap.held...)
}
