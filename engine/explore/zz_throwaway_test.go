package explore_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
)

func zzInput(r *rand.Rand) *engine.Input {
	in := &engine.Input{}
	nk := 1 + r.IntN(5)
	for k := range nk {
		in.Keys = append(in.Keys, fmt.Sprintf("k%d", k))
	}
	np := []int{1, 2, 2, 3, 8}[r.IntN(5)]
	in.Parts = make([][]engine.Datum, np)
	tot := 0
	for p := range in.Parts {
		n := r.IntN(8)
		for range n {
			in.Parts[p] = append(in.Parts[p], engine.Datum{Key: engine.KeyID(r.IntN(nk)), Value: int64(1+r.IntN(50)) * engine.ValueScale})
			tot++
		}
	}
	if tot == 0 {
		in.Parts[0] = append(in.Parts[0], engine.Datum{Key: 0, Value: engine.ValueScale})
	}
	return in
}

func pickT(r *rand.Rand, ts ...engine.Time) engine.Time { return ts[r.IntN(len(ts))] }

const ms = engine.Millisecond

func zzJob(r *rand.Rand) (*engine.Job, string) {
	set := engine.BaseSettings()
	set.Topology = []string{"J", "J2", "K", "MAP"}[r.IntN(4)]
	in := zzInput(r)
	if set.Topology != "MAP" {
		set.Parallelism = map[string]int{"count": 1 + r.IntN(4), "sink": 1 + r.IntN(4)}
		if set.Topology == "K" {
			set.Parallelism["enrich"] = 1 + r.IntN(4)
		}
	}
	set.CheckpointInterval = pickT(r, 1*ms, 10*ms, 50*ms, 90*ms, 150*ms, 300*ms, 700*ms)
	set.CheckpointTimeout = pickT(r, 60*ms, 100*ms, 120*ms, 150*ms, 200*ms, 400*ms, 10000*ms, 10000*ms, 10000*ms)
	set.CheckpointMinPause = pickT(r, 0, 0, 1*ms, 50*ms, 100*ms, 400*ms)
	set.TolerableFailures = []int{0, 1, 2, 50}[r.IntN(4)]
	set.RestartDelay = pickT(r, 0, 1*ms, 5*ms, 100*ms, 500*ms, 3000*ms)
	set.CrashDetection = pickT(r, 0, 1*ms, 10*ms, 10*ms, 80*ms, 400*ms)
	set.ChannelCapacity = []int{1, 1, 2, 8}[r.IntN(4)]
	set.Gap = pickT(r, 0, 5*ms, 20*ms, 60*ms)
	set.Backlog = r.IntN(3) == 0
	if r.IntN(5) == 0 {
		set.Costs.Snapshot = pickT(r, 0, 5*ms, 200*ms)
		set.Costs.Ack = pickT(r, 0, 10*ms, 50*ms)
		set.Costs.Commit = pickT(r, 0, 20*ms, 300*ms)
		set.Costs.Hop = pickT(r, 0, 1*ms, 30*ms)
	}
	ns := 1 + r.IntN(3)
	set.Sinks = nil
	for i := range ns {
		k := engine.BaseSink(fmt.Sprintf("z%d", i))
		k.Kind = []engine.SinkKind{engine.SinkAppend, engine.SinkUpsert, engine.SinkEmail, engine.SinkTransactional, engine.SinkTransactional, engine.SinkTransactional}[r.IntN(6)]
		k.Readers = []engine.Isolation{engine.ReadCommitted, engine.ReadUncommitted}
		if set.Topology != "MAP" {
			k.Output = []engine.Output{engine.EventOutput, engine.TotalOutput}[r.IntN(2)]
			if r.IntN(4) == 0 {
				k.EmitAt = int64(1 + r.IntN(3))
			}
		}
		k.TxnTimeout = pickT(r, 20*ms, 100*ms, 200*ms, 400*ms, 1000*ms, 10000*ms, 10000*ms)
		if r.IntN(4) == 0 {
			k.OnExpired = engine.ExpiredFail
		}
		set.Sinks = append(set.Sinks, k)
	}
	var conds []engine.Fault
	seed := r.Uint64N(1000)
	job, err := engine.NewJob("zz", set, in, seed, nil)
	if err != nil {
		panic(err)
	}
	names := job.Plan.TaskNames()
	for range r.IntN(3) {
		f, err := engine.ParseFault(fmt.Sprintf("slow:%s:x%d:%dms@%dms", names[r.IntN(len(names))], 2+r.IntN(30), 50+r.IntN(1500), r.IntN(400)))
		if err != nil {
			panic(err)
		}
		conds = append(conds, f)
	}
	job, err = engine.NewJob("zz", set, in, seed, conds)
	if err != nil {
		panic(err)
	}
	return job, fmt.Sprintf("%+v conds=%v parts=%d len=%d", set, conds, len(in.Parts), in.Len())
}

