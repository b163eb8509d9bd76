# `make` is what CI runs: build, lint, and all tests with the race detector,
# among them the one that fails when a generated file is stale.

GO       ?= go
FUZZTIME ?= 60s

STATICCHECK = $(GO) tool -modfile=cmd/tools/go.mod staticcheck

.PHONY: all build demo test lint generate new update fuzz bench mutate clean

all: TESTFLAGS += -race
all: build lint test

build:
	$(GO) build -o bin/retryaudit ./cmd/retryaudit

# The report of a recorded outage that ships with the source.
demo: build
	bin/retryaudit analyze testdata/real/agent-vercel-portkey-outage.jsonl

test:
	$(GO) test $(TESTFLAGS) ./...
	$(GO) test -C cmd/tools $(TESTFLAGS) ./...

lint:
	@bad=$$(gofmt -l .); test -z "$$bad" || { echo "gofmt -w $$bad"; exit 1; }
	$(GO) vet ./...
	$(STATICCHECK) ./...
	$(GO) vet -C cmd/tools ./...
	$(GO) tool -C cmd/tools staticcheck ./...

# Writes the rule registry and the catalogue pages.
generate:
	$(GO) generate ./rules ./ingest/semconv

# Begins a rule: make new RULE=the-defect
new:
	$(GO) run ./rules/internal/gen/registry -dir rules -new $(RULE)

# Rewrites the golden files, to be read in review.
update:
	$(GO) test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update

# Runs every fuzz target for FUZZTIME, none of which goes into minimising inputs.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg || exit 1; \
		done; \
	done

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Makes the rules and the attempt graph wrong in one place at a time: the tests
# must fail. Minutes long, so that CI does not run it.
mutate:
	$(GO) build -C cmd/tools -o $(CURDIR)/bin/mutate ./mutate
	bin/mutate -accept cmd/tools/mutate/survivors.txt rules analyzer/trace=rules,cmd/retryaudit

clean:
	rm -rf bin
