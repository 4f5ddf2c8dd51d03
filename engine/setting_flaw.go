package engine

import (
	"slices"
	"strconv"
)

// Flaws that a machine can be given on purpose: bugs that real systems had, so that
// their incidents can be run before and after the change. A flaw changes what a
// machine does and nothing else; the oracle does not know of it. Every job has none
// unless it is asked for.
const (
	// NoFlaw is the machine as it is meant to be.
	NoFlaw = "none"
	// LostAnswersOK: a transactional sink keeps the name of what it has promised in
	// memory alone. After a restart it cannot commit it, and says that all is well
	// (Arroyo's Kafka sink before pull request 1099).
	LostAnswersOK = "handle-lost-answers-ok"
	// NoFinalCheckpoint: a bounded job ends when the last task has handed in its part
	// of the checkpoint after the end of the input, which nobody waits for. It is not
	// sealed, and what was promised for it is not committed (Flink before FLIP-147;
	// apache/paimon issue 3345, delta-io/delta pull request 7401).
	NoFinalCheckpoint = "no-final-checkpoint"
	// CommitPastHoles: a loop with several workers saves the highest position that any
	// of them has finished, as if everything before it were done (the opposite of what
	// RTBHOUSE/kafka-workers issue 19 explains).
	CommitPastHoles = "commit-past-holes"
)

// flawSetters are the settings of incidents.
var flawSetters = []setter{
	word("flaw", func(s *Settings) *string { return &s.Flaw }, NoFlaw, LostAnswersOK, NoFinalCheckpoint, CommitPastHoles),
	number("workers", func(s *Settings) *int { return &s.Workers }, 1, 8),
}

// refuseFlaw keeps a bug to the machines that can have it, and workers to the loop
// that can wait for them: it saves after the work, and its rows do not depend on
// the order in which they are done.
func (s *Settings) refuseFlaw(k *SinkSettings, at func(string) string) *Impossible {
	pair := func(a, b, why, nearest string) *Impossible {
		return &Impossible{Settings: [2]string{a, b}, Why: why, Nearest: nearest}
	}
	flaw, workers := "flaw="+s.Flaw, "workers="+strconv.Itoa(s.Workers)
	if s.Workers > 1 {
		switch {
		case s.Strategy != "offset-commit":
			return pair(workers, "strategy="+s.Strategy, "Only the plain loop hands its records to workers; other strategies have parallel tasks.", "workers=1")
		case s.CommitMode != "after":
			return pair(workers, "commit="+s.CommitMode, "What the workers have finished is saved after the work.", "commit=after")
		case slices.Contains([]SinkKind{SinkTransactional, SinkPosition, SinkState}, k.Kind):
			return pair(workers, at("sink")+"="+string(k.Kind), "Rows of several workers come out of order, which this sink cannot take.", at("sink")+"=dedup")
		case k.EmitAt > 0:
			return pair(workers, at("emit")+"=at-count:"+strconv.FormatInt(k.EmitAt, 10), "A count needs its records in order.", at("emit")+"=every")
		case k.Output == TotalOutput:
			return pair(workers, at("output")+"="+string(TotalOutput), "A count needs its records in order.", at("output")+"=event")
		}
	}
	switch s.Flaw {
	case LostAnswersOK, NoFinalCheckpoint:
		if s.Strategy != "barriers" {
			return pair(flaw, "strategy="+s.Strategy, "This bug is one of sinks that commit with a checkpoint of the strategy barriers.", "flaw="+NoFlaw)
		}
		if k.Kind != SinkTransactional && k.Kind != SinkFiles && s.Flaw == LostAnswersOK {
			return pair(flaw, at("sink")+"="+string(k.Kind), "A sink that promises nothing has nothing to forget.", at("sink")+"=transactional")
		}
	case CommitPastHoles:
		if s.Strategy != "offset-commit" {
			return pair(flaw, "strategy="+s.Strategy, "Only a plain loop saves one position for its workers.", "flaw="+NoFlaw)
		}
		if s.Workers == 1 {
			return pair(flaw, workers, "One worker finishes in order, so there are no holes.", "workers=4")
		}
	}
	return nil
}
