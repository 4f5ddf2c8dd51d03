package check

import "effectivelyonce/engine"

// ledgers is what the rules of strategies without barriers keep in mind: places in
// the input, and a bit per record and process.
type ledgers struct {
	at      []int32  // partition → the next to read
	saved   []int32  // partition → the position that is saved
	commits int32    // offset-commit: so many
	out     []bool   // record → it has been offered to the outside, or logged, or acknowledged
	log     []bool   // record → replicated: it is in the command log
	ran     []uint64 // record → replicated: copies that have run it, a bit each
	live    uint64   // replicated: copies that are not known to be dead
	done    uint64   // batch: map tasks that have published
	next    int32    // batch: the place of the next record to reduce
	counts  []int64  // key → batch: counted in this attempt
	renamed bool     // batch: the output is final
}

func newLedgers(job *engine.Job) ledgers {
	var l ledgers
	n := job.Input.Len()
	l.at, l.saved = make([]int32, len(job.Input.Parts)), make([]int32, len(job.Input.Parts))
	l.out, l.log, l.ran, l.counts = make([]bool, n), make([]bool, n), make([]uint64, n), make([]int64, len(job.Input.Keys))
	return l
}

func (l *ledgers) reset() {
	clear(l.at)
	clear(l.saved)
	clear(l.out)
	clear(l.log)
	clear(l.ran)
	clear(l.counts)
	*l = ledgers{at: l.at, saved: l.saved, out: l.out, log: l.log, ran: l.ran, counts: l.counts, live: ^uint64(0)}
}

// reads checks that a partition is read in its order from where the reader was set.
func (l *ledgers) reads(a *Audit, e *engine.Event) {
	p := e.Rec.Part
	if e.Rec.Off != l.at[p] {
		a.broke(e, "offset", "%s reads %s where offset %d is next", a.name(e.Task), e.Rec, l.at[p])
	}
	l.at[p] = e.Rec.Off + 1
}

// row is the place of the event's record among all records.
func (a *Audit) row(e *engine.Event) int32 { return a.truths[0].index(e.Rec) }
