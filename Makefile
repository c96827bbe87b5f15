# Two commands do everything: make run and make test. The rest is for developers; make help lists it.

export GO ?= go
BIN := bin
TOOL := $(GO) tool -modfile=tools/go.mod
TESTS ?= ./...
FUZZTIME ?= 10m
# What has goroutines of its own, less what takes minutes under the race detector (hostedapi, site). make test runs their short tests
# under it, make race everything. Those that take longest come first, so that the others run while they wait.
RACE ?= $(addprefix ./,internal/store internal/account internal/mcp internal/worker internal/jobs internal/httpapi internal/blob internal/rate cmd/verifier-server internal/corpus internal/hub internal/jobs/local internal/manifest internal/share internal/telemetry)
# The version is that of the source (the file VERSION, repo.go), whoever builds it; the commit is that of git.
VERSION := v$(shell sed 's/\.dev/-dev./' VERSION)
COMMIT ?= $(shell git describe --always --abbrev=40 --exclude='*' --dirty=+dirty 2>/dev/null)
STAMP = -X github.com/modelverifier/verifier.commit=$(COMMIT)
ARCH ?= amd64
RUN_ADDR ?= $(or $(VERIFIER_ADDR),127.0.0.1:8080)
RUN_PLAN_RATE ?= $(or $(VERIFIER_PLAN_RATE),100000)
DEBIAN ?= 12 13
export CGO_ENABLED := 0

# With a profile, go compiles everything below a program once more for that program: 898 packages in the place of 410. So only what is
# shipped or measured is built with it.
PGO := off
SET_GOFLAGS := $(shell $(GO) env GOFLAGS 2>/dev/null)
# Everything is compiled as a release is, without paths, so that tests of releases and of the browser's engine find it compiled.
export GOFLAGS = $(strip $(SET_GOFLAGS) -trimpath -pgo=$(PGO))
bench-http bench-hosted image image-binary wheels release: PGO := auto

.PHONY: loop run demo test test-bare help build man setup packages vet lint vulnerabilities race truth sources bench bench-http bench-hosted bench-jobs bench-fix growth faults soak cluster soak-programs load-test chart image image-binary licenses wheels release test-python vsix test-vscode fuzz properties generate clean

run: build ## build everything and start the service on RUN_ADDR (127.0.0.1:8080), with its data in verifier-data
	@$(BIN)/verifier-hosted --addr $(RUN_ADDR) --plan-rate $(RUN_PLAN_RATE)

demo: build ## build everything and check a bundled example model
	@echo; $(BIN)/verifier describe models/resnet18.graph
	@echo; $(BIN)/verifier plan models/resnet18.graph
	@echo; $(BIN)/verifier lint models/resnet18.graph

# Installing waits for the network and the disk, compiling for the processors: they go on beside one another. packages, which may ask
# something on the terminal, comes first.
test: ## say what the tests need, install it, and run them all (or TESTS)
	@$(MAKE) --no-print-directory -j3 packages build tools/bin/golangci-lint
	@$(MAKE) --no-print-directory lint vulnerabilities
	@echo "testing $(TESTS): the first time this compiles for some minutes"
	@tools/test.sh $(TESTS)
	@[ "$(TESTS)" != ./... ] || tools/race.sh -short $(RACE)

test-bare: ## make test and make run on a bare Debian 12 and 13 (DEBIAN), made with debootstrap; as root, for an hour or two
	@tools/bare.sh "$(TESTS)" $(DEBIAN)

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: setup ## build every program into bin/, and before them the engine for the browser that they embed (PACK=11 compresses it most)
	@tools/build.sh -ldflags '$(STAMP)' -o $(BIN)/ ./cmd/...

man: setup ## write the manual pages into bin/man
	SOURCE_DATE_EPOCH=$(or $(shell git log -1 --format=%ct 2>/dev/null),0) $(GO) run ./internal/cli/man $(BIN)/man

# Go is all that the programs need.
setup:
	@command -v $(GO) >/dev/null || { echo "Go is missing: install Go 1.26 or later from go.dev/dl"; exit 1; }

packages: setup ## install what the tests run beside Go: Debian's packages as root (asks on a terminal; YES=1 does not), JavaScript's under tools/
	@[ "$$(df -Pk . | awk 'END {print $$4}')" -gt 4000000 ] || echo "less than 4 GB are free here: tests may fail for that alone (go clean -cache makes room)"
	@tools/packages.sh

# golangci-lint runs the same analyzers, so that make test does not run them twice.
vet: ## go vet alone
	$(GO) vet $(TESTS)

lint: tools/bin/golangci-lint ## golangci-lint, with staticcheck's and gosec's rules; .golangci.yml gives the reason beside every exception
	@echo "running golangci-lint: the first time it takes minutes"
	@tools/bin/golangci-lint run $(TESTS)

tools/bin/golangci-lint: Makefile | setup
	@echo "compiling golangci-lint into tools/bin, some minutes"
	@GOBIN=$(CURDIR)/tools/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0 && touch $@

