package explore_test

import "testing"

// outageMutants are mistakes in what happens when nobody dies: an answer is lost, a
// message is late, the store or the broker is away, a name changes.
var outageMutants = []mutant{
	{name: "sequence numbers of a producer are not checked", file: "world/outage.go",
		old: `x.state == engine.TxnOpen && seq <= x.rows`, new: `x.state == engine.TxnOpen && seq > x.rows`},
	{name: "a late commit is accepted after the transaction has expired", file: "sim/broker.go",
		old: `state == engine.TxnAborted || state == engine.TxnTimedOut || state`, new: `state == engine.TxnAborted || state`},
	{name: "a commit on restore aborts what it should publish", file: "sim/broker.go",
		old: `	t, _ := s.topic(id)
	state, rows := t.State(e.Txn)
	ev.Before`,
		new: `	t, _ := s.topic(id)
	t.Abort(e.Txn, false)
	state, rows := t.State(e.Txn)
	ev.Before`},
	{name: "a run comes to rest while an abandoned transaction holds up readers", file: "world/outage.go",
		old: `x.pending() && x.rows > 0`, new: `x.pending() && x.rows < 0`},
	{name: "a name that was never used gets an epoch of the past", file: "sim/answers.go",
		old: `return s.world.Topics[sink].InitFresh(task), nil`, new: `return s.world.Topics[sink].InitFresh(task) - 1, nil`},
	{name: "a late acknowledgement counts for the checkpoint that is pending now", file: "machine/coordinator.go",
		old: `if in.Ckpt != c.pending || c.acked&bit != 0 {`, new: `if c.pending == 0 || c.acked&bit != 0 {`},
	{name: "a part counts as stored while the checkpoint store is down", file: "sim/outage.go",
		old: `func (s *Sim) uploadWaits(it *item) bool {
	if s.now >= s.outages.storage {`,
		new: `func (s *Sim) uploadWaits(it *item) bool {
	if s.now >= 0 {`},
	{name: "the broker commits while it is down", file: "sim/outage.go",
		old: `func (s *Sim) commitWaits(it *item) bool {
	if s.now >= s.outages.broker {`,
		new: `func (s *Sim) commitWaits(it *item) bool {
	if s.now >= 0 {`},
	{name: "a second job with the same names leaves the epochs as they are", file: "sim/answers.go",
		old: `_, open := s.world.Topics[sink].Init(engine.TaskID(i))`, new: `_, open := s.world.Topics[sink].Init(engine.TaskID(i)); _, _ = s.world.Topics[sink].Init(engine.TaskID(i)); open = nil`},
}

func TestMutantsOfOutagesAreCaught(t *testing.T) {
	if r := probeWith(t, "./testdata/cells", nil, "outage"); len(r.Findings)+len(r.Trouble) > 0 || r.Runs == 0 {
		t.Fatalf("without a mistake: %d runs, findings %v, trouble %v", r.Runs, r.Findings, r.Trouble)
	}
	for _, m := range outageMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := probeWith(t, "./testdata/cells", &m, "outage")
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s; outside wrong in %d of %d runs", r.Findings[0], r.Wrong, r.Runs)
		})
	}
}
