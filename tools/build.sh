#!/bin/sh
# Builds the engine for the browser, which the programs embed, and runs go build with the arguments that it gets. It says before what
# there is to compile and during it how far it is. PACK is how hard the engine is compressed: 11 is a tenth smaller and takes two minutes.
set -eu
go=${GO:-go}

# A package whose compiled form is not in Go's cache is stale. One takes 0.43 s of a processor (174 s for 410 of them).
todo=$("$go" list -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' ./cmd/... | grep -c .) || todo=0
browser=$(GOOS=js GOARCH=wasm "$go" list -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' ./cmd/verifier-wasm ./cmd/verifier-files-wasm | grep -c .) || browser=0
todo=$((todo + browser))
if [ "$todo" -gt 40 ]; then
	minutes=$(((todo * 43 / 100 / $(nproc) + 59) / 60))
	[ "$minutes" = 1 ] && time="a minute" || time="$minutes minutes"
	echo "compiling $todo packages, about $time; later builds compile only what has changed, in seconds"
fi

# The engine for the browser: nothing of the machine goes into it. Compressing it again is left out where it has not changed.
engine() {
	mkdir -p bin/wasm &&
		GOOS=js GOARCH=wasm "$go" build -v -pgo=off -trimpath -buildvcs=false -ldflags '-s -w -buildid=' -o bin/wasm/ ./cmd/verifier-wasm ./cmd/verifier-files-wasm &&
		(cd tools && "$go" build -pgo=off -o ../bin/wasm/pack ./pack) &&
		packed verifier && packed verifier-files &&
		cp "$("$go" env GOROOT)/lib/wasm/wasm_exec.js" web/engine/wasm_exec.js
}

packed() {
	mv "bin/wasm/$1-wasm" "bin/wasm/$1.wasm" && bin/wasm/pack "${PACK:-9}" "bin/wasm/$1.wasm" web/engine
}

# go prints a line for every package that it compiles; anything else that it prints is passed on.
status=$(mktemp)
trap 'rm -f "$status"' EXIT
{ { engine && "$go" build -v "$@"; } 2>&1 || echo $? >"$status"; } | awk -v todo="$todo" '
	/^[a-z][a-zA-Z0-9._\/-]*$/ { n++; if (n % 40 == 0) { printf "  %d of %d: %s\n", n, todo, $0; fflush() } next }
	{ print; fflush() }'
read -r code <"$status" || code=0
exit "$code"
