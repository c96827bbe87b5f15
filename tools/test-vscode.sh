#!/bin/sh
# Packs the extension and tries it in VS Code itself: code-server in Debian's chromium, with the real language server. Everything comes from
# npm into tools/vscode (700 MB). The native modules of code-server, its terminal and its logger, are not built: nothing here uses them.
# PICTURES names a folder that keeps what was seen.
set -eu
cd "$(dirname "$0")/.."
tools/vsix.sh dist
code=tools/vscode/node_modules/code-server
[ -d "$code/lib/vscode/node_modules/ws" ] || npm install --prefix "$code/lib/vscode" --omit=dev --ignore-scripts --no-audit --no-fund --silent
if ! cmp -s tools/browser/package-lock.json tools/browser/node_modules/.fetched; then
	npm ci --prefix tools/browser --no-audit --no-fund --silent
	cp tools/browser/package-lock.json tools/browser/node_modules/.fetched
fi
"${GO:-go}" build -o bin/verifier ./cmd/verifier
node=$(ls -d "$PWD"/tools/vscode/node_modules/node-*/bin/node)
vsix=$(ls "$PWD"/dist/model-verifier-*.vsix)
server="$PWD/bin/verifier" code="$PWD/$code" chromium=$(command -v chromium)
cd editors/vscode
exec "$node" test/editor.mjs "$vsix" "$server" "$code" "$chromium" ${PICTURES:+"$PICTURES"}
