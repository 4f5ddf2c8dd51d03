package check

import "math"

// The formulas of facts 13, as an interview wants them. Times are seconds, rates
// records a second.

// YoungInterval is the interval between checkpoints that wastes least, sqrt(2CM)
// (Young 1974; facts 13.1): cost is the work time that one checkpoint takes away,
// mtbf the mean time between failures of the whole job. It holds while cost is small
// against mtbf.
func YoungInterval(cost, mtbf float64) float64 { return math.Sqrt(2 * cost * mtbf) }

// DalyInterval is the same with terms of higher order (Daly 2006; facts 13.1).
func DalyInterval(cost, mtbf float64) float64 {
	if cost >= 2*mtbf {
		return mtbf
	}
	r := cost / (2 * mtbf)
	return YoungInterval(cost, mtbf)*(1+math.Sqrt(r)/3+r/9) - cost
}

// Waste is the share of work that an interval costs: checkpoints, and work that is
// done again after failures.
func Waste(cost, mtbf, interval float64) (checkpoints, replay float64) {
	return cost / interval, interval / (2 * mtbf)
}

// VisibleDelay is how long a row of a transactional sink waits to be seen: for its
// barrier, and for the checkpoint to complete (facts 13.7).
func VisibleDelay(interval, duration float64) (mean, most float64) {
	return interval/2 + duration, interval + duration
}

// CheckpointAge is how old the restored checkpoint's barrier is when a job fails
// (facts 13.8).
func CheckpointAge(interval, duration float64) (mean, most float64) {
	return interval/2 + duration, interval + duration
}

// CatchUp is what has piled up when a job is back after down seconds, with a
// checkpoint of this age, and how long it takes to work it off (facts 13.8). Without
// headroom (mu not above lambda) it never does, and ok is false (13.10).
func CatchUp(lambda, mu, age, down float64) (backlog, seconds float64, ok bool) {
	backlog = lambda * (age + down)
	if mu <= lambda {
		return backlog, math.Inf(1), false
	}
	return backlog, backlog / (mu - lambda), true
}

// TimeoutNeeded is the least transaction.timeout that survives an outage (facts
// 13.12): while a checkpoint runs no other starts, so an open transaction may be as
// old as the interval or the checkpoint before it, whichever took longer, and its own
// checkpoint comes on top.
func TimeoutNeeded(interval, duration, outage float64) float64 {
	return max(interval, duration) + duration + outage
}

// OutageCovered is the longest outage that a transaction.timeout survives; it is
// negative where not even a run without an outage fits.
func OutageCovered(timeout, interval, duration float64) float64 {
	return timeout - max(interval, duration) - duration
}
