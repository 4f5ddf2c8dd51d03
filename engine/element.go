package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// Time is virtual time in microseconds since the start of a run.
type Time int64

// Units of virtual time.
const (
	Microsecond Time = 1
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
	Hour             = 3600 * Second
)

// Millis is t in milliseconds.
func (t Time) Millis() float64 { return float64(t) / float64(Millisecond) }

// String prints t the way people write durations: 300ms, 1.5s, 1h.
func (t Time) String() string {
	switch {
	case t != 0 && t%Hour == 0:
		return strconv.FormatInt(int64(t/Hour), 10) + "h"
	case t >= Second || t <= -Second:
		return strconv.FormatFloat(float64(t)/float64(Second), 'f', -1, 64) + "s"
	case t%Millisecond == 0:
		return strconv.FormatInt(int64(t/Millisecond), 10) + "ms"
	default:
		return strconv.FormatFloat(t.Millis(), 'f', -1, 64) + "ms"
	}
}

// KeyID is the position of a key in Input.Keys.
type KeyID int32

// RecordID names one input record: its partition and its offset there. It never
// changes, however often the record is read.
type RecordID struct {
	Part int16
	Off  int32
}

// NoRecord is the id of no record.
var NoRecord = RecordID{Part: -1, Off: -1}

// String prints the id as faults and rows spell it, P0:3.
func (id RecordID) String() string {
	if id.Part < 0 {
		return ""
	}
	return "P" + strconv.Itoa(int(id.Part)) + ":" + strconv.Itoa(int(id.Off))
}

// ParseRecordID reads what String prints.
func ParseRecordID(s string) (RecordID, error) {
	rest, ok := strings.CutPrefix(s, "P")
	p, o, cut := strings.Cut(rest, ":")
	part, err1 := strconv.ParseUint(p, 10, 15)
	off, err2 := strconv.ParseUint(o, 10, 31)
	if !ok || !cut || err1 != nil || err2 != nil {
		return NoRecord, fmt.Errorf("record %q is not of the form P0:3 (P, partition, colon, offset)", s)
	}
	return RecordID{Part: int16(part), Off: int32(off)}, nil
}

// Record is an element that carries data. It keeps its origin and its attempt
// through every operator, so that a repeat can be seen as the same record twice.
type Record struct {
	ID      RecordID
	Attempt int16 // the attempt of the job that read it from the log, from 1
	Key     KeyID
	Value   int64 // as the input gave it; see Input.FormatValue
	Total   int64 // set by a counter: records of this key counted so far, this one included
}

// ElementKind tells what travels on a channel.
type ElementKind uint8

// Kinds of elements.
const (
	DataElement ElementKind = iota + 1
	BarrierElement
	WatermarkElement
)

// Element is what a channel carries: a record, a barrier with its checkpoint number,
// or a watermark, which says that no record with an earlier event time follows.
type Element struct {
	Kind       ElementKind
	Checkpoint int32
	Record     Record
	Mark       Time
}

// Txn names one transaction of a sink: the sink task that opened it, the
// checkpoint it was opened for, and the attempt of the job that did so. The
// zero value is no transaction.
type Txn struct {
	Task    TaskID
	No      int16
	Attempt int16
}

// IsZero reports whether x names no transaction.
func (x Txn) IsZero() bool { return x.No == 0 }
