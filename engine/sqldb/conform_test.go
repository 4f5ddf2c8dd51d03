package sqldb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// sequence is what writers do to one sink, in the order in which it reaches the
// store, with everything that can happen to writers in between. It is played on
// the model and on databases; they must answer alike and end alike.
type sequence struct {
	sink  string // settings of the sink: words of sinkOf
	steps []step
}

// step is one thing. Its numbers are taken modulo what there is, so that any part
// of a sequence is a sequence.
type step struct {
	what string
	a, b int
}

// stepWords is what can happen. A life is one start of a task; older ones stay, as
// zombies.
//
//	start T       a new life of task T, with a larger token
//	write L R     life L writes record R
//	half L R      life L dies after the first of its writes for record R
//	lost L R      life L dies in the middle of the transaction
//	batch L N     life L writes a batch: the next records of each partition, N of them
//	cut           every connection is lost between two deeds
//	tick T        time passes
const stepWords = " start write half lost batch cut tick "

const (
	conformKeys  = 3
	conformParts = 2
	conformEach  = 6 // records a partition
	conformTasks = 2
	keepIDs      = 20 // retention
)

func (q sequence) String() string {
	words := []string{q.sink}
	for _, s := range q.steps {
		words = append(words, fmt.Sprintf("%s %d %d", s.what, s.a, s.b))
	}
	return strings.Join(words, "; ")
}

func parseSequence(line string) (sequence, error) {
	parts := strings.Split(line, "; ")
	q := sequence{sink: parts[0]}
	for _, p := range parts[1:] {
		f := strings.Fields(p)
		if len(f) != 3 || !strings.Contains(stepWords, " "+f[0]+" ") {
			return q, fmt.Errorf("step %q: want one of%sand two numbers", p, stepWords)
		}
		a, err1 := strconv.Atoi(f[1])
		b, err2 := strconv.Atoi(f[2])
		if err := errors.Join(err1, err2); err != nil {
			return q, err
		}
		q.steps = append(q.steps, step{f[0], a, b})
	}
	return q, nil
}

// generate makes a sequence of a seed. Repeats and zombies are as likely as news.
func generate(seed uint64, sinks []string) sequence {
	r := rand.New(rand.NewPCG(seed, 8))
	q := sequence{sink: sinks[seed%uint64(len(sinks))]}
	q.steps = append(q.steps, step{"start", 0, 0}, step{"start", 1, 0})
	next := 0
	for range 8 + r.IntN(18) {
		s := step{what: "write", a: r.IntN(12), b: r.IntN(conformParts * conformEach)}
		if r.IntN(2) == 0 { // go on in the order of the input, as a reader does
			s.b = next
			next++
		}
		switch r.IntN(14) {
		case 0, 1:
			s.what, s.a = "start", r.IntN(conformTasks)
		case 2, 3:
			s.what = "half"
		case 4:
			s.what = "lost"
		case 5, 6:
			s.what = "batch"
		case 7:
			s.what = "cut"
		case 8:
			s.what, s.a = "tick", 1+r.IntN(keepIDs+5)
		}
		q.steps = append(q.steps, s)
	}
	return q
}

// sinkWords are the sinks that are compared: kind, then what shapes it.
func sinkWords() []string {
	var out []string
	for _, fencing := range []string{"", " fencing"} {
		for _, total := range []string{"", " total"} {
			out = append(out, "upsert"+total+fencing)
			for _, how := range []string{"atomic", "id-first", "value-first"} {
				out = append(out, "dedup "+how+total+fencing)
			}
			for _, scope := range []string{"key-and-partition", "partition", "single"} {
				out = append(out, "offset-with-output "+scope+total+fencing)
			}
		}
	}
	return append(out, "append", "append total", "upsert by-count", "dedup atomic by-count")
}

// sinkOf is a job with such a sink. It is put together by hand: some combinations
// that the engine would refuse for a strategy's sake are one for the tables as well.
func sinkOf(words string) *engine.Job {
	in := &engine.Input{Name: "conformance", Keys: []string{"ana", "bo", "cy"}}
	for p := range conformParts {
		var part []engine.Datum
		for o := range conformEach {
			part = append(part, engine.Datum{Key: engine.KeyID((o + p) % conformKeys), Value: int64(10*p+o+1) * engine.ValueScale})
		}
		in.Parts = append(in.Parts, part)
	}
	f := strings.Fields(words)
	set := engine.BaseSettings()
	set.Topology, set.Parallelism = "J2", map[string]int{"count": conformTasks, "sink": conformTasks}
	sink := engine.BaseSink("sink")
	sink.Kind, sink.DedupRetention = engine.SinkKind(f[0]), keepIDs
	for _, w := range f[1:] {
		switch w {
		case "total":
			sink.Output = engine.TotalOutput
		case "fencing":
			sink.Fencing = true
		case "by-count":
			sink.EmitAt = 2
		case "atomic", "id-first", "value-first":
			sink.DedupWrite = w
		default:
			sink.PositionScope = w
		}
	}
	set.Sinks = []engine.SinkSettings{sink}
	return &engine.Job{Scenario: "own", Settings: set, Input: in, Plan: engine.NewPlan(&set, in)}
}