vulnerabilities: ## govulncheck, against Go's database of known vulnerabilities (GOVULNDB names a copy)
	@tools/vulnerabilities.sh

race: ## the tests (or TESTS) under the race detector, for an hour
	@tools/race.sh $(TESTS)

truth: packages ## compare with PyTorch's measured rows, and print the tables
	$(GO) test ./truth -count=1 -v -all -pertype 4 -flops 20e9 | grep -v '^ *--- PASS\|^=== '
	$(GO) test ./internal/importer/torch -run 'Corpus|Torchvision|Torchaudio|ChangedNumbers' -count=1 -v | grep -v '^ *--- PASS\|^=== '

loop: ## follow the findings of BROKEN (500) broken graphs of each importer, and print what was repaired
	VERIFIER_BROKEN=$(or $(BROKEN),500) $(GO) test ./truth -run LoopOverBroken -count=1 -timeout 2h -v | grep -v '^=== '

sources: ## compare with what PyTorch gave for models of public repositories, which REPOS=folder has as OWNER+NAME (ROWS, SITE_PACKAGES)
	$(GO) run ./truth/sources -repos '$(REPOS)' -rows '$(or $(ROWS),truth/sources.jsonl.gz)' -site-packages '$(SITE_PACKAGES)' -causes 20

bench: build ## benchmarks of decoding, the walk and the rules, summed up by benchstat
	$(GO) test ./internal/graph ./internal/infer ./internal/rules ./internal/action/lint ./internal/fit/layout ./internal/fit/serve -run '^$$' -bench '^Benchmark(Decode|Walk|Rules|Lint|Served|Valid|Suggest512|Check)$$' \
		-benchtime 0.3s -benchmem -count 6 -cpu 1 > $(BIN)/bench.txt
	$(TOOL) benchstat $(BIN)/bench.txt
	$(GO) test ./internal/manifest -run '^$$' -bench . -benchtime 5x

bench-http: build ## a bounded load on loopback against the real server, beside an empty handler
	$(GO) run ./internal/httpapi/load -server $(BIN)/verifier-server

bench-hosted: build ## keyed checks on SQLite and on PostgreSQL with one and three replicas, beside the container and an empty handler; backups; memory
	VERIFIER_BIN=$(CURDIR)/$(BIN) $(GO) test ./internal/hostedapi -run '^$$' -bench '^Benchmark(Hosted|Keyed)$$' -benchtime 1x -timeout 30m

GROWTH ?= 1

growth: setup ## fill both databases with GROWTH (1) times 10 million corpus rows, and time what callers wait for, retention, vacuum, backup and recovery (GROWTH_ON=sqlite or postgres)
	VERIFIER_GROWTH=$(GROWTH) VERIFIER_GROWTH_ON=$(GROWTH_ON) $(GO) test ./internal/store -run '^TestGrowth$$' -count=1 -v -timeout 120m

FAULTS ?= 200

faults: setup ## FAULTS (200) training jobs on SQLite and on PostgreSQL while workers, the service and the database are killed with signal 9
	VERIFIER_FAULTS=$(FAULTS) $(GO) test ./cmd/verifier-hosted -run '^TestNothingIsLostOrDoneTwiceWhateverIsKilled$$' -count=1 -v -timeout 60m

SOAK ?= 10m
OVERLOAD ?= 1m

# The service is built with a clock that can be set off. What the cluster needs beside Go is in tools/packages.sh.
soak-programs: setup
	@mkdir -p $(BIN)/soak
	$(GO) build -tags soak -ldflags '$(STAMP)' -o $(BIN)/soak/verifier-hosted ./cmd/verifier-hosted
	$(GO) build -o $(BIN)/soak/soak ./deploy/soak
	@tools/former.sh $(BIN)/soak/former $(FORMER)

soak: soak-programs ## for SOAK (10m), as root: three replicas, PostgreSQL with a standby, S3 and HAProxy on one machine, with every fault at random; then twice their capacity for OVERLOAD (1m)
	@$(BIN)/soak/soak -for $(SOAK) -overload $(OVERLOAD) $(if $(ONLY),-only '$(ONLY)') $(if $(SEED),-seed $(SEED))

cluster: soak-programs ## the same cluster, as root, until Ctrl-C: at an address of this machine, with a key
	@$(BIN)/soak/soak -hold

chart: setup ## render the Helm chart with helm itself, built first (some minutes), and read what comes of it as Kubernetes does
	GOBIN=$(CURDIR)/tools/bin GOFLAGS=-trimpath $(GO) install helm.sh/helm/v3/cmd/helm@v3.22.0
	$(GO) test -tags helm -run Helm -count=1 ./deploy/hosted

load-test: setup ## checks at a service that runs, such as your staging: URL, KEY_FILE, RATE (50 a second), FOR (1m)
	@$(GO) run ./internal/httpapi/load -url '$(URL)' -key-file '$(KEY_FILE)' -rate $(or $(RATE),50) -for $(or $(FOR),1m)

