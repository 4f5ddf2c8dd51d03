package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
)

// pauseTable is curriculum 3.5: a sleeping sink is replaced and wakes up. Column is
// the column of the matrix.
var pauseTable = []sleeper{
	{"sink=append output=event", "append", "e d!"},
	{"sink=append output=total", "append", "e d!"},
	{"sink=email output=event", "email none", "e d!"},
	{"sink=email output=total", "email none", "e d!"},
	{"sink=dedup output=total", "dedup atomic", "e l r"},
	{"sink=dedup output=total fencing=on", "dedup atomic", "e l r"},
	{"sink=offset-with-output output=total", "offset-with-output", "e l r"},
	{"sink=offset-with-output output=total fencing=on", "offset-with-output", "e l r"},
	{"sink=email output=event idempotency.key=from-input", "email from-input", "e"},
	{"sink=email output=total idempotency.key=from-input", "email from-input", "e w"},
	{"sink=upsert output=event", "upsert", "e"},
	{"sink=upsert output=event fencing=on", "upsert", "e"},
	{"sink=dedup output=event", "dedup atomic", "e"},
	{"sink=dedup output=event fencing=on", "dedup atomic", "e"},
	{"sink=offset-with-output output=event", "offset-with-output", "e"},
	{"sink=offset-with-output output=event fencing=on", "offset-with-output", "e"},
	{"sink=upsert output=total", "upsert", "e l! r"},
	{"sink=upsert output=total fencing=on", "upsert", "e r"},
	{"sink=transactional output=event", "transactional read_committed", "e"},
	{"sink=transactional output=total", "transactional read_committed", "e"},
	{"sink=transactional output=event readers=read_uncommitted", "transactional read_uncommitted", "e d!"},
	{"sink=transactional output=total readers=read_uncommitted", "transactional read_uncommitted", "e d!"},
	{"sink=files output=event", "files, log honoured", "e"},
	{"sink=files output=total", "files, log honoured", "e"},
}

// sleeper is one cell of it.
type sleeper struct{ sink, column, cell string }

// key is the cell's key in the matrix.
func (s *sleeper) key() string {
	fencing, output := "off", "event"
	if strings.Contains(s.sink, "fencing=on") {
		fencing = "on"
	}
	if strings.Contains(s.sink, "output=total") {
		output = "total"
	}
	return "fencing=" + fencing + ", the sink sleeps/" + s.column + "/" + output
}

// pauses are the three lengths of a pause of a task, as faults without a moment.
func pauses(job *engine.Job, task string) []string {
	var out []string
	for _, d := range explore.PauseLengths(job) {
		out = append(out, "pause:"+task+":"+d.String())
	}
	return out
}

func checkPauses(t *testing.T, seeds int) {
	for _, c := range pauseTable {
		t.Run(strings.ReplaceAll(c.sink, " ", ","), func(t *testing.T) {
			for seed := 1; seed <= seeds; seed++ {
				job, err := jobOf(uint64(seed), c.sink)
				if err != nil {
					t.Fatal(err)
				}
				f := everyGap(t, job, pauses(job, "sink/0")...)
				if err := f.against(c.cell, seed == 1); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				if seed == 1 {
					t.Logf("%d runs %v rewound %d", f.runs, f.classes, f.rewound)
				}
			}
		})
	}
}

// The other strategies that know pauses. Under exactly_once_v2 everything that a
// thread says to the broker carries the epoch of its transaction; a store outside is
// told nothing of that.
func TestPauseOfTheSinkInOtherStrategies(t *testing.T) {
	const micro, eos = "strategy=microbatch ", "strategy=kafka-streams processing.guarantee=exactly_once_v2 "
	for _, c := range []struct{ settings, cell string }{
		{micro + "sink=append output=event", "e d!"},
		{micro + "sink=upsert output=total", "e l! r"},
		{micro + "sink=upsert output=total fencing=on", "e r"},
		{micro + "sink=dedup output=event", "e"},
		{micro + "sink=dedup output=total", "e l r"},
		{micro + "sink=offset-with-output output=event", "e"},
		{micro + "sink=offset-with-output output=total", "e"},
		{micro + "sink=offset-with-output output=total fencing=on", "e"},
		{micro + "sink=offset-with-output output=event fencing=on trigger.interval=60ms", "e"},
		{micro + "sink=transactional output=total", "e"},
		{eos + "sink=append output=event", "e d!"},
		{eos + "sink=upsert output=total", "e l! r"},
		{eos + "sink=upsert output=total fencing=on", "e r"},
		{eos + "sink=dedup output=event", "e"},
		{eos + "sink=offset-with-output output=total", "e"},
		{eos + "sink=offset-with-output output=total fencing=on", "e"},
		{eos + "sink=transactional output=total", "e"},
	} {
		t.Run(strings.ReplaceAll(c.settings, " ", ","), func(t *testing.T) {
			job, err := jobOf(1, c.settings)
			if err != nil {
				t.Fatal(err)
			}
			f := everyGap(t, job, pauses(job, "sink/0")...)
			if err := f.against(c.cell, true); err != nil {
				t.Error(err)
			}
		})
	}
}

