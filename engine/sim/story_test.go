package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

var rewrite = flag.Bool("rewrite", false, "write what the stories in testdata tell now")

// A story is a text file of prose and runs. A run is a line "run" with its
// settings, lines "fault" with its faults, perhaps a line "only" with the kinds of
// events that are told, and after "----" what it tells, up to an empty line. With -rewrite the told part is written anew; read the diff.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) { story(t, f) })
	}
}

func story(t *testing.T, file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var settings, specs, only []string
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		out.WriteString(line + "\n")
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "run":
			settings, specs, only = strings.Fields(rest), nil, nil
		case "only":
			only = append(only, strings.Fields(rest)...)
		case "fault":
			specs = append(specs, rest)
		case "----":
			told := tell(run(t, job(t, 1, settings...), specs...), only)
			old := ""
			for i++; i < len(lines) && lines[i] != ""; i++ {
				old += lines[i] + "\n"
			}
			if old != told && !*rewrite {
				t.Errorf("%s, run %v %v tells\n%sinstead of\n%s", file, settings, specs, told, old)
			}
			out.WriteString(told + "\n")
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tell writes a run as short sentences; what becomes durable, and what goes wrong,
// begins a line.
func tell(tr *trace.Trace, only []string) string {
	var b strings.Builder
	col := 0
	for n := 1; n <= tr.Len(); n++ {
		if only != nil && !slices.Contains(only, tr.At(n).Kind.String()) && tr.At(n).Kind != engine.FaultInjected {
			continue
		}
		s, breaks := sentence(tr, tr.At(n))
		switch {
		case col > 0 && (breaks || col+len(s) > 116):
			b.WriteString("\n")
			col = 0
		case col > 0:
			b.WriteString(", ")
		}
		b.WriteString(s)
		col += len(s) + 2
		if breaks {
			b.WriteString("\n")
			col = 0
		}
	}
	return b.String()
}

func sentence(tr *trace.Trace, e *engine.Event) (s string, breaks bool) {
	name, in := tr.Job.Plan.Name(e.Task), tr.Job.Input
	switch e.Kind {
	case engine.SourceRead:
		return "read " + e.Rec.String(), false
	case engine.RecordProcessed:
		if tr.Job.Plan.Tasks[e.Task].Kind == engine.OpReplica {
			return fmt.Sprintf("run %s at %s %s=%d", e.Rec, name, in.Keys[e.Key], e.After), false
		}
		if e.Task >= 0 && tr.Job.Plan.Tasks[e.Task].Kind == engine.OpSink {
			return fmt.Sprintf("gather %s %s=%d", e.Rec, in.Keys[e.Key], e.After), false
		}
		return fmt.Sprintf("count %s=%d", in.Keys[e.Key], e.After), false
	case engine.ChangelogAppend:
		return fmt.Sprintf("log %s=%d", in.Keys[e.Key], e.After), false
	case engine.OffsetLogWritten:
		return fmt.Sprintf("offsetlog.written %d up to %v", e.Ckpt, engine.UnpackPositions(e.Value, e.After, len(in.Parts))), true
	case engine.StateWrite:
		return fmt.Sprintf("store %s=%d", in.Keys[e.Key], e.After), false
	case engine.SinkWrite:
		if e.Rec == engine.NoRecord {
			return fmt.Sprintf("write batch %d, %d rows up to %v", e.Ckpt, e.Before, engine.UnpackPositions(e.Value, e.After, len(in.Parts))), true
		}
		if set := tr.Job.Settings.Sinks[tr.Job.Plan.Tasks[e.Task].Sink]; set.Output == engine.TotalOutput {
			return fmt.Sprintf("write %s %s=%d", e.Rec, in.Keys[e.Key], e.Value), false
		}
		return "write " + e.Rec.String(), false
	case engine.DedupID, engine.DedupValue, engine.EffectIgnored, engine.CommandLogged, engine.SinkAck:
		return e.Kind.String() + " " + e.Rec.String(), false
	case engine.RecordSent, engine.RecordReceived:
		to := tr.Job.Plan.Channels[e.Chan].To
		return fmt.Sprintf("%s %s %s", strings.TrimPrefix(e.Kind.String(), "record."), e.Rec, tr.Job.Plan.Name(to)), false
	case engine.TxnBegin, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired, engine.FileRenamed:
		return fmt.Sprintf("%s %d of attempt %d (%d rows)", e.Kind, e.Txn.No, e.Txn.Attempt, e.Value), false
	case engine.Fenced:
		return fmt.Sprintf("fenced %s", e.Rec), false
	case engine.OffsetCommit:
		return fmt.Sprintf("offset.commit %d at %v", e.Ckpt, engine.UnpackPositions(e.Value, e.After, len(in.Parts))), true
	case engine.SourceRewound:
		return fmt.Sprintf("source.rewound P%d from %d to %d", e.Value, e.Before, e.After), false
	case engine.ParticipantPrepared:
		return [...]string{"database", "broker"}[e.Value] + " votes yes", true
	case engine.CoordinatorDecided:
		return fmt.Sprintf("coordinator decides: %s", engine.TxnState(e.After)), true
	case engine.FaultInjected:
		return "fault " + tr.FaultOf(e).String(), true
	case engine.TaskFailed, engine.RunEnded, engine.StartRefused:
		return fmt.Sprintf("%s %s: %s", name, e.Kind, e.Reason), true
	}
	s = name + " " + e.Kind.String()
	if e.Ckpt != 0 {
		s += fmt.Sprintf(" %d", e.Ckpt)
	}
	return s, e.Kind == engine.RestartBegin || e.Kind == engine.MapDone || e.Kind == engine.CommitLogWritten || e.Kind == engine.StoreWiped
}
