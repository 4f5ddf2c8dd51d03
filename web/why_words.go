package web

import (
	"fmt"

	"effectivelyonce/engine"
)

// back says where the restart put everything, in the words of the strategy.
func (w *whyWriter) back() reason {
	n, set := w.rec.Ckpt, &w.job.Settings
	text := ""
	switch set.Strategy {
	case "microbatch":
		text = fmt.Sprintf("The restart put all state back to the end of batch %d, and %s.", n, rewinds(w.rec.Offsets))
		if n == 0 {
			text = "No batch was done: the restart began with empty state at the beginning of the log."
		}
	case "offset-commit":
		text = fmt.Sprintf("The loop came back with empty memory, and went on from the place that commit %d had saved.", n)
		if n == 0 {
			text = "Nothing had been saved: the loop began again at the beginning of its input."
		}
	case "kafka-streams":
		text = fmt.Sprintf("The restart went on from the offsets of commit %d. What was open after it counts for nothing.", n)
		if set.Guarantee != "exactly_once_v2" {
			text = fmt.Sprintf("The restart went on from the offsets of commit %d. The store kept what it had counted since.", n)
		}
	case "batch":
		text = "An attempt has no memory of the one before it: the task began again at its first record."
	case "dataflow":
		text = fmt.Sprintf("Only %s came back. What it had stored, ids, state and outputs, was there.", w.job.Plan.Name(w.t.At(w.rec.Restore).Task))
	case "trident":
		text = "The restart went on behind the last batch that was noted as done."
	case "replicated":
		text = "The copies came back with what the command log held."
	case "xa":
		text = "The restart asked both sides what had become of the open transaction."
	default:
		text = fmt.Sprintf("The restart put all state back to checkpoint %d, and %s.", n, rewinds(w.rec.Offsets))
		if n == 0 {
			text = "No checkpoint was complete: the restart began with empty state at the beginning of the log."
		}
	}
	return w.at(max(w.rec.Restore, w.rec.Restart), text)
}

// afterCut names what lies behind the point to which the restart went.
func (w *whyWriter) afterCut() string {
	n := w.rec.Ckpt
	switch w.job.Settings.Strategy {
	case "microbatch", "trident":
		return behind("batch", n, "before any batch was done")
	case "offset-commit", "kafka-streams":
		return behind("commit", n, "before anything was committed")
	case "batch":
		return "in an attempt that then failed"
	case "dataflow":
		return "before its step had noted it"
	case "replicated":
		return "before the log held it"
	case "xa":
		return "before its transaction was decided"
	}
	return behind("barrier", n, "before any checkpoint was complete")
}

func behind(what string, n int32, before string) string {
	if n == 0 {
		return before
	}
	return fmt.Sprintf("behind %s %d", what, n)
}

// passedBy says why records that are missing are not read again.
func (w *whyWriter) passedBy() string {
	switch w.job.Settings.Strategy {
	case "replicated":
		return "They were acknowledged, so no client asks again, and no log held them."
	case "barriers", "":
		return fmt.Sprintf("The restart went on behind them, and %s. Nothing writes them again.", rewinds(w.rec.Offsets))
	}
	return "The restart went on behind them. Nothing writes them again."
}

// committedAgain says why a restart committed a transaction.
func (w *whyWriter) committedAgain(e *engine.Event) string {
	switch w.job.Settings.Strategy {
	case "barriers":
		return fmt.Sprintf("Transaction %d belongs to checkpoint %d, which was complete: the restart committed it.", e.Txn.No, w.rec.Ckpt)
	case "xa":
		return fmt.Sprintf("The coordinator had decided to commit transaction %d: the restart carried it out.", e.Txn.No)
	}
	return fmt.Sprintf("The restart committed transaction %d.", e.Txn.No)
}
