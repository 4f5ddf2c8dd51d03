package engine_test

import (
	"testing"

	"effectivelyonce/engine"
)

// FuzzFault: every text is refused with a *BadFault, or is a fault whose spelling
// reads as the same fault again, and that a job resolves or refuses by name.
func FuzzFault(f *testing.F) {
	for _, s := range []string{
		"crash:count/1@57", "crash-job@before:txn.commit~2", "crash-job@before:checkpoint.complete#2",
		"slow:enrich/1:x20:1.5s@0s", "slow:source/0:x3@40ms", "crash:count/0@after:barrier.arrived(enrich/0)~1@count/0",
		"crash:coordinator@after:source.read(P0:3)", "crash-job@0", "@", "crash:@", "crash-job@before:", "slow:a:x99999999999@1h",
		"crash-job@after:sink.write(P32767:2147483647)", "crash-job@99999999999999999999", "crash:\x00@1", "crash:\xff@1",
	} {
		f.Add(s)
	}
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	in := &engine.Input{Name: "two", Keys: []string{"a"}, Parts: [][]engine.Datum{{{}, {}}, {{}}}}
	job, err := engine.NewJob("fuzz", set, in, 1, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		fault, err := engine.ParseFault(spec)
		if err != nil {
			if _, ok := err.(*engine.BadFault); !ok {
				t.Fatalf("%q: %T is no *BadFault", spec, err)
			}
			return
		}
		again, err := engine.ParseFault(fault.String())
		if err != nil {
			t.Fatalf("%q prints as %q, which is refused: %v", spec, fault, err)
		}
		if again != fault {
			t.Fatalf("%q prints as %q, which reads differently", spec, fault)
		}
		if err := fault.Resolve(job); err != nil {
			if _, ok := err.(*engine.BadFault); !ok {
				t.Fatalf("%q: %T is no *BadFault", spec, err)
			}
		}
	})
}
