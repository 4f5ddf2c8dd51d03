package sim

import "effectivelyonce/engine"

// costKind keeps the hashes of different kinds of work apart.
type costKind uint64

const (
	costRead costKind = iota + 1
	costHop
	costWork
	costSnapshot
	costAck
	costNotify
	costCommit
	costFetch
	costRetry
)

// cost varies a base cost by ±25 %. It hashes what the work is about instead of
// drawing from a shared stream, so that an unrelated change leaves every other
// cost as it was.
func (s *Sim) cost(base engine.Time, kind costKind, task, channel int, rec engine.RecordID, n int) engine.Time {
	if base < 2 {
		return base
	}
	h := mix(s.job.Seed ^ uint64(kind)<<56)
	h = mix(h ^ uint64(uint16(task))<<48 ^ uint64(uint16(channel))<<32 ^ uint64(uint32(n)))
	h = mix(h ^ uint64(uint16(rec.Part))<<32 ^ uint64(uint32(rec.Off)))
	return base - base/4 + engine.Time(h%uint64(base/2+1))
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
