"""Builds a model with the user's own Python and PyTorch, runs it once, and prints what happened as JSON.

Runs on PyTorch 1.13 and later, and needs nothing else. Modules of torch.nn are recorded as one step each, everything between them as the function
that was called. Usage: trace.py FILE NAME OPTIONS, where OPTIONS is JSON: inputs, args, root, package, module.
"""
import ast
import importlib
import importlib.util
import json
import math
import os
import random
import sys

BATCH = 2


def load(file, root, module):
    if module:
        sys.path.insert(0, root)
        return importlib.import_module(module)
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    spec = importlib.util.spec_from_file_location("traced_model", file)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["traced_model"] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def main():
    file, name, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    out = sys.stdout
    sys.stdout = sys.stderr  # what the program prints is not our answer
    import torch
    from torch.overrides import TorchFunctionMode

    random.seed(0)  # what depends on chance is the same from run to run
    torch.manual_seed(0)
    loaded = load(file, options["root"], options.get("module"))
    args = {}
    for key, text in (options.get("args") or {}).items():
        try:
            args[key] = eval(text, vars(loaded))
        except (NameError, SyntaxError):
            args[key] = text
    model = getattr(loaded, name)(**args)
    if not isinstance(model, torch.nn.Module):
        raise TypeError("%s gives a %s, not a torch.nn.Module" % (name, type(model).__name__))
    model.train(options.get("training", True))
    inputs = []

    def given(i):
        kind, items = i.get("kind"), i.get("items") or []
        if kind == "dict":
            return {item["name"]: given(item) for item in items}
        if kind:
            return {"list": list, "tuple": tuple}[kind](given(item) for item in items)
        if i.get("literal"):
            return ast.literal_eval(i["literal"])
        shape = list(i["shape"] or [])
        shape.insert(i.get("at") or 0, BATCH)
        dtype = getattr(torch, i.get("dtype") or "float32")
        inputs.append(torch.rand(shape).to(dtype) if dtype.is_floating_point else torch.zeros(shape, dtype=dtype))
        return inputs[-1]

    arguments = [(i.get("name"), given(i)) for i in options["inputs"]]
    recorder = Recorder(torch, model)
    for i, t in enumerate(inputs):
        recorder.add("input", "input" if i == 0 else "input%d" % (i + 1), "", [], t, {"dtype": str(t.dtype).replace("torch.", "")})

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return recorder.function(func, args, kwargs or {})

    # Indexing passes by the mode in PyTorch 1.13.
    index = torch.Tensor.__getitem__
    torch.Tensor.__getitem__ = lambda self, at: recorder.function(index, (self, at), {})
    recorder.hook()
    with torch.no_grad(), Mode():
        result = model(*[v for n, v in arguments if not n], **{n: v for n, v in arguments if n})
    recorder.outputs(result)
    json.dump({
        "torch": torch.__version__,
        "params": sum(p.numel() for p in model.parameters()),
        "steps": recorder.steps,
        "weights": recorder.weights,
        "outputs": recorder.results,
    }, out)


