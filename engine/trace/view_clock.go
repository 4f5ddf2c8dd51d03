package trace

import "effectivelyonce/engine"

// tick moves the clocks that a broker keeps of its transactions on to t, an eighth
// of transaction.timeout at a time, so that a picture changes only now and then.
// The clock starts when the transaction begins, at its first write, and a crash of
// its writer does not stop it (facts 4.7, Kafka 4.x).
func (v *View) tick(t engine.Time) {
	if t == v.T {
		return
	}
	for s := range v.Outside {
		set, o := &v.Job.Settings.Sinks[s], &v.Outside[s]
		if set.Kind != engine.SinkTransactional || set.TxnTimeout <= 0 {
			continue
		}
		for i := range o.Txns {
			x := &o.Txns[i]
			if x.State != engine.TxnOpen && x.State != engine.TxnPrecommitted {
				continue
			}
			if n := int(min(8, 8*(t-x.Begun)/set.TxnTimeout)); n != x.Eighths {
				x.Eighths = n
				v.dirty.Outside[s] = true
			}
		}
	}
}
