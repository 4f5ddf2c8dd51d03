package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// passTime puts a new watermark on the outputs of a task. Sinks do not work in
// event time here, and get none.
func (s *Sim) passTime(id int16, e *machine.Effect) {
	if e.Final || e.After <= e.Before {
		return
	}
	for _, g := range s.job.Plan.Tasks[id].Out {
		for _, c := range g.Chans {
			if s.job.Plan.Tasks[s.job.Plan.Channels[c].To].Kind != engine.OpSink {
				s.enqueue(c, engine.Element{Kind: engine.WatermarkElement, Mark: engine.Time(e.After)})
			}
		}
	}
}
