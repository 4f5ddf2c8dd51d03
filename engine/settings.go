package engine

// SinkKind is what a sink does with a row.
type SinkKind string

// Kinds of sinks that can be built.
const (
	SinkAppend        SinkKind = "append"             // writes at once, nothing to undo
	SinkUpsert        SinkKind = "upsert"             // set by id (event) or by key (total)
	SinkEmail         SinkKind = "email"              // a side effect per record
	SinkDedup         SinkKind = "dedup"              // remembered event ids + value
	SinkPosition      SinkKind = "offset-with-output" // position and result change together in one write
	SinkFiles         SinkKind = "files"              // private file renamed when final
	SinkTransactional SinkKind = "transactional"      // one transaction per checkpoint, two-phase with it
	SinkState         SinkKind = "state"              // nothing outside: the engine's own table is the result
)

// Output is the shape of a sink's rows.
type Output string

// Shapes of output.
const (
	EventOutput Output = "event" // one row per input: id, key, amount
	TotalOutput Output = "total" // one row per input: key, count so far
)

// Isolation is what a reader of a topic gets to see.
type Isolation string

// Isolation levels. Kafka's own default is read_uncommitted (Kafka 4.x).
const (
	ReadCommitted   Isolation = "read_committed"
	ReadUncommitted Isolation = "read_uncommitted"
)

// OnExpired is what a committer does when a pre-committed transaction can no
// longer be committed.
type OnExpired string

// Reactions. Flink's Kafka connector 4.0 ignores: it logs and goes on.
const (
	ExpiredIgnore OnExpired = "ignore"
	ExpiredFail   OnExpired = "fail"
)

// SinkSettings is one outside system the job writes to.
type SinkSettings struct {
	Name       string // operator name, unique in the job
	Kind       SinkKind
	Title      string // what the page calls it ("card network"); may be empty
	Output     Output
	EmitAt     int64 // 0: a row per record; n: only when a key's count reaches n
	TxnTimeout Time
	TxnMax     Time // the broker's transaction.max.timeout
	Prefix     string
	OnExpired  OnExpired

	DedupWrite     string // atomic, id-first, value-first
	DedupRetention Time
	PositionScope  string      // key-and-partition, partition, single; "": by use
	IdempotencyKey string      // of emails: none, from-input, random
	ProviderWindow Time        // how long the provider remembers keys
	Fencing        bool        // the store checks a token that grows with each start of the writer
	HonoursLog     bool        // readers of files list only what is final
	Readers        []Isolation // of a transactional sink; each has its own verdict
}

// Costs are the virtual times of one run, each varied by ±25 % through a hash.
type Costs struct {
	Read, Hop, Operator, Write, Snapshot, Ack, Commit Time
}

// Settings are all values that shape a run, with every default filled in.
type Settings struct {
	Strategy    string
	Topology    string
	Parallelism map[string]int // operator (count, enrich, sink) → tasks; missing: the topology's
	Routing     map[string]map[string]int
	Sinks       []SinkSettings

	CheckpointMode      string // exactly_once, at_least_once
	Unaligned           bool
	StateRecovery       string // see recoveries; "": the strategy's own
	CommitMode          string // offset-commit: before, after, auto
	CommitEvery         int    // offset-commit, xa: records a group
	TriggerInterval     Time   // microbatch
	AsyncProgress       bool
	Guarantee           string // kafka-streams: at_least_once, exactly_once_v2
	CommitInterval      Time   // kafka-streams
	Spout, TridentState string // non-transactional, transactional, opaque
	DataflowMode        string // exactly_once, at_least_once
	Production          string // strong, weak
	K                   int    // replicated: copies beside the first
	CommandLog          string // sync, async, off
	CoordinatorLog      bool   // xa
	Operator            string // of the keyed middle step: count, window, join, dedup
	Lookup              string // what enrich does: off, external, stored
	WindowSize          Time
	WatermarkDelay      Time   // how far out of order records may come
	WatermarkInterval   Time   // between two watermarks of a source
	WatermarkRestore    string // snapshot, none
	AllowedLateness     Time
	TableLead           Time   // joins: how much earlier the table's changelog begins than the stream
	JoinTime            string // joins: processing, event
	tablePart           int    // joins: the changelog's partition
	StateTTL            Time   // dedup operator: how long a key is remembered
	Flaw                string // a bug put in on purpose, see NoFlaw
	Workers             int    // offset-commit: records in the work at the same time
	CheckpointInterval  Time
	CheckpointTimeout   Time
	CheckpointMinPause  Time
	TolerableFailures   int
	RestartDelay        Time
	CrashDetection      Time
	PauseDetection      Time
	ChannelCapacity     int
	Gap                 Time // between two records of a partition becoming available
	Backlog             bool // everything is available at the start
	Horizon             Time
	Costs               Costs
	State               StateSettings
}

