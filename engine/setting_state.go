package engine

// StateSettings say what state weighs, where copies of it stand and how it comes
// back. With the base values moving state takes no time, so that runs which are
// about something else do not change.
type StateSettings struct {
	KeyBytes      int    // virtual bytes of one key's entry; 0: moving state takes no time
	NetworkRate   int    // virtual bytes that the network moves in a millisecond
	RemoteLatency Time   // what a look into a remote store adds to the work on a record
	Standbys      int    // kafka-streams: copies of each store that follow its changelog
	ChangelogHead int    // kafka-streams: newest entries that compaction leaves alone; 0: the log is never compacted
	Delete        string // kafka-streams: never; when-complete: a key's entry goes with its last record
	DeleteKept    Time   // kafka-streams: how long compaction keeps a tombstone
	Handoff       string // offset-commit: sync, async: a worker behind the poll loop
	RestoreFrom   string // barriers: latest, none
	InputKept     Time   // offset-commit: how long the broker keeps a record; 0: for ever
	PositionUse   string // offset-with-output: resume, guard; "": by the strategy
}

// baseState are the base values. Kafka's own delete.retention.ms is 24 h (Kafka
// 4.x; facts 5.13) and its num.standby.replicas is 0 (facts 6.8).
func baseState() StateSettings {
	return StateSettings{NetworkRate: 1000, Delete: "never", DeleteKept: 10 * Second, Handoff: "sync", RestoreFrom: "latest"}
}

// stateSetters are the settings of state and its recovery.
var stateSetters = []setter{
	number("state.key.bytes", func(s *Settings) *int { return &s.State.KeyBytes }, 0, 1_000_000_000),
	number("network.rate", func(s *Settings) *int { return &s.State.NetworkRate }, 1, 1_000_000_000),
	duration("remote.latency", func(s *Settings, _ *SinkSettings) *Time { return &s.State.RemoteLatency }, 0),
	number("num.standby.replicas", func(s *Settings) *int { return &s.State.Standbys }, 0, 1),
	number("changelog.head", func(s *Settings) *int { return &s.State.ChangelogHead }, 0, 500),
	word("state.delete", func(s *Settings) *string { return &s.State.Delete }, "never", "when-complete"),
	duration("delete.retention", func(s *Settings, _ *SinkSettings) *Time { return &s.State.DeleteKept }, 0),
	word("commit.handoff", func(s *Settings) *string { return &s.State.Handoff }, "sync", "async"),
	word("restore.from", func(s *Settings) *string { return &s.State.RestoreFrom }, "latest", "none"),
	duration("input.retention", func(s *Settings, _ *SinkSettings) *Time { return &s.State.InputKept }, 0),
	word("position.use", func(s *Settings) *string { return &s.State.PositionUse }, "resume", "guard"),
}

// Transfer is how long the network takes for this many entries of state.
func (s *Settings) Transfer(entries int64) Time {
	return Time(s.Bytes(entries) * int64(Millisecond) / int64(s.State.NetworkRate))
}

// Bytes is what this many entries of state weigh, in virtual bytes.
func (s *Settings) Bytes(entries int64) int64 { return entries * int64(s.State.KeyBytes) }

// Recovery is how the state of this job comes back: state.recovery, or what the
// strategy does by itself (facts 12).
func (s *Settings) Recovery() string {
	if s.StateRecovery != "" && (s.StateRecovery != "changelog" || s.State.Standbys == 0) {
		return s.StateRecovery
	}
	switch s.Strategy {
	case "barriers", "microbatch":
		return "snapshot"
	case "kafka-streams":
		if s.State.Standbys > 0 {
			return "standby"
		}
		return "changelog"
	case "dataflow", "trident", "xa":
		return "remote"
	}
	return "replay-input"
}

// StateLatency is what the work on one record waits for a store that is not with
// the task.
func (s *Settings) StateLatency(k OpKind) Time {
	if s.Recovery() == "remote" && (k == OpCount || k == OpLoop) {
		return s.State.RemoteLatency
	}
	return 0
}
