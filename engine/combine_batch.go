package engine

// refuseBatch: a batch task has no position and publishes by renaming.
func (s *Settings) refuseBatch(k *SinkSettings, at func(string) string) *Impossible {
	if s.Strategy != "batch" || k.Kind != SinkTransactional && k.Kind != SinkPosition {
		return nil
	}
	return &Impossible{Settings: [2]string{"strategy=batch", at("sink") + "=" + string(k.Kind)},
		Why:     "A batch task has no position to resume from and publishes by renaming a finished file. Use files, or one of upsert, dedup.",
		Nearest: at("sink") + "=files"}
}
