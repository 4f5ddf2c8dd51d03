package check_test

import (
	"math"
	"testing"

	"effectivelyonce/engine/check"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestTheIntervalThatWastesLeast is the table of facts 13.4 and 13.5.
func TestTheIntervalThatWastesLeast(t *testing.T) {
	const minute, hour, day = 60.0, 3600.0, 86400.0
	for _, c := range []struct{ cost, mtbf, young, percent, daly float64 }{
		{10, 24 * hour, 1314.5, 1.52, 1307.9},
		{2, 6 * hour, 293.9, 1.36, 0},
		{30, hour, 464.8, 12.9, 445.0},
		{.5, 7 * day, 777.7, .13, 0},
		{1, 24 * hour, 415.7, .48, 0},
		{5, 1200 * hour / 100, 657.3, 1.52, 0},
	} {
		best := check.YoungInterval(c.cost, c.mtbf)
		near(t, "Young", best, c.young, .06)
		checkpoints, replay := check.Waste(c.cost, c.mtbf, best)
		near(t, "waste", 100*(checkpoints+replay), c.percent, .011)
		near(t, "halves", checkpoints, replay, 1e-9)
		if c.daly > 0 {
			near(t, "Daly", check.DalyInterval(c.cost, c.mtbf), c.daly, .06)
		}
		// The bet of lesson 20: half the interval wastes a quarter more, and so does twice.
		for _, factor := range []float64{.5, 2} {
			a, b := check.Waste(c.cost, c.mtbf, best*factor)
			near(t, "a quarter more", (a+b)/(checkpoints+replay), 1.25, 1e-9)
		}
	}
	near(t, "minutes", check.YoungInterval(10, 24*hour)/minute, 21.9, .05)
	near(t, "no formula any more", check.DalyInterval(100, 50), 50, 0)
}

// TestDelayAndRecovery is facts 13.7, 13.9, 13.10 and 13.11.
func TestDelayAndRecovery(t *testing.T) {
	mean, most := check.VisibleDelay(60, 10)
	near(t, "mean delay", mean, 40, 0)
	near(t, "longest delay", most, 70, 0)
	for _, c := range []struct{ interval, age, oldest, million, millions, catch, longest, total, totals float64 }{
		{10, 15, 20, 3.75, 4.0, 125.0, 133.3, 185.0, 193.3},
		{60, 40, 70, 5.0, 6.5, 166.7, 216.7, 226.7, 276.7},
		{300, 160, 310, 11.0, 18.5, 366.7, 616.7, 426.7, 676.7},
		{600, 310, 610, 18.5, 33.5, 616.7, 1116.7, 676.7, 1176.7},
	} {
		mean, most := check.CheckpointAge(c.interval, 10)
		near(t, "age", mean, c.age, 0)
		near(t, "oldest", most, c.oldest, 0)
		for _, k := range []struct{ age, million, catch, total float64 }{{mean, c.million, c.catch, c.total}, {most, c.millions, c.longest, c.totals}} {
			backlog, seconds, ok := check.CatchUp(50e3, 80e3, k.age, 60)
			if !ok {
				t.Fatal("no headroom")
			}
			near(t, "backlog", backlog/1e6, k.million, 1e-9)
			near(t, "catch-up", seconds, k.catch, .05)
			near(t, "recovery", 60+seconds, k.total, .05)
			rho := 50.0 / 80
			near(t, "by load", (k.age+60)*rho/(1-rho), seconds, 1e-6)
		}
	}
	if _, _, ok := check.CatchUp(80e3, 80e3, 40, 60); ok {
		t.Error("a job without headroom catches up")
	}
	_, most = check.CheckpointAge(60, 10)
	near(t, "repeats", 50e3*most, 3.5e6, 0)
}

// TestTimeoutOfTransactions is facts 13.12.
func TestTimeoutOfTransactions(t *testing.T) {
	near(t, "a long checkpoint", check.TimeoutNeeded(60, 600, 1800), 3000, 0)
	near(t, "a long interval", check.TimeoutNeeded(300, 120, 1800), 2220, 0)
	near(t, "the broker's 15 minutes", check.OutageCovered(900, 60, 20)/60, 13.7, .04)
	near(t, "nothing fits", check.OutageCovered(60, 60, 10), -10, 0)
}
