package engine

// refuseOffsetCommit: nobody makes a file final, and there is nothing to restore
// but what the loop itself keeps elsewhere.
func (s *Settings) refuseOffsetCommit(k *SinkSettings, at func(string) string) *Impossible {
	if s.Strategy != "offset-commit" {
		return nil
	}
	if k.Kind == SinkFiles {
		return &Impossible{Settings: [2]string{"strategy=offset-commit", at("sink") + "=files"},
			Why:     "Nobody decides when a file is final. files needs batch, microbatch or barriers.",
			Nearest: at("sink") + "=append"}
	}
	switch s.StateRecovery {
	case "", "none", "remote", "replay-input":
		return nil
	}
	return &Impossible{Settings: [2]string{"strategy=offset-commit", "state.recovery=" + s.StateRecovery},
		Why:     "A plain loop takes no snapshots and writes no changelog: its counts are gone, in a remote store, or read again from the input.",
		Nearest: "state.recovery=replay-input"}
}