func zzJudge(t *trace.Trace) []string {
	var bad []string
	for _, v := range check.Invariants(t) {
		bad = append(bad, "INV "+v.String())
	}
	expired := map[int]bool{}
	reason := engine.NoReason
	crashes := 0
	for i := 1; i <= t.Len(); i++ {
		e := t.At(i)
		if e.Kind == engine.TxnExpired && e.Task >= 0 {
			expired[t.Job.Plan.Tasks[e.Task].Sink] = true
		}
		if e.Kind == engine.TaskFailed && e.Reason == engine.Crashed {
			crashes++
		}
		if e.Kind == engine.RunEnded {
			reason = e.Reason
		}
	}
	bad = append(bad, zzTimes(t)...)
	if crashes > len(t.Faults) {
		bad = append(bad, fmt.Sprintf("SPURIOUS restarts: %d crashes noticed", crashes))
	}
	for _, v := range check.Judge(t) {
		si := 0
		for i := range t.Job.Settings.Sinks {
			if t.Job.Settings.Sinks[i].Name == v.Sink {
				si = i
			}
		}
		set := t.Job.Settings.Sinks[si]
		ok := v.Class == check.Exact
		if v.Class == check.Stuck {
			ok = reason != engine.AtRest
			if v.Lost > 0 {
				ok = false
			}
			if v.Reader == check.ReadCommitted && v.Duplicated > 0 {
				ok = false
			}
		}
		switch v.Class {
		case check.Duplicated:
			ok = v.Reader == check.ReadUncommitted || set.Kind == engine.SinkAppend || set.Kind == engine.SinkEmail
		case check.Lost:
			ok = v.Reader == check.ReadCommitted && expired[si] && set.OnExpired == engine.ExpiredIgnore
		}
		if !ok {
			bad = append(bad, fmt.Sprintf("CLASS %s %s %s %+v reason %v", v.Sink, v.Reader, v.Class, v, reason))
		}
	}
	return bad
}

func TestZZ(t *testing.T) {
	secs, _ := strconv.Atoi(os.Getenv("ZZ_SECS"))
	if secs == 0 {
		t.Skip()
	}
	s0, _ := strconv.Atoi(os.Getenv("ZZ_SEED"))
	end := time.Now().Add(time.Duration(secs) * time.Second)
	found := map[string]int{}
	classes := map[string]int{}
	runs, limit := 0, 0
	for s := s0; time.Now().Before(end); s++ {
		r := rand.New(rand.NewPCG(uint64(s), 7))
		job, desc := zzJob(r)
		base, err := sim.Run(job, nil)
		if err != nil {
			limit++
			continue
		}
		try := func(fs []string) {
			var faults []engine.Fault
			for _, x := range fs {
				f, err := engine.ParseFault(x)
				if err != nil {
					t.Fatal(x, err)
				}
				faults = append(faults, f)
			}
			tr, err := sim.Run(job, faults)
			if err != nil {
				if _, ok := err.(*engine.NeverStruck); !ok {
					limit++
				}
				return
			}
			runs++
			for _, v := range check.Judge(tr) {
				classes[v.Reader+" "+string(v.Class)]++
			}
			for _, b := range zzJudge(tr) {
				f := strings.Fields(b)
				key := strings.Join(f[:min(len(f), 4)], " ")
				if f[0] == "INV" {
					key = "INV " + f[3] + " " + strings.Join(f[4:min(len(f), 7)], " ")
				}
				found[key]++
				if found[key] <= 2 {
					fmt.Printf("### seed %d faults %v (base %d)\n  %s\n  %s\n", s, fs, base.Len(), b, desc)
				}
			}
		}
		try(nil)
		names := append(job.Plan.TaskNames(), "coordinator")
		for range 60 {
			n := 1 + r.IntN(3)
			var fs []string
			at := r.IntN(base.Len() + 1)
			for range n {
				k := "crash-job"
				if r.IntN(4) > 0 {
					k = "crash:" + names[r.IntN(len(names))]
				}
				at = min(at, 19000)
				fs = append(fs, fmt.Sprintf("%s@%d", k, at))
				if r.IntN(2) == 0 {
					at += r.IntN(60)
				} else {
					at += r.IntN(base.Len() + 1)
				}
			}
			try(fs)
		}
	}
	fmt.Println("runs", runs, "limit", limit, classes)
	fmt.Println(found)
}

