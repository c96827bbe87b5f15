#!/bin/sh
# Runs the tests of the packages that it is given, with a temporary folder of their own, and fails where they leave something in it.
# The folder's path is short, because that of a socket has at most 107 characters; others may enter it, because PostgreSQL runs as
# somebody else. A package gets half an hour: on a slow machine, starting PyTorch again and again takes more than the usual ten minutes.
set -eu
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/test.XXXXXX")
export TMPDIR NODE_DISABLE_COMPILE_CACHE=1 # Node.js would keep what it compiled in the temporary folder
chmod 755 "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM

tests() { # PACKAGES at once, ARGUMENT...
	packages=$1
	shift
	"${GO:-go}" tool -modfile=tools/go.mod gotestsum --format pkgname -- -p "$packages" -timeout 30m -vet=off "$@"
}
many=$(($(nproc) * 3)) # many tests wait, for a database, a browser or a clock: with so many packages no processor is idle

# Tests that hold what a request or a file costs of a processor: beside others, which take its caches, they would see half as much again.
costly='SmallWork$|MoreWork|OwnCall$|CostNoMore|CostLittle$'
costs="./internal/hostedapi ./internal/load ./internal/mcp ./internal/httpapi ./internal/bench ./internal/fix ./internal/edit ./internal/graph
./internal/fit/serve ./internal/cli ./internal/attest ./internal/action/plan ./internal/exporter/scene"

# The packages that take longest come first, so that no processor waits for one of them at the end, and among them those that wait beside
# those that calculate. make test has run golangci-lint, and with it go vet's analyzers, so go test need not.
failed=0
if [ "$*" != ./... ]; then
	tests "$many" "$@" || failed=$?
else
	set -- ./truth ./internal/jobs/slurm ./internal/importer/torch ./internal/store ./conformance ./cmd/verifier-hosted ./internal/worker ./web ./internal/cli \
		./internal/bench ./internal/hostedapi ./internal/training/run ./...
	tests "$many" -skip "$costly" "$@" || failed=$?
	echo "what requests and files cost, a package to a processor"
	export GOTESTSUM_JSONFILE="${GOTESTSUM_JSONFILE:+$GOTESTSUM_JSONFILE.costs}"
	# shellcheck disable=SC2086 # they are several
	tests "$(nproc)" -run "$costly" $costs || failed=$?
fi
for _ in 1 2 3 4 5; do # a browser that was closed may still be tidying up
	[ -n "$(ls -A "$TMPDIR")" ] || break
	sleep 1
done
if [ -n "$(ls -A "$TMPDIR")" ]; then
	echo "The tests left these in the temporary folder, which is a fault of theirs:"
	(cd "$TMPDIR" && find . -mindepth 1 -maxdepth 2 | head -n 20)
	failed=1
fi
exit "$failed"
