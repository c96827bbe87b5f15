#!/bin/sh
# Builds the engine for the browser into a folder: tools/wasm.sh FOLDER makes verifier.wasm and verifier-files.wasm there.
#
# Nothing of the machine goes into them. Functions are inlined only where an answer spends its time: without that verifier.wasm is a tenth
# larger once it is compressed, and verifier-files.wasm a quarter, and neither is quicker.
set -eu
go=${GO:-go}
folder=$1
module=github.com/modelverifier/verifier/internal

# build NAME FLAG... builds cmd/NAME-wasm.
build() {
	name=$1
	shift
	GOOS=js GOARCH=wasm CGO_ENABLED=0 "$go" build -v -pgo=off -trimpath -buildvcs=false -ldflags '-s -w -buildid=' -gcflags=all=-l "$@" -o "$folder/$name.wasm" "./cmd/$name-wasm"
}

cd "$(dirname "$0")/.."
build verifier -gcflags=runtime= -gcflags=internal/...= -gcflags=slices= -gcflags=strconv= -gcflags=unicode/utf8= -gcflags=math/bits= -gcflags="$module/arena=" -gcflags="$module/graph=" -gcflags="$module/quantity=" -gcflags="$module/infer=" \
	-gcflags="$module/estimate=" -gcflags="$module/exporter/...=" -gcflags="$module/view="
build verifier-files