// A source or a counter that sleeps has nothing outside: when it wakes, its channels
// are cut. What comes of it is what comes of its crash.
func TestPauseOfTasksThatWriteNothing(t *testing.T) {
	for _, c := range []struct{ settings, cell string }{
		{"sink=append output=event", "e d!"},
		{"sink=upsert output=total", "e r"},
		{"sink=transactional output=total", "e"},
		{"sink=transactional output=event topology=J2", "e"},
		{"sink=upsert output=total checkpoint.unaligned=on backlog=on", "e r"},
		{"strategy=microbatch sink=upsert output=total", "e r"},
		{"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional output=total", "e"},
	} {
		job, err := jobOf(1, c.settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range []string{"source/0", "count/0"} {
			f := everyGap(t, job, pauses(job, task)...)
			if err := f.against(c.cell, true); err != nil {
				t.Errorf("%s, %s: %v", c.settings, task, err)
			}
		}
	}
}

// What cannot be paused says why.
func TestPausesThatAreRefused(t *testing.T) {
	for settings, want := range map[string]string{
		"pause:coordinator:1s": "the coordinator writes nothing outside",
		"pause:count/0:1s strategy=trident sink=state output=total": "strategy=trident knows no pause",
		"pause:sink/0:1s strategy=kafka-streams":                    "processing.guarantee=exactly_once_v2 knows pauses",
		"pause:sink/0:1s strategy=dataflow":                         "fenced by the sequencer of its key",
	} {
		fault, settings, _ := strings.Cut(settings, " ")
		job, err := jobOf(1, settings)
		if err != nil {
			t.Fatal(err)
		}
		f, err := engine.ParseFault(fault + "@5")
		if err == nil {
			err = f.Resolve(job)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s: %v; want %q", fault, settings, err, want)
		}
	}
}

func TestPauseOfTheSink(t *testing.T) { checkPauses(t, 1) }

// A run that is forked where a task falls asleep is the run that has the pause from
// the start, and a fork of it beside a sleeping zombie goes on as the original does.
func TestPausedRunsFork(t *testing.T) {
	for _, sink := range []string{"sink=upsert output=total", "sink=transactional output=total", "sink=upsert output=total checkpoint.unaligned=on"} {
		job, err := jobOf(1, sink)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range pauses(job, "sink/0") {
			for gap := 0; gap < 160; gap += 7 {
				f, err := engine.ParseFault(fmt.Sprintf("%s@%d", kind, gap))
				if err != nil {
					t.Fatal(err)
				}
				whole, err := sim.Run(job, []engine.Fault{f})
				if err != nil {
					t.Fatal(err)
				}
				walker, err := sim.New(job, []engine.Fault{f})
				if err != nil {
					t.Fatal(err)
				}
				var fork sim.Sim
				for walker.Step() {
					if walker.Trace().Len()%9 != 0 {
						continue
					}
					walker.Fork(&fork)
					for fork.Step() {
					}
					if !sameEvents(whole, fork.Trace()) {
						t.Fatalf("%s: the fork at %d goes another way", f, walker.Trace().Len())
					}
				}
			}
		}
	}
}

func sameEvents(a, b *trace.Trace) bool {
	if a.Len() != b.Len() {
		return false
	}
	for n := 1; n <= a.Len(); n++ {
		if *a.At(n) != *b.At(n) {
			return false
		}
	}
	return true
}
