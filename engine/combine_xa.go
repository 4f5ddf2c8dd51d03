package engine

import "fmt"

// refuseXA refuses what cannot take part in a global transaction.
func (s *Settings) refuseXA(k *SinkSettings, at func(string) string) *Impossible {
	if s.Strategy != "xa" || k.Kind == SinkTransactional {
		return nil
	}
	why := map[SinkKind]string{
		SinkEmail: "A mailbox cannot promise to send later.",
		SinkFiles: "A directory cannot promise to rename later.",
	}
	reason := why[k.Kind]
	if reason == "" {
		reason = "What writes at once cannot promise to write later."
	}
	return &Impossible{Settings: [2]string{"strategy=xa", fmt.Sprintf("%s=%s", at("sink"), k.Kind)}, Why: reason, Nearest: at("sink") + "=transactional"}
}
