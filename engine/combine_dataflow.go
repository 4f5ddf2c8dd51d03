package engine

import "fmt"

// refuseDataflow refuses what stages that store and drop by record id cannot do.
func (s *Settings) refuseDataflow(k *SinkSettings, at func(string) string) *Impossible {
	if s.Strategy != "dataflow" {
		return nil
	}
	pair := [2]string{"strategy=dataflow", fmt.Sprintf("%s=%s", at("sink"), k.Kind)}
	switch {
	case k.Kind == SinkPosition:
		return &Impossible{Settings: pair, Nearest: at("sink") + "=dedup",
			Why: "Dataflow does not promise order between stages, which a position guard needs."}
	case k.Kind == SinkTransactional || k.Kind == SinkFiles:
		return &Impossible{Settings: pair, Nearest: at("sink") + "=dedup", Why: "Not modelled: this engine removes repeats by record id."}
	}
	return nil
}
