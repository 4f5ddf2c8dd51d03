package engine

// operatorSetters are the settings of operators other than the counter.
var operatorSetters = []setter{
	word("operator", func(s *Settings) *string { return &s.Operator }, OperatorCount, OperatorWindow, OperatorJoin, OperatorDedup),
	word("lookup", func(s *Settings) *string { return &s.Lookup }, LookupOff, LookupExternal, LookupStored),
	duration("window.size", func(s *Settings, _ *SinkSettings) *Time { return &s.WindowSize }, 1),
	duration("watermark.delay", func(s *Settings, _ *SinkSettings) *Time { return &s.WatermarkDelay }, 0),
	duration("watermark.interval", func(s *Settings, _ *SinkSettings) *Time { return &s.WatermarkInterval }, 0),
	word("watermark.restore", func(s *Settings) *string { return &s.WatermarkRestore }, "snapshot", "none"),
	duration("allowed.lateness", func(s *Settings, _ *SinkSettings) *Time { return &s.AllowedLateness }, 0),
	word("join.time", func(s *Settings) *string { return &s.JoinTime }, "processing", "event"),
	duration("table.lead", func(s *Settings, _ *SinkSettings) *Time { return &s.TableLead }, 0),
	duration("state.ttl", func(s *Settings, _ *SinkSettings) *Time { return &s.StateTTL }, 1),
}
