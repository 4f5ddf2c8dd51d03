package lab

import (
	"fmt"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

// Spec is what a lab runs. Every process of it makes the same job from it.
type Spec struct {
	Setup   string
	Records int    // in all partitions together; 1 to MostRecords
	Seed    uint64 // of the records
}

// Setup is one legal combination that the lab offers.
type Setup struct {
	ID, Title, Story string
	Settings         [][2]string
	Table            bool // the sink writes to a database, not to a topic
	Loop             bool // each worker is a consumer of a group that commits for itself; there is no coordinator
}

// Bounds of a lab.
const (
	MostRecords = 100_000
	partitions  = 2
)

// Setups are the combinations offered, the first one by default. They differ in the
// sink alone. The intervals are chosen so that a person can follow; Flink has no
// default checkpoint interval, and its connector's transaction timeout is 1 h (Flink
// Kafka connector 4.0).
func Setups() []Setup {
	return []Setup{
		{ID: "transactional", Title: "Kafka transactions, two-phase", Story: "One transaction a checkpoint and writer. Whoever reads committed records sees each result once.",
			Settings: [][2]string{{"sink", "transactional"}, {"readers", "read_committed+read_uncommitted"}, {"transaction.timeout", "60s"}}},
		{ID: "exactly-once-v2", Title: "Consume, transform, produce", Story: "Kafka Streams' exactly_once_v2: each worker commits its position, its state's changelog and its results in one transaction. There is no coordinator, the group is.",
			Settings: [][2]string{{"strategy", "kafka-streams"}, {"processing.guarantee", "exactly_once_v2"}, {"commit.interval", "1s"}, {"sink", "transactional"},
				{"readers", "read_committed+read_uncommitted"}, {"transaction.timeout", "10s"}}, Loop: true},
		{ID: "append", Title: "Kafka, plain appends", Story: "Rows are written as they come. After a restart they are written again.",
			Settings: [][2]string{{"sink", "append"}}},
		{ID: "dedup", Title: "A table that remembers ids", Story: "Event id and value are written in one transaction of the database. A known id changes nothing.",
			Settings: [][2]string{{"sink", "dedup"}, {"dedup.write", "atomic"}, {"fencing", "on"}}, Table: true},
		{ID: "position", Title: "Position and result together", Story: "The table holds, beside each result, how far its input was read. What lies behind it is skipped.",
			Settings: [][2]string{{"sink", "offset-with-output"}, {"fencing", "on"}}, Table: true},
		{ID: "totals", Title: "A table of totals, with fencing", Story: "The newest total of each key overwrites the one before. The table refuses whoever brings an older token.",
			Settings: totals("on"), Table: true},
		{ID: "totals-open", Title: "A table of totals, without fencing", Story: "The same, and nobody checks tokens. Freeze a worker, wait for its replacement, thaw it: old totals overwrite new ones.",
			Settings: totals("off"), Table: true},
		{ID: "short-timeout", Title: "Transactions that expire early, and a loud job", Story: "The broker aborts a transaction after 2 s. An outage that lasts longer loses what was promised. Its commit is refused, and the job fails there, again and again.",
			Settings: expiring("fail")},
		{ID: "short-silent", Title: "Transactions that expire early, and a silent job", Story: "The same 2 s. A refused commit is logged and skipped, as Flink's Kafka connector 4.0 does, and the job goes on without those rows.",
			Settings: expiring("ignore")},
	}
}

// totals has a longer interval than the others: a barrier that reached the frozen
// worker keeps the zombie waiting for its alignment, and then it writes nothing.
func totals(fencing string) [][2]string {
	return [][2]string{{"sink", "upsert"}, {"output", "total"}, {"fencing", fencing}, {"checkpoint.interval", "4s"}}
}

func expiring(then string) [][2]string {
	return [][2]string{{"sink", "transactional"}, {"readers", "read_committed+read_uncommitted"}, {"transaction.timeout", "2s"}, {"on.expired", then}}
}

// FindSetup finds a setup by its id.
func FindSetup(id string) (Setup, error) {
	var ids []string
	for _, s := range Setups() {
		if s.ID == id {
			return s, nil
		}
		ids = append(ids, s.ID)
	}
	msg := fmt.Sprintf("setup %q is not known; allowed: %s", id, strings.Join(ids, ", "))
	if near := engine.Nearest(id, ids); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return Setup{}, fmt.Errorf("%s", msg)
}

// keyNames are few, so that a table of counts fits on the stage.
func keyNames() []string { return []string{"a", "b", "c", "d"} }

// Job makes the job of the spec. It reads its input from outside (open), or holds
// the records that the feeder will bring, which is what a picture needs.
func (s Spec) Job(open bool) (*engine.Job, error) {
	setup, err := FindSetup(s.Setup)
	if err != nil {
		return nil, err
	}
	if s.Records < 1 || s.Records > MostRecords {
		return nil, fmt.Errorf("found %d records; allowed: 1 to %d", s.Records, MostRecords)
	}
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	pairs := [][2]string{{"topology", "J2"}, {"output", "event"}, {"transaction.max.timeout", "15m"}}
	if !setup.Loop {
		pairs = append(pairs, [][2]string{{"checkpoint.interval", "1s"}, {"checkpoint.timeout", "10s"}, {"checkpoint.tolerable-failures", "100"}, {"restart.delay", "300ms"}}...)
	}
	pairs = append(pairs, setup.Settings...)
	for _, kv := range pairs {
		if err := set.Set(kv[0], kv[1]); err != nil {
			return nil, fmt.Errorf("setup %s: %w", s.Setup, err)
		}
	}
	in := &engine.Input{Name: "orders", Keys: keyNames(), Open: true, Parts: make([][]engine.Datum, partitions)}
	job, err := engine.NewJob("live-"+s.Setup, set, in, s.Seed, nil)
	if err != nil {
		return nil, err
	}
	if err := live.Runs(job); err != nil && !setup.Loop { // a loop is the client's own protocol, and the broker's
		return nil, err
	}
	if !open {
		job.Input = &engine.Input{Name: in.Name, Keys: in.Keys, Parts: make([][]engine.Datum, partitions)}
		for p := range job.Input.Parts {
			for o := range s.until(p) {
				r := s.record(p, o)
				job.Input.Parts[p] = append(job.Input.Parts[p], engine.Datum{Key: r.Key, Value: r.Value})
			}
		}
	}
	return job, nil
}

// until is how many records partition p gets.
func (s Spec) until(p int) int32 {
	n := s.Records / partitions
	if p < s.Records%partitions {
		n++
	}
	return int32(n)
}

// record is one record of the input, a pure function of the spec.
func (s Spec) record(p int, o int32) engine.Record {
	h := (s.Seed+1)*0x9e3779b97f4a7c15 ^ uint64(p)<<40 ^ uint64(o)
	h ^= h >> 31
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 29
	return engine.Record{ID: engine.RecordID{Part: int16(p), Off: o}, Key: engine.KeyID(h % uint64(len(keyNames()))),
		Value: int64(1+(h>>8)%9) * engine.ValueScale}
}
