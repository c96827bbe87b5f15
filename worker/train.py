"""Trains one model: python3 train.py task.json, in a folder of its own. Needs torch 1.13 or later, and nothing else.

The task names the file and class of a model, a dataset's original files, the configuration, and where the results go. One line of
JSON is printed per event: start, progress, epoch, done or error. An epoch is printed after its checkpoint has its name, so a run
that is killed at any point goes on from the last epoch that was printed. docs/training.md explains the choices made here.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import importlib.util
import inspect
import json
import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn, TextIO

import torch

STOPPED = 143  # exit status after SIGTERM, as a shell reports it
PREPARED = 8192  # samples that are cropped and normalised at once: a few kernels for many batches
WARM_UP = 0.05  # share of all steps in which the learning rate rises
PADDING = 4  # pixels around an image of cifar10, for random crops
PROGRESS_SECONDS = 0.5


class Refused(Exception):
    """Why a run cannot go on, in a sentence for its owner."""


class Stopped(Exception):
    """Somebody asked for the end of the run."""


class Split(NamedTuple):
    """Samples and their classes. Images are bytes, so that they fit on the card as they are; measurements are floats."""

    x: torch.Tensor
    y: torch.Tensor


class Data(NamedTuple):
    train: Split
    val: Split
    mean: torch.Tensor  # per channel or column of the training split, shaped to be subtracted from a batch
    std: torch.Tensor
    crop: bool  # random crops and flips


def block_network() -> None:
    """Lets no socket be made, also on systems where the process could not be given an empty network of its own."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise PermissionError("the trainer has no network")

    for module in (socket, sys.modules["_socket"]):
        for name in ("socket", "SocketType", "socketpair", "fromfd", "create_connection", "getaddrinfo"):
            if hasattr(module, name):
                setattr(module, name, refuse)


def follow_parent() -> None:
    """Ends this process when the one that started it is gone: the pipe to standard input is closed then."""

    def wait() -> None:
        while os.read(0, 1):
            pass
        os._exit(STOPPED)

    threading.Thread(target=wait, daemon=True).start()


# --- data -----------------------------------------------------------------------------------------------------------------------


def read_idx(path: str) -> torch.Tensor:
    """Reads an idx file of bytes: two zeros, the type 8, the number of axes, their sizes as big-endian integers, and the values."""
    with open(path, "rb") as f:
        raw = bytearray(f.read())
    if len(raw) < 4 or raw[0] or raw[1] or raw[2] != 8:
        raise Refused(f"{os.path.basename(path)} is no idx file of bytes")
    start = 4 + 4 * raw[3]
    shape = [int.from_bytes(raw[i : i + 4], "big") for i in range(4, start, 4)]
    if len(raw) - start != math.prod(shape):
        raise Refused(f"{os.path.basename(path)} holds {len(raw) - start} values, and its head says {shape}")
    return torch.frombuffer(raw, dtype=torch.uint8, offset=start).reshape(shape)


def read_mnist(files: dict[str, str]) -> tuple[Split, Split]:
    def split(name: str) -> Split:
        images = read_idx(files[f"{name}-images-idx3-ubyte"])
        return Split(images.unsqueeze(1), read_idx(files[f"{name}-labels-idx1-ubyte"]).long())

    return split("train"), split("t10k")


def read_cifar10(files: dict[str, str]) -> tuple[Split, Split]:
    def split(names: list[str]) -> Split:
        parts = []
        for name in names:
            with open(files[name], "rb") as f:
                raw = bytearray(f.read())
            parts.append(torch.frombuffer(raw, dtype=torch.uint8).reshape(-1, 1 + 3 * 32 * 32))
        rows = torch.cat(parts)
        return Split(rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0].long())

    return split([f"data_batch_{i}.bin" for i in range(1, 6)]), split(["test_batch.bin"])


