#!/bin/sh
# Puts the program verifier into the folder $1: the release $VERIFIER_VERSION, or built from the source in $2 where that is "source",
# or where there is no such release for this machine and Go is installed. A release whose digest is another than it says is never used.
set -eu

folder=$1 source=$2
version=${VERIFIER_VERSION:-source}

say() { printf '%s\n' "$*" >&2; }

build() {
	command -v go >/dev/null || { say "verifier: to build from source, install Go 1.26 or later"; exit 4; }
	(cd "$source" && CGO_ENABLED=0 go build -o "$folder/verifier" ./cmd/verifier)
}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ "$version" = source ]; then
	build
	exit
fi
code=0
VERIFIER_FOLDER=$folder sh "$(dirname "$0")/../install.sh" >&2 || code=$?
case $code in
3) say "note: built from source"; build ;;
*) exit "$code" ;;
esac
