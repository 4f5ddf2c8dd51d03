package kafka

import (
	"fmt"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// modelled is the model's side of a sequence: the simulation's topic, and around it
// what the simulation keeps as events of a trace: the log with its offsets, and what
// readers see of it. No rule of transactions is here; they are world.Topic's.
type modelled struct {
	topic world.Topic
	log   []entry

	// kfake: the other side is kfake, which differs in two points (docs/conformance.md).
	// ghosts are transactions without rows that it has opened for a row that it refused;
	// retired are committed ones whose repeated commit it refuses.
	kfake   bool
	ghosts  []engine.Txn
	retired []engine.Txn

	wrong mistake // a mistake that the comparison has to notice
}

// entry is one offset: a row, or the marker that ends a transaction (row -1).
type entry struct {
	txn   engine.Txn // zero: a row without a transaction
	row   int32
	first bool
}

// mistake is one that somebody could make in the model.
type mistake int

const (
	none mistake = iota
	stablePassesOpen
	abortKeepsRows
	abortTakesRows
	promiseShows
	markerTakesNoOffset
	oldLifeBegins
	lifeLeavesOpen
	secondCommitRefused
	commitAfterAbort
	promiseOutlivesTimeout
	clockStartsAtBegin
	ghostsForgotten
	retiredForgotten
	mistakes
)

func (m *modelled) pending(x engine.Txn) bool {
	s, _ := m.topic.State(x)
	return s == engine.TxnOpen || s == engine.TxnPrecommitted
}

func (m *modelled) rows(x engine.Txn) int64 { _, n := m.topic.State(x); return n }

// init brings a task to life. To register is to abort what was open (facts 5.6), except
// what the life is promised. It returns what the sweep of the sink finds.
func (m *modelled) init(task engine.TaskID, promised func(engine.Txn) bool) (epoch int16, lingering []engine.Txn) {
	epoch, pending := m.topic.Init(task)
	for _, x := range pending {
		if promised(x) {
			continue
		}
		if m.rows(x) > 0 {
			lingering = append(lingering, x)
		}
		if m.wrong != lifeLeavesOpen {
			m.abort(x, false)
		}
	}
	return epoch, append(lingering, m.endGhosts(func(x engine.Txn) bool { return x.Task == task })...)
}

// sweep is what a life does to ids of transactions that are over and that no checkpoint
// names. Apache Kafka lists a committed one as CompleteCommit, and the sink leaves its id
// alone. For kfake every id that is in no transaction is Empty; the sink takes it for one
// whose owner may still begin, and registers it.
func (m *modelled) sweep(x engine.Txn) {
	if state, _ := m.topic.State(x); m.kfake && m.wrong != retiredForgotten && state == engine.TxnCommitted {
		m.retired = append(m.retired, x)
	}
}

func (m *modelled) begin(x engine.Txn, epoch int16) bool {
	if m.wrong == oldLifeBegins {
		epoch = m.topic.Epoch(x.Task)
	}
	return m.topic.Begin(x, epoch)
}

func (m *modelled) write(x engine.Txn, epoch int16, row int32) bool {
	if !m.topic.Write(x, epoch) {
		return false
	}
	m.log = append(m.log, entry{txn: x, row: row, first: m.rows(x) == 1})
	return true
}

// refused notes that a row has come to the broker with an epoch of the past, in a
// transaction that is not open. Apache Kafka refuses the row before it touches the
// transaction; kfake opens the transaction first and refuses then.
func (m *modelled) refused(x engine.Txn) {
	if m.kfake && m.wrong != ghostsForgotten {
		m.ghosts = append(m.ghosts, x)
	}
}

func (m *modelled) endGhosts(which func(engine.Txn) bool) (ended []engine.Txn) {
	m.ghosts = slices.DeleteFunc(m.ghosts, func(x engine.Txn) bool {
		if which(x) {
			ended = append(ended, x)
			m.log = append(m.log, entry{txn: x, row: -1})
		}
		return which(x)
	})
	return ended
}

// mark appends the marker of a transaction that has rows: it takes an offset.
func (m *modelled) mark(x engine.Txn) {
	if m.rows(x) > 0 && m.wrong != markerTakesNoOffset {
		m.log = append(m.log, entry{txn: x, row: -1})
	}
}

func (m *modelled) commit(x engine.Txn) bool {
	before, ok := m.topic.Commit(x)
	if ok && before != engine.TxnCommitted {
		m.mark(x)
	}
	if slices.Contains(m.retired, x) {
		ok = false
	}
	switch m.wrong {
	case secondCommitRefused:
		ok = ok && before != engine.TxnCommitted
	case commitAfterAbort:
		ok = true
	}
	return ok
}

func (m *modelled) abort(x engine.Txn, expired bool) bool {
	_, ok := m.topic.Abort(x, expired)
	if ok {
		m.mark(x)
	}
	return ok
}

// expire ends what has a clock that runs: it starts with the first row (facts 4.5).
// It returns how many there were.
func (m *modelled) expire(all []engine.Txn) int {
	n := len(m.endGhosts(func(engine.Txn) bool { return true }))
	for _, x := range all {
		state, rows := m.topic.State(x)
		if !m.pending(x) || rows == 0 && m.wrong != clockStartsAtBegin || state == engine.TxnPrecommitted && m.wrong == promiseOutlivesTimeout {
			continue
		}
		m.abort(x, true)
		n++
	}
	return n
}

// stable is the last stable offset: the first offset of the earliest open transaction.
func (m *modelled) stable() int {
	for i, e := range m.log {
		state, _ := m.topic.State(e.txn)
		if !e.first || !m.pending(e.txn) || m.wrong == stablePassesOpen || m.wrong == promiseShows && state == engine.TxnPrecommitted {
			continue
		}
		return i
	}
	return len(m.log)
}

// sees is what a reader sees, each row with its offset, and the end it is given.
func (m *modelled) sees(committed bool) string {
	end := len(m.log)
	if committed {
		end = m.stable()
	}
	var out []string
	for i, e := range m.log[:end] {
		if e.row >= 0 && (e.txn.IsZero() || m.shows(e.txn, committed)) {
			out = append(out, fmt.Sprintf("%d:%d", i, e.row))
		}
	}
	return fmt.Sprintf("[%s] end %d", strings.Join(out, " "), end)
}

// shows reports whether a reader sees the rows of a transaction that lies below its end.
func (m *modelled) shows(x engine.Txn, committed bool) bool {
	state, _ := m.topic.State(x)
	over := state == engine.TxnAborted || state == engine.TxnTimedOut
	if !committed {
		return m.wrong != abortTakesRows || !over
	}
	return state == engine.TxnCommitted || m.wrong == abortKeepsRows && over || m.wrong == promiseShows && m.pending(x)
}
