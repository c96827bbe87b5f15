"""Measures train.py beside a plain hand-written loop, for the same model on the same card in one run.

    python3 bench.py --model model.py --class Model --dataset cifar10 --data FOLDER --input 3,32,32

The plain loop has it as easy as can be: all samples lie on the card as normalised floats, and it neither crops nor validates. Both use
the same optimizer, autocast and memory format. Epochs of the two alternate; the first of each warms up and is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from typing import Any

import torch

import train

CLASSES = {"mnist": 10, "cifar10": 10, "tabular": 2}


def plain_loop(run: train.Run, x: torch.Tensor, y: torch.Tensor) -> float:
    """Trains one epoch as anybody would write it, and returns samples per second."""
    model, optimizer = run.model, run.optimizer
    batch = int(run.config["batchSize"])
    n = len(y)
    model.train()
    wait_for(run.device)
    began = time.monotonic()
    order = torch.randperm(n, device=run.device)
    for i in range(0, n - n % batch, batch):
        index = order[i : i + batch]
        optimizer.zero_grad(set_to_none=True)
        with run.mixed():
            loss = torch.nn.functional.cross_entropy(model(x[index]).float(), y[index])
        torch.autograd.backward(loss)
        optimizer.step()
    wait_for(run.device)
    return (n - n % batch) / (time.monotonic() - began)


def prepared(run: train.Run) -> tuple[torch.Tensor, torch.Tensor]:
    """All samples as normalised floats, without the padding that crops need."""
    x = run.data.train.x
    if run.data.crop:
        x = x[:, :, train.PADDING : -train.PADDING, train.PADDING : -train.PADDING]
    return train.normalise(run.data, x, run.shape), run.data.train.y


def wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def measure(task: dict[str, Any], rounds: int) -> dict[str, Any]:
    with open(os.devnull, "w") as nowhere:
        return alternate(train.Run(task, nowhere), train.Run(task, nowhere), rounds)


def alternate(ours: train.Run, plain: train.Run, rounds: int) -> dict[str, Any]:
    x, y = prepared(plain)
    steps = -(-len(ours.data.train.y) // int(ours.config["batchSize"]))
    trained, hand, whole = [], [], []
    for number in range(1, rounds + 2):
        took = ours.epoch(number, steps)
        rate = plain_loop(plain, x, y)
        if number > 1:
            trained.append(took["samplesPerSec"])
            whole.append(len(ours.data.train.y) / took["seconds"])
            hand.append(rate)
    return {
        "device": torch.cuda.get_device_name(ours.device) if ours.device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "trainerSamplesPerSec": round(statistics.median(trained), 1),
        "trainerWithValidationSamplesPerSec": round(statistics.median(whole), 1),
        "plainSamplesPerSec": round(statistics.median(hand), 1),
        "share": round(statistics.median(trained) / statistics.median(hand), 4),
    }


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", required=True)
    p.add_argument("--class", required=True, dest="name")
    p.add_argument("--dataset", required=True, choices=sorted(CLASSES))
    p.add_argument("--data", required=True)
    p.add_argument("--input", required=True, help="shape of a sample, with commas between")
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--optimizer", default="adam")
    p.add_argument("--rounds", type=int, default=5, help="epochs of each that are counted")
    p.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
    p.add_argument("--limit", type=int, default=0, help="samples; 0 is all")
    a = p.parse_args()
    folder = os.path.join(a.data, a.dataset)
    with tempfile.TemporaryDirectory() as out:
        task = {
            "model": a.model,
            "class": a.name,
            "dataset": {"name": a.dataset, "files": {n: os.path.join(folder, n) for n in os.listdir(folder)}},
            "classes": CLASSES[a.dataset],
            "inputShape": [int(n) for n in a.input.split(",")],
            "config": {"epochs": a.rounds + 1, "batchSize": a.batch, "lr": 1e-3, "optimizer": a.optimizer},
            "seed": 1,
            "device": a.device,
            "amp": True,
            "limitSamples": a.limit,
            "out": {"checkpoint": os.path.join(out, "checkpoint"), "onnx": os.path.join(out, "model.onnx")},
        }
        print(json.dumps({"model": a.name, "dataset": a.dataset, "batch": a.batch, **measure(task, a.rounds)}))


if __name__ == "__main__":
    main()
