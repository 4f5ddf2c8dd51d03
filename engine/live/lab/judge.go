package lab

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/kafka"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/sqldb"
)

// verdicts are what the independent readers found last.
type verdicts struct {
	list []check.Verdict
	at   time.Duration // when they were read
	why  string        // why they could not be read since
}

const (
	judgeEvery = time.Second
	judgeMost  = 10 * time.Second // between two readings, however long one takes
	judgeTime  = 20 * time.Second
)

// reading is one independent reader and what it is called.
type reading struct {
	name string
	r    live.Reader
}

// judge reads what is really outside, again and again, through readers that know
// nothing of the job, and compares it with what was fed.
func (l *Lab) judge() {
	db, err := l.tableReader()
	if err != nil {
		l.say("reader", err.Error(), true)
		return
	}
	if db != nil {
		defer func() { _ = db.Close() }()
	}
	wait := judgeEvery
	for l.pause(wait) {
		began := time.Now()
		l.mu.Lock()
		broker, over, fed := l.broker, l.done != nil && l.done.AtRest, append([]int32(nil), l.fed...)
		known := l.verdicts
		settled := over && len(known.list) > 0 && known.list[0].Final && known.why == "" && !l.haunts()
		l.mu.Unlock()
		if broker == nil || settled {
			continue
		}
		now := verdicts{at: l.since()}
		ctx, cancel := context.WithTimeout(l.ctx, judgeTime)
		for _, one := range l.readers(broker, db) {
			rows, err := one.r.Rows(ctx)
			if err != nil {
				now.list, now.at, now.why = known.list, known.at, err.Error()
				break
			}
			v, err := l.compare(ctx, fed, rows, one.name, over, db)
			if err != nil {
				now.list, now.at, now.why = known.list, known.at, err.Error()
				break
			}
			now.list = append(now.list, v)
		}
		cancel()
		l.mu.Lock()
		l.verdicts = now
		l.touch()
		l.mu.Unlock()
		wait = max(judgeEvery, min(5*time.Since(began), judgeMost))
		if now.why != "" {
			wait = judgeEvery
		}
	}
}

// haunts reports whether a process that was replaced may have written since the
// readers read. The caller holds the lock.
func (l *Lab) haunts() bool {
	return l.verdicts.at <= l.haunted || slices.ContainsFunc(l.slots, func(s *slot) bool { return s.earlier != nil })
}

func (l *Lab) compare(ctx context.Context, fed []int32, rows []live.Row, reader string, over bool, db *sqldb.Reader) (check.Verdict, error) {
	if l.Job.Settings.Sinks[0].Output == engine.TotalOutput {
		return CompareTotals(l.Job, fed, rows, reader, over), nil
	}
	v := Compare(l.Job, fed, rows, reader, over)
	switch {
	case over && db != nil:
		return v, l.checkBalances(ctx, db, &v)
	case over && l.setup.Loop:
		return v, l.checkChangelog(ctx, &v)
	}
	return v, nil
}

func (l *Lab) tableReader() (*sqldb.Reader, error) {
	if !l.setup.Table {
		return nil, nil
	}
	return sqldb.NewReader(filepath.Join(l.dir, "table.db"), "lab-"+l.ID)
}

func (l *Lab) readers(b kafka.Broker, db *sqldb.Reader) []reading {
	set := &l.Job.Settings.Sinks[0]
	switch {
	case db != nil && set.Output == engine.TotalOutput:
		return []reading{{check.AnyReader, db}}
	case db != nil:
		return []reading{{check.AnyReader, journal{db}}}
	}
	if set.Kind != engine.SinkTransactional {
		return []reading{{check.AnyReader, &kafka.Reader{Broker: b, Topic: l.output()}}}
	}
	var out []reading
	for _, iso := range set.Readers {
		out = append(out, reading{string(iso), &kafka.Reader{Broker: b, Topic: l.output(), Committed: iso == engine.ReadCommitted}})
	}
	return out
}

// journal reads which record changed a balance, how often: the database notes it in
// the transaction that changes the balance.
type journal struct{ db *sqldb.Reader }

func (j journal) Rows(ctx context.Context) ([]live.Row, error) { return j.db.Changes(ctx) }

// checkBalances compares what the table holds with the sum of what was fed. A balance
// that does not fit its journal is a wrong value, whatever the journal says.
func (l *Lab) checkBalances(ctx context.Context, db *sqldb.Reader, v *check.Verdict) error {
	rows, err := db.Rows(ctx)
	if err != nil {
		return err
	}
	want := map[string]int64{}
	for _, part := range l.Job.Input.Parts {
		for _, d := range part {
			want[l.Job.Input.Keys[d.Key]] += d.Value
		}
	}
	for _, r := range rows {
		if want[r.Key] != r.Value && v.Lost == 0 && v.Duplicated == 0 {
			v.Wrong++
			v.WrongRows = addRef(v.WrongRows, check.Ref{ID: engine.NoRecord, Key: engine.KeyID(slices.Index(l.Job.Input.Keys, r.Key)), Value: r.Value})
		}
	}
	v.Class = classOf(v)
	return nil
}

// Compare judges rows, one an input record, by what was fed: fed is how many records
// of each partition were. Before the end (over) what is not there is pending; after it,
// lost. Rows with an id that was never fed, or another key or value than their
// record, are wrong.
func Compare(job *engine.Job, fed []int32, rows []live.Row, reader string, over bool) check.Verdict {
	v := check.Verdict{Sink: job.Settings.Sinks[0].Name, Reader: reader, Observed: len(rows), Final: over}
	times := make([][]int32, len(fed))
	for p, n := range fed {
		v.Expected += int(n)
		times[p] = make([]int32, n)
	}
	for i := range rows {
		r := &rows[i]
		ref := check.Ref{ID: r.ID, Value: r.Value, Times: 1}
		if r.ID.Part < 0 || int(r.ID.Part) >= len(fed) || r.ID.Off < 0 || r.ID.Off >= fed[r.ID.Part] {
			if !job.Input.Has(r.ID) || over { // else it was fed after fed was noted
				v.Wrong++
				v.WrongRows = addRef(v.WrongRows, ref)
			}
			continue
		}
		d := job.Input.At(r.ID)
		ref.Key = d.Key
		n := &times[r.ID.Part][r.ID.Off]
		*n++
		if *n > 1 {
			v.Duplicated++
			ref.Times = int(*n)
			v.DuplicatedRows = addRef(v.DuplicatedRows, ref)
		}
		if job.Input.Keys[d.Key] != r.Key || d.Value != r.Value {
			v.Wrong++
			v.WrongRows = addRef(v.WrongRows, ref)
		}
	}
	for p := range times {
		for o, n := range times[p] {
			if n > 0 {
				continue
			}
			if !over {
				v.Pending++
				v.InFlight++
				continue
			}
			v.Lost++
			id := engine.RecordID{Part: int16(p), Off: int32(o)}
			v.LostRows = addRef(v.LostRows, check.Ref{ID: id, Key: job.Input.At(id).Key})
		}
	}
	v.Class = classOf(&v)
	return v
}

func addRef(list []check.Ref, r check.Ref) []check.Ref {
	if len(list) >= check.MaxRefs {
		return list
	}
	return append(list, r)
}

func classOf(v *check.Verdict) check.Class {
	switch {
	case v.Lost > 0 && v.Duplicated > 0:
		return check.Mixed
	case v.Lost > 0:
		return check.Lost
	case v.Duplicated > 0:
		return check.Duplicated
	case v.Wrong > 0:
		return check.Wrong
	}
	return check.Exact
}
