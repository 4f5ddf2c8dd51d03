package trace

import "effectivelyonce/engine"

// Glyph names the one mark of an event: the symbol that pages draw, the letter
// that transcripts print, and the group that log filters know.
type Glyph struct {
	Name   string // a symbol of the sprite
	Letter byte
	Group  string // flow, barrier, state, output or fault
}

// Groups lists the groups of events that a log can be filtered by.
func Groups() []string { return []string{"flow", "barrier", "state", "output", "fault"} }

var glyphs = [engine.KindCount]Glyph{
	engine.NoKind:              {"record", '?', "flow"},
	engine.SourceRead:          {"position", 'r', "flow"},
	engine.RecordSent:          {"sent", '>', "flow"},
	engine.RecordReceived:      {"received", 'q', "flow"},
	engine.RecordProcessed:     {"record", '+', "state"},
	engine.ChannelFull:         {"full", 'f', "flow"},
	engine.InputEnded:          {"end", 'e', "flow"},
	engine.BarrierInjected:     {"barrier", '|', "barrier"},
	engine.BarrierArrived:      {"barrier", '|', "barrier"},
	engine.BarrierAligned:      {"barrier", '|', "barrier"},
	engine.ChannelBlocked:      {"blocked", 'x', "barrier"},
	engine.ChannelUnblocked:    {"unblocked", 'o', "barrier"},
	engine.SnapshotTaken:       {"copy", 's', "barrier"},
	engine.SnapshotStored:      {"checkpoint-part", 's', "barrier"},
	engine.CheckpointTriggered: {"checkpoint-open", 'c', "barrier"},
	engine.CheckpointAcked:     {"checkpoint-part", 'a', "barrier"},
	engine.CheckpointComplete:  {"checkpoint", 'C', "barrier"},
	engine.CheckpointNotified:  {"checkpoint", 'n', "barrier"},
	engine.CheckpointExpired:   {"checkpoint-gone", 'X', "fault"},
	engine.CheckpointDiscarded: {"checkpoint-gone", 'X', "fault"},
	engine.TxnBegin:            {"transaction-open", '[', "output"},
	engine.TxnPrecommit:        {"transaction-pre", 'p', "output"},
	engine.TxnCommit:           {"commit", ']', "output"},
	engine.TxnAbort:            {"transaction-aborted", '/', "output"},
	engine.TxnExpired:          {"transaction-expired", 'T', "fault"},
	engine.Fenced:              {"fenced", 'F', "fault"},
	engine.SinkWrite:           {"out", 'w', "output"},
	engine.SinkAck:             {"tick", 'k', "output"},
	engine.DedupID:             {"tick", 'i', "output"},
	engine.DedupValue:          {"out", 'v', "output"},
	engine.EffectIgnored:       {"ignored", '-', "output"},
	engine.FileRenamed:         {"file", ']', "output"},
	engine.OffsetCommit:        {"bookmark", 'B', "barrier"},
	engine.OffsetLogWritten:    {"checkpoint-open", 'l', "barrier"},
	engine.CommitLogWritten:    {"checkpoint", 'C', "barrier"},
	engine.StateWrite:          {"store", 'S', "state"},
	engine.ChangelogAppend:     {"changelog", 'L', "state"},
	engine.StoreWiped:          {"checkpoint-gone", 'W', "fault"},
	engine.StandbyPromoted:     {"restart", '^', "fault"},
	engine.ChangelogCompacted:  {"changelog", 'z', "state"},
	engine.MapDone:             {"file", 'M', "barrier"},
	engine.InflightReinjected:  {"received", 'j', "barrier"},
	engine.Watermark:           {"watermark", 't', "flow"},
	engine.WindowFired:         {"window", 'O', "state"},
	engine.RecordJoined:        {"record", '+', "state"},
	engine.ParticipantPrepared: {"transaction-pre", 'y', "output"},
	engine.CoordinatorDecided:  {"decision", 'D', "barrier"},
	engine.CommandLogged:       {"changelog", 'L', "barrier"},
	engine.FaultInjected:       {"crash", '!', "fault"},
	engine.FaultEnded:          {"end", '.', "fault"},
	engine.ZombieWakes:         {"zombie", 'Z', "fault"},
	engine.TaskFailed:          {"crash", '!', "fault"},
	engine.StartRefused:        {"fenced", 'F', "fault"},
	engine.RestartBegin:        {"restart", '<', "fault"},
	engine.RestoreDone:         {"checkpoint", '<', "fault"},
	engine.SourceRewound:       {"rewind", '<', "fault"},
	engine.ReplayCaughtUp:      {"ring", '=', "fault"},
	engine.RunEnded:            {"end", '.', "fault"},
}

// GlyphOf is the mark of an event. A write to a mailbox is an envelope; a slow
// task is no crash.
func GlyphOf(t *Trace, e *engine.Event) Glyph {
	g := glyphs[e.Kind]
	switch e.Kind {
	case engine.SinkWrite:
		if id := e.Task; id >= 0 && t.Job.Settings.Sinks[t.Job.Plan.Tasks[id].Sink].Kind == engine.SinkEmail {
			g.Name = "envelope"
		}
	case engine.FaultInjected, engine.FaultEnded:
		f := t.faultOf(e)
		if f != nil && (e.Kind == engine.FaultInjected || f.Kind == engine.Slow || f.Kind == engine.Pause) {
			g.Name = FaultGlyph(f)
		}
	}
	return g
}

// FaultGlyph is the name of a fault's own mark: what dies is a bolt, what sleeps or
// does not answer has a mark that tells what it is.
func FaultGlyph(f *engine.Fault) string {
	switch f.Kind {
	case engine.Slow:
		return "slow"
	case engine.Pause:
		return "pause"
	case engine.LoseResponse:
		return "answer-lost"
	case engine.StorageDown:
		return "store-down"
	case engine.BrokerDown:
		return "broker-down"
	case engine.Late:
		return "late"
	case engine.SecondJob:
		return "second-job"
	}
	return "crash"
}
