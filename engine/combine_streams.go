package engine

// StreamsTimeout is transaction.timeout of the one producer of a Kafka Streams
// thread: the shortest that is asked for.
func (s *Settings) StreamsTimeout() Time {
	t := s.Sinks[0].TxnTimeout
	for i := range s.Sinks {
		t = min(t, s.Sinks[i].TxnTimeout)
	}
	return t
}

// combineStreams refuses what Kafka Streams cannot be asked for.
func (s *Settings) combineStreams() error {
	for i := range s.Sinks {
		k := &s.Sinks[i]
		kind := s.sinkKey(k, "sink") + "=" + string(k.Kind)
		switch {
		case k.Kind == SinkFiles:
			return &Impossible{Settings: [2]string{"strategy=kafka-streams", kind},
				Why:     "Nobody decides when a file is final. files needs batch, microbatch or barriers.",
				Nearest: s.sinkKey(k, "sink") + "=upsert"}
		case k.Kind == SinkTransactional && s.Guarantee == "at_least_once":
			return &Impossible{Settings: [2]string{"processing.guarantee=at_least_once", kind},
				Why: "Kafka Streams opens transactions only under exactly_once_v2.", Nearest: "processing.guarantee=exactly_once_v2"}
		case s.Guarantee == "exactly_once_v2" && s.CommitInterval > k.TxnTimeout:
			return &Impossible{Settings: [2]string{"commit.interval=" + s.CommitInterval.String(), s.sinkKey(k, "transaction.timeout") + "=" + k.TxnTimeout.String()},
				Why:     "Every transaction would be over before its commit, so Kafka Streams rejects the configuration.",
				Nearest: "commit.interval=" + k.TxnTimeout.String()}
		}
	}
	if s.Topology != "J" && s.Topology != "J2" {
		return &Impossible{Settings: [2]string{"strategy=kafka-streams", "topology=" + s.Topology},
			Why: "Not modelled: here a stream thread has two sub-topologies with one repartition topic between them.", Nearest: "topology=J"}
	}
	return nil
}
