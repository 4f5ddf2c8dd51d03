package engine

// refuseMicrobatch: async progress tracking is for stateless queries that write to
// a topic (Spark 3.5; facts 2.13).
func (s *Settings) refuseMicrobatch(k *SinkSettings, at func(string) string) *Impossible {
	if s.Strategy != "microbatch" || !s.AsyncProgress {
		return nil
	}
	other := ""
	switch {
	case s.Topology != "MAP":
		other = "topology=" + s.Topology // it keeps a count by key
	case k.Kind != SinkAppend:
		other = at("sink") + "=" + string(k.Kind)
	default:
		return nil
	}
	return &Impossible{Settings: [2]string{"async.progress=on", other}, Nearest: "async.progress=off",
		Why: "Async progress tracking is for stateless queries that write to a topic, and gives up exactly-once."}
}
