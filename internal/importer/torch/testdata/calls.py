"""Makes calls of signatures.txt, right ones and broken ones, and prints what PyTorch does with each: T where it raises TypeError, E where
another exception, - where none, ? where it has no such function. A line is NAME|KINDS OF THE POSITIONAL ARGUMENTS|NAME=KIND OF THE OTHERS|WHAT EACH PyTorch DID.

    calls.py signatures.txt >calls.txt      calls are drawn, by a seed
    calls.py calls.txt >more.txt            the calls of another run, with a letter more
"""
import os
import random
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import torch
import torch.nn.functional

VALUES = {"T": lambda: torch.zeros(2, 3), "L": lambda: [torch.zeros(2, 3), torch.zeros(2, 3)], "i": lambda: 1, "I": lambda: (1, 2), "f": lambda: 0.5,
          "b": lambda: True, "s": lambda: "a", "n": lambda: None}

# PyTorch 1.13 reads a number of bins past the end here, so the heap decides whether it raises. The other calls do the same with
# MALLOC_PERTURB_ of 0, 1, 85, 170 and 255.
UNDEFINED = {"torch.histogramdd|T|bins=I,density=b|"}


def drawn(path):
    """The calls of a file of signatures."""
    by_name = {}
    for line in open(path):
        head, _, names = line.rstrip("\n").rpartition("): ")
        for n in names.split():
            by_name.setdefault(n, []).append(head[3:])
    for name, signatures in sorted(by_name.items()):
        if name.endswith(".forward"):
            continue
        rng = random.Random(name)
        calls = [call(rng, name, rng.choice(signatures)) for _ in range(5)]
        yield from (c for c in calls if c not in UNDEFINED)


def call(rng, name, signature):
    """A call as a signature has it, changed in up to one way."""
    pos, kw, by_name = [], [], False
    for p in signature.split(",") if signature else []:
        if p in ("*", "**"):
            by_name = True
            continue
        word = p.replace("=", ":").lstrip("*")
        n, _, kinds = word.partition(":")
        kind = rng.choice(kinds or "Tifs")
        if p.startswith("*"):
            pos += [kind] * rng.randrange(3)
            by_name = True
        elif "=" in p and rng.random() < 0.5:
            by_name = True
        elif by_name or rng.random() < 0.2:
            kw.append((n, kind))
            by_name = True
        else:
            pos.append(kind)
    how = rng.randrange(6)
    if how == 0 and kw:
        n, k = kw[-1]
        kw[-1] = (n[:-1] or "q", k)
    elif how == 1 and (pos or kw):
        (pos or kw).pop()
    elif how == 2:
        pos.append(rng.choice("Tifsn"))
    elif how == 3 and len(pos) > 1:
        pos[0], pos[1] = pos[1], pos[0]
    elif how == 4 and pos:
        pos[rng.randrange(len(pos))] = rng.choice(list(VALUES))
    return f"{name}|{''.join(pos)}|{','.join(n + '=' + k for n, k in kw)}|"


def did(row):
    name, pos, kw, _ = row.rsplit("|", 3)
    target, args = torch, []
    parts = name.split(".")
    if parts[0] == "tensor":
        target, args = torch.Tensor, [torch.zeros(2, 3)]
    for p in parts[1:]:
        if p == "__init__":
            break
        target = getattr(target, p, None)
        if target is None:
            return "?"
    args += [VALUES[k]() for k in pos]
    try:
        target(*args, **{n: VALUES[k]() for n, k in (x.split("=") for x in kw.split(",") if x)})
    except TypeError:
        return "T"
    except BaseException:
        return "E"
    return "-"


def measure(rows):
    """Runs in processes of their own, since a few functions of PyTorch end theirs."""
    with tempfile.NamedTemporaryFile("r") as out:
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            with open(out.name, "w") as f:
                f.write("".join(did(r) for r in rows))
                f.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        result = out.read()
    if status == 0 and len(result) == len(rows):
        return result
    if len(rows) == 1:
        return "E"
    half = len(rows) // 2
    return measure(rows[:half]) + measure(rows[half:])


def main():
    torch.set_num_threads(1)
    if sys.argv[1].endswith("signatures.txt"):
        rows = list(dict.fromkeys(drawn(sys.argv[1])))
    else:
        rows = [line.rstrip("\n") for line in open(sys.argv[1])]
    for at in range(0, len(rows), 500):
        part = rows[at:at + 500]
        for row, result in zip(part, measure(part)):
            print(row + result)


main()
