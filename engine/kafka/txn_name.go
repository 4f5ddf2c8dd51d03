package kafka

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"effectivelyonce/engine"
)

// name is what a transactional id is made of. Every transaction has an id of its own,
// as Flink's INCREMENTING naming has it (facts 4.11), so that the answer to a repeated
// commit can only speak of this transaction; and the life (its fencing token) is part
// of it, so that a process of the past can never register under an id of a later life
// and so abort what is not its own.
//
//	PREFIX-sink/0                 the guard: who owns the task
//	PREFIX-sink/0-TOKEN-NO-ATTEMPT  one transaction
type name struct {
	token   int64
	no      int16
	attempt int16
}

func (n name) id(guard string) string {
	return guard + "-" + strconv.FormatInt(n.token, 10) + "-" + strconv.Itoa(int(n.no)) + "-" + strconv.Itoa(int(n.attempt))
}

// parseName reads an id. All of it must fit, so that a prefix which begins with this
// one is not taken for it (facts 4.10).
func parseName(guard, id string) (name, bool) {
	rest, ok := strings.CutPrefix(id, guard+"-")
	parts := strings.Split(rest, "-")
	if !ok || len(parts) != 3 {
		return name{}, false
	}
	token, err1 := strconv.ParseInt(parts[0], 10, 64)
	no, err2 := strconv.ParseInt(parts[1], 10, 16)
	attempt, err3 := strconv.ParseInt(parts[2], 10, 16)
	n := name{token, int16(no), int16(attempt)}
	return n, err1 == nil && err2 == nil && err3 == nil && n.id(guard) == id
}

func (n name) txn(task engine.TaskID) engine.Txn {
	return engine.Txn{Task: task, No: n.no, Attempt: n.attempt}
}

// handle is what it takes to end a transaction from any process (facts 4, steps 4
// and 6). A checkpoint keeps it as JSON.
type handle struct {
	ID       string `json:"id"`
	Producer int64  `json:"producer"`
	Epoch    int16  `json:"epoch"`
}

func (h handle) encode() []byte {
	b, err := json.Marshal(h)
	if err != nil {
		panic("kafka: a handle is text and numbers: " + err.Error())
	}
	return b
}

func decodeHandle(b []byte) (handle, error) {
	var h handle
	if err := json.Unmarshal(b, &h); err != nil || h.ID == "" {
		return h, fmt.Errorf("handle %q is not of the form {\"id\":…,\"producer\":…,\"epoch\":…}", b)
	}
	return h, nil
}
