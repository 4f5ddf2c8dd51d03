package stage

import "effectivelyonce/engine"

// The machines of a job stand as buttons in the row of the coordinator: a crash of
// one takes the tasks of the same number of every operator, and its local disk.
const (
	machineW   = 84
	machineGap = 6
	leastBar   = 170 // of the coordinator's words
)

// machinesOf is how many machines a job shows: where there are several, or where
// the only one has a disk that a restart would read.
func machinesOf(job *engine.Job, opt Options) int {
	n := job.Plan.Nodes()
	if !opt.Machines || n < 2 && job.Settings.Strategy != "kafka-streams" {
		return 0
	}
	return n
}

// placeBar shares a row between the coordinator and the machines. Machines that
// would leave the coordinator no words are left out; links and forms still name them.
func (l *Layout) placeBar(row Rect, machines int, coordinator bool) {
	if coordinator {
		l.Coordinator = row
		row.W -= leastBar
	}
	if machines == 0 || machines*(machineW+machineGap) > row.W+machineGap {
		return
	}
	w := machines * (machineW + machineGap)
	if coordinator {
		l.Coordinator.W -= w
	}
	x := row.X
	if coordinator {
		x = l.Coordinator.Right() + machineGap
	}
	for i := range machines {
		l.Machines = append(l.Machines, Rect{X: x + i*(machineW+machineGap), Y: row.Y, W: machineW, H: row.H})
	}
}

// onMachine is the class of a node by its machine.
func (s *Stage) onMachine(t *engine.Task) string {
	if len(s.lay.Machines) == 0 || t.Node < 0 {
		return ""
	}
	return "on-" + itoa(t.Node)
}
