"""Trains the designs of go run ./truth/outcomes: python3 fit.py designs.jsonl[.gz] data.npz OUT.jsonl [--seconds N] [--done FILE]

Each process takes the next run from one list and trains it with its data resident on the card. The list is: every design with
seed 0 and the first recipe; a fifth of them with the second recipe; every design with seeds 1 and 2, in the order of a hash. So
whenever it ends, what was trained is not chosen by outcome. A line of OUT is one run: its curve, and with the first run of a
design the scores at initialisation that other people rank by. --done names the runs of earlier calls, which are left out.
docs/outcomes.md says what a line holds. Needs torch 2.0 or later, and numpy.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import hashlib
import json
import math
import os
import queue
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.multiprocessing as mp
from torch.utils._python_dispatch import TorchDispatchMode

WARM_UP = 0.05  # share of all steps in which the learning rate rises, as in worker/train.py
EAGER = 3  # steps before the rest is captured as a CUDA graph
SCORED = 128  # samples that the scores at initialisation look at


class Recipe(NamedTuple):
    optimizer: str
    lr: float


RECIPES = {"adam": Recipe("adam", 1e-3), "sgd": Recipe("sgd", 0.05)}
BATCH = {"mnist": 128, "fashion": 128, "cifar10": 128, "digits": 64, "cancer": 32}
EPOCHS = {"mnist": 5, "fashion": 6, "cifar10": 8, "digits": 20, "cancer": 30}


class Data(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor
    vx: torch.Tensor
    vy: torch.Tensor


def read_data(path: str, device: torch.device) -> dict[str, Data]:
    """Reads what data.py wrote, and normalises it by the mean and deviation of each channel or column of the training split."""
    arrays, out = np.load(path), {}
    for name in BATCH:
        parts = [arrays[f"{name}_{part}"] for part in ("x", "y", "vx", "vy")]
        x, vx = (np.cumsum(a, axis=-1, dtype=np.uint8) if a.ndim == 4 else a for a in (parts[0], parts[2]))
        axes = (0, 2, 3) if x.ndim == 4 else (0,)
        mean, std = x.mean(axes, dtype=np.float64, keepdims=True), np.maximum(x.std(axes, dtype=np.float64, keepdims=True), 1e-6)
        x, vx = ((a - mean) / std for a in (x, vx))
        values = [torch.tensor(a, dtype=torch.float32, device=device) for a in (x, vx)]
        labels = [torch.tensor(a, dtype=torch.long, device=device) for a in (parts[1], parts[3])]
        out[name] = Data(values[0], labels[0], values[1], labels[1])
    return out


def build(design: dict[str, Any]) -> torch.nn.Module:
    scope: dict[str, Any] = {"__name__": "design"}
    exec(compile(design["source"], design["id"], "exec"), scope)  # noqa: S102  the exporter wrote it
    model = scope[design["class"]]()
    assert isinstance(model, torch.nn.Module)
    return model


def learning_rate(peak: float, step: int, steps: int) -> float:
    """Rises linearly to its peak, then falls to nothing along half a cosine, as in worker/train.py."""
    warm = max(1, int(steps * WARM_UP))
    if step < warm:
        return peak * (step + 1) / warm
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def make_optimizer(recipe: Recipe, model: torch.nn.Module, device: torch.device) -> tuple[torch.optim.Optimizer, Callable[[float], None]]:
    """Returns an optimizer, and what sets its learning rate: on a card a tensor, which a captured step reads."""
    cuda = device.type == "cuda"
    lr: Any = torch.tensor(recipe.lr, device=device) if cuda else recipe.lr
    optimizer: torch.optim.Optimizer
    if recipe.optimizer == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=lr, fused=cuda, capturable=cuda)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True, weight_decay=5e-4, fused=cuda)

    def set_rate(value: float) -> None:
        for group in optimizer.param_groups:
            if cuda:
                group["lr"].fill_(value)
            else:
                group["lr"] = value

    return optimizer, set_rate


def train(design: dict[str, Any], data: Data, recipe: Recipe, seed: int, device: torch.device) -> list[list[float | None]]:
    """Returns the curve: training loss, validation loss and validation accuracy after each epoch."""
    name = design["dataset"]
    size, epochs = BATCH[name], EPOCHS[name]
    torch.manual_seed(seed)
    model = build(design).to(device)
    optimizer, set_rate = make_optimizer(recipe, model, device)
    per_epoch = len(data.y) // size
    x, y = data.x[:size].clone(), data.y[:size].clone()
    total = torch.zeros((), device=device)

    def step() -> None:
        optimizer.zero_grad(set_to_none=False)
        loss = torch.nn.functional.cross_entropy(model(x).flatten(1), y)
        loss.backward()
        optimizer.step()
        total.add_(loss.detach())

    graph, curve, done = None, [], 0
    for _ in range(epochs):
        model.train()
        total.zero_()
        order = torch.randperm(len(data.y)).to(device)
        for i in range(per_epoch):
            index = order[i * size : (i + 1) * size]
            x.copy_(data.x.index_select(0, index))
            y.copy_(data.y.index_select(0, index))
            set_rate(learning_rate(recipe.lr, done, epochs * per_epoch))
            if device.type == "cuda" and done == EAGER:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    step()
            if graph is not None:
                graph.replay()
            else:
                with torch.cuda.stream(torch.cuda.Stream()) if device.type == "cuda" else torch.enable_grad():
                    if device.type == "cuda":
                        torch.cuda.synchronize()
                    step()
                if device.type == "cuda":
                    torch.cuda.synchronize()
            done += 1
        curve.append([finite(float(total) / per_epoch), *validate(model, data)])
        if curve[-1][0] is None or curve[-1][1] is None:
            break  # diverged: the accuracy is what it is
    return curve


def validate(model: torch.nn.Module, data: Data) -> list[float | None]:
    model.eval()
    loss, right, n = 0.0, 0, len(data.vy)
    with torch.no_grad():
        for i in range(0, n, 500):
            out = model(data.vx[i : i + 500]).flatten(1).float()
            loss += float(torch.nn.functional.cross_entropy(out, data.vy[i : i + 500], reduction="sum"))
            right += int((out.argmax(1) == data.vy[i : i + 500]).sum())
    return [finite(loss / n), round(right / n, 5)]


def finite(value: float) -> float | None:
    return round(value, 5) if math.isfinite(value) else None


# --- scores at initialisation -----------------------------------------------------------------------------------------------------

ACTIVATIONS = {"relu", "gelu", "silu", "tanh", "sigmoid", "leaky_relu", "elu", "hardtanh", "softplus"}


class Codes(TorchDispatchMode):
    """Collects the signs of what activations read."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel: torch.Tensor | None = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__.rstrip("_")
        if name in ACTIVATIONS and len(args[0]) == SCORED:
            c = (args[0].detach().reshape(SCORED, -1) > 0).double()
            k = c @ c.T + (1 - c) @ (1 - c).T
            self.kernel = k if self.kernel is None else self.kernel + k
        return func(*args, **(kwargs or {}))


