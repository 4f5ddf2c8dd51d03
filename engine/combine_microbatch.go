package engine

// combineMicrobatch refuses what Spark's microbatches cannot be asked for.
func (s *Settings) combineMicrobatch() error {
	const why = "Async progress tracking is for stateless queries that write to a topic, and gives up exactly-once."
	if s.AsyncProgress && s.Topology != "MAP" {
		return &Impossible{Settings: [2]string{"async.progress=on", "topology=" + s.Topology}, Why: why, Nearest: "async.progress=off"}
	}
	for i := range s.Sinks {
		if k := &s.Sinks[i]; s.AsyncProgress && k.Kind != SinkAppend {
			return &Impossible{Settings: [2]string{"async.progress=on", s.sinkKey(k, "sink") + "=" + string(k.Kind)}, Why: why, Nearest: "async.progress=off"}
		}
	}
	return s.needsChannels("A microbatch is run by tasks that hand records on, of which this topology has none.")
}
