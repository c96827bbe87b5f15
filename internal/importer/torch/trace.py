"""Builds a model with the user's own Python and PyTorch, runs it once, and prints what happened as JSON.

Runs on PyTorch 1.13 and later, and needs nothing else. Modules of torch.nn are recorded as one step each, everything between them as the function
that was called. The model lies on the meta device, which has shapes and no numbers: nothing large is allocated. What that device cannot do is
done once more on real numbers, if the model is small. Nothing is downloaded. Usage: trace.py FILE NAME OPTIONS, where OPTIONS is JSON: inputs,
args, root, package, module.
"""
import argparse
import ast
import importlib
import json
import math
import os
import random
import socket
import sys
import types

BATCH = 2
SMALL = 1 << 12  # entries of a tensor that keeps its numbers while a model is built: schedules and tables are read there
MOST = 1 << 28  # weights of a model that runs on real numbers


def load(file, root, module):
    """The module of a file, with its folder and those above it in the repository behind the root among the places that imports look at."""
    sys.argv = [file]  # a script reads its defaults
    folder = os.path.dirname(os.path.abspath(file))
    sys.path.insert(0, root if module else folder)
    above = [folder]
    while not os.path.exists(os.path.join(above[-1], ".git")) and os.path.dirname(above[-1]) != above[-1]:
        above.append(os.path.dirname(above[-1]))
    if os.path.exists(os.path.join(above[-1], ".git")):
        sys.path.extend(p for p in above if p not in sys.path)
    return importlib.import_module(module) if module else None


DEFINES = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)


def script(file, name):
    """Runs a script as far as it defines a name; behind that only what defines further names, and no training loop."""
    module = types.ModuleType("traced_model")
    module.__file__ = file
    sys.modules["traced_model"] = module
    with open(file, "rb") as f:
        tree = ast.parse(f.read(), file)
    last = max([i for i, s in enumerate(tree.body) if name.split(".")[0] in names(s)], default=len(tree.body))
    future = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    for i, statement in enumerate(tree.body):
        if i > last and not isinstance(statement, DEFINES):
            continue
        code = compile(ast.Module(future + [statement], []), file, "exec")
        try:
            exec(code, vars(module))
        except Exception:
            if i <= last:
                raise
    return module


def names(statement):
    """Names that a statement defines at the top level, also in its branches."""
    found = set()
    for s in ast.walk(statement) if isinstance(statement, (ast.If, ast.Try, ast.With)) else [statement]:
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            found.add(s.name)
        elif isinstance(s, ast.Assign):
            found.update(t.id for t in s.targets if isinstance(t, ast.Name))
        elif isinstance(s, (ast.Import, ast.ImportFrom)):
            found.update((a.asname or a.name).split(".")[0] for a in s.names)
    return found


class NotDownloaded(dict):
    """Stands for weights that a program would download: it has whatever is asked of it, and nothing in it."""

    def __missing__(self, key):
        return self


def offline(torch):
    """Keeps the program from the network. A model keeps the weights that it was made with."""
    def refuse(*args, **kwargs):
        raise OSError("a trace downloads nothing: leave pretrained weights out, as with --arg pretrained=False")

    socket.socket.connect = refuse
    socket.getaddrinfo = refuse
    for key in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
        os.environ[key] = "1"
    import torch.hub

    torch.hub.load_state_dict_from_url = lambda *args, **kwargs: NotDownloaded()
    torch.hub.download_url_to_file = refuse
    loading = torch.nn.Module.load_state_dict

    def load_state_dict(self, state_dict, *args, **kwargs):
        if len(state_dict) == 0:
            return torch.nn.modules.module._IncompatibleKeys([], [])
        return loading(self, state_dict, *args, **kwargs)

    torch.nn.Module.load_state_dict = load_state_dict
    torch.nn.Module.cuda = lambda self, *args, **kwargs: self
    torch.Tensor.cuda = lambda self, *args, **kwargs: self
    argparse.ArgumentParser.error = lambda self, message: sys.exit("argparse: " + message)


