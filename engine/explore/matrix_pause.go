package explore

// PartPause is the section of a sink that falls asleep (curriculum 3.5): unnoticed,
// waking while its replacement is being started, and waking long after that.
const PartPause = "pause"

func pauseRows() []Row {
	sleeps := []string{"pause:sink/0"}
	return []Row{
		{Part: PartPause, Name: "fencing=off, the sink sleeps", Strategy: "barriers", Kinds: sleeps,
			Columns: []string{"append", "upsert", "dedup atomic", "offset-with-output", "transactional", "email none", "email from-input", "files, log honoured"}},
		{Part: PartPause, Name: "fencing=on, the sink sleeps", Strategy: "barriers", Kinds: sleeps, Settings: []string{"fencing=on"},
			Columns: []string{"upsert", "dedup atomic", "offset-with-output"}},
	}
}
