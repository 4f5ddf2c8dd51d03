package trace

import (
	"fmt"

	"effectivelyonce/engine"
)

// quietFault tells of a fault of which nobody dies, when it takes hold and when it
// is over or has acted. It is "" for other faults.
func (s *speaker) quietFault(f *engine.Fault) string {
	if f == nil {
		return ""
	}
	begins := s.e.Kind == engine.FaultInjected
	switch f.Kind {
	case engine.LoseResponse:
		s.actor = "the network"
		if begins {
			return fmt.Sprintf("will lose the answer to the next write of %s.", Clip(f.Target, maxName))
		}
		return fmt.Sprintf("lost the answer to %s: the write is done, and will be tried again.", Clip(f.Target, maxName))
	case engine.StorageDown:
		s.actor = "the checkpoint store"
		if begins {
			return "went down: no part can be stored, no checkpoint sealed."
		}
		return "came back."
	case engine.BrokerDown:
		return s.brokerDown(f, begins)
	case engine.Late:
		return s.lateMessage(f, begins)
	case engine.SecondJob:
		s.actor = "a second job"
		return "started under the same transactional ids: this job's epochs are old now."
	}
	return ""
}

func (s *speaker) brokerDown(f *engine.Fault, begins bool) string {
	s.actor = "the broker"
	part := f.Part != engine.AllPartitions
	if part {
		s.actor = fmt.Sprintf("partition p%d", f.Part)
	}
	switch {
	case begins && part:
		return "became unavailable: nothing can be read from it."
	case begins:
		return "went down: requests wait. The clocks of its transactions run on."
	}
	return "came back."
}

var messageWords = map[engine.Message]string{engine.CommitMessage: "commit", engine.AbortMessage: "abort", engine.AckMessage: "acknowledgement"}

func (s *speaker) lateMessage(f *engine.Fault, begins bool) string {
	s.actor = "the network"
	if begins {
		return fmt.Sprintf("will hold up the next %s for %s.", messageWords[f.Message], f.Length)
	}
	return fmt.Sprintf("let the %s through, %s late.", messageWords[f.Message], f.Length)
}

// refusedStart names the broker's error where there is one (facts 4.7, Kafka 4.x).
func (s *speaker) refusedStart() string {
	who, k := s.actor, s.sink()
	s.actor = "the broker"
	if s.e.Reason != engine.TimeoutTooLong || k == nil {
		return fmt.Sprintf("refused to let %s start: %s.", who, s.e.Reason)
	}
	return fmt.Sprintf("refused %s, INVALID_TRANSACTION_TIMEOUT: %s is above its maximum, %s.", who, k.TxnTimeout, k.TxnMax)
}

// repeatIgnored is the broker's answer to a row that it has.
func (s *speaker) repeatIgnored() string {
	s.actor = "the broker"
	return fmt.Sprintf("ignored a repeat of %s: it has that sequence number in transaction %d.", s.e.Rec, s.e.Txn.No)
}