class Recorder:
    """Steps in the order in which they ran. A tensor is known by its identity; every one is kept, so that none is given out twice."""

    def __init__(self, torch, model):
        self.torch, self.model = torch, model
        self.steps, self.weights, self.results = [], [], []
        self.source, self.kept = {}, []
        self.inside = 0
        self.names = {id(p): n for n, p in model.named_parameters()}
        self.scope = []
        self.paths = {}
        for n, m in model.named_modules():
            self.paths.setdefault(id(m), n)

    # A module of torch.nn that is a step of its own: one without parts, or one that is known as a whole.
    WHOLE = ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "LSTM", "GRU", "RNN")

    def leaf(self, m):
        if not type(m).__module__.startswith("torch.nn"):
            return False
        return type(m).__name__ in self.WHOLE or not list(m.children()) and type(m).__name__ not in ("Sequential", "ModuleList", "ModuleDict")

    def hook(self):
        for m in self.model.modules():
            m.forward = self.wrap(m, m.forward)

    def wrap(self, m, forward):
        leaf = self.leaf(m)

        def run(*args, **kwargs):
            path = self.paths.get(id(m), "")
            if not leaf or self.inside:
                self.scope.append(path)
                try:
                    return forward(*args, **kwargs)
                finally:
                    self.scope.pop()
            before = self.sources((args, kwargs))
            self.inside += 1
            try:
                result = forward(*args, **kwargs)
            finally:
                self.inside -= 1
            self.add("module", type(m).__name__, path, before, result, self.attributes(m), m)
            return result

        return run

    def attributes(self, m):
        out = {}
        for k, v in vars(m).items():
            if k.startswith("_") or k == "training":
                continue
            v = self.plain(v)
            if v is not None:
                out[k] = v
        for k in ("bias", "in_proj_bias"):
            if k in m._parameters:
                out["bias"] = m._parameters[k] is not None
        if type(m).__name__.startswith("Transformer"):
            out.update(d_model=m.self_attn.embed_dim, nhead=m.self_attn.num_heads, dim_feedforward=m.linear1.out_features,
                       norm_first=bool(m.norm_first), dropout=m.dropout.p, activation=getattr(m.activation, "__name__", type(m.activation).__name__).lower(),
                       bias=m.linear1.bias is not None)
        return out

    def plain(self, v):
        """A value that JSON has, or None."""
        if isinstance(v, float) and not math.isfinite(v):
            return None
        if isinstance(v, (bool, int, float, str)):
            return v
        if isinstance(v, (tuple, list)) and all(isinstance(x, (bool, int, float, str)) and self.plain(x) is not None for x in v):
            return list(v)
        return None

    def sources(self, value):
        found = []

        def visit(v):
            if isinstance(v, self.torch.Tensor):
                found.append(self.step_of(v))
            elif isinstance(v, (tuple, list)):
                for x in v:
                    visit(x)
            elif isinstance(v, dict):
                for x in v.values():
                    visit(x)

        visit(value)
        return [f for f in found if f is not None]

    def step_of(self, t):
        """The step that gave a tensor; a weight or a constant becomes one when it is first used."""
        if id(t) in self.source:
            return self.source[id(t)]
        if id(t) in self.names:
            self.add("weight", self.names[id(t)], "", [], t, {})
            return self.source[id(t)]
        return None

    def add(self, kind, target, path, inputs, result, attributes, module=None):
        tensors = []

        def visit(v):
            if isinstance(v, self.torch.Tensor):
                tensors.append(v)
            elif isinstance(v, (tuple, list)):
                for x in v:
                    visit(x)
            elif isinstance(v, dict):
                for x in v.values():
                    visit(x)

        visit(result)
        if not tensors:
            return
        owned = []
        if module is not None:
            owned = [self.names[id(p)] for p in module.parameters() if id(p) in self.names]
        index = len(self.steps)
        self.steps.append({"kind": kind, "target": target, "path": path, "scope": self.scope[-1] if self.scope else "", "inputs": inputs,
                           "shape": list(tensors[0].shape), "attributes": attributes, "owned": owned,
                           "sizes": [list(self.torch.Size(p.shape)) for p in (module.parameters() if module is not None else [])]})
        for t in tensors:
            self.source[id(t)] = index
            self.kept.append(t)

    # Functions that own their weights where those are given as they are.
    OWNING = {"linear", "conv1d", "conv2d", "conv3d", "layer_norm", "embedding"}

    def function(self, func, args, kwargs):
        name = getattr(func, "__name__", str(func))
        if self.inside or name in ("__get__", "__set__", "size", "dim", "numel", "is_floating_point", "__len__", "stride", "is_contiguous", "data_ptr"):
            return func(*args, **kwargs)
        flat = list(args) + list(kwargs.values())
        weights = [a for a in flat if isinstance(a, self.torch.nn.Parameter)]
        owned = []
        if name in self.OWNING and weights and all(id(w) in self.names for w in weights):
            owned = [self.names[id(w)] for w in weights]
            before = self.sources([a for a in flat if not isinstance(a, self.torch.nn.Parameter)])
        else:
            before = self.sources((args, kwargs))
        self.inside += 1
        try:
            result = func(*args, **kwargs)
        finally:
            self.inside -= 1
        if not before and not owned:
            return result
        attributes = {"args": [self.plain(a) for a in args[1:] if self.plain(a) is not None], "shapes": [list(w.shape) for w in weights] if owned else []}
        for k, v in kwargs.items():
            if self.plain(v) is not None:
                attributes[k] = self.plain(v)
        at = len(self.steps)
        self.add("function", name, "", before, result, attributes)
        if len(self.steps) > at:
            self.steps[-1]["owned"] = owned
        return result

    def outputs(self, result):
        def visit(v):
            if isinstance(v, self.torch.Tensor):
                step = self.step_of(v)
                if step is not None:
                    self.results.append({"step": step, "shape": list(v.shape)})
            elif isinstance(v, (tuple, list)):
                for x in v:
                    visit(x)
            elif isinstance(v, dict):
                for x in v.values():
                    visit(x)
            elif hasattr(v, "__dict__"):
                for x in vars(v).values():
                    visit(x)

        visit(result)


main()
