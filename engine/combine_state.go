package engine

import "slices"

// recoveries are the ways in which each strategy can get state back, the usual one
// first (facts 12), and why there are no others.
func recoveries(strategy string) (allowed []string, why string) {
	switch strategy {
	case "barriers":
		return []string{"snapshot", "snapshot-incremental", "remote"}, "A checkpoint holds state and positions as of one line, so state comes out of it, or has stayed in the checkpoint storage."
	case "microbatch":
		return []string{"snapshot", "snapshot-incremental"}, "The commit log names a version of the state, so a restart needs exactly that version."
	case "kafka-streams":
		return []string{"changelog", "standby"}, "Every change of a store goes into its changelog topic, and an empty store is filled from there or from a copy that follows it."
	case "offset-commit":
		return []string{"replay-input", "none", "remote", "cdc"}, "A plain loop takes no snapshots and writes no changelog: its counts are gone, in a remote store, copied from that store's changes, or read again from the input."
	case "dataflow", "trident", "xa":
		return []string{"remote"}, "Its state is written to a store of its own with every step, and nothing has to be brought back."
	}
	return []string{"replay-input"}, "Nothing is kept but input: what was lost is run again."
}

// refuseState refuses recoveries that a strategy cannot do, and settings of state
// that nothing would read.
func (s *Settings) refuseState(k *SinkSettings, at func(string) string) *Impossible {
	no := func(a, b, why, nearest string) *Impossible {
		return &Impossible{Settings: [2]string{a, b}, Why: why, Nearest: nearest}
	}
	strategy := "strategy=" + s.Strategy
	allowed, why := recoveries(s.Strategy)
	switch r := s.StateRecovery; {
	case r != "" && !slices.Contains(allowed, r):
		return no(strategy, "state.recovery="+r, why, "state.recovery="+allowed[0])
	case r == "snapshot-incremental" && s.Operator != OperatorCount:
		return no("state.recovery=snapshot-incremental", "operator="+s.Operator, "Not modelled: only counts are uploaded as changes; windows, tables and seen keys travel whole.", "state.recovery=snapshot")
	case r == "cdc" && k.Kind != SinkPosition:
		return no("state.recovery=cdc", at("sink")+"="+string(k.Kind),
			"The copy is rebuilt from the changes of the table that the output goes to, and they must tell the position too.", at("sink")+"=offset-with-output")
	case s.Strategy != "kafka-streams" && s.State.Standbys > 0:
		return no(strategy, "num.standby.replicas=1", "A standby follows a changelog, and only kafka-streams writes one.", "num.standby.replicas=0")
	case s.Strategy != "kafka-streams" && s.State.ChangelogHead > 0:
		return no(strategy, "changelog.head=1", "Only kafka-streams writes a changelog that could be compacted.", "changelog.head=0")
	case s.Strategy != "kafka-streams" && s.State.Delete != "never":
		return no(strategy, "state.delete="+s.State.Delete, "Deletions are followed through the changelog, and only kafka-streams writes one.", "state.delete=never")
	case s.Strategy != "barriers" && s.State.RestoreFrom != "latest":
		return no(strategy, "restore.from="+s.State.RestoreFrom, "Only a job with checkpoints can be started without its newest one.", "restore.from=latest")
	case s.Strategy != "offset-commit" && s.State.Handoff != "sync":
		return no(strategy, "commit.handoff="+s.State.Handoff, "Only a plain loop hands records to a worker and saves positions beside it.", "commit.handoff=sync")
	case s.State.Handoff == "async" && k.Kind == SinkTransactional:
		return no("commit.handoff=async", at("sink")+"=transactional", "The worker's rows and the loop's transaction would be of different groups.", "commit.handoff=sync")
	case s.State.Handoff == "async" && s.CommitMode == "before":
		return no("commit.handoff=async", "commit=before", "With commit=before the work follows the saved position already.", "commit=after")
	case s.State.InputKept > 0 && (s.Strategy != "offset-commit" || s.Recovery() != "replay-input"):
		return no("input.retention="+s.State.InputKept.String(), "state.recovery="+s.Recovery(), "Not modelled: only a loop that reads its input again to rebuild its counts meets the end of the log here.", "input.retention=0ms")
	case s.Recovery() == "standby" && s.State.Delete != "never" && s.State.DeleteKept < 2*s.CommitInterval:
		return no("delete.retention="+s.State.DeleteKept.String(), "state.recovery=standby", "A tombstone could leave the log before the standby has read it, and the key would come back.", "delete.retention=10s")
	case s.State.PositionUse != "" && k.Kind != SinkPosition && len(s.Sinks) == 1:
		return no("position.use="+s.State.PositionUse, at("sink")+"="+string(k.Kind), "Only offset-with-output stores a position beside the value.", at("sink")+"=offset-with-output")
	case s.State.PositionUse == "resume" && s.Strategy != "offset-commit":
		return no("position.use=resume", strategy, "This strategy goes on from a place of its own; the store's position can only turn repeats away.", "position.use=guard")
	}
	return nil
}
