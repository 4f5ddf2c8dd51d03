package explore

import (
	"strings"

	"effectivelyonce/engine"
)

// PauseLengths are the three pauses that are worth trying: one that nobody notices,
// one from which the sleeper wakes while its replacement is still being started, and
// one from which it wakes long after that has finished. They follow from how long
// detection and restart take.
func PauseLengths(job *engine.Job) [3]engine.Time {
	set := &job.Settings
	return [3]engine.Time{max(1, set.PauseDetection/2), set.PauseDetection + max(1, set.RestartDelay/2),
		set.PauseDetection + set.RestartDelay + 8*engine.Second}
}

// pausesOf spells out pause and pause:TASK: each task, for three lengths.
func pausesOf(job *engine.Job, kind string) []string {
	tasks := job.Plan.TaskNames()
	if _, t, ok := strings.Cut(kind, ":"); ok {
		if strings.Contains(t, ":") {
			return []string{kind} // with a length of its own
		}
		tasks = []string{t}
	}
	var out []string
	for _, t := range tasks {
		for _, d := range PauseLengths(job) {
			out = append(out, string(engine.Pause)+":"+t+":"+d.String())
		}
	}
	return out
}
