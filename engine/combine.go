package engine

// checkStrategy refuses what a strategy cannot be built with, in the words of
// curriculum 3.6; at gives a sink's setting its full key. One function a strategy,
// each in its own file.
func (s *Settings) checkStrategy(k *SinkSettings, at func(string) string) error {
	for _, refuse := range []func(*SinkSettings, func(string) string) *Impossible{
		s.refuseTopology, s.refuseOffsetCommit, s.refuseBatch, s.refuseReplicated, s.refuseBarriers, s.refuseMicrobatch, s.refuseStreams,
		s.refuseDataflow, s.refuseTrident, s.refuseXA, s.refuseFlaw, s.refuseOperator,
	} {
		if imp := refuse(k, at); imp != nil {
			return imp
		}
	}
	if imp := s.refuseState(k, at); imp != nil {
		return imp
	}
	return nil
}

// refuseTopology keeps the topologies that are one strategy's own to that strategy.
func (s *Settings) refuseTopology(*SinkSettings, func(string) string) *Impossible {
	own := map[string]string{"offset-commit": "LOOP", "xa": "LOOP", "batch": "BATCH"}
	why := map[string]string{
		"LOOP":  "LOOP is one process that polls, works, writes and saves its position by itself: the consumer of offset-commit and xa.",
		"BATCH": "BATCH reads whole files, and its tasks are tried again one by one: only the strategy batch does that.",
	}
	need := own[s.Strategy]
	switch {
	case need != "" && s.Topology != need:
		return &Impossible{Settings: [2]string{"strategy=" + s.Strategy, "topology=" + s.Topology}, Why: why[need], Nearest: "topology=" + need}
	case need == "" && why[s.Topology] != "" && s.Strategy != "replicated":
		nearest := "strategy=offset-commit"
		if s.Topology == "BATCH" {
			nearest = "strategy=batch"
		}
		return &Impossible{Settings: [2]string{"topology=" + s.Topology, "strategy=" + s.Strategy}, Why: why[s.Topology], Nearest: nearest}
	case need != "" && len(s.Sinks) > 1:
		return &Impossible{Settings: [2]string{"topology=" + s.Topology, "sinks." + s.Sinks[1].Name + ".sink=" + string(s.Sinks[1].Kind)},
			Why: "The task that writes has one sink.", Nearest: "sinks=" + s.Sinks[0].Name}
	}
	return nil
}