def scores(design: dict[str, Any], data: Data, device: torch.device) -> dict[str, float | None]:
    torch.manual_seed(0)
    x, y = data.x[:SCORED], data.y[:SCORED]
    out: dict[str, float | None] = {}
    for name, score in (("naswot", naswot), ("gradNorm", grad_norm), ("synflow", synflow)):
        torch.manual_seed(0)
        model = build(design).to(device).train()
        for m in model.modules():
            if "Dropout" in type(m).__name__:
                m.eval()
        value = score(model, x, y)
        out[name] = value if value is not None and math.isfinite(value) else None
    return out


def naswot(model: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> float | None:
    """Mellor et al. 2021: the log-determinant of how far samples share the signs of what activations read."""
    codes = Codes()
    with codes:
        model(x)
    return None if codes.kernel is None else float(torch.linalg.slogdet(codes.kernel)[1])


def grad_norm(model: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """Abdelfattah et al. 2021: the sum of the norms of the gradients of the weights, of one batch."""
    torch.nn.functional.cross_entropy(model(x).flatten(1), y).backward()
    return float(sum(p.grad.norm() for p in model.parameters() if p.grad is not None))


def synflow(model: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """Tanaka et al. 2020: the logarithm of the sum of weight times gradient, with every weight made positive and an input of ones."""
    for m in model.modules():
        if "Norm" in type(m).__name__:
            m.eval()
    model.double()
    with torch.no_grad():
        for p in model.parameters():
            p.abs_()
    model(torch.ones_like(x[:2], dtype=torch.float64)).sum().backward()
    total = float(sum((p.detach() * p.grad).abs().sum() for p in model.parameters() if p.grad is not None))
    return math.log(total) if total > 0 else -1e9


# --- many at a time ---------------------------------------------------------------------------------------------------------------


def read_designs(path: str) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as f:
        return [json.loads(line) for line in f]


def digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def tasks(designs: list[dict[str, Any]]) -> list[tuple[int, str, int]]:
    every = sorted(range(len(designs)), key=lambda i: digest(designs[i]["id"]))
    out = [(i, "adam", 0) for i in every]
    out += [(i, "sgd", 0) for i in every if digest("recipe " + designs[i]["id"]) % 5 == 0]
    return out + [(i, "adam", seed) for i in every for seed in (1, 2)]


def work(path: str, data_path: str, device_name: str, todo: Any, out: Any, until: float) -> None:
    device = torch.device(device_name)
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")  # TF32
    torch.backends.cudnn.allow_tf32 = True
    designs, data = read_designs(path), read_data(data_path, device)
    while time.time() < until:
        try:
            i, recipe, seed = todo.get_nowait()
        except queue.Empty:
            break
        d, began = designs[i], time.time()
        row: dict[str, Any] = {"id": d["id"], "recipe": recipe, "seed": seed}
        try:
            run_seed = digest(f"{d['id']} {seed}") % 2**31
            row["curve"] = train(d, data[d["dataset"]], RECIPES[recipe], run_seed, device)
            if recipe == "adam" and seed == 0:
                row["scores"] = scores(d, data[d["dataset"]], device)
        except Exception as fault:  # noqa: BLE001  a row says what went wrong, and the others are trained
            row["error"] = f"{type(fault).__name__}: {str(fault)[:300]}"
        gc.collect()  # captured steps lie in cycles
        row["seconds"] = round(time.time() - began, 2)
        out.put(row)
    out.put(None)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("designs"), p.add_argument("data"), p.add_argument("out")
    p.add_argument("--seconds", type=float, default=1e9), p.add_argument("--done", default="")
    p.add_argument("--processes", type=int, default=14), p.add_argument("--first", type=int, default=0)
    a = p.parse_args()
    until = time.time() + a.seconds
    designs = read_designs(a.designs)
    done = set()
    if a.done and os.path.exists(a.done):
        with open(a.done) as f:
            done = {(r["id"], r["recipe"], r["seed"]) for r in map(json.loads, f) if "error" not in r}
    runs = [t for t in tasks(designs) if (designs[t[0]]["id"], t[1], t[2]) not in done]
    runs = runs[: a.first] if a.first else runs
    context = mp.get_context("spawn")
    todo, out = context.Queue(), context.Queue()
    for t in runs:
        todo.put(t)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"{len(runs)} runs, torch {torch.__version__}, {torch.cuda.get_device_name() if device == 'cuda' else 'cpu'}", flush=True)
    time.sleep(0.5)
    workers = [context.Process(target=work, args=(a.designs, a.data, device, todo, out, until)) for _ in range(a.processes)]
    for w in workers:
        w.start()
    began, ended, n, failed, told = time.time(), 0, 0, 0, time.time()
    with open(a.out, "w") as f:
        while ended < len(workers):
            try:
                row = out.get(timeout=5)
            except queue.Empty:
                if not any(w.is_alive() for w in workers):
                    break
                continue
            if row is None:
                ended += 1
                continue
            n, failed = n + 1, failed + ("error" in row)
            if "error" in row and failed < 20:
                print(row["id"], row["error"], flush=True)
            f.write(json.dumps(row) + "\n")
            f.flush()
            if time.time() - told > 20:
                told = time.time()
                print(f"{n} runs, {failed} failed, {time.time() - began:.0f} s", flush=True)
    print(f"{n} runs, {failed} failed, {time.time() - began:.0f} s", flush=True)
    sys.stdout.flush()
    os._exit(0)  # what is left in the queue is not waited for


if __name__ == "__main__":
    main()
