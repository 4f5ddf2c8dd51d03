package engine

// StreamsTimeout is transaction.timeout of the one producer of a Kafka Streams
// thread: the shortest that a sink asks for.
func (s *Settings) StreamsTimeout() Time {
	t := s.Sinks[0].TxnTimeout
	for i := range s.Sinks {
		t = min(t, s.Sinks[i].TxnTimeout)
	}
	return t
}

// refuseStreams: nobody makes a file final, transactions come with exactly_once_v2
// only, and a commit must come before the transaction's time is up (facts 6.1, 6.4).
func (s *Settings) refuseStreams(k *SinkSettings, at func(string) string) *Impossible {
	if s.Strategy != "kafka-streams" {
		return nil
	}
	kind := at("sink") + "=" + string(k.Kind)
	switch {
	case k.Kind == SinkFiles:
		return &Impossible{Settings: [2]string{"strategy=kafka-streams", kind},
			Why:     "Nobody decides when a file is final. files needs batch, microbatch or barriers.",
			Nearest: at("sink") + "=append"}
	case k.Kind == SinkTransactional && s.Guarantee == "at_least_once":
		return &Impossible{Settings: [2]string{"processing.guarantee=at_least_once", kind},
			Why: "Kafka Streams opens transactions only under exactly_once_v2.", Nearest: "processing.guarantee=exactly_once_v2"}
	case s.Guarantee == "exactly_once_v2" && s.CommitInterval > k.TxnTimeout:
		return &Impossible{Settings: [2]string{"commit.interval=" + s.CommitInterval.String(), at("transaction.timeout") + "=" + k.TxnTimeout.String()},
			Why:     "Every transaction would be over before its commit, so Kafka Streams rejects the configuration.",
			Nearest: "commit.interval=" + k.TxnTimeout.String()}
	case s.Topology != "J" && s.Topology != "J2":
		return &Impossible{Settings: [2]string{"strategy=kafka-streams", "topology=" + s.Topology},
			Why: "Not modelled: here a stream thread has two sub-topologies with one repartition topic between them.", Nearest: "topology=J"}
	}
	return nil
}
