#!/bin/sh
# Puts the program verifier into the folder $1: the release $VERIFIER_VERSION, or built from the source in $2 where that is "source",
# or where there is no such release for this machine and Go is installed. A release whose digest is another than it says is never used.
set -eu

folder=$1 source=$2
version=${VERIFIER_VERSION:-source}
releases=${VERIFIER_RELEASES:-https://github.com/modelverifier/verifier/releases/download}

say() { printf '%s\n' "$*" >&2; }

build() {
	command -v go >/dev/null || { say "verifier: to build from source, install Go 1.26 or later"; exit 4; }
	(cd "$source" && CGO_ENABLED=0 go build -o "$folder/verifier" ./cmd/verifier)
}

# sum prints the SHA-256 of a file.
sum() {
	if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ "$version" = source ]; then
	build
	exit
fi
case $version in *[!A-Za-z0-9._-]*) say "verifier: $version is not a version"; exit 2 ;; esac
case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) os=$(uname -s) ;; esac
case $(uname -m) in x86_64 | amd64) arch=amd64 ;; aarch64 | arm64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
name=verifier_${os}_$arch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! curl --fail --silent --show-error --location --retry 3 -o "$work/verifier" "$releases/$version/$name" ||
	! curl --fail --silent --show-error --location --retry 3 -o "$work/SHA256SUMS" "$releases/$version/SHA256SUMS"; then
	say "note: there is no release $version of $name: built from source"
	build
	exit
fi
wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
if [ -z "$wanted" ] || [ "$(sum "$work/verifier")" != "$wanted" ]; then
	say "verifier: the digest of $name is not the one that SHA256SUMS of $version has"
	exit 4
fi
chmod +x "$work/verifier"
mv "$work/verifier" "$folder/verifier"
