package explore_test

import (
	"fmt"
	"os"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
)

func TestDbg(t *testing.T) {
	job, err := jobOf(1, os.Getenv("J"))
	if err != nil {
		t.Fatal(err)
	}
	var fs []engine.Fault
	if s := os.Getenv("F"); s != "" {
		f, err := engine.ParseFault(s)
		if err != nil {
			t.Fatal(err)
		}
		fs = append(fs, f)
	}
	tr, err := sim.Run(job, fs)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= tr.Len(); n++ {
		e := tr.At(n)
		fmt.Printf("%3d %8s %-12s %-20s %s key=%d a%d ck=%d txn=%d.%d v=%d %d>%d %s ch=%d\n", n, e.T, job.Plan.Name(e.Task), e.Kind, e.Rec, e.Key, e.Attempt, e.Ckpt, e.Txn.No, e.Txn.Attempt, e.Value, e.Before, e.After, e.Reason, e.Chan)
	}
	for _, v := range check.Judge(tr) {
		fmt.Printf("%+v\n", v)
	}
}
