#!/bin/sh
# Builds the engine for the browser into a folder: tools/wasm.sh FOLDER makes verifier.wasm and verifier-files.wasm there.
#
# Nothing of the machine goes into them. Nothing is inlined: the modules are a fifth smaller once they are compressed, and a browser, which
# compiles them once more, runs them no slower (docs/performance.md).
set -eu
go=${GO:-go}
folder=$1

cd "$(dirname "$0")/.."
for name in verifier verifier-files; do
	GOOS=js GOARCH=wasm CGO_ENABLED=0 "$go" build -v -pgo=off -gcflags=all=-l -trimpath -buildvcs=false -ldflags '-s -w -buildid=' \
		-o "$folder/$name.wasm" "./cmd/$name-wasm"
done
