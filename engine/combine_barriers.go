package engine

// combineBarriers refuses what Flink's checkpoints cannot be asked for.
func (s *Settings) combineBarriers() error {
	if s.Unaligned && s.CheckpointMode == "at_least_once" {
		return &Impossible{Settings: [2]string{"checkpoint.unaligned=on", "checkpoint.mode=at_least_once"},
			Why: "There is no alignment to skip.", Nearest: "checkpoint.mode=exactly_once"}
	}
	return s.needsChannels("A checkpoint's barriers travel on channels between tasks, of which this topology has none.")
}

// needsChannels refuses the topologies that are one process or a batch job.
func (s *Settings) needsChannels(why string) error {
	if s.Topology == "LOOP" || s.Topology == "BATCH" {
		return &Impossible{Settings: [2]string{"strategy=" + s.Strategy, "topology=" + s.Topology}, Why: why, Nearest: "topology=J"}
	}
	return nil
}

// Overtakes reports whether barriers on this channel jump the records that wait
// at its end: with unaligned checkpoints, on shuffles only (Flink 2.x; facts 3.6,
// 3.8). The edge from a sink's writer to its committer, which Flink keeps aligned
// since 2.0, lies inside a sink task here.
func (j *Job) Overtakes(c ChanID) bool {
	return j.Settings.Strategy == "barriers" && j.Settings.Unaligned && !j.Plan.Channels[c].Pointwise
}
