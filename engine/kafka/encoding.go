package kafka

import (
	"fmt"
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	headerID      = "id"
	headerAttempt = "attempt"
)

// row is a sink's record: see the package comment.
func row(topic string, r live.Row) *kgo.Record {
	return &kgo.Record{
		Topic: topic, Key: []byte(r.Key), Value: strconv.AppendInt(nil, r.Value, 10),
		Headers: []kgo.RecordHeader{
			{Key: headerID, Value: []byte(r.ID.String())},
			{Key: headerAttempt, Value: strconv.AppendInt(nil, int64(r.Attempt), 10)},
		},
	}
}

// readRow is the inverse of row. Records without the headers are taken for input:
// their id is where they lie.
func readRow(r *kgo.Record) (live.Row, error) {
	out := live.Row{Key: string(r.Key), ID: engine.RecordID{Part: int16(r.Partition), Off: int32(r.Offset)}}
	var err error
	if out.Value, err = strconv.ParseInt(string(r.Value), 10, 64); err != nil {
		return out, misread(r, "the value", r.Value, "a number in decimal")
	}
	for _, h := range r.Headers {
		switch h.Key {
		case headerID:
			if len(h.Value) == 0 {
				out.ID = engine.NoRecord
				break
			}
			if out.ID, err = engine.ParseRecordID(string(h.Value)); err != nil {
				return out, misread(r, "the header id", h.Value, "an input record such as P0:3")
			}
		case headerAttempt:
			n, err := strconv.ParseInt(string(h.Value), 10, 16)
			if err != nil {
				return out, misread(r, "the header attempt", h.Value, "a number up to 32767")
			}
			out.Attempt = int16(n)
		}
	}
	return out, nil
}

func misread(r *kgo.Record, what string, found []byte, allowed string) error {
	return fmt.Errorf("topic %s, partition %d, offset %d: %s is %q, not %s", r.Topic, r.Partition, r.Offset, what, found, allowed)
}

// keyIDs gives keys their numbers, as Input.Keys orders them.
func keyIDs(keys []string) map[string]engine.KeyID {
	m := make(map[string]engine.KeyID, len(keys))
	for i, k := range keys {
		m[k] = engine.KeyID(i)
	}
	return m
}

// keyName is a key as a row spells it.
func keyName(keys []string, k engine.KeyID) (string, error) {
	if k < 0 || int(k) >= len(keys) {
		return "", fmt.Errorf("key %d: the input has the keys 0 to %d", k, len(keys)-1)
	}
	return keys[k], nil
}