bench-jobs: setup ## 10,000 queued training jobs and 50 workers that simulate; check's p99 before and meanwhile
	VERIFIER_BENCH_JOBS=10000 $(GO) test ./cmd/verifier-hosted -run '^TestManyQueuedJobsDrainBesideCallers$$' -count=1 -v -timeout 60m

bench-fix: setup ## 200 classes broken in one line each, mended and run in PyTorch; FIX_ROWS and FIX_REPOS name measured classes of other repositories, which come to ours; FIX_SEED draws others
	FIX_BENCH=$(or $(FIX_BENCH),200) $(GO) test ./internal/fix -run '^Test(MendsWhatWasBroken|LeavesAloneWhatIsRight)$$' -count=1 -v -timeout 60m

# Nothing of the machine goes into the binary: no paths, no build id, no clock. Two builds of a commit are the same bytes.
image-binary:
	GOOS=linux GOARCH=$(ARCH) $(GO) build -pgo=$(PGO) -trimpath -buildvcs=false -ldflags "-s -w -buildid= $(STAMP)" -o $(BIN)/image/verifier-server ./cmd/verifier-server
	$(GO) run ./deploy/licenses -out $(BIN)/image/licenses.txt $(BIN)/image/verifier-server

licenses: build ## write the licence texts of everything that is linked into the programs to bin/licenses.txt
	$(GO) run ./deploy/licenses -out $(BIN)/licenses.txt $(BIN)/verifier*

image: image-binary ## write the container image bin/verifier-server.tar, without a daemon or a base image
	$(GO) run ./deploy/image -binary $(BIN)/image/verifier-server -licenses $(BIN)/image/licenses.txt -out $(BIN)/verifier-server.tar -arch $(ARCH) -version $(VERSION)

# One wheel for each platform, or for PLATFORMS, such as linux/amd64. Two builds of a commit are the same bytes.
wheels: setup ## write the wheels of the Python package into dist/, each with the program of its platform (PLATFORMS)
	VERIFIER_STAMP='$(STAMP)' python3 python/build_wheel.py --out dist $(addprefix --only ,$(PLATFORMS))

PLATFORMS ?=
comma := ,
space := $(subst ,, )

# Two runs on one commit, with one release of Go, give the same bytes: docs/release.md. KEY signs the provenance.
release: setup ## write the release of this commit into dist/: archives, SBOMs, images, wheels, provenance, SHA256SUMS (PLATFORMS, KEY)
	@rm -rf dist
	@PACK=11 tools/engine.sh
	@$(GO) run ./deploy/release -out dist $(if $(PLATFORMS),-platforms $(subst $(space),$(comma),$(strip $(PLATFORMS)))) $(if $(KEY),-key $(KEY))

test-python: ## install the wheel of this platform with PyTorch 2 and the libraries around it in VENV, and test it with MODELS (200) models
	@tools/test-python.sh

vsix: ## write the extension of VS Code into dist/; what packs it comes from npm into tools/vscode (460 MB)
	@tools/vsix.sh dist

test-vscode: setup ## try the packed extension in VS Code itself, in chromium: code-server comes from npm (900 MB in all, some minutes; PICTURES)
	@tools/test-vscode.sh

fuzz: ## fuzz every target for FUZZTIME (10m) each, and send costly requests to every surface for as long
	@set -e; for surface in httpapi hostedapi; do echo "internal/$$surface TestSmallRequestsCauseSmallWork"; \
		VERIFIER_PROMISE=$(FUZZTIME) $(GO) test "./internal/$$surface" -run '^TestSmallRequestsCauseSmallWork$$' -count=1 -timeout 0; done
	@echo "internal/hostedapi TestFixesCauseNoMoreWorkThanTheirTime"
	@VERIFIER_PROMISE=$(FUZZTIME) $(GO) test ./internal/hostedapi -run '^TestFixesCauseNoMoreWorkThanTheirTime$$' -count=1 -timeout 0
	@echo "internal/load TestDrawnFilesCostTheirOwnCall"
	@VERIFIER_PROMISE=$(FUZZTIME) $(GO) test ./internal/load -run '^TestDrawnFilesCostTheirOwnCall$$' -count=1 -timeout 0
	@set -e; grep -rl '^func Fuzz' --include='*_test.go' internal | while read -r file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' "$$file"); do \
			echo "$$(dirname $$file) $$target"; \
			$(GO) test "./$$(dirname $$file)" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME); \
		done; done

CHECKS ?= 2000
properties: SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))

properties: ## check every property CHECKS (2000) times, from a new seed, which it prints (SEED); make test draws from seed 1
	@echo "make properties SEED=$(SEED) draws the same again"
	@RAPID_SEED=$(SEED) RAPID_CHECKS=$(CHECKS) $(GO) test -count=1 -timeout 0 \
		$$(grep -rl --include='*_test.go' --exclude-dir=node_modules '^[[:space:]]*"pgregory.net/rapid"' . | xargs -n 1 dirname | sort -u)

generate: ## refresh the digests of the rule set, found from the build
	$(GO) generate ./...

clean: ## remove what was built
	rm -rf $(BIN) dist web/engine/verifier*.wasm.* web/engine/wasm_exec.js
