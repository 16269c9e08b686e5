# Everything a contributor needs. CI runs `make lint test`.
N ?= 2000
CASES ?= 20000
SEED ?= 1
DATA ?= ../shared/data
RAPID := $(shell go list -f '{{range .TestImports}}{{if eq . "pgregory.net/rapid"}}{{$$.ImportPath}}{{end}}{{end}}{{range .XTestImports}}{{if eq . "pgregory.net/rapid"}} {{$$.ImportPath}}{{end}}{{end}}' ./... 2>/dev/null)
OTHERS := $(filter-out $(RAPID),$(shell go list ./... 2>/dev/null))
HAND := $(shell go list ./... 2>/dev/null | grep -v '/grammar/gen$$')

.PHONY: build test race prop conformance slt generate lint bench torture torture-consume demo demo-large rewrite fuzz

build: ## the command, as bin/ivmc
	go build -o bin/ivmc ./cmd/ivmc

test: ## unit, golden and property tests, with invariants checked; the same random cases each time, SEED=0 for others
	go test -tags invariants -timeout 15m $(OTHERS)
	go test -tags invariants -timeout 15m $(sort $(RAPID)) -rapid.seed=$(SEED)

race: ## the same under the race detector
	go test -race -short -tags invariants -timeout 30m ./...

prop: ## long property run: N checks a property
	go test -tags invariants -timeout 120m ./proptest ./storage ./session ./expr ./algebra ./zset -rapid.checks=$(N)
	go test -tags invariants -timeout 120m ./runtime -run TestViewIsItsQuery -seeds=$(N)

conformance: ## against a real PostgreSQL: N expressions, casts, aggregates, queries; skipped with a notice where there is none
	go test -count=1 -timeout 60m -v ./internal/testkit/conformance -cases=$(CASES)

slt: ## sqllogictest files as printed and as views under change: FILES=DIR/*.slt, REFRESH=1 for views that keep themselves
	go test -count=1 -timeout 60m -v ./internal/testkit/slt -run 'TestFiles$$' $(if $(FILES),-files="$(abspath $(FILES))") $(if $(REFRESH),-refresh)

generate: ## the parser, with the pinned ANTLR tool; the diff must be empty
	bash grammar/gen.sh
	git diff --exit-code -- grammar/gen

lint: ## formatting, vet, layers
	@bad=$$(gofmt -l $$(git ls-files '*.go' | grep -v '^grammar/gen/')); if [ -n "$$bad" ]; then echo "gofmt: $$bad"; exit 1; fi
	go vet -tags invariants $(HAND)
	go vet -unreachable=false ./grammar/...
	go test -count=1 ./internal/testkit/layers

bench: ## every figure of docs/benchmarks.md, as a table and as bench.json
	go run ./internal/testkit/bench -data $(DATA) -json bench.json

torture: ## a process that writes, refreshes and runs schedules is killed N times; what it acknowledged is there, and views are right
	go test -count=1 -timeout 240m -v ./proptest -run 'TestTorture$$' -kills=$(N)

torture-consume: ## a process that consumes a stream is killed N times, and each change arrives once
	go test -count=1 -timeout 120m -v ./proptest -run 'TestTortureConsume$$' -kills=$(N)

demo: build ## real flights, views over them, changes, and how the views follow
	bin/ivmc demo

demo-large: ## three million flights: load, views, changes, refreshes, checks, and what each took: DATA=DIR
	@go run ./examples/large -data $(DATA)

rewrite: ## regenerate golden files; read the diff
	go test ./ast ./algebra ./delta ./explain ./internal/testkit/docs -rewrite

FUZZTIME ?= 60s
# Without the limit each input of new coverage is shortened for a minute, and nothing new is tried meanwhile.
FUZZ = -run '^$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 300x
fuzz: ## each fuzz target for FUZZTIME: parser, binder to plan, file readers, codecs of keys and rows, blocks of the log, rows from a socket
	go test ./ast $(FUZZ) -fuzz '^FuzzParse$$'
	go test ./session $(FUZZ) -fuzz '^FuzzPlan$$'
	go test ./load $(FUZZ) -fuzz '^FuzzText$$'
	go test ./load $(FUZZ) -fuzz '^FuzzFile$$'
	go test ./zset $(FUZZ) -fuzz '^FuzzCodecs$$'
	go test ./storage $(FUZZ) -fuzz '^FuzzBlock$$'
	go test ./serve $(FUZZ) -fuzz '^FuzzRows$$'
