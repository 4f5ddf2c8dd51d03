package explore

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// Parts of the matrix: strategies against sinks, and those strategies that bring
// an outside world of their own.
const (
	PartSinks      = "sinks"      // curriculum 3.1 and 3.2
	PartLoop       = "loop"       // 3.4: where a plain loop keeps its totals
	PartTrident    = "trident"    // 3.3
	PartReplicated = "replicated" // 3.3
	PartXA         = "xa"         // 3.3
)

// Row is one way to survive: a line of the guarantee matrix.
type Row struct {
	Part     string
	Name     string // what people call it
	Strategy string
	Settings []string // KEY=VALUE, beside strategy
	Slow     string   // a condition of every run; "" for none
	Kinds    []string // faults explored; nil: crash of every task, and crash-job
	Columns  []string // names of the columns it has; nil: all of MatrixColumns
	Outputs  []engine.Output
	Calm     bool // nothing fails: one run
	Times    int  // the input so many times over; 0: once
}

// MatrixColumn is one kind of sink with its settings and readers.
type MatrixColumn struct {
	Name     string
	Sink     engine.SinkKind
	Settings []string
	Readers  []string // what Verdict.Reader says, one cell each
}

// shortTimeout are the settings of the row whose promises expire.
var shortTimeout = []string{"transaction.timeout=1s", "restart.delay=3s"}

// skew are the settings of the row that needs records waiting behind a barrier.
var skew = []string{"topology=K", "gap=40ms", "checkpoint.interval=150ms", "checkpoint.mode=at_least_once"}

// Rows are the lines of the matrix, part after part.
func Rows() []Row {
	rows := sinkRows()
	for i := range rows {
		rows[i].Part = PartSinks
	}
	rows = append(rows, loopRows()...)
	rows = append(rows, tridentRows()...)
	rows = append(rows, replicatedRows()...)
	rows = append(rows, xaRows()...)
	rows = append(rows, pauseRows()...)
	return append(rows, outageRows()...)
}

func loop(settings ...string) []string { return append([]string{"topology=LOOP"}, settings...) }

func sinkRows() []Row {
	return []Row{
		{Name: "batch", Strategy: "batch", Settings: []string{"topology=BATCH"}},
		{Name: "offset-commit, before", Strategy: "offset-commit", Settings: loop("commit=before", "state.recovery=replay-input")},
		{Name: "offset-commit, after", Strategy: "offset-commit", Settings: loop("commit=after", "state.recovery=replay-input")},
		{Name: "offset-commit, auto", Strategy: "offset-commit", Settings: loop("commit=auto", "state.recovery=replay-input")},
		{Name: "microbatch", Strategy: "microbatch"},
		{Name: "microbatch, async progress", Strategy: "microbatch", Settings: []string{"async.progress=on"}},
		{Name: "microbatch, async progress, no state", Strategy: "microbatch", Settings: []string{"async.progress=on", "topology=MAP"},
			Columns: []string{"append"}, Outputs: []engine.Output{engine.EventOutput}},
		{Name: "barriers exactly_once, aligned", Strategy: "barriers"},
		{Name: "barriers exactly_once, unaligned", Strategy: "barriers", Settings: []string{"checkpoint.unaligned=on"}},
		{Name: "barriers at_least_once, skewed", Strategy: "barriers", Settings: skew, Slow: "slow:enrich/1:x20@0s"},
		{Name: "barriers exactly_once, timeout shorter than the outage", Strategy: "barriers", Settings: shortTimeout, Columns: []string{"transactional"}},
		{Name: "kafka-streams at_least_once", Strategy: "kafka-streams"},
		{Name: "kafka-streams exactly_once_v2", Strategy: "kafka-streams", Settings: []string{"processing.guarantee=exactly_once_v2"}},
		{Name: "dataflow exactly_once, strong", Strategy: "dataflow"},
		{Name: "dataflow exactly_once, weak", Strategy: "dataflow", Settings: []string{"production=weak"}},
		{Name: "dataflow at_least_once", Strategy: "dataflow", Settings: []string{"mode=at_least_once"}},
	}
}

