package bench

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	streams "github.com/reugn/go-streams"
	"github.com/reugn/go-streams/extension"
	"github.com/reugn/go-streams/flow"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"
)

const liveKeys = 1000

// names are the string keys of the records, looked up for each.
func names() []string {
	out := make([]string, liveKeys)
	for k := range out {
		out[k] = "key-" + strconv.Itoa(k)
	}
	return out
}

// looked is a source that looks each record's string key up.
type looked struct {
	part, n, at int
	keys        []string
	ids         map[string]engine.KeyID
}

func (s *looked) Open(_ context.Context, o int32) error { s.at = int(o); return nil }
func (s *looked) Covered(context.Context, int32)        {}
func (s *looked) Close() error                          { return nil }

func (s *looked) Fetch(_ context.Context, buf []engine.Record) ([]engine.Record, bool, error) {
	for i := 0; i < 256 && s.at < s.n; i++ {
		buf = append(buf, engine.Record{ID: engine.RecordID{Part: int16(s.part), Off: int32(s.at)}, Key: s.ids[s.keys[s.at*7%liveKeys]], Value: 1})
		s.at++
	}
	return buf, s.at == s.n, nil
}

// arrivals tells when nearly all rows have arrived outside; sinks count by the thousand.
type arrivals struct {
	want, rows atomic.Int64
	from       time.Time
	took       time.Duration
	done       func() // when they have
}

type arriving struct {
	live.Outside
	all  *arrivals
	rows int64
}

func (o *arriving) Perform(ctx context.Context, e *machine.Effect, ev *engine.Event) (live.Answer, error) {
	if e.Kind == machine.DoWrite {
		if o.rows++; o.rows%1000 == 0 && o.all.rows.Add(1000) == o.all.want.Load() {
			o.all.took = time.Since(o.all.from)
			o.all.done()
		}
	}
	return o.Outside.Perform(ctx, e, ev)
}

// liveRun counts 2n records at parallelism 2: exactly-once with read_committed into a
// topic in memory. It returns the time until the rows have arrived there, all but at
// most 2000, and until all of them are visible. With interval "1h" there is no
// checkpoint: nothing becomes visible, and the run ends when the rows have arrived.
func liveRun(tb testing.TB, n int, interval string) (arrived, visible time.Duration) {
	in := &engine.Input{Name: "bench", Keys: names(), Parts: make([][]engine.Datum, 2), Open: true}
	j := job(tb, in, "topology", "J2", "sink", "transactional", "output", "total", "checkpoint.interval", interval)
	ids := map[string]engine.KeyID{}
	for k, s := range in.Keys {
		ids[s] = engine.KeyID(k)
	}
	topic := live.NewTopic(j, 0)
	topic.Counts = true
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	all := &arrivals{from: time.Now(), done: func() {}}
	all.want.Store(int64(2*n - 2000))
	never := interval == "1h"
	if never {
		all.done = cancel
	}
	res, err := live.Run(ctx, j, live.Config{Host: live.HostConfig{Store: &live.Memory{},
		Source: func(_ engine.TaskID, p int) (live.Source, error) {
			return &looked{part: p, n: n, keys: in.Keys, ids: ids}, nil
		},
		Outside: func(engine.TaskID) (live.Outside, error) { return &arriving{Outside: topic.Outside(), all: all}, nil }}})
	visible = time.Since(all.from)
	if never == (err == nil) || !never && topic.Count() != int64(2*n) || all.took == 0 {
		tb.Fatalf("%+v, %v, %d rows", res, err, topic.Count())
	}
	return all.took, visible
}

