package engine

// Operators of the keyed middle step (setting operator).
const (
	OperatorCount  = "count"  // a total a key
	OperatorWindow = "window" // a row a key and event-time window, when the watermark has passed its end
	OperatorJoin   = "join"   // each record with the value that a table has for its key; the table comes from a changelog
	OperatorDedup  = "dedup"  // the first record of each key, for as long as the key is remembered
)

// What enrich does in topology K (setting lookup).
const (
	LookupOff      = "off"
	LookupExternal = "external" // asks a service outside, which answers differently in every attempt
	LookupStored   = "stored"   // asks it, makes the answer durable, and uses the stored answer from then on
)

// Bounds of event time: before every record, and behind the last one.
const (
	NoTime    Time = -1 << 62
	EndOfTime Time = 1 << 62
)

// EventTime is when a record says that it happened: the time that the input gives,
// otherwise the moment from which it can be read at the scenario's pace.
func (j *Job) EventTime(id RecordID) Time {
	if j.Input.Timed {
		return j.Input.At(id).Time
	}
	return Time(id.Part)*PartitionStagger + Time(id.Off)*j.Settings.Gap
}

// WindowEnd is the end of the tumbling window that holds an event time. A window
// holds its beginning and not its end.
func (s *Settings) WindowEnd(t Time) Time { return t - t%s.WindowSize + s.WindowSize }

// WindowRow is the id of the row of a key and a window: that of the first of its
// records in the order of the log, NoRecord if there is none. It depends on the
// input alone, so a window that is computed again gets the same id.
func (j *Job) WindowRow(key KeyID, end Time) RecordID {
	for p, part := range j.Input.Parts {
		for o := range part {
			id := RecordID{Part: int16(p), Off: int32(o)}
			if part[o].Key == key && j.Settings.WindowEnd(j.EventTime(id)) == end {
				return id
			}
		}
	}
	return NoRecord
}

// WindowCount is how many records of the input the key has in the window.
func (j *Job) WindowCount(key KeyID, end Time) int64 {
	n := int64(0)
	for p, part := range j.Input.Parts {
		for o := range part {
			if part[o].Key == key && j.Settings.WindowEnd(j.EventTime(RecordID{Part: int16(p), Off: int32(o)})) == end {
				n++
			}
		}
	}
	return n
}

// IsChange reports whether the record belongs to the changelog of a join's table,
// which is the last partition. Such a record leads to no row.
func (j *Job) IsChange(id RecordID) bool {
	return j.Settings.Operator == OperatorJoin && int(id.Part) == len(j.Input.Parts)-1
}

// Joined is what a row of a join shows: the amount times what the table holds,
// 0 where the table has nothing for the key.
func Joined(amount, held int64) int64 { return amount * held / ValueScale }

// JoinTruth is what the row of a record should show: joined with what the table
// held at the record's event time.
func (j *Job) JoinTruth(id RecordID) int64 {
	d, at := j.Input.At(id), j.EventTime(id)
	held, newest := int64(0), NoTime
	last := len(j.Input.Parts) - 1
	for o, c := range j.Input.Parts[last] {
		if t := j.EventTime(RecordID{Part: int16(last), Off: int32(o)}); c.Key == d.Key && t <= at && t >= newest {
			held, newest = c.Value, t
		}
	}
	return Joined(d.Value, held)
}

// LookupAnswer is what the outside service answers in an attempt of the job: the
// record's value at a price that rises by a tenth from attempt to attempt.
func LookupAnswer(value int64, attempt int16) int64 { return value * int64(9+max(attempt, 1)) / 10 }

// Clocked reports whether the job works in event time: sources emit watermarks.
func (s *Settings) Clocked() bool {
	return s.Operator == OperatorWindow || s.Operator == OperatorJoin && s.JoinTime == "event"
}