// BaseSettings are the values of curriculum section 1.5. They are small so that
// a run fits on a screen; real defaults stand beside the knobs on the page.
func BaseSettings() Settings {
	return Settings{
		Strategy: "barriers", Topology: "J",
		CheckpointMode: "exactly_once", CommitMode: "after", CommitEvery: 3, TriggerInterval: 300 * Millisecond,
		Guarantee: "at_least_once", CommitInterval: 300 * Millisecond, Spout: "transactional", TridentState: "transactional",
		DataflowMode: "exactly_once", Production: "strong", K: 1, CommandLog: "sync", CoordinatorLog: true,
		Operator: OperatorCount, Lookup: LookupOff, WindowSize: 200 * Millisecond, WatermarkDelay: 50 * Millisecond, WatermarkInterval: 100 * Millisecond,
		WatermarkRestore: "snapshot", JoinTime: "processing", TableLead: 500 * Millisecond, StateTTL: 60 * Second,
		Flaw: NoFlaw, Workers: 1,
		CheckpointInterval: 300 * Millisecond,
		CheckpointTimeout:  10 * Second,
		RestartDelay:       500 * Millisecond,
		CrashDetection:     10 * Millisecond,
		PauseDetection:     200 * Millisecond,
		ChannelCapacity:    ChannelCapacity,
		Gap:                60 * Millisecond,
		Horizon:            30 * Second,
		State:              baseState(),
		Costs: Costs{Read: 5 * Millisecond, Hop: 10 * Millisecond, Operator: 5 * Millisecond, Write: 5 * Millisecond,
			Snapshot: 60 * Millisecond, Ack: 10 * Millisecond, Commit: 20 * Millisecond},
	}
}

// BaseSink is a sink with the defaults of curriculum section 1.5.
func BaseSink(name string) SinkSettings {
	return SinkSettings{Name: name, Kind: SinkAppend, Output: EventOutput, TxnTimeout: 10 * Second, TxnMax: 15 * Second,
		Prefix: "job-a", OnExpired: ExpiredIgnore, DedupWrite: "atomic", DedupRetention: 60 * Second,
		IdempotencyKey: "none", ProviderWindow: 60 * Second, HonoursLog: true, Readers: []Isolation{ReadCommitted}}
}

// PartitionStagger is how much later each partition's first record is available
// than the one of the partition before it.
const PartitionStagger = 20 * Millisecond

// Available is when record o of partition p can be read.
func (s *Settings) Available(p, o int) Time {
	if s.Backlog || s.Strategy == "batch" { // a file is there as a whole
		return 0
	}
	at := Time(p)*PartitionStagger + Time(o)*s.Gap
	if s.Operator == OperatorJoin && p < s.tablePart {
		at += s.TableLead
	}
	return at
}

var topologyParallelism = map[string]map[string]int{
	"J":   {"count": 1, "sink": 1},
	"J2":  {"count": 2, "sink": 2},
	"K":   {"enrich": 2, "count": 1, "sink": 1},
	"MAP": {}, "LOOP": {}, "BATCH": {},
}

func (s *Settings) parallelismOf(op string) int {
	if n := s.Parallelism[op]; n > 0 {
		return n
	}
	return topologyParallelism[s.Topology][op]
}

// Clone is a copy that shares nothing that Set changes.
func (s *Settings) Clone() Settings {
	c := *s
	c.Sinks = append([]SinkSettings(nil), s.Sinks...)
	for i := range c.Sinks {
		c.Sinks[i].Readers = append([]Isolation(nil), s.Sinks[i].Readers...)
	}
	c.Parallelism = map[string]int{}
	for k, v := range s.Parallelism {
		c.Parallelism[k] = v
	}
	return c
}
