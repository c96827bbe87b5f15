# Two commands do everything: make run and make test. The rest is for developers; make help lists it.

GO ?= go
BIN := bin
TOOL := $(GO) tool -modfile=tools/go.mod
FUZZTIME ?= 10m
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
STAMP = $(foreach package,main github.com/modelverifier/verifier/internal/cli,-X $(package).version=$(VERSION) -X $(package).commit=$(COMMIT))
ARCH ?= amd64
RUN_ADDR ?= 127.0.0.1:8080
export CGO_ENABLED := 0

.PHONY: run demo test help build man setup packages vet staticcheck lint truth bench bench-http bench-hosted image image-binary fuzz generate clean

run: build ## build everything and start the service on a local port, with its data in verifier-data
	@$(BIN)/verifier-hosted --addr $(RUN_ADDR)

demo: build ## build everything and check a bundled example model
	@echo; $(BIN)/verifier describe models/resnet18.graph
	@echo; $(BIN)/verifier plan models/resnet18.graph
	@echo; $(BIN)/verifier lint models/resnet18.graph

test: packages build vet staticcheck ## install what the tests need, and run them all
	$(TOOL) gotestsum --format pkgname -- ./...

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: setup ## build every program into bin/
	$(GO) build -ldflags '$(STAMP)' -o $(BIN)/ ./cmd/...

man: setup ## write the manual pages into bin/man
	SOURCE_DATE_EPOCH=$(or $(shell git log -1 --format=%ct 2>/dev/null),0) $(GO) run ./internal/cli/man $(BIN)/man

# Go is all that the programs need.
setup:
	@command -v $(GO) >/dev/null || { echo "Go is missing: install Go 1.26 or later from go.dev/dl"; exit 1; }

# What the tests run beside Go: node for WebAssembly, chromium for pages, qemu for arm64, openssl for signatures, PyTorch (and a quick BLAS below
# it) for what is exported, the libraries that exported files do without, and PostgreSQL. Installed where that is allowed; without them
# those cases are skipped, and say so.
packages: setup
	@[ "$$(df -Pk . | awk 'END {print $$4}')" -gt 4000000 ] || echo "less than 4 GB are free here: tests may fail for that alone (go clean -cache makes room)"
	@missing=; command -v node >/dev/null || missing="$$missing nodejs"; \
	command -v npm >/dev/null || missing="$$missing npm"; command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v qemu-aarch64-static >/dev/null || command -v qemu-aarch64 >/dev/null || missing="$$missing qemu-user-static"; \
	command -v openssl >/dev/null || missing="$$missing openssl"; \
	/usr/bin/python3 -c 'import torch, torchvision, torchaudio' 2>/dev/null || missing="$$missing python3-torch python3-torchvision python3-torchaudio libopenblas0-pthread"; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || missing="$$missing postgresql"; \
	[ -n "$$missing" ] || exit 0; \
	if ! command -v apt-get >/dev/null; then echo "to run every test, install:$$missing"; exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2>/dev/null; then as=sudo; else echo "to run every test: apt-get install$$missing"; exit 0; fi; \
	$$as apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$as apt-get install -y -qq --no-install-recommends $$missing >/dev/null
	@[ -d tools/mcp/node_modules/@modelcontextprotocol ] || ! command -v npm >/dev/null || npm ci --prefix tools/mcp --no-audit --no-fund --silent || \
		echo "to run every test: npm ci --prefix tools/mcp"
	@[ -d tools/browser/node_modules/playwright-core ] || ! command -v npm >/dev/null || npm ci --prefix tools/browser --no-audit --no-fund --silent || \
		echo "to run every test: npm ci --prefix tools/browser"

vet:
	$(GO) vet ./...

staticcheck:
	$(TOOL) staticcheck ./...

lint: ## golangci-lint, slower to build; .golangci.yml gives the reason beside every disabled check
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0 run ./...

truth: packages ## compare with PyTorch's measured rows, and print the tables
	$(GO) test ./truth -count=1 -v | grep -v '^ *--- PASS\|^=== '
	$(GO) test ./internal/importer/torch -run 'Corpus|Torchvision|Torchaudio|ChangedNumbers' -count=1 -v | grep -v '^ *--- PASS\|^=== '

bench: build ## benchmarks of decoding, the walk and the rules, summed up by benchstat
	$(GO) test ./internal/graph ./internal/infer ./internal/rules ./internal/action/lint ./internal/fit/layout ./internal/fit/serve -run '^$$' -bench '^Benchmark(Decode|Walk|Rules|Lint|Valid|Suggest512|Check)$$' \
		-benchtime 0.3s -benchmem -count 6 -cpu 1 > $(BIN)/bench.txt
	$(TOOL) benchstat $(BIN)/bench.txt
	$(GO) test ./internal/manifest -run '^$$' -bench . -benchtime 5x

bench-http: build ## a bounded load on loopback against the real server, beside an empty handler
	$(GO) run ./internal/httpapi/load -server $(BIN)/verifier-server

bench-hosted: build ## keyed checks on SQLite and on PostgreSQL with one and three replicas, beside the container; backups; memory
	VERIFIER_BIN=$(CURDIR)/$(BIN) $(GO) test ./internal/hostedapi -run '^$$' -bench '^BenchmarkHosted$$' -benchtime 1x -timeout 30m

# Nothing of the machine goes into the binary: no paths, no build id, no clock. Two builds of a commit are the same bytes.
image-binary:
	GOOS=linux GOARCH=$(ARCH) $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$(VERSION) -X main.commit=$(COMMIT)" -o $(BIN)/image/verifier-server ./cmd/verifier-server

image: image-binary ## write the container image bin/verifier-server.tar, without a daemon or a base image
	$(GO) run ./deploy/image -binary $(BIN)/image/verifier-server -out $(BIN)/verifier-server.tar -arch $(ARCH) -version $(VERSION)

fuzz: ## fuzz every target for FUZZTIME (10m) each
	@set -e; grep -rl '^func Fuzz' --include='*_test.go' internal | while read -r file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' "$$file"); do \
			echo "$$(dirname $$file) $$target"; \
			$(GO) test "./$$(dirname $$file)" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME); \
		done; done

generate: ## refresh the digests of the rule set
	$(GO) generate ./...

clean: ## remove what was built
	rm -rf $(BIN)