def read_tabular(files: dict[str, str]) -> tuple[Split, Split]:
    """Reads scikit-learn's breast_cancer.csv. Every fifth row is for validation."""
    with open(files["breast_cancer.csv"], newline="") as f:
        rows = list(csv.reader(f))[1:]
    x = torch.tensor([[float(v) for v in row[:-1]] for row in rows])
    y = torch.tensor([int(row[-1]) for row in rows])
    val = torch.arange(len(rows)) % 5 == 4
    return Split(x[~val], y[~val]), Split(x[val], y[val])


READERS: dict[str, Callable[[dict[str, str]], tuple[Split, Split]]] = {
    "cifar10": read_cifar10,
    "mnist": read_mnist,
    "tabular": read_tabular,
}


def moments(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and standard deviation of each channel or column. Bytes are counted, so that every machine gets the same figures."""
    if x.dtype != torch.uint8:
        return x.mean(0), x.std(0, unbiased=False).clamp_min(1e-6)
    values = torch.arange(256, dtype=torch.float64)
    mean, std = [], []
    for channel in x.transpose(0, 1):
        share = torch.bincount(channel.flatten(), minlength=256).double() / channel.numel()
        mean.append(float((share * values).sum()))
        std.append(max(1e-6, float((share * (values - mean[-1]) ** 2).sum()) ** 0.5))
    shape = (-1,) + (1,) * (x.dim() - 2)
    return torch.tensor(mean).reshape(shape), torch.tensor(std).reshape(shape)


def load_data(task: dict[str, Any], device: torch.device) -> Data:
    name = task["dataset"]["name"]
    if name not in READERS:
        raise Refused(f"the trainer cannot read {name}: it reads {', '.join(READERS)}")
    train, val = READERS[name](task["dataset"]["files"])
    if limit := int(task.get("limitSamples") or 0):
        train, val = Split(train.x[:limit], train.y[:limit]), Split(val.x[:limit], val.y[:limit])
    mean, std = moments(train.x)
    crop = name == "cifar10"
    x = torch.nn.functional.pad(train.x, (PADDING,) * 4) if crop else train.x
    train, val = (Split(s.x.to(device), s.y.to(device)) for s in (Split(x, train.y), val))
    return Data(train, val, mean.to(device), std.to(device), crop)


def augment(x: torch.Tensor, index: torch.Tensor, size: int) -> torch.Tensor:
    """Takes a random window of each padded image, and mirrors half of them, in one step for all."""
    n, device = len(index), x.device
    line = torch.arange(size, device=device)
    shift = torch.randint(0, 2 * PADDING + 1, (2, n, 1), device=device)
    mirror = torch.rand(n, 1, device=device) < 0.5
    rows, columns = shift[0] + line, shift[1] + torch.where(mirror, line.flip(0), line)
    channels = torch.arange(x.shape[1], device=device)
    return x[index[:, None, None, None], channels[:, None, None], rows[:, None, :, None], columns[:, None, None, :]]


def normalise(data: Data, x: torch.Tensor, shape: list[int]) -> torch.Tensor:
    x = x.float().sub(data.mean).div_(data.std).reshape(-1, *shape)
    return x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x


def batches(data: Data, shape: list[int], size: int) -> Iterator[Split]:
    """Yields the training split once, shuffled. A single sample at the end is left out: BatchNorm cannot be trained on one."""
    n, device = len(data.train.y), data.train.y.device
    order = torch.randperm(n).to(device)
    step = max(1, PREPARED // size) * size
    for start in range(0, n, step):
        index = order[start : start + step]
        x = augment(data.train.x, index, data.val.x.shape[-1]) if data.crop else data.train.x.index_select(0, index)
        x, y = normalise(data, x, shape), data.train.y.index_select(0, index)
        for i in range(0, len(index), size):
            if len(index) - i > 1 or n == 1:
                yield Split(x[i : i + size], y[i : i + size])


# --- model ----------------------------------------------------------------------------------------------------------------------


def build(path: str, name: str) -> torch.nn.Module:
    spec = importlib.util.spec_from_file_location("model", path)
    if spec is None or spec.loader is None:
        raise Refused(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = getattr(module, name)()
    if not isinstance(model, torch.nn.Module):
        raise Refused(f"{name} is no module")
    return model


def make_optimizer(config: dict[str, Any], model: torch.nn.Module, device: torch.device) -> torch.optim.Optimizer:
    kinds: dict[str, Callable[..., torch.optim.Optimizer]] = {
        "adam": torch.optim.Adam,
        "adamw": torch.optim.AdamW,
        "sgd": torch.optim.SGD,
    }
    make = kinds[config["optimizer"]]
    options: dict[str, Any] = {"lr": config["lr"]}
    if config["optimizer"] == "sgd":
        options.update(momentum=0.9, nesterov=True, weight_decay=5e-4)
    if device.type == "cuda" and "fused" in inspect.signature(make).parameters:
        options["fused"] = True
    trained = [p for p in model.parameters() if p.requires_grad]
    if not trained:
        raise Refused("the model has no weights to train")
    return make(trained, **options)


def learning_rate(peak: float, step: int, steps: int) -> float:
    """Rises linearly to its peak, then falls to nothing along half a cosine."""
    warm = max(1, int(steps * WARM_UP))
    if step < warm:
        return peak * (step + 1) / warm
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def mixed(device: torch.device, amp: bool) -> Callable[[], contextlib.AbstractContextManager[Any]]:
    """bf16 autocast where the card computes it: from NVIDIA's Ampere on, and on AMD's."""
    if amp and device.type == "cuda" and (torch.version.hip or torch.cuda.get_device_capability(device)[0] >= 8):
        return lambda: torch.autocast("cuda", dtype=torch.bfloat16)
    return contextlib.nullcontext


def logits(model: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    out: torch.Tensor = model(x)
    return out.flatten(1).float()


def check_output(model: torch.nn.Module, shape: list[int], classes: int, device: torch.device) -> None:
    model.eval()
    with torch.no_grad():
        out = model(torch.zeros(2, *shape, device=device))
    if not isinstance(out, torch.Tensor):
        raise Refused("the model has several outputs, and cross-entropy needs one")
    if out.dim() < 2 or out.numel() != 2 * classes or out.shape[0] != 2:
        raise Refused(
            f"the model gives {list(out.shape[1:])} for a sample, and cross-entropy over {classes} classes needs [{classes}]"
        )


# --- the run --------------------------------------------------------------------------------------------------------------------


class Run:
    """One run of a task, from where its checkpoint left it."""

    def __init__(self, task: dict[str, Any], out: TextIO) -> None:
        self.task, self.out, self.stop = task, out, False
        self.config, self.seed = task["config"], int(task["seed"])
        self.device = torch.device(task["device"])
        self.rows: list[dict[str, float]] = []
        if self.device.type == "cuda":
            torch.backends.cudnn.benchmark = True
            torch.set_float32_matmul_precision("high")  # TF32
        elif threads := int(task.get("threads") or 0):
            torch.set_num_threads(threads)
        torch.manual_seed(self.seed)
        self.shape = [int(n) for n in task["inputShape"]]
        self.model = build(task["model"], task["class"]).to(self.device)
        check_output(self.model, self.shape, int(task["classes"]), self.device)
        if len(self.shape) == 3:
            self.model.to(memory_format=torch.channels_last)
        self.optimizer = make_optimizer(self.config, self.model, self.device)
        self.data = load_data(task, self.device)
        self.mixed = mixed(self.device, bool(task["amp"]))
        if self.shape != list(self.data.val.x.shape[1:]) and math.prod(self.shape) != self.data.val.x[0].numel():
            raise Refused(f"the model takes {self.shape}, and a sample is {list(self.data.val.x.shape[1:])}")

    def say(self, event: str, **fields: Any) -> None:
        print(json.dumps({"event": event, **fields}, allow_nan=False), file=self.out, flush=True)

    def key(self) -> str:
        """Names the run that a checkpoint belongs to."""
        with open(self.task["model"], "rb") as f:
            source = hashlib.sha256(f.read()).hexdigest()
        limit = int(self.task.get("limitSamples") or 0)
        return json.dumps([source, self.task["dataset"]["name"], self.config, self.seed, limit], sort_keys=True)

    def resume(self) -> None:
        path = self.task.get("resume")
        if not path:
            return
        state = torch.load(path, map_location=self.device, weights_only=True)
        if state["key"] != self.key():
            raise Refused("the checkpoint is of another run")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state["optimizer"]})
        self.rows = json.loads(state["rows"])
        for row in self.rows:
            self.say("epoch", resumed=True, **row)

    def save(self) -> None:
        """Writes a checkpoint under another name first. The order of samples, crops and dropout follow from seed and epoch, and
        the learning rate from the step, so none of them has a state to keep."""
        path = f"{self.task['out']['checkpoint']}-{len(self.rows)}.pt"
        state = {
            "key": self.key(),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict()["state"],
            "rows": json.dumps(self.rows),  # PyTorch 1.13 reads no floats where it reads weights only
        }
        with open(path + ".tmp", "wb") as f:
            torch.save(state, f)
            f.flush()
            os.fsync(f.fileno())
        os.replace(path + ".tmp", path)

    def epoch(self, number: int, steps: int) -> dict[str, float]:
        torch.manual_seed(self.seed * 1000 + number)
        self.model.train()
        size, epochs = int(self.config["batchSize"]), int(self.config["epochs"])
        total, count = torch.zeros((), device=self.device), 0
        began = told = time.monotonic()
        for i, (x, y) in enumerate(batches(self.data, self.shape, size)):
            if self.stop:
                raise Stopped
            for group in self.optimizer.param_groups:
                group["lr"] = learning_rate(self.config["lr"], (number - 1) * steps + i, epochs * steps)
            self.optimizer.zero_grad(set_to_none=True)
            with self.mixed():
                loss = torch.nn.functional.cross_entropy(logits(self.model, x), y)
            torch.autograd.backward(loss)
            self.optimizer.step()
            total.add_(loss.detach(), alpha=len(y))
            count += len(y)
            if time.monotonic() - told > PROGRESS_SECONDS:
                told = time.monotonic()
                self.say("progress", epoch=number, done=i + 1, of=steps)
        train_loss = float(total) / max(1, count)  # waits for the card
        seconds = time.monotonic() - began
        if not math.isfinite(train_loss):
            raise Refused(
                f"the training loss was {train_loss} in epoch {number}: the run diverged; a smaller learning rate may help"
            )
        val_loss, val_acc = self.validate(number)
        rate = round(count / seconds, 1)
        self.rows.append({"epoch": number, "trainLoss": train_loss, "valLoss": val_loss, "valAcc": val_acc})
        return {"seconds": round(time.monotonic() - began, 3), "trainSeconds": round(seconds, 3), "samplesPerSec": rate}

    def validate(self, number: int) -> tuple[float, float]:
        self.model.eval()
        size, n = min(1024, 4 * int(self.config["batchSize"])), len(self.data.val.y)
        total, right = torch.zeros((), device=self.device), torch.zeros((), device=self.device, dtype=torch.long)
        with torch.no_grad(), self.mixed():
            for i in range(0, n, size):
                y = self.data.val.y[i : i + size]
                out = logits(self.model, normalise(self.data, self.data.val.x[i : i + size], self.shape))
                total += torch.nn.functional.cross_entropy(out, y, reduction="sum")
                right += (out.argmax(1) == y).sum()
        loss = float(total) / n
        if not math.isfinite(loss):
            raise Refused(
                f"the validation loss was {loss} in epoch {number}: the run diverged; a smaller learning rate may help"
            )
        return loss, int(right) / n

    def train(self) -> None:
        size, n = int(self.config["batchSize"]), len(self.data.train.y)
        steps = n // size + (1 if n % size > 1 or n == 1 else 0)
        self.say(
            "start",
            torch=torch.__version__,
            device=torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "cpu",
            bf16=self.mixed is not contextlib.nullcontext,
            train=n,
            val=len(self.data.val.y),
            parameters=sum(p.numel() for p in self.model.parameters()),
        )
        self.resume()
        for number in range(len(self.rows) + 1, int(self.config["epochs"]) + 1):
            took = self.epoch(number, steps)
            self.save()
            self.say("epoch", **self.rows[-1], **took)
            if self.stop:
                raise Stopped

    def export(self) -> None:
        """Writes the model of the last epoch as ONNX, every weight under its own name, with any batch."""
        weights = [{"name": k, "shape": list(p.shape)} for k, p in self.model.named_parameters()]
        try:
            export(self.model.cpu().float().eval(), self.shape, self.task["out"]["onnx"])
        except Exception as fault:  # noqa: BLE001  whatever PyTorch's exporter raises: the run itself has ended well
            self.say(
                "done", onnx=None, reason=f"PyTorch could not write it as ONNX: {first_line(fault)}", weights=weights
            )
        else:
            self.say("done", onnx=self.task["out"]["onnx"], weights=weights)


# --- export ---------------------------------------------------------------------------------------------------------------------


def export(model: torch.nn.Module, shape: list[int], path: str) -> None:
    without_onnx_package()
    options: dict[str, Any] = {}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False  # the other exporter needs packages beside torch
    model.to(memory_format=torch.contiguous_format)
    model.training = (
        True  # of the outermost module alone: equal tensors are stored once otherwise, and lose their names
    )
    # PRESERVE leaves the modules in it as they are, evaluating, and does not fold BatchNorm into convolutions.
    torch.onnx.export(
        model,
        (torch.zeros(2, *shape),),
        path + ".tmp",
        input_names=["input"],
        output_names=["output"],
        dynamic_axes={"input": {0: "batch"}, "output": {0: "batch"}},
        training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False,
        opset_version=17,
        **options,
    )
    os.replace(path + ".tmp", path)


def without_onnx_package() -> None:
    """From 2.0 on the exporter loads the package onnx only to look for functions of onnxscript, which no model of ours has."""
    if importlib.util.find_spec("onnx"):
        return
    for name in ("torch.onnx._internal.torchscript_exporter.onnx_proto_utils", "torch.onnx._internal.onnx_proto_utils"):
        with contextlib.suppress(ImportError):
            module: Any = importlib.import_module(name)
            if hasattr(module, "_add_onnxscript_fn"):
                module._add_onnxscript_fn = lambda model_bytes, _: model_bytes


def first_line(fault: BaseException) -> str:
    text = str(fault).strip()
    return (text.splitlines()[0] if text else type(fault).__name__)[:300]


def events() -> TextIO:
    """Keeps standard output for events: whatever else is printed there goes to standard error."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return out


def main(path: str) -> int:
    out = events()
    with open(path) as f:
        task = json.load(f)
    block_network()
    if task.get("followParent"):
        follow_parent()
    run: Run | None = None
    stopped = False

    def on_term(*_: object) -> None:
        nonlocal stopped
        stopped = True
        if run is not None:
            run.stop = True

    signal.signal(signal.SIGTERM, on_term)
    try:
        run = Run(task, out)
        run.stop = run.stop or stopped
        run.train()
        run.export()
        return 0
    except Stopped:
        return STOPPED
    except Exception as fault:
        reason = str(fault) if isinstance(fault, Refused) else f"{type(fault).__name__}: {first_line(fault)}"
        if "out of memory" in reason:
            reason = f"the card ran out of memory with a batch of {task['config']['batchSize']}: {reason}"
        print(json.dumps({"event": "error", "reason": reason}), file=out, flush=True)
        if not isinstance(fault, Refused):
            raise
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
