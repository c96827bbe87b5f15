#!/bin/sh
# Builds the engine for the browser into web/engine, which the programs embed. PACK is how hard it is compressed: 10 takes half a
# minute, 9 some seconds for a tenth more bytes, 11 minutes. Without it the module that every visitor fetches has 11, the other 10.
set -eu
go=${GO:-go}

cd "$(dirname "$0")/.."
mkdir -p bin/wasm
tools/wasm.sh "$PWD/bin/wasm"
(cd tools && "$go" build -pgo=off -o ../bin/wasm/pack ./pack)
# Both modules are compressed at once; what has not changed is left as it is.
bin/wasm/pack "${PACK:-11}" bin/wasm/verifier.wasm web/engine &
first=$!
bin/wasm/pack "${PACK:-10}" bin/wasm/verifier-files.wasm web/engine || { wait "$first"; exit 1; }
wait "$first"
cp "$("$go" env GOROOT)/lib/wasm/wasm_exec.js" web/engine/wasm_exec.js
