package main

import "effectivelyonce/engine"

// operatorCells are windows, joins, dedup and lookups; docs/operators.md.
var operatorCells = []cell{
	{"operator=window sink=transactional", "crash crash-job", ""},
	{"operator=window sink=upsert checkpoint.unaligned=on backlog=on checkpoint.interval=40ms", "crash crash-job", ""},
	{"operator=window sink=upsert strategy=microbatch trigger.interval=100ms", "crash crash-job", ""},
	{"operator=window sink=upsert condition=slow:source/1:x8@0s", "crash crash-job", ""},
	{"operator=window input=late sink=upsert", "crash crash-job", "lost!"},
	{"operator=window input=late allowed.lateness=1s sink=upsert", "crash crash-job", ""},
	{"operator=join join.time=event input=change sink=transactional", "crash crash-job", ""},
	{"operator=join input=table sink=upsert", "crash crash-job", "wrong!"},
	{"operator=dedup input=again sink=transactional", "crash crash-job", ""},
	{"topology=K lookup=stored sink=upsert", "crash crash-job", ""},
	{"topology=K lookup=external sink=upsert", "crash crash-job", "wrong!"},
}

// operatorInput is an input that only operators other than the counter need.
func operatorInput(name string) *engine.Input {
	const ms = engine.Millisecond
	in := &engine.Input{Name: name, Timed: true, Keys: []string{"ana", "ben", "cleo"}, Parts: make([][]engine.Datum, 2)}
	put := func(part int, key engine.KeyID, at engine.Time) {
		in.Parts[part] = append(in.Parts[part], engine.Datum{Key: key, Value: int64(len(in.Parts[part])+1) * engine.ValueScale, Time: at})
	}
	switch name {
	case "late": // the last but one record of partition 0 comes after its window
		for o, at := range []engine.Time{20, 120, 330, 430, 560, 660, 60, 760} {
			put(0, engine.KeyID(o%2), at*ms)
			put(1, engine.KeyID(o%3), engine.Time(100*o+30)*ms)
		}
	case "table", "change": // the last partition is a price table; it may change in the middle
		for o := range 5 {
			put(0, engine.KeyID(o%2), engine.Time(100*o+30)*ms)
			put(1, engine.KeyID(o%3), engine.Time(100*o+60)*ms)
		}
		in.Parts = append(in.Parts, nil)
		for k := range 3 {
			put(2, engine.KeyID(k), 0)
		}
		if name == "change" {
			put(2, 0, 250*ms)
		}
	case "again": // five ids, each sent twice
		in.Keys = []string{"o1", "o2", "o3", "o4", "o5"}
		for o := range 5 {
			put(0, engine.KeyID(o), engine.Time(100*o)*ms)
			put(1, engine.KeyID((o+3)%5), engine.Time(100*o+50)*ms)
		}
	}
	return in
}
