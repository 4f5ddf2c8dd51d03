package web

import (
	"fmt"
	"regexp"
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// txnThing names a transaction or a file: t, the sink's task, the attempt, the number.
var txnThing = regexp.MustCompile(`^t(\d{1,3})\.(\d{1,5})\.(\d{1,5})$`)

func txnName(x engine.Txn) string { return fmt.Sprintf("t%d.%d.%d", x.Task, x.Attempt, x.No) }

func txnTitle(job *engine.Job, x engine.Txn) string {
	word := "transaction"
	if int(x.Task) < len(job.Plan.Tasks) && x.Task >= 0 {
		if s := job.Plan.Tasks[x.Task].Sink; s >= 0 && job.Settings.Sinks[s].Kind == engine.SinkFiles {
			word = "file"
		}
	}
	return fmt.Sprintf("%s %d of %s, attempt %d", word, x.No, job.Plan.Name(x.Task), x.Attempt)
}

// readTxn reads the name of a transaction, false if it is none.
func readTxn(what string) (engine.Txn, bool) {
	m := txnThing.FindStringSubmatch(what)
	if m == nil {
		return engine.Txn{}, false
	}
	task, _ := strconv.Atoi(m[1])
	attempt, _ := strconv.Atoi(m[2])
	no, _ := strconv.Atoi(m[3])
	return engine.Txn{Task: engine.TaskID(task), Attempt: int16(attempt), No: int16(no)}, true
}

// inspectTxn is a transaction up to the page's event: its state, its rows and the
// events that moved it.
func inspectTxn(page *runPage, x engine.Txn) (*inspectView, error) {
	job := page.Run.Job
	v := &inspectView{Kind: "transaction", Title: txnTitle(job, x)}
	rows := namedList{Name: "Rows", Empty: "None yet."}
	moves := namedList{Name: "What became of it"}
	state := engine.TxnNone
	for n := 1; n <= page.At; n++ {
		e := page.Run.Trace.At(n)
		if e.Txn != x {
			continue
		}
		switch e.Kind {
		case engine.SinkWrite, engine.DedupValue:
			sink := &job.Settings.Sinks[max(0, job.Plan.Tasks[x.Task].Sink)]
			rows.Items = append(rows.Items, fmt.Sprintf("%s, value %s (event %d)", recordName(job, e.Rec), trace.WrittenValue(job, sink, e.Value), n))
			v.Things = append(v.Things, thing{recordName(job, e.Rec), "r" + strconv.Itoa(int(e.Rec.Part)) + "." + strconv.Itoa(int(e.Rec.Off))})
		case engine.TxnBegin:
			state = engine.TxnOpen
			moves.Items = append(moves.Items, fmt.Sprintf("Begun (event %d).", n))
		case engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired, engine.FileRenamed:
			state = engine.TxnState(e.After)
			text := "Now " + state.String()
			if e.Before == e.After {
				text = "Told again: still " + state.String()
			}
			if e.Kind == engine.TxnPrecommit {
				text += fmt.Sprintf(", for checkpoint %d", e.Ckpt)
				v.Things = append(v.Things, thing{fmt.Sprintf("checkpoint %d", e.Ckpt), "c" + strconv.Itoa(int(e.Ckpt))})
			}
			moves.Items = append(moves.Items, fmt.Sprintf("%s (event %d).", text, n))
		case engine.Fenced:
			moves.Items = append(moves.Items, fmt.Sprintf("The broker refused a call of it (event %d).", n))
		}
	}
	if len(moves.Items)+len(rows.Items) == 0 {
		return nil, bad("what", txnName(x), "a transaction that was begun by event "+strconv.Itoa(page.At))
	}
	v.Facts = []fact{{"state", state.String()}, {"rows", strconv.Itoa(len(rows.Items))}}
	v.Lists = []namedList{moves, rows}
	return v, nil
}
