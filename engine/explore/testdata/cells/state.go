package main

// stateCells are ways to get state back, with sizes that make it take its time.
var stateCells = []cell{
	{"state.recovery=snapshot-incremental sink=upsert output=total checkpoint.interval=40ms gap=200ms state.key.bytes=2000", "crash crash-job", ""},
	{"sink=upsert output=total checkpoint.interval=60ms state.key.bytes=20000", "crash crash-job", ""},
	{"restore.from=none sink=upsert output=total", "crash-job", ""},
	{"strategy=microbatch state.recovery=snapshot-incremental sink=upsert output=total trigger.interval=60ms gap=200ms", "crash crash-job", ""},
	{"strategy=kafka-streams processing.guarantee=exactly_once_v2 changelog.head=1 state.delete=when-complete sink=upsert output=total commit.interval=40ms", "crash crash-job crash-node", ""},
	{"strategy=kafka-streams processing.guarantee=exactly_once_v2 state.recovery=standby restart.delay=0ms state.key.bytes=40000 sink=upsert output=total commit.interval=60ms", "crash crash-job crash-node", ""},
	{"strategy=offset-commit topology=LOOP state.recovery=cdc sink=offset-with-output output=total state.key.bytes=20000", "crash crash-job", ""},
	{"strategy=offset-commit topology=LOOP commit.handoff=async sink=append", "crash crash-job", "duplicated! lost!"},
	{"strategy=offset-commit topology=LOOP position.use=guard sink=offset-with-output", "crash crash-job", ""},
	{"strategy=offset-commit topology=LOOP sink=upsert", "crash crash-job", ""},
}
