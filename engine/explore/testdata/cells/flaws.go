package main

// flawCells are a loop with workers, and the bugs that a setting puts in, which must
// show where they are on and nowhere else.
var flawCells = []cell{
	{"strategy=offset-commit topology=LOOP workers=4 sink=append", "crash crash-job", "duplicated!"},
	{"strategy=offset-commit topology=LOOP workers=4 sink=dedup", "crash crash-job", ""},
	{"strategy=offset-commit topology=LOOP workers=4 flaw=commit-past-holes sink=append", "crash crash-job", "duplicated lost! mixed"},
	{"sink=transactional", "crash:sink/0 crash-job", ""},
	{"sink=transactional flaw=handle-lost-answers-ok", "crash:sink/0", "lost!"},
	{"sink=transactional flaw=no-final-checkpoint transaction.timeout=1s", "crash:sink/0", "lost! never exact"},
}