// spent is processor time of this process so far.
func spent(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// row is one line of a round: ns a record, by the clock and of processor time.
type row struct{ wall, cpu, visible float64 }

// BenchmarkLiveRounds measures, in turn within each round, the live engine with a
// checkpoint every 10 ms, every 100 ms and never, the same count written by hand
// without any guarantee, and go-streams v0.13.0 Keyed+Fold without any guarantee; all
// over a thousand string keys. It prints medians over the rounds, of which there are as
// many as -benchtime says (9x).
func BenchmarkLiveRounds(b *testing.B) {
	const n, handN, peerN = 2_000_000, 8_000_000, 200_000 // rows that take about as long as each other
	keys := names()
	plain := func(records float64, f func()) func() row {
		return func() row {
			from, cpu := time.Now(), spent(b)
			f()
			wall := float64(time.Since(from).Nanoseconds()) / records
			return row{wall, float64((spent(b) - cpu).Nanoseconds()) / records, wall}
		}
	}
	engineRow := func(interval string) func() row {
		return func() row {
			cpu := spent(b)
			arrived, visible := liveRun(b, n, interval)
			return row{float64(arrived.Nanoseconds()) / (2 * n), float64((spent(b) - cpu).Nanoseconds()) / (2 * n), float64(visible.Nanoseconds()) / (2 * n)}
		}
	}
	measured := []func() row{engineRow("10ms"), engineRow("100ms"), engineRow("1h"),
		plain(2*handN, func() { handBatched(handN, keys) }), plain(peerN, func() { peerKeyed(b, peerN, keys) })}
	rounds := make([][]row, 0, b.N)
	for b.Loop() {
		round := make([]row, len(measured))
		for i := range measured {
			at := (i + len(rounds)) % len(measured)
			runtime.GC()
			round[at] = measured[at]()
		}
		rounds = append(rounds, round)
	}
	median := func(of func(r []row) float64) float64 {
		all := make([]float64, len(rounds))
		for i, r := range rounds {
			all[i] = of(r)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	for i, name := range []string{"10ms", "100ms", "never", "hand", "peer"} {
		b.ReportMetric(median(func(r []row) float64 { return r[i].wall }), name+"-ns")
		b.ReportMetric(median(func(r []row) float64 { return r[i].cpu }), name+"-cpu-ns")
	}
	b.ReportMetric(median(func(r []row) float64 { return r[4].wall / r[0].visible }), "x-peer")
	b.ReportMetric(median(func(r []row) float64 { return r[3].wall / r[0].visible }), "x-hand")
	b.ReportMetric(median(func(r []row) float64 { return r[0].wall/r[2].wall - 1 }), "checkpoints-cost")
	b.ReportMetric(median(func(r []row) float64 { return r[1].wall / r[0].wall }), "100ms/10ms")
	b.ReportMetric(median(func(r []row) float64 { return r[4].cpu / r[0].cpu }), "x-peer-cpu")
	b.ReportMetric(median(func(r []row) float64 { return r[3].cpu / r[0].cpu }), "x-hand-cpu")
	b.ReportMetric(median(func(r []row) float64 { return r[0].cpu/r[2].cpu - 1 }), "checkpoints-cost-cpu")
	b.ReportMetric(median(func(r []row) float64 { return r[1].cpu / r[0].cpu }), "100ms/10ms-cpu")
	b.ReportMetric(0, "ns/op")
}

type handRecord struct {
	key   string
	value int64
}

// handBatched is the same count written by hand: channels of 64-record batches that are
// recycled, two sources, two counters, two sinks, no guarantee.
func handBatched(n int, keys []string) {
	var wg, sources sync.WaitGroup
	lanes := [2]chan []handRecord{make(chan []handRecord, 8), make(chan []handRecord, 8)}
	pool := make(chan []handRecord, 64)
	grab := func() []handRecord {
		select {
		case s := <-pool:
			return s[:0]
		default:
			return make([]handRecord, 0, 64)
		}
	}
	give := func(s []handRecord) {
		select {
		case pool <- s:
		default:
		}
	}
	for range 2 {
		sources.Go(func() {
			out := [2][]handRecord{grab(), grab()}
			for i := range n {
				k := i * 7 % liveKeys
				w := k & 1
				if out[w] = append(out[w], handRecord{keys[k], 1}); len(out[w]) == 64 {
					lanes[w] <- out[w]
					out[w] = grab()
				}
			}
			lanes[0] <- out[0]
			lanes[1] <- out[1]
		})
	}
	for w := range 2 {
		sink := make(chan []handRecord, 8)
		wg.Go(func() {
			counts := map[string]int64{}
			for batch := range lanes[w] {
				for i := range batch {
					counts[batch[i].key] += batch[i].value
					batch[i].value = counts[batch[i].key]
				}
				sink <- batch
			}
			close(sink)
		})
		wg.Go(func() {
			for batch := range sink {
				give(batch)
			}
		})
	}
	sources.Wait()
	close(lanes[0])
	close(lanes[1])
	wg.Wait()
}

// peerKeyed is go-streams v0.13.0 with a thousand string keys.
func peerKeyed(tb testing.TB, n int, keys []string) {
	in, out := make(chan any, 1024), make(chan any, 1024)
	go func() {
		for i := range n {
			in <- keys[i*7%liveKeys]
		}
		close(in)
	}()
	keyed := flow.NewKeyed(func(s string) string { return s },
		func() streams.Flow { return flow.NewFold(0, func(_ string, acc int) int { return acc + 1 }) })
	go extension.NewChanSource(in).Via(keyed).To(extension.NewChanSink(out))
	got := 0
	for range out {
		got++
	}
	if got != n {
		tb.Fatalf("peer gave %d results, want %d", got, n)
	}
}