// player plays sequences on the model and on one database.
type player struct {
	ctx   context.Context
	job   *engine.Job
	db    *DB
	place string

	// What the database is told instead of job, and a mistake in its statements, to
	// see a difference found; nil: none.
	other  *engine.Job
	mutant func(string) string

	reader *Reader

	w     *world.World
	lives []*lifeOf
	log   []engine.Event // what the model wrote
	// touched is, by key, the attempt that wrote its balance last
	touched [conformKeys]int16
	next    int // of batches
}

type lifeOf struct {
	task    engine.TaskID
	attempt int16
	token   int16
	sink    *Sink
}

var errLost = errors.New("the process dies here")

func (p *player) now() engine.Time { return p.w.Now }

// play returns the first difference, nil if there is none.
func (p *player) play(q sequence) error {
	p.w = world.New(p.job)
	p.w.Sinks = machine.Outsides(p.job)
	p.w.Now = 1000
	defer func() {
		for _, l := range p.lives {
			_ = l.sink.Close()
		}
	}()
	p.lives, p.log, p.next, p.touched = nil, nil, 0, [conformKeys]int16{}
	for n, s := range q.steps {
		if err := p.step(s); err != nil {
			return fmt.Errorf("step %d (%s %d %d): %w", n+1, s.what, s.a, s.b, err)
		}
	}
	return p.end()
}

func (p *player) step(s step) error {
	if s.what == "start" {
		return p.start(s.a % conformTasks)
	}
	if s.what == "tick" {
		p.w.Now += engine.Time(s.a)
		return nil
	}
	if len(p.lives) == 0 {
		return nil
	}
	l := p.lives[s.a%len(p.lives)]
	r := p.record(l, s.b)
	switch s.what {
	case "write":
		return p.perform(l, p.effects(r), 2)
	case "half":
		return p.perform(l, p.effects(r), 1)
	case "lost":
		return p.lose(l, p.effects(r))
	case "batch":
		return p.batch(l, 1+s.b%4)
	case "cut":
		for _, l := range p.lives {
			l.sink.ses.drop()
		}
	}
	return nil
}

func (p *player) start(n int) error {
	task := p.job.Plan.Tasks[len(p.job.Plan.Tasks)-conformTasks+n].ID
	job := p.job
	if p.other != nil {
		job = p.other
	}
	sink, err := p.db.Sink(job, 0, Options{Place: p.place, Now: p.now, Journal: true, Patience: 10 * time.Second})
	if err != nil {
		return err
	}
	sink.ses.rewrite = p.mutant
	l := &lifeOf{task: task, attempt: int16(len(p.lives) + 1), token: p.w.Register(task), sink: sink}
	p.lives = append(p.lives, l)
	_, err = sink.Open(p.ctx, live.Life{Task: task, Name: p.job.Plan.Name(task), Attempt: l.attempt, Token: int64(l.token)})
	return err
}

func (p *player) record(l *lifeOf, n int) engine.Record {
	n %= conformParts * conformEach
	id := engine.RecordID{Part: int16(n % conformParts), Off: int32(n / conformParts)}
	d := p.job.Input.At(id)
	return engine.Record{ID: id, Attempt: l.attempt, Key: d.Key, Value: d.Value, Total: int64(n/conformKeys + 1)}
}

// effects are what the machine's writer asks for (machine.opWriter, plainWriter).
func (p *player) effects(r engine.Record) []machine.Effect {
	set := &p.job.Settings.Sinks[0]
	value, add := r.Value, true
	if set.Output == engine.TotalOutput {
		value, add = r.Total, false
	}
	switch set.Kind {
	case engine.SinkDedup:
		parts := []world.DedupPart{world.IDAndValue}
		switch set.DedupWrite {
		case "id-first":
			parts = []world.DedupPart{world.OnlyID, world.OnlyValue}
		case "value-first":
			parts = []world.DedupPart{world.OnlyValue, world.OnlyID}
		}
		var out []machine.Effect
		for i, part := range parts {
			out = append(out, machine.Effect{Kind: machine.DoOp, Depends: i > 0, Op: &world.DedupWrite{Part: part, First: i == 0, ByKey: set.EmitAt > 0,
				Add: add, Value: value, Retention: set.DedupRetention, Fencing: set.Fencing, Record: r}})
		}
		return out
	case engine.SinkPosition:
		return []machine.Effect{{Kind: machine.DoOp, Op: &world.PositionWrite{Guard: r.ID.Off%5 != 4, Add: add, Value: value, Fencing: set.Fencing, Record: r}}}
	}
	return []machine.Effect{{Kind: machine.DoWrite, Record: r}}
}

func (p *player) batch(l *lifeOf, n int) error {
	set := &p.job.Settings.Sinks[0]
	if set.Kind != engine.SinkPosition {
		return nil
	}
	var rows []engine.Record
	for i := range n {
		rows = append(rows, p.record(l, p.next+i))
	}
	p.next += n - 1 // the last one comes again with the next batch
	writer := int(l.task) % conformTasks
	return p.perform(l, []machine.Effect{{Kind: machine.DoOp, Op: &world.PositionBatch{Writer: writer, Batch: int32(p.next), Fencing: set.Fencing,
		Add: set.Output == engine.EventOutput, Rows: rows}}}, 1)
}
