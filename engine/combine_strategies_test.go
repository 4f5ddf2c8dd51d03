package engine_test

import (
	"errors"
	"strings"
	"testing"

	"effectivelyonce/engine"
)

func TestBarriersMicrobatchAndStreamsRefuse(t *testing.T) {
	cases := []struct{ settings, one, other, nearest, why string }{
		{"checkpoint.unaligned=on checkpoint.mode=at_least_once",
			"checkpoint.unaligned=on", "checkpoint.mode=at_least_once", "checkpoint.mode=exactly_once", "There is no alignment to skip."},
		{"strategy=microbatch async.progress=on sink=append",
			"async.progress=on", "topology=J", "async.progress=off", "Async progress tracking is for stateless queries"},
		{"strategy=microbatch async.progress=on topology=MAP sink=upsert",
			"async.progress=on", "sink=upsert", "async.progress=off", "gives up exactly-once"},
		{"strategy=kafka-streams sink=files",
			"strategy=kafka-streams", "sink=files", "sink=append", "Nobody decides when a file is final."},
		{"strategy=kafka-streams sink=transactional",
			"processing.guarantee=at_least_once", "sink=transactional", "processing.guarantee=exactly_once_v2", "Kafka Streams opens transactions only under exactly_once_v2."},
		{"strategy=kafka-streams processing.guarantee=exactly_once_v2 commit.interval=11s sink=append",
			"commit.interval=11s", "transaction.timeout=10s", "commit.interval=10s", "over before its commit"},
		{"strategy=kafka-streams topology=K",
			"strategy=kafka-streams", "topology=K", "topology=J", "Not modelled"},
	}
	for _, c := range cases {
		set, err := settings(t, c.settings)
		if err == nil {
			_, err = engine.NewJob("test", set, two(), 1, nil)
		}
		var no *engine.Impossible
		if !errors.As(err, &no) {
			t.Errorf("%s: got %v", c.settings, err)
			continue
		}
		if no.Settings != [2]string{c.one, c.other} || no.Nearest != c.nearest || !strings.Contains(no.Why, c.why) {
			t.Errorf("%s: %v", c.settings, no)
		}
		key, value, _ := strings.Cut(no.Nearest, "=")
		if err := set.Set(key, value); err != nil {
			t.Errorf("%s: the nearest legal choice %q is not a setting: %v", c.settings, no.Nearest, err)
		} else if _, err := engine.NewJob("test", set, two(), 1, nil); err != nil {
			t.Errorf("%s: the nearest legal choice %q is refused: %v", c.settings, no.Nearest, err)
		}
	}
	for _, ok := range []string{"strategy=microbatch topology=MAP async.progress=on sink=append", "checkpoint.unaligned=on topology=MAP",
		"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=append commit.interval=10s"} {
		set, err := settings(t, ok)
		if err == nil {
			_, err = engine.NewJob("test", set, two(), 1, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
}

func settings(t *testing.T, changes string) (engine.Settings, error) {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, c := range strings.Fields(changes) {
		k, v, _ := strings.Cut(c, "=")
		if err := set.Set(k, v); err != nil {
			return set, err
		}
	}
	return set, nil
}

func two() *engine.Input {
	return &engine.Input{Name: "two", Keys: []string{"a"}, Parts: [][]engine.Datum{{{Value: 1000}}, {{Value: 2000}}}}
}
