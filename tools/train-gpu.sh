#!/bin/sh
# Trains on a machine with a card that has neither a network nor Go: everything is brought along, in pieces that can travel one by one.
#   tools/train-gpu.sh pack FOLDER         here: builds the programs, and writes pieces of at most PIECE bytes (40 MB)
#   tools/train-gpu.sh run FOLDER [FLAGS]  there: puts the pieces together, and runs worker/measure.py with python3 (or PYTHON)
# What it prints goes into docs/training.md.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
PIECE=${PIECE:-40000000}
GO=${GO:-go}
PYTHON=${PYTHON:-python3}
[ $# -ge 2 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
what=$1 folder=$2
shift 2

pack() {
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/bin" "$work/examples" "$folder"
	cd "$root"
	for program in verifier verifier-hosted verifier-worker; do
		CGO_ENABLED=0 GOOS=linux GOARCH=amd64 $GO build -trimpath -ldflags '-s -w' -o "$work/bin/" "./cmd/$program"
	done
	cp models/mnist-convnet.graph examples/*.graph "$work/examples"
	cp -r worker "$work/worker"
	ln -s "$root/tools/data" "$work/data"
	rm -f "$folder"/piece-*
	# xz makes programs and digits small; photographs stay at four fifths whatever packs them.
	tar -C "$work" -ch bin examples worker data/tabular data/mnist data/cifar10 | xz -T0 -2 | split -b "$PIECE" -d - "$folder/piece-"
	ls -l "$folder"
}

run() {
	folder=$(cd "$folder" && pwd)
	if [ ! -f "$folder/unpacked/whole" ]; then
		mkdir -p "$folder/unpacked"
		cat "$folder"/piece-* | xz -d | tar -C "$folder/unpacked" -x
		touch "$folder/unpacked/whole"
	fi
	cd "$folder/unpacked"
	exec "$PYTHON" worker/measure.py --bin bin --data data --examples examples "$@"
}

case $what in
pack) pack ;;
run) run "$@" ;;
*) echo "tools/train-gpu.sh: $what is neither pack nor run" >&2; exit 2 ;;
esac
