package engine

import (
	"strconv"
	"strings"
)

// Limits on what a stranger may send; architecture section 8.
const (
	MaxRecords     = 500
	MaxPartitions  = 8
	MaxParallelism = 4
	MaxTasks       = 64 // sets of tasks are bits of one word
	MaxEvents      = 20000
	MaxVirtualTime = Hour
	MaxFaults      = 16
	MaxRestarts    = 8
	MaxKeyRunes    = 40
)

// ValueScale is how many units of Datum.Value make one of the input's numbers:
// three decimals are kept exactly.
const ValueScale = 1000

// Datum is one record as the input log holds it; its offset is its place in the partition.
type Datum struct {
	Key   KeyID
	Value int64 // number times ValueScale, or an index into Input.Words
	Time  Time  // when it happened; meaningful where Input.Timed
}

// Input is an immutable log of records, split into partitions.
type Input struct {
	Name  string
	Unit  string   // of the values, for display; may be empty
	Keys  []string // KeyID → key
	Words []string // when not empty, values are indices into it
	Parts [][]Datum
	Timed bool // records say when they happened
	Open  bool // live jobs: the records are read from outside, as many as come; Parts holds none, and is as long as there are partitions
}

// Len is the number of records in all partitions.
func (in *Input) Len() int {
	n := 0
	for _, p := range in.Parts {
		n += len(p)
	}
	return n
}

// At is the record with this id; the caller has checked that it exists.
func (in *Input) At(id RecordID) Datum { return in.Parts[id.Part][id.Off] }

// Has reports whether the log holds a record with this id.
func (in *Input) Has(id RecordID) bool {
	return id.Part >= 0 && int(id.Part) < len(in.Parts) && id.Off >= 0 && int(id.Off) < len(in.Parts[id.Part])
}

// FormatValue prints a Datum's value: the word, or the number without trailing zeros.
func (in *Input) FormatValue(v int64) string {
	if len(in.Words) > 0 {
		if v >= 0 && int(v) < len(in.Words) {
			return in.Words[v]
		}
		return "?"
	}
	return FormatNumber(v)
}

// Amount is what a record adds to a balance: its number, or one where the values
// are words.
func (in *Input) Amount(v int64) int64 {
	if len(in.Words) > 0 {
		return ValueScale
	}
	return v
}

// FormatNumber prints a scaled number without trailing zeros.
func FormatNumber(v int64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	whole, frac := v/ValueScale, v%ValueScale
	s := sign + strconv.FormatInt(whole, 10)
	if frac != 0 {
		f := strconv.FormatInt(ValueScale+frac, 10)[1:]
		s += "." + strings.TrimRight(f, "0")
	}
	return s
}

// OfKey is how many records a key has.
func (in *Input) OfKey(k KeyID) int {
	n := 0
	for _, p := range in.Parts {
		for i := range p {
			if p[i].Key == k {
				n++
			}
		}
	}
	return n
}
