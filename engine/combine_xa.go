package engine

import "fmt"

// refuseXA refuses what cannot take part in a global transaction.
func (s *Settings) refuseXA(k *SinkSettings, at func(string) string) *Impossible {
	if s.Strategy != "xa" {
		return nil
	}
	why := map[SinkKind]string{
		SinkEmail: "A mailbox cannot promise to send later.",
		SinkFiles: "A directory cannot promise to rename later.",
	}
	if k.Kind != SinkTransactional {
		reason := why[k.Kind]
		if reason == "" {
			reason = "What writes at once cannot promise to write later."
		}
		return &Impossible{Settings: [2]string{"strategy=xa", fmt.Sprintf("%s=%s", at("sink"), k.Kind)}, Why: reason, Nearest: at("sink") + "=transactional"}
	}
	if s.Topology != "LOOP" {
		return &Impossible{Settings: [2]string{"strategy=xa", "topology=" + s.Topology},
			Why: "One process takes messages and writes rows inside one global transaction.", Nearest: "topology=LOOP"}
	}
	if len(s.Sinks) > 1 {
		return &Impossible{Settings: [2]string{"strategy=xa", "sinks=" + fmt.Sprint(len(s.Sinks))},
			Why: "Not modelled: the participants are one database and one broker.", Nearest: "sinks=1"}
	}
	return nil
}
