package progress

import (
	"context"
	"errors"
	"fmt"
)

// Store keeps histories, pasted inputs and counts. It is safe for concurrent use,
// by several processes too. When Add, Erase or Put has returned nil, what it did
// survives the death of this process and of the database's; when it returned an
// error, all of it happened or nothing, and the same call may be made again.
// Errors are *Trouble.
type Store interface {
	// Add saves entries, all or none. What is there already stays as it is: an
	// answer with a known ticket, a second bet on a step, a worse result of a level.
	Add(ctx context.Context, who Learner, more History) error
	// Load returns what is kept, in order of time. Of an unknown learner that is
	// nothing.
	Load(ctx context.Context, who Learner) (History, error)
	// Erase forgets a learner.
	Erase(ctx context.Context, who Learner) error

	// Put keeps a pasted input for 30 days and returns the SHA-256 of its bytes
	// in hexadecimal digits. Pasting the same again starts its days anew.
	Put(ctx context.Context, data []byte) (hash string, err error)
	// Get returns a kept input; false when it is not there, or not any more.
	Get(ctx context.Context, hash string) (data []byte, ok bool, err error)

	// Counts are the answers given, by question and choice; empty unless whoever
	// runs the server asked for it. They hold nothing about learners.
	Counts(ctx context.Context) ([]Count, error)
	// Ready tries whether an answer could be saved now.
	Ready(ctx context.Context) error
	Close() error
}

// Count is how often one choice was made.
type Count struct {
	Question string `json:"question"`
	Chosen   string `json:"chosen"`
	Outcome  string `json:"outcome"` // right, partly, missed
	Times    int    `json:"times"`
}

// Outcome is the word for how an answer was graded.
func (a *Answer) Outcome() string {
	switch {
	case a.Right:
		return "right"
	case a.Partly:
		return "partly"
	}
	return "missed"
}

// Trouble says why nothing can be kept at the moment, in words for learners; the
// cause is for the log.
type Trouble struct {
	Why   string // ends without a full stop: "the disk is full"
	Cause error
}

// Error is for the log.
func (t *Trouble) Error() string { return fmt.Sprintf("%s (%v)", t.Why, t.Cause) }

// Unwrap gives the database's own error.
func (t *Trouble) Unwrap() error { return t.Cause }

// WhyNot is the sentence for learners, whatever the error is.
func WhyNot(err error) string {
	var t *Trouble
	switch {
	case err == nil:
		return ""
	case errors.As(err, &t):
		return t.Why
	}
	return "the store failed"
}
