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
	return nil
}
