package bench

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	streams "github.com/reugn/go-streams"
	"github.com/reugn/go-streams/extension"
	"github.com/reugn/go-streams/flow"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
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

// liveRun counts 2n records at parallelism 2 and returns ns a record.
func liveRun(tb testing.TB, n int, interval string) float64 {
	in := &engine.Input{Name: "bench", Keys: names(), Parts: make([][]engine.Datum, 2), Open: true}
	j := job(tb, in, "topology", "J2", "sink", "transactional", "output", "total", "checkpoint.interval", interval)
	ids := map[string]engine.KeyID{}
	for k, s := range in.Keys {
		ids[s] = engine.KeyID(k)
	}
	topic := live.NewTopic(j, 0)
	topic.Counts = true
	from := time.Now()
	res, err := live.Run(tb.Context(), j, live.Config{Host: live.HostConfig{Store: &live.Memory{},
		Source: func(_ engine.TaskID, p int) (live.Source, error) {
			return &looked{part: p, n: n, keys: in.Keys, ids: ids}, nil
		},
		Outside: func(engine.TaskID) (live.Outside, error) { return topic.Outside(), nil }}})
	if err != nil || topic.Count() != int64(2*n) {
		tb.Fatalf("%+v, %v, %d rows", res, err, topic.Count())
	}
	return float64(time.Since(from).Nanoseconds()) / float64(2*n)
}

// Live runs of the engine: exactly-once with read_committed into a topic in memory,
// checkpoints every 10 and 100 ms, and one at the end only (a second in, or later).
func BenchmarkEngineLive10ms(b *testing.B)  { liveBench(b, "10ms") }
func BenchmarkEngineLive100ms(b *testing.B) { liveBench(b, "100ms") }
func BenchmarkEngineLiveNone(b *testing.B)  { liveBench(b, "1s") }

func liveBench(b *testing.B, interval string) {
	sum := 0.0
	for b.Loop() {
		sum += liveRun(b, 1_000_000, interval)
	}
	b.ReportMetric(sum/float64(b.N), "ns/record")
}

// BenchmarkFloorHandBatched is the same count written by hand: channels of 64-record
// batches that are recycled, two sources, two counters, two sinks, no guarantee.
func BenchmarkFloorHandBatched(b *testing.B) {
	keys := names()
	for b.Loop() {
		handBatched(1_000_000, keys)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2e6, "ns/record")
}

type handRecord struct {
	key   string
	value int64
}

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

// BenchmarkPeerKeyedFold1000 is go-streams v0.13.0 with a thousand string keys.
func BenchmarkPeerKeyedFold1000(b *testing.B) {
	const n = 100_000
	keys := names()
	for b.Loop() {
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
			b.Fatalf("peer gave %d results, want %d", got, n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}
