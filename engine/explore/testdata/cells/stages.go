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
	"sinks": {
		{"sink=append", "crash crash-job crash-node", "duplicated!"},
		{"strategy=offset-commit topology=LOOP commit=before sink=append", "crash crash-job", "lost!"},
		{"sink=upsert", "crash crash-job", ""},
		{"sink=upsert output=total", "crash crash-job", ""},
		{"sink=email", "crash crash-job", "duplicated!"},
		{"sink=email idempotency.key=random", "crash-job", "duplicated!"},
		{"sink=email idempotency.key=from-input", "crash crash-job", ""},
		{"sink=email idempotency.key=from-input provider.dedup.window=400ms", "crash-job", "duplicated!"},
	},
	"at-least-once": {
		{"checkpoint.mode=at_least_once sink=append", "crash crash-job", "duplicated!"},
		{"checkpoint.mode=at_least_once sink=upsert", "crash crash-job", ""},
		{"checkpoint.mode=at_least_once topology=K gap=40ms checkpoint.interval=80ms sink=upsert condition=slow:enrich/1:x20@0s", "crash crash-job", ""},
		{"checkpoint.mode=at_least_once sink=dedup", "crash crash-job", ""},
		{"checkpoint.mode=at_least_once sink=transactional checkpoint.interval=150ms", "crash crash-job", "duplicated"},
	},
	"outage": {
		{"sink=transactional", "lose-response", ""},
		{"sink=append", "lose-response", "duplicated!"},
		{"sink=transactional transaction.timeout=1s", "late:commit:2s", "lost!"},
		{"sink=transactional", "late:commit:1s late:abort:1s broker-down:2s", ""},
		{"sink=transactional transactional.id.prefix=random-per-start", "crash-job", ""},
		{"sink=append checkpoint.timeout=400ms checkpoint.tolerable-failures=3", "late:ack:1s", ""},
		{"sink=append checkpoint.timeout=400ms checkpoint.tolerable-failures=9", "storage-down:1500ms", ""},
		{"sink=transactional", "second-job", "lost!"},
	},
	"xa": {
		{"strategy=xa topology=LOOP sink=transactional", "crash crash-job crash:coordinator", ""},
		{"strategy=xa topology=LOOP sink=transactional coordinator.log=off", "crash:coordinator", "stuck!"},
	},
}
