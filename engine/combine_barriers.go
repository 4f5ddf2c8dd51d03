package engine

// refuseBarriers: what is not aligned cannot be made to skip its alignment (facts 3.7).
func (s *Settings) refuseBarriers(*SinkSettings, func(string) string) *Impossible {
	if s.Strategy == "barriers" && s.Unaligned && s.CheckpointMode == "at_least_once" {
		return &Impossible{Settings: [2]string{"checkpoint.unaligned=on", "checkpoint.mode=at_least_once"},
			Why: "There is no alignment to skip.", Nearest: "checkpoint.mode=exactly_once"}
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
