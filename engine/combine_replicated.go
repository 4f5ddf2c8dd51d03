package engine

import "fmt"

// refuseReplicated: what every replica does must stay inside the engine.
func (s *Settings) refuseReplicated(k *SinkSettings, at func(string) string) *Impossible {
	inside := s.Strategy == "replicated" || s.Strategy == "trident"
	switch {
	case k.Kind == SinkState && !inside:
		return &Impossible{Settings: [2]string{"strategy=" + s.Strategy, at("sink") + "=state"},
			Why:     "Only replicated and trident keep the result in a table of their own; here it has to leave the engine.",
			Nearest: at("sink") + "=upsert"}
	case s.Strategy == "replicated" && k.Kind != SinkState:
		return &Impossible{Settings: [2]string{"strategy=replicated", at("sink") + "=" + string(k.Kind)},
			Why:     "Every one of the k+1 replicas would make the call. Let a procedure write a row and send from outside.",
			Nearest: at("sink") + "=state"}
	case s.Strategy == "replicated" && k.EmitAt > 0:
		return &Impossible{Settings: [2]string{"strategy=replicated", at("emit") + "=" + fmt.Sprintf("at-count:%d", k.EmitAt)},
			Why:     "The table has one row a key; nothing is emitted.",
			Nearest: at("emit") + "=every"}
	case s.Strategy == "replicated" && len(s.Sinks) > 1:
		return &Impossible{Settings: [2]string{"strategy=replicated", "sinks." + s.Sinks[1].Name + ".sink=" + string(s.Sinks[1].Kind)},
			Why: "There is one table.", Nearest: "sinks=" + s.Sinks[0].Name}
	}
	return nil
}
