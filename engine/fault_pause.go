package engine

import "strings"

// A pause takes nothing from a task: it keeps its memory, its queue and what it has
// not yet done, and goes on with them after Length. After pause.detection it is
// thought dead, and a replacement starts as after a crash. Whoever slept longer has
// been replaced without knowing it: a zombie. It can no longer reach the tasks that
// live, but it can reach the world outside. (A long garbage collection or a frozen
// virtual machine; facts 11.4.)

func (f *Fault) parsePause(spec string, args []string) error {
	if len(args) != 2 || args[0] == "" {
		return badFault(spec, "arguments", "pause is written pause:TASK:DURATION, for example pause:sink/0:8s@57")
	}
	f.Target = args[0]
	d, err := ParseDuration(args[1])
	if err != nil || d == 0 {
		return badFault(spec, "length", `found "`+args[1]+`"; allowed: `+durationWords)
	}
	f.Length = d
	return nil
}

// pauseRefusals are the strategies in which no task can be paused, and why.
var pauseRefusals = [...]struct{ strategy, why string }{
	{"dataflow", "a zombie of a stage, fenced by the sequencer of its key (facts 7.5), is not modelled yet; strategy=barriers knows pauses"},
	{"offset-commit", "a zombie of a consumer, fenced by the generation of its group (facts 5.8), is not modelled yet; strategy=barriers knows pauses"},
	{"trident", "a batch that takes too long is replayed by the same workers, and its state object is the only thing outside: not modelled"},
	{"replicated", "a copy that misses an invocation is dropped from the cluster for good and cannot come back as a writer: crash it instead"},
	{"xa", "the application is a client with a connection that the database rolls back; nobody starts a replacement: crash it instead"},
	{"batch", "a second attempt of a task writes a private file and publishes by renaming, so that a sleeper replaces a file by an equal one: not modelled"},
}

func (f *Fault) checkPause(j *Job) error {
	if f.id == CoordinatorID {
		return badFault(f.String(), "target", "the coordinator writes nothing outside, so that a second one would be seen by nobody; allowed: "+strings.Join(j.Plan.TaskNames(), ", "))
	}
	if s := &j.Settings; s.Strategy == "kafka-streams" && s.Guarantee != "exactly_once_v2" {
		return badFault(f.String(), "kind", "without transactions nothing fences what a sleeping stream thread appends to its logs, which is not modelled yet; processing.guarantee=exactly_once_v2 knows pauses")
	}
	for _, r := range pauseRefusals {
		if r.strategy == j.Settings.Strategy {
			return badFault(f.String(), "kind", "strategy="+r.strategy+" knows no pause: "+r.why)
		}
	}
	return nil
}
