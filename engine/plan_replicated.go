package engine

// replicatedSteps lays out clients, one a partition, which are no part of the job,
// and k+1 replicas on nodes of their own. Every client can reach every replica.
func replicatedSteps(set *Settings, parts int) []step {
	return []step{
		{name: "client", kind: OpSource, par: parts, sink: -1, from: -1, outside: true},
		{name: "replica", kind: OpReplica, par: set.K + 1, sink: 0},
	}
}

// connectCopies adds a channel from each copy to those behind it: the first one
// that lives leads, and passes on what it is told.
func (p *Plan) connectCopies(op int) {
	o := p.Operators[op]
	for u := range o.Parallelism {
		from := &p.Tasks[int(o.First)+u]
		g := OutGroup{Op: op}
		for d := u + 1; d < o.Parallelism; d++ {
			to := &p.Tasks[int(o.First)+d]
			ch := Channel{ID: ChanID(len(p.Channels)), From: from.ID, To: to.ID, ToIndex: len(to.In)}
			p.Channels = append(p.Channels, ch)
			to.In = append(to.In, ch.ID)
			g.Chans = append(g.Chans, ch.ID)
		}
		if len(g.Chans) > 0 {
			from.Out = append(from.Out, g)
		}
	}
}
