#!/bin/sh
# Installs the program verifier for this user, without root:
#
#   curl -fsSL https://raw.githubusercontent.com/modelverifier/verifier/v0.1.0/install.sh | sh
#
#   VERIFIER_VERSION   the release                       (v0.1.0)
#   VERIFIER_FOLDER    the folder to put the program in  (~/.local/bin)
#   VERIFIER_RELEASES  where the releases lie            (GitHub)
#
# The archive is used only if its SHA-256 is the one in the release's SHA256SUMS. Exit codes: 0 installed, 2 wrong usage, 3 there is no
# such release for this machine, 4 the digest is another or something is missing.
set -eu

say() { printf '%s\n' "verifier: $*" >&2; }

# sum prints the SHA-256 of a file.
sum() {
	if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# main is called in the last line, so that half a download does nothing.
main() {
	version=${VERIFIER_VERSION:-v0.1.0}
	folder=${VERIFIER_FOLDER:-${HOME:?}/.local/bin}
	releases=${VERIFIER_RELEASES:-https://github.com/modelverifier/verifier/releases/download}
	case $version in v*[!A-Za-z0-9._-]* | [!v]*) say "$version is not a version, such as v0.1.0"; exit 2 ;; esac
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) say "there is no archive for $(uname -s) here: on Windows, take the .zip from $releases/$version"; exit 3 ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) say "there is no archive for $(uname -m): go install github.com/modelverifier/verifier/cmd/verifier@$version"; exit 3 ;;
	esac
	for program in curl tar awk; do
		command -v "$program" >/dev/null || { say "$program is missing"; exit 4; }
	done
	name=verifier_${version#v}_${os}_$arch
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	for file in "$name.tar.gz" SHA256SUMS; do
		curl --fail --silent --show-error --location --retry 3 -o "$work/$file" "$releases/$version/$file" ||
			{ say "there is no $file in the release $version"; exit 3; }
	done
	wanted=$(awk -v name="$name.tar.gz" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
	if [ -z "$wanted" ] || [ "$(sum "$work/$name.tar.gz")" != "$wanted" ]; then
		say "the digest of $name.tar.gz is not the one that SHA256SUMS of $version has"
		exit 4
	fi
	tar -x -z -f "$work/$name.tar.gz" -C "$work"
	mkdir -p "$folder"
	# A running program can be replaced, but not written over.
	cp "$work/$name/verifier" "$folder/.verifier.new"
	chmod 755 "$folder/.verifier.new"
	mv "$folder/.verifier.new" "$folder/verifier"
	echo "verifier $version is in $folder"
	case :$PATH: in *:"$folder":*) ;; *) echo "add it to your path: export PATH=\"$folder:\$PATH\"" ;; esac
}

main
