"""Prints the names that PyTorch's modules, tensors and layers have, one kind a line: what is on no line is missing in PyTorch.

Run it with every PyTorch that counts, the oldest and the newest, and join the lines:  names.py old.txt >names.txt
"""
import pkgutil
import sys
import warnings

warnings.simplefilter("ignore")
import torch
import torch.nn.functional
import torch.nn.init

found = {
    "torch": set(dir(torch)),
    "torch.nn": set(dir(torch.nn)),
    "torch.nn.functional": set(dir(torch.nn.functional)),
    "torch.nn.init": set(dir(torch.nn.init)),
    "tensor": set(dir(torch.zeros(1))) | set(dir(torch.nn.Parameter)),
    "module": set(dir(torch.nn.Module())),
    "layer": set(),
}
for kind, package in (("torch", torch), ("torch.nn", torch.nn)):  # a submodule is an attribute once it is imported
    found[kind] |= {m.name for m in pkgutil.iter_modules(package.__path__)}
# Layers keep more under names of their own: what their constructors set is found in the code that sets it.
for name in dir(torch.nn):
    layer = getattr(torch.nn, name)
    if not (isinstance(layer, type) and issubclass(layer, torch.nn.Module)):
        continue
    found["layer"] |= set(dir(layer)) | set(getattr(layer, "__annotations__", {}))
    for base in layer.__mro__:
        for function in vars(base).values():
            code = getattr(function, "__code__", None)
            if code:
                found["layer"] |= set(code.co_names) | set(code.co_varnames) | {c for c in code.co_consts if isinstance(c, str) and c.isidentifier()}
found["layer"] |= {f"{kind}_{side}_l{n}{back}" for kind in ("weight", "bias") for side in ("ih", "hh", "hr") for n in range(64) for back in ("", "_reverse")}
for path in sys.argv[1:]:
    for line in open(path):
        kind, *names = line.split()
        found[kind.rstrip(":")] |= set(names)
for kind, names in found.items():
    print(kind + ":", *sorted(n for n in names if not (n.startswith("__") and n.endswith("__"))))
