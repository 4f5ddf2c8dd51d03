package main

// stageCells are the cells of one strategy with stage stores, batches or voters.
var stageCells = map[string][]cell{
	"dataflow": {
		{"strategy=dataflow sink=upsert output=total", "crash crash-job", ""},
		{"strategy=dataflow sink=dedup", "crash crash-job", ""},
		{"strategy=dataflow sink=email idempotency.key=from-input", "crash crash-job", ""},
		{"strategy=dataflow production=weak sink=dedup", "crash crash-job", ""},
	},
	"trident": {
		{"strategy=trident sink=state output=total", "crash crash-job", ""},
		{"strategy=trident sink=state output=total state=opaque", "crash crash-job", ""},
		{"strategy=trident sink=state output=total spout=opaque state=opaque", "crash crash-job", ""},
		{"strategy=trident sink=state output=total spout=opaque", "crash crash-job", "lost!"},
	},
	"xa": {
		{"strategy=xa topology=LOOP sink=transactional", "crash crash-job crash:coordinator", ""},
		{"strategy=xa topology=LOOP sink=transactional coordinator.log=off", "crash:coordinator", "stuck!"},
	},
}
