package world

import (
	"testing"

	"effectivelyonce/engine"
)

// TestRulesOfTheStateObjects works through the examples of facts 8.4.
func TestRulesOfTheStateObjects(t *testing.T) {
	for _, c := range []struct {
		state   string
		row     tridentRow
		txid    int32
		add     int64
		want    tridentRow
		ignored bool
	}{
		{"opaque", tridentRow{value: 4, prev: 1, txid: 2}, 3, 2, tridentRow{value: 6, prev: 4, txid: 3}, false},
		{"opaque", tridentRow{value: 4, prev: 1, txid: 2}, 2, 2, tridentRow{value: 3, prev: 1, txid: 2}, false},
		{"transactional", tridentRow{value: 3, txid: 1}, 3, 2, tridentRow{value: 5, prev: 3, txid: 3}, false},
		{"transactional", tridentRow{value: 4, txid: 3}, 3, 1, tridentRow{value: 4, txid: 3}, true},
		{"non-transactional", tridentRow{value: 4, txid: 3}, 3, 1, tridentRow{value: 5, prev: 4, txid: 3}, false},
	} {
		w := &World{Own: &Trident{rows: []tridentRow{c.row}}}
		var ev engine.Event
		ans := (&TridentPut{State: c.state, Txid: c.txid, Add: c.add}).Perform(w, &ev)
		if got := w.Own.(*Trident).rows[0]; got != c.want || ans.Known != c.ignored {
			t.Errorf("%s %+v, batch %d brings %d: %+v, want %+v", c.state, c.row, c.txid, c.add, got, c.want)
		}
		if ev.Before != c.row.value || ev.After != c.want.value || (ev.Kind == engine.EffectIgnored) != c.ignored {
			t.Errorf("%s: recorded as %s %d>%d", c.state, ev.Kind, ev.Before, ev.After)
		}
	}
}

// TestOpaqueStateNeedsAReplayThatHasTheKey is the exception (t) of curriculum 3.3,
// derived and kept out of lessons: the failed attempt of batch 2 wrote a key, the
// replay came without it because its partition was away, and the record comes
// again in batch 3. The rule of facts 8.3 is kept each time, and it is counted twice.
func TestOpaqueStateNeedsAReplayThatHasTheKey(t *testing.T) {
	w := &World{Own: &Trident{rows: make([]tridentRow, 2)}}
	for _, op := range []TridentPut{{Key: 0, Txid: 2, Add: 1}, {Key: 1, Txid: 2, Add: 1}, {Key: 0, Txid: 3, Add: 1}} {
		op.State = "opaque"
		op.Perform(w, &engine.Event{})
	}
	if rows := w.Own.(*Trident).rows; rows[0].value != 2 || rows[1].value != 1 {
		t.Fatalf("%+v", rows)
	}
}
