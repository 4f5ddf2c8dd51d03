package explore_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
)

// The nine pairs of curriculum 3.3 promise the same when the coordinator dies.
func TestTridentCoordinatorCrashes(t *testing.T) {
	table := map[string][3]string{ // state: non-transactional, transactional, opaque
		"non-transactional": {"d!", "d!", "d!"},
		"transactional":     {"d!", "", ""},
		"opaque":            {"d!", "l!", ""},
	}
	for spout, row := range table {
		for i, state := range []string{"non-transactional", "transactional", "opaque"} {
			for _, output := range []string{"event", "total"} { // balances, counts
				t.Run(spout+","+state+","+output, func(t *testing.T) {
					job, err := jobOf(1, "strategy=trident sink=state output="+output+" spout="+spout+" state="+state)
					if err != nil {
						t.Fatal(err)
					}
					f := everyGap(t, job, "crash:coordinator")
					if err := f.against(row[i], false); err != nil {
						t.Error(err)
					}
					t.Logf("%d runs %v", f.runs, f.classes)
				})
			}
		}
	}
}

// meters20 is the input of lesson 17 (curriculum 1.7).
func meters20() *engine.Input {
	rows := [2]string{"1 3,2 5,1 2,3 7,2 1,1 4,3 2,2 6,1 1,3 3", "4 2,1 6,4 3,2 2,5 8,3 1,4 4,5 2,2 3,1 5"}
	in := &engine.Input{Name: "meters-20", Unit: "kWh", Keys: []string{"m1", "m2", "m3", "m4", "m5"}}
	for _, row := range rows {
		var part []engine.Datum
		for _, cell := range strings.Split(row, ",") {
			meter, value := int(cell[0]-'1'), int64(cell[2]-'0')
			part = append(part, engine.Datum{Key: engine.KeyID(meter), Value: value * engine.ValueScale})
		}
		in.Parts = append(in.Parts, part)
	}
	return in
}

// Lesson 17, scenarios B and C: batch 2 first holds P0:3 to 5 and P1:3 to 4, its
// replay P0:3 to 6 and P1:3 to 6. A crash between the writes of m3 and m5 loses two
// readings of m3 from a transactional state, and nothing from an opaque one.
func TestLesson17LosesTwoReadings(t *testing.T) {
	for state, lost := range map[string]int{"transactional": 2, "opaque": 0} {
		set := engine.BaseSettings()
		set.Strategy, set.Spout, set.TridentState = "trident", "opaque", state
		sink := engine.BaseSink("state")
		sink.Kind, sink.Output = engine.SinkState, engine.TotalOutput
		set.Sinks = []engine.SinkSettings{sink}
		job, err := engine.NewJob("trident-counts", set, meters20(), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		fault, err := engine.ParseFault("crash-job@after:state.write~6") // m1, m2, m4; m1, m2, m3
		if err != nil {
			t.Fatal(err)
		}
		tr, err := sim.Run(job, []engine.Fault{fault})
		if err != nil {
			t.Fatal(err)
		}
		v := check.Judge(tr)[0]
		if v.Lost != lost || v.Duplicated != 0 || v.Wrong != 0 {
			t.Errorf("%s state: %+v", state, v)
		}
		for _, r := range v.LostRows {
			if job.Input.Keys[r.Key] != "m3" {
				t.Errorf("%s state loses %s of %s", state, r.ID, job.Input.Keys[r.Key])
			}
		}
	}
}
