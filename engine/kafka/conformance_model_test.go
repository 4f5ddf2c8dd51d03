package kafka

import (
	"fmt"
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
}

// entry is one offset: a row, or the marker that ends a transaction (row -1).
type entry struct {
	txn   engine.Txn // zero: a row without a transaction
	row   int32
	first bool
}

func (m *modelled) pending(x engine.Txn) bool {
	s, _ := m.topic.State(x)
	return s == engine.TxnOpen || s == engine.TxnPrecommitted
}

func (m *modelled) rows(x engine.Txn) int64 { _, n := m.topic.State(x); return n }

func (m *modelled) write(x engine.Txn, epoch int16, row int32) bool {
	if !m.topic.Write(x, epoch) {
		return false
	}
	m.log = append(m.log, entry{txn: x, row: row, first: m.rows(x) == 1})
	return true
}

// mark appends the marker of a transaction that has rows: it takes an offset.
func (m *modelled) mark(x engine.Txn) {
	if m.rows(x) > 0 {
		m.log = append(m.log, entry{txn: x, row: -1})
	}
}

func (m *modelled) commit(x engine.Txn) bool {
	before, ok := m.topic.Commit(x)
	if ok && before != engine.TxnCommitted {
		m.mark(x)
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

// stable is the last stable offset: the first offset of the earliest open transaction.
func (m *modelled) stable() int {
	for i, e := range m.log {
		if e.first && m.pending(e.txn) {
			return i
		}
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
		state, _ := m.topic.State(e.txn)
		if e.row < 0 || committed && !e.txn.IsZero() && state != engine.TxnCommitted {
			continue
		}
		out = append(out, fmt.Sprintf("%d:%d", i, e.row))
	}
	return fmt.Sprintf("[%s] end %d", strings.Join(out, " "), end)
}