func TestZZOne(t *testing.T) {
	s, _ := strconv.Atoi(os.Getenv("ZZ_SEED"))
	r := rand.New(rand.NewPCG(uint64(s), 7))
	job, desc := zzJob(r)
	fmt.Println(desc)
	var faults []engine.Fault
	for _, x := range strings.Fields(os.Getenv("ZZ_F")) {
		f, err := engine.ParseFault(x)
		if err != nil {
			t.Fatal(err)
		}
		faults = append(faults, f)
	}
	tr, err := sim.Run(job, faults)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= tr.Len(); i++ {
		e := tr.At(i)
		fmt.Printf("%4d %9v %d %-22s %s\n", i, e.T, e.Attempt, e.Kind, trace.Sentence(tr, e))
	}
	fmt.Println(strings.Join(zzJudge(tr), "\n"))
}

func zzTimes(t *trace.Trace) []string {
	var bad []string
	set := &t.Job.Settings
	var trig, end engine.Time = -1, -1
	row := 0
	type tx struct {
		at   engine.Time
		n    int
		done bool
	}
	txs := map[engine.Txn]*tx{}
	coordDown := false
	endT := t.At(t.Len()).T
	for i := 1; i <= t.Len(); i++ {
		e := t.At(i)
		switch e.Kind {
		case engine.RestartBegin:
			trig, end, row, coordDown = -1, -1, 0, false
		case engine.CheckpointTriggered:
			if trig >= 0 && end >= 0 {
				want := max(trig+set.CheckpointInterval, end+set.CheckpointMinPause)
				if e.T != want {
					bad = append(bad, fmt.Sprintf("PAUSE event %d at %v want %v", i, e.T, want))
				}
			}
			trig, end = e.T, -1
		case engine.CheckpointComplete:
			if e.T > trig+set.CheckpointTimeout {
				bad = append(bad, fmt.Sprintf("LATE seal event %d", i))
			}
			end, row = e.T, 0
		case engine.CheckpointExpired:
			if e.T != trig+set.CheckpointTimeout {
				bad = append(bad, fmt.Sprintf("EXPIRE time event %d", i))
			}
			end = e.T
			row++
		case engine.TaskFailed:
			if e.Reason == engine.CheckpointsFailed && row != set.TolerableFailures+1 {
				bad = append(bad, fmt.Sprintf("TOL event %d row %d", i, row))
			}
		case engine.TxnBegin:
			txs[e.Txn] = &tx{at: e.T, n: i}
		case engine.TxnCommit, engine.TxnAbort:
			x := txs[e.Txn]
			to := set.Sinks[t.Job.Plan.Tasks[e.Task].Sink].TxnTimeout
			if !x.done && e.T > x.at+to {
				bad = append(bad, fmt.Sprintf("TXN decided late event %d", i))
			}
			x.done = true
		case engine.TxnExpired:
			x := txs[e.Txn]
			to := set.Sinks[t.Job.Plan.Tasks[e.Task].Sink].TxnTimeout
			if x.done || e.T != x.at+to {
				bad = append(bad, fmt.Sprintf("TXN expired wrong time event %d", i))
			}
			x.done = true
		}
	}
	_ = coordDown
	for id, x := range txs {
		to := set.Sinks[t.Job.Plan.Tasks[id.Task].Sink].TxnTimeout
		if !x.done && x.at+to < endT {
			bad = append(bad, fmt.Sprintf("TXN never ended begun at %d", x.n))
		}
	}
	return bad
}