class Places:
    """Says where tensors lie. Makers are the functions that make one of nothing."""

    MAKERS = ("empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange", "linspace", "logspace", "eye", "tensor", "as_tensor", "randperm", "empty_strided",
              "range", "scalar_tensor", "from_numpy", "tril_indices", "triu_indices", "hann_window", "hamming_window", "kaiser_window", "blackman_window", "bartlett_window")

    def __init__(self, torch, device):
        self.torch, self.device, self.running = torch, device, False

    def size(self, args, kwargs):
        given = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else kwargs.get("size", args)
        return math.prod(n for n in given if isinstance(n, int)) if isinstance(given, (tuple, list)) else 0

    def call(self, func, args, kwargs):
        torch, name = self.torch, getattr(func, "__name__", "")
        if name in self.MAKERS and not name.startswith("from"):
            large = name in ("empty", "zeros", "ones", "full", "rand", "randn", "randint", "empty_strided") and self.size(args, kwargs) > SMALL
            kwargs = dict(kwargs, device=self.device if self.running or large else "cpu")
        elif name in ("to", "cuda", "cpu") and ("device" in kwargs or name != "to" or any(self.isplace(a) for a in args[1:])):
            kinds = [a for a in list(args) + list(kwargs.values()) if isinstance(a, torch.dtype)]
            return func(args[0], kinds[0]) if kinds else args[0]  # it stays where it is
        elif "device" in kwargs:
            kwargs = {k: v for k, v in kwargs.items() if k != "device"}
        flat = [a for a in list(args) + list(kwargs.values())]
        flat += [x for a in flat if isinstance(a, (tuple, list)) for x in a]
        if any(isinstance(a, torch.Tensor) and a.device.type == "meta" for a in flat):
            args, kwargs = self.moved(args), {k: self.moved(v) for k, v in kwargs.items()}
        return func(*args, **kwargs)

    def isplace(self, a):
        return isinstance(a, self.torch.device) or isinstance(a, str) and a.split(":")[0] in ("cuda", "cpu", "mps", "meta", "xpu")

    def moved(self, a):
        if isinstance(a, self.torch.Tensor) and a.device.type == "cpu":
            return a.to("meta")
        if type(a) in (tuple, list):
            return type(a)(self.moved(x) for x in a)
        return a


def main():
    file, name, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    out = sys.stdout
    sys.stdout = sys.stderr  # what the program prints is not our answer
    import torch

    random.seed(0)  # what depends on chance is the same from run to run
    torch.manual_seed(0)
    offline(torch)
    loaded = load(file, options["root"], options.get("module")) or script(file, name)
    try:
        answer = run(torch, loaded, name, options, "meta")
    except Exception as e:
        try:
            answer = run(torch, loaded, name, options, "cpu")
        except MemoryError:
            raise e
        answer["device"] = "cpu"
        answer["why"] = ("%s: %s" % (type(e).__name__, e)).split("\n")[0][:160]
    json.dump(answer, out)


def run(torch, loaded, name, options, device):
    from torch.overrides import TorchFunctionMode

    places = Places(torch, device)

    class Building(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return places.call(func, args, kwargs or {})

    args = {}
    for key, text in (options.get("args") or {}).items():
        try:
            args[key] = eval(text, vars(loaded))
        except (NameError, SyntaxError):
            args[key] = text
    model = getattr(loaded, name)
    if not isinstance(model, torch.nn.Module):
        with Building():
            model = model(**args)
    if not isinstance(model, torch.nn.Module):
        raise TypeError("%s gives a %s, not a torch.nn.Module" % (name, type(model).__name__))
    count = sum(p.numel() for p in model.parameters())
    if device == "cpu" and count > MOST:
        raise MemoryError()
    if device == "meta":
        model = without_numbers(model)
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
        inputs.append(torch.rand(shape, device=device).to(dtype) if dtype.is_floating_point else torch.zeros(shape, dtype=dtype, device=device))
        return inputs[-1]

    arguments = [(i.get("name"), given(i)) for i in options["inputs"]]
    places.running = True
    recorder = Recorder(torch, model, places)
    for i, t in enumerate(inputs):
        recorder.add("input", "input" if i == 0 else "input%d" % (i + 1), "", [], t, {"dtype": str(t.dtype).replace("torch.", "")})

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return recorder.function(func, args, kwargs or {})

    # Indexing passes by the mode in PyTorch 1.13.
    index = torch.Tensor.__getitem__
    torch.Tensor.__getitem__ = lambda self, at: recorder.function(index, (self, at), {})
    recorder.hook()
    try:
        with torch.no_grad(), Mode():
            result = model(*[v for n, v in arguments if not n], **{n: v for n, v in arguments if n})
    finally:
        torch.Tensor.__getitem__ = index
        recorder.unhook()
    recorder.outputs(result)
    return {
        "torch": torch.__version__,
        "params": count,
        "steps": recorder.steps,
        "weights": recorder.weights,
        "outputs": recorder.results,
    }


def without_numbers(model):
    """Moves a model to the meta device. Module.to gives every place that a weight has a weight of its own there: those that were one stay one."""
    places = {}
    for module in model.modules():
        for name, weight in module._parameters.items():
            if weight is not None:
                places.setdefault(id(weight), []).append((module, name))
    model = model.to("meta")
    for (first, name), *others in places.values():
        for module, other in others:
            module._parameters[other] = first._parameters[name]
    return model


class Recorder:
    """Steps in the order in which they ran. A tensor is known by its identity; every one is kept, so that none is given out twice."""

    def __init__(self, torch, model, places):
        self.torch, self.model, self.places = torch, model, places
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

    def unhook(self):
        for m in self.model.modules():
            m.__dict__.pop("forward", None)

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
            return self.places.call(func, args, kwargs)
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
            result = self.places.call(func, args, kwargs)
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
