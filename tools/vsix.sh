#!/bin/sh
# Writes the extension of VS Code into a folder (dist), as model-verifier-VERSION.vsix. The same commit gives the same bytes: vsce takes the
# time of every file from SOURCE_DATE_EPOCH.
set -eu
cd "$(dirname "$0")/.."
out=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
for folder in editors/vscode tools/vscode; do
	cmp -s $folder/package-lock.json $folder/node_modules/.fetched && continue
	echo "fetching what $folder locks"
	npm ci --prefix $folder --ignore-scripts --no-audit --no-fund --silent
	cp $folder/package-lock.json $folder/node_modules/.fetched
done
for newer in "$PWD"/tools/vscode/node_modules/node-*/bin; do PATH=$newer:$PATH; done # vsce takes Node.js 22
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export PATH SOURCE_DATE_EPOCH
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' editors/vscode/package.json)
cp LICENSE editors/vscode/LICENSE
trap 'rm -f editors/vscode/LICENSE' EXIT
cd editors/vscode
rm -f "$out"/model-verifier-*.vsix
node ../../tools/vscode/node_modules/@vscode/vsce/vsce package --no-dependencies --out "$out/model-verifier-$version.vsix" >/dev/null
cd "$out" && sha256sum "model-verifier-$version.vsix"
