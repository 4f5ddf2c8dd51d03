package explore_test

import (
	"testing"

	"effectivelyonce/engine"
)

var barrierLines = []line{
	{name: "barriers aligned", change: func(*engine.Settings) {},
		event: "e d! | e | e | e l! | e d! | e | e | e d! | e d! | e | e | e d!",
		total: "e d! | e r | e l r | e l! r | e l r | e l r | e | e d! | e d! | e w | e | e d!"},
	{name: "barriers unaligned", change: func(s *engine.Settings) { s.Unaligned = true },
		event: "e d! | e | e | e l! | e d! | e | e | e d! | e d! | e | e | e d!",
		total: "e d! | e r | e l r | e l! r | e l r | e l r | e | e d! | e d! | e w | e | e d!"},
	{name: "barriers at_least_once", conditions: []string{"slow:enrich/1:x20@0s"},
		change: func(s *engine.Settings) {
			s.CheckpointMode, s.Topology = "at_least_once", "K"
			s.Gap, s.CheckpointInterval = 40*engine.Millisecond, 150*engine.Millisecond
		},
		event: "e d! | e | e | e l! | e d! | e | e d! | e d! | e d! | e | e d! | e d!",
		total: "e d! | e d! r | e d l m r | e d l! m r | e d l m r | e d l m r | e d! | e d! | e d! | e w | e d! | e d!"},
	{name: "barriers, timeout shorter than outage",
		change: func(s *engine.Settings) {
			s.RestartDelay = 3 * engine.Second
			s.Sinks[0].TxnTimeout = engine.Second
		},
		event: "– | – | – | – | – | – | e l! | e d! | – | – | – | –",
		total: "– | – | – | – | – | – | e l! | e d! | – | – | – | –"},
}

func TestMatrixBarriers(t *testing.T) {
	for i := range barrierLines {
		l := &barrierLines[i]
		t.Run(l.name, func(t *testing.T) { l.prove(t, 1) })
	}
}
