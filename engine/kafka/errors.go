package kafka

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
)

// ErrFenced says that a producer is one of the past: somebody has registered under
// its transactional id since, or its transaction has ended without it.
var ErrFenced = errors.New("fenced: the broker refuses this producer")

// fencing are the answers that all mean "your transaction is not yours any more".
// Which of them comes depends on who is asked first (partition leader or transaction
// coordinator) and on whether a transaction is open; facts 5.7.
var fencing = [...]*kerr.Error{
	kerr.InvalidProducerEpoch,     // 47: a partition leader, or an old coordinator
	kerr.ProducerFenced,           // 90: the coordinator
	kerr.InvalidTxnState,          // 48: the transaction has ended in another way
	kerr.OperationNotAttempted,    // 55: the client itself, after one of the others
	kerr.InvalidProducerIDMapping, // 49: the id has been forgotten, or belongs to another
	kerr.UnknownProducerID,        // 59: the same, at a partition
}

// Fenced reports whether an error is one of those by which brokers and client refuse
// a producer whose transaction is over. A new client is needed after it; a repeat
// leads nowhere.
func Fenced(err error) bool {
	if errors.Is(err, ErrFenced) {
		return true
	}
	for _, f := range fencing {
		if errors.Is(err, f) {
			return true
		}
	}
	return false
}