// loopRows are those of curriculum 3.4 that sinkRows do not have. A node takes its
// disk along.
func loopRows() []Row {
	row := func(recovery string, columns ...string) Row {
		return Row{Part: PartLoop, Name: "offset-commit, state.recovery=" + recovery, Strategy: "offset-commit",
			Settings: loop("commit=after", "state.recovery="+recovery), Columns: columns, Outputs: []engine.Output{engine.TotalOutput},
			Kinds: []string{string(engine.Crash), string(engine.CrashJob), string(engine.CrashNode)}}
	}
	return []Row{row("none", "append", "upsert"), row("remote", "append", "upsert", "offset-with-output"), row("replay-input", "append", "upsert")}
}

func tridentRows() (out []Row) {
	kinds := []string{"non-transactional", "transactional", "opaque"}
	for _, spout := range kinds {
		for _, state := range kinds {
			out = append(out, Row{Part: PartTrident, Name: "spout " + spout + ", state " + state, Strategy: "trident",
				Settings: []string{"spout=" + spout, "state=" + state}, Columns: []string{"own table"}, Outputs: []engine.Output{engine.TotalOutput}})
		}
	}
	return out
}

func replicatedRows() (out []Row) {
	for _, c := range []struct {
		k, who string
		kinds  []string
	}{
		{"1", "one node dies", []string{"crash-node"}},
		{"0", "the only node dies, or the whole job", []string{"crash-node", "crash-job"}},
		{"1", "the whole job dies", []string{"crash-job"}},
	} {
		for _, log := range []string{"sync", "async", "off"} {
			out = append(out, Row{Part: PartReplicated, Name: "k=" + c.k + ", command.log=" + log + ", " + c.who, Strategy: "replicated",
				Settings: []string{"k=" + c.k, "command.log=" + log}, Kinds: c.kinds, Columns: []string{"own table"}})
		}
	}
	return out
}

func xaRows() (out []Row) {
	for _, log := range []string{"on", "off"} {
		for _, c := range []struct {
			who   string
			kinds []string
		}{{"the application dies", []string{"crash", "crash-job"}}, {"the coordinator dies", []string{"crash:coordinator"}}} {
			out = append(out, Row{Part: PartXA, Name: "coordinator.log=" + log + ", " + c.who, Strategy: "xa",
				Settings: loop("coordinator.log=" + log), Kinds: c.kinds, Columns: []string{"transactional"}})
		}
	}
	return out
}

// MatrixColumns are the sinks of the matrix.
func MatrixColumns() []MatrixColumn {
	anyone := []string{check.AnyReader}
	return []MatrixColumn{
		{Name: "append", Sink: engine.SinkAppend, Readers: anyone},
		{Name: "upsert", Sink: engine.SinkUpsert, Readers: anyone},
		{Name: "dedup atomic", Sink: engine.SinkDedup, Readers: anyone},
		{Name: "dedup id-first", Sink: engine.SinkDedup, Settings: []string{"dedup.write=id-first"}, Readers: anyone},
		{Name: "dedup value-first", Sink: engine.SinkDedup, Settings: []string{"dedup.write=value-first"}, Readers: anyone},
		{Name: "offset-with-output", Sink: engine.SinkPosition, Readers: anyone},
		{Name: "transactional", Sink: engine.SinkTransactional, Settings: []string{"readers=read_committed+read_uncommitted"},
			Readers: []string{check.ReadCommitted, check.ReadUncommitted}},
		{Name: "email none", Sink: engine.SinkEmail, Readers: anyone},
		{Name: "email random", Sink: engine.SinkEmail, Settings: []string{"idempotency.key=random"}, Readers: anyone},
		{Name: "email from-input", Sink: engine.SinkEmail, Settings: []string{"idempotency.key=from-input"}, Readers: anyone},
		{Name: "files, log honoured", Sink: engine.SinkFiles, Settings: []string{"reader.honours.log=true"}, Readers: []string{check.HonoursLog}},
		{Name: "files, log ignored", Sink: engine.SinkFiles, Settings: []string{"reader.honours.log=false"}, Readers: []string{check.IgnoresLog}},
	}
}

// ownTable is the column of the strategies that keep the result themselves.
func ownTable() MatrixColumn {
	return MatrixColumn{Name: "own table", Sink: engine.SinkState, Readers: []string{check.AnyReader}}
}
