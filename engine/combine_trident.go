package engine

import "fmt"

// refuseTrident refuses what cannot be built around a state object that is read
// from outside. The sink "state" is that object: no task writes it but the counter.
func (s *Settings) refuseTrident(k *SinkSettings, at func(string) string) *Impossible {
	if s.Strategy != "trident" {
		return nil
	}
	no := func(mine, other, why, nearest string) *Impossible {
		return &Impossible{Settings: [2]string{mine, other}, Why: why, Nearest: nearest}
	}
	switch {
	case s.Topology == "MAP":
		return no("strategy=trident", "topology=MAP", "A batch goes from a spout to a counter that keeps the state.", "topology=J")
	case k.Kind != SinkState:
		return no("strategy=trident", fmt.Sprintf("%s=%s", at("sink"), k.Kind),
			"The guarantee is a property of the state object.", at("sink")+"=state")
	case k.Output != TotalOutput:
		return no(at("sink")+"=state", at("output")+"=event", "The state holds one count per key.", at("output")+"=total")
	case k.EmitAt > 0:
		return no(at("sink")+"=state", fmt.Sprintf("%s=at-count:%d", at("emit"), k.EmitAt),
			"Nothing is sent to the state; it is read where it stands.", at("emit")+"=every")
	}
	return nil
}
