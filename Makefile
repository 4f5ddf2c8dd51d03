# Everything a contributor needs. `make test` is what CI runs.
GO        ?= go
TEMPL      = $(GO) run github.com/a-h/templ/cmd/templ@v0.3.1118
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help run test bench soak fuzz matrix generate deps fresh lint unit race kafka content js e2e

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

run: ## serve on :8080
	$(GO) run ./cmd/server

generate: ## draw the Go code of all templ files again
	$(TEMPL) generate

matrix: ## explore the guarantee matrix again: what the page and docs/matrix.md show
	$(GO) run ./cmd/server matrix --format json > web/matrix.new && mv web/matrix.new web/matrix.json
	$(GO) run ./cmd/server matrix --format markdown > docs/matrix.md
	$(GO) test -count=1 ./engine/explore -run MutantsAreListed -rewrite

test: deps fresh lint unit race kafka content js e2e ## install what the tests need, then run all of them

deps:
	bash tools/deps.sh

fresh: ## generated files are those that the sources give
	$(TEMPL) generate -check
	@test -z "$$(gofmt -l $$(git ls-files '*.go' | grep -v _templ.go))" || { gofmt -l $$(git ls-files '*.go' | grep -v _templ.go); exit 1; }

lint:
	$(GO) vet ./...
	$(STATICCHECK) ./...

unit: # three packages at a time: some wait for a database most of the time
	$(GO) test -p 3 -timeout 20m $$($(GO) list ./... | grep -v /tests/e2e)

race: ## what has goroutines, under the race detector (the same bytes twice: unit)
	$(GO) test -race ./engine/sim
	$(GO) test -race ./web -run 'Gate|Cache|Stream|Socket|Window|Health'
	$(GO) test -race ./cmd/server -run 'Serve'

kafka: ## the connectors and the model against a real Apache Kafka, which this starts and ends
	bash tools/kafka.sh run $(GO) test -count=1 -timeout 5m ./engine/kafka

content: ## every claim of the content, executed
	$(GO) run ./cmd/server check

js:
	cd tests && npx --no-install tsc -p . && node --test js/*.test.js

e2e: ## the whole program in a real browser
	$(GO) test -count=1 -timeout 30m ./tests/e2e

bench: ## the figures of docs/performance.md
	bash tools/bench.sh

soak: ## hours of exploration that CI has no time for
	$(GO) test -count=1 -tags soak -timeout 60m -run Soak -v ./engine/explore
	$(GO) test -count=1 -tags soak -timeout 30m -run KeysAreTheEngines -v ./quizzes
	$(GO) test -count=1 -tags soak -timeout 60m -run 'SoakKills|SoakExpiry|ClosedLabs|TroublesPass' -v ./engine/live/lab
	$(GO) test -count=1 -tags soak -timeout 60m -run 'KilledServer|TroublesOnThePage|EveryLessonIsWalked|LessonsAreFinished|APageThatStaysOpen' -v ./tests/e2e
	$(GO) test -count=1 -tags soak -timeout 15m -run ACrowdOverHTTP -v ./tests/e2e
	$(GO) test -count=1 -tags soak -timeout 90m -run SoakSequences -v ./engine/sqldb
	$(GO) test -count=1 -tags soak -timeout 30m -run SoakSequencesOnKfake -v ./engine/kafka
	bash tools/kafka.sh run $(GO) test -count=1 -tags soak -timeout 60m -run SoakSequencesOnApacheKafka -v ./engine/kafka
	bash tools/kafka.sh run $(GO) test -count=1 -tags soak -timeout 60m -run SoakApache -v ./engine/live/lab

fuzz: ## each fuzz target for FUZZTIME (30s)
	bash tools/fuzz.sh
