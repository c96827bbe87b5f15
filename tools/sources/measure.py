"""Measures public model code in PyTorch: which classes and factories run with which arguments and inputs, and what comes out.

    python measure.py REPOSITORIES ROWS [--only NAME] [--most 12]

REPOSITORIES has a folder OWNER+NAME for each repository, with its commit in .commit. Each file is measured in a process of its own, forked
from one that has imported PyTorch, so that a crash costs one file. Code of the repositories runs: measure in a place where that may happen.

A row has the repository and its commit, the folder that imports start from, the file, the name, the arguments as Python expressions and
the inputs as `verifier check --input` spells them, and what PyTorch gave: parameters, the shapes of the outputs without the batch, and the
FLOPs of one sample as torch.utils.flop_counter counts them; or the exception with its file and line. The batch is two and then three:
an axis that grows with it is the batch.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import io
import itertools
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

FILE_SECONDS = 150
TARGET_SECONDS = 12
LARGEST_FLOPS = 1_500_000_000  # of one sample
LARGEST_CPU = 60_000_000  # parameters: a larger model runs on the meta device alone
MEMORY_BYTES = 9 << 30

# A helper that nobody would name on a command line.
HELPER = re.compile(
    r"(block|layer|attention|attn|mlp|ffn|feedforward|feed_forward|norm|embedding|embed|conv|conv\dd|residual|loss|criterion|head|pool|pooling|module|"
    r"activation|swish|mish|gelu|bottleneck|upsample|downsample|unit|stem|cell|dropout|droppath|drop_path|identity|encoding|linear|bn|relu|"
    r"wrapper|function|base|mixin|parallel|rmsnorm|patchify|shift|padding|rescale|hook|ema|lambda|reshape|view|flatten|concat|noise|"
    r"merging|stage|group|rstb|gate|token|augment\w*|transform|pos_?enc\w*|metric|optimizer|scheduler|sampler|matcher|postprocess|quantizer)$",
    re.I,
)
SKIP_DIRS = re.compile(r"(^|/)(test|tests|docs?|third_party|build|setup|\.git|\.github|node_modules|caffe2?|tf|jax|flax|onnx|data|datasets?)(/|$)")


def spelled(shape: tuple[int, ...], dtype: str) -> str:
    """An input as --input takes it: spelled((3, 32, 32), "") is "3x32x32", spelled((), "int64") is "1,:int64"."""
    text = "x".join(str(n) for n in shape) if shape else "1,"
    return text + (":" + dtype if dtype else "")


class Late(BaseException):
    """The time for one target is over."""


# ---------------------------------------------------------------------------------------------------------------- what a file has


class Source:
    """A file of a repository: its module classes and factories, in the order of their lines."""

    def __init__(self, repo: Path, path: Path) -> None:
        self.repo, self.path = repo, path
        self.text = path.read_text(encoding="utf-8", errors="replace")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.tree = ast.parse(self.text)
        self.classes = {n.name: n for n in self.tree.body if isinstance(n, ast.ClassDef)}
        self.functions = {n.name: n for n in self.tree.body if isinstance(n, ast.FunctionDef)}

    def modules(self) -> list[str]:
        """Classes with a forward, or that inherit one from a class of this file."""
        def forwards(c: ast.ClassDef, depth: int = 0) -> bool:
            if any(isinstance(n, ast.FunctionDef) and n.name == "forward" for n in c.body):
                return not any(isinstance(n, ast.FunctionDef) and n.name == "backward" for n in c.body)
            names = [b.id for b in c.bases if isinstance(b, ast.Name)]
            return depth < 5 and any(n in self.classes and forwards(self.classes[n], depth + 1) for n in names)
        return [n for n, c in self.classes.items() if forwards(c)]

    def used(self) -> set[str]:
        """Names that another class of the file calls or takes as a base."""
        out = set()
        for c in self.classes.values():
            for n in ast.walk(c):
                if isinstance(n, ast.Name) and n.id != c.name:
                    out.add(n.id)
        return out

    def factories(self) -> list[str]:
        """Functions that return a call, with nothing required: resnet18(pretrained=False, **kwargs)."""
        out = []
        for n, f in self.functions.items():
            required = len(f.args.args) - len(f.args.defaults) + sum(d is None for d in f.args.kw_defaults)
            if n.startswith(("_", "test", "main", "get_args", "parse")) or required > 0:
                continue
            calls = {c.func.id for c in ast.walk(f) if isinstance(c, ast.Call) and isinstance(c.func, ast.Name)}
            if any(isinstance(r, ast.Return) and r.value is not None for r in ast.walk(f)) and (
                calls & set(self.modules()) or any(re.match(r"_?(make|create|build|gen|get)?_?[a-z]*net|_create|_build|_make", c) for c in calls)
            ):
                out.append(n)
        return out

    def targets(self) -> list[tuple[int, str]]:
        """What may be measured, with a rank: factories and root classes first, helpers last."""
        used = self.used()
        out = []
        for n in self.factories():
            out.append((0, n))
        for n in self.modules():
            if n.startswith("_"):
                continue
            rank = 0
            rank += 2 if HELPER.search(n) else 0
            rank += 1 if n in used else 0
            out.append((rank, n))
        return sorted(out, key=lambda t: t[0])


def roots(repo: Path, path: Path) -> list[Path]:
    """Folders that imports may start from: above the outermost package, then the file's own, then every one up to the repository."""
    top = path.parent
    while (top / "__init__.py").exists() and top != repo:
        top = top.parent
    out = [top]
    here = path.parent
    while True:
        if here not in out:
            out.append(here)
        if here == repo:
            break
        here = here.parent
    return out


# ------------------------------------------------------------------------------------------------------- snippets: tests, READMEs, main


class Snippets:
    """Calls of constructors and of what they made, in READMEs, tests and main blocks of a repository."""

    def __init__(self, repo: Path) -> None:
        self.made: dict[str, list[dict[str, Any]]] = {}
        for path in sorted(repo.rglob("*")):
            if path.suffix == ".md" and path.stat().st_size < 400_000:
                text = path.read_text(encoding="utf-8", errors="replace")
                for block in re.findall(r"```(?:python|py)?\n(.*?)```", text, re.S):
                    self.read(block)
            elif path.suffix == ".py" and path.stat().st_size < 400_000:
                self.read(path.read_text(encoding="utf-8", errors="replace"))

    def read(self, text: str) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return
        self.block(tree.body)
        for n in ast.walk(tree):
            if isinstance(n, ast.FunctionDef):
                self.block(n.body)

    def block(self, body: list[ast.stmt]) -> None:
        names: dict[str, Any] = {}
        models: dict[str, dict[str, Any]] = {}
        for s in body:
            if isinstance(s, ast.If | ast.With | ast.Try):
                self.statements(s.body, names, models)
            else:
                self.statements([s], names, models)

    def statements(self, body: list[ast.stmt], names: dict[str, Any], models: dict[str, dict[str, Any]]) -> None:
        for s in body:
            if isinstance(s, ast.FunctionDef | ast.ClassDef | ast.For | ast.While):
                continue
            if isinstance(s, ast.If | ast.With):
                self.statements(s.body, names, models)
                continue
            for n in ast.walk(s):
                if isinstance(n, ast.Call):
                    self.call(n, names, models)
            if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
                name, value = s.targets[0].id, self.unwrap(s.value)
                if isinstance(value, ast.Call) and (made := self.constructed(value, names)) is not None:
                    models[name] = made
                elif (known := self.value(value, names)) is not None:
                    names[name] = known[0]

    def unwrap(self, x: ast.expr) -> ast.expr:
        while (
            isinstance(x, ast.Call) and isinstance(x.func, ast.Attribute)
            and x.func.attr in ("cuda", "to", "eval", "train", "float", "cpu", "double", "requires_grad_")
        ):
            x = x.func.value
        return x

    def value(self, x: ast.expr, names: dict[str, Any]) -> tuple[Any] | None:
        """A literal, a name that is bound to one, or a tensor of known sizes as ("tensor", shape, dtype)."""
        x = self.unwrap(x)
        with contextlib.suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return (ast.literal_eval(x),)
        if isinstance(x, ast.Name) and x.id in names:
            return (names[x.id],)
        if isinstance(x, ast.BinOp | ast.Tuple | ast.List):
            plain = {k: v for k, v in names.items() if isinstance(v, int | float | tuple | list) and not (isinstance(v, tuple) and v[:1] == ("tensor",))}
            if all(isinstance(n, ast.BinOp | ast.Name | ast.Constant | ast.operator | ast.Load | ast.Tuple | ast.List) for n in ast.walk(x)):
                with contextlib.suppress(Exception):
                    return (eval(compile(ast.Expression(x), "<snippet>", "eval"), {"__builtins__": {}}, plain),)  # noqa: S307
        if isinstance(x, ast.Call) and isinstance(x.func, ast.Attribute) and isinstance(x.func.value, ast.Name) and x.func.value.id in ("torch", "th"):
            fn, args = x.func.attr, list(x.args)
            if fn == "tensor" and len(args) == 1 and (v := self.value(args[0], names)) and isinstance(v[0], list):
                with contextlib.suppress(Exception):
                    t = torch.tensor(v[0])
                    return (("tensor", tuple(t.shape), "int64" if t.dtype == torch.int64 else ""),)
            if fn not in ("randn", "rand", "zeros", "ones", "empty", "randint"):
                return None
            for k in x.keywords:
                if k.arg == "size":
                    args = [*args, k.value]
            if fn == "randint":
                args = args[-1:]
            values = [self.value(a, names) for a in args]
            if any(v is None for v in values):
                return None
            shape: Any = [v[0] for v in values if v]
            if len(shape) == 1 and isinstance(shape[0], tuple | list):
                shape = shape[0]
            if not shape or not all(isinstance(n, int) and 0 < n < 100_000 for n in shape):
                return None
            dtype = "int64" if fn == "randint" else ""
            for k in x.keywords:
                if k.arg == "dtype" and "long" in ast.dump(k.value) or k.arg == "dtype" and "int" in ast.dump(k.value):
                    dtype = "int64"
            if isinstance(x, ast.Call) and "bool" in ast.dump(x):
                dtype = "bool"
            return (("tensor", tuple(shape), dtype),)
        return None

    def constructed(self, c: ast.Call, names: dict[str, Any]) -> dict[str, Any] | None:
        name = c.func.id if isinstance(c.func, ast.Name) else c.func.attr if isinstance(c.func, ast.Attribute) else ""
        if not name or name in ("randn", "rand", "zeros", "ones", "randint", "tensor", "print", "len", "range"):
            return None
        made: dict[str, Any] = {"pos": [], "kw": {}, "calls": []}
        for a in c.args:
            v = self.value(a, names)
            if v is None or isinstance(v[0], tuple) and v[0][:1] == ("tensor",):
                return None
            made["pos"].append(repr(v[0]))
        for k in c.keywords:
            if k.arg is None:
                return None
            v = self.value(k.value, names)
            if v is None or isinstance(v[0], tuple) and v[0][:1] == ("tensor",):
                return None
            made["kw"][k.arg] = repr(v[0])
        self.made.setdefault(name, []).append(made)
        return made

    def call(self, c: ast.Call, names: dict[str, Any], models: dict[str, dict[str, Any]]) -> None:
        """A call of a model that was made above, with tensors whose sizes are known."""
        if isinstance(c.func, ast.Name) and c.func.id in models:
            made = models[c.func.id]
        elif isinstance(c.func, ast.Call) and (inner := self.constructed(c.func, names)) is not None:
            made = inner
        else:
            return
        inputs = []
        for a in c.args:
            v = self.value(a, names)
            if v is None or not (isinstance(v[0], tuple) and v[0][:1] == ("tensor",)):
                return
            inputs.append((v[0][1][1:], v[0][2]))
        for k in c.keywords:
            v = self.value(k.value, names)
            if v is None or not (isinstance(v[0], tuple) and v[0][:1] == ("tensor",)):
                return
            return  # by keyword: --input is positional
        if inputs:
            made["calls"].append(inputs)


# ------------------------------------------------------------------------------------------------------------- arguments and inputs

BY_NAME: list[tuple[str, list[str]]] = [
    (r"(num|n|nb|nr)_?(of_)?_?(class|classes|cls|labels?|outputs?)$|^classes$|^nclass$|^num_class$|class_num|^k$", ["10"]),
    (r"^(in|input)_?(ch|chans?|channels?|planes|nc|c)$|^channels?$|^n_?channels?$|^img_channels|^c_in$|^nc$|^colors?$|^inp(lanes)?$|^in_c$|num_in_ch", ["3", "64", "1"]),
    (r"^(out|output)_?(ch|chans?|channels?|planes|nc|c)$|^c_out$|num_out_ch|^oup$|^planes$", ["3", "64"]),
    (r"^(d_?model|model_?dim|embed_?dim|emb(ed|edding)?_?(dim|size|sz)?|hidden_?(dim|size|channels)?|hid_?dim|n_?embd|d_hidden|nhid|ninp|n_hid|width|base_?(dim|channels|ch)|n_?feats?|nf|ngf|ndf|features?|channel|inner_dim|hidden|num_hiddens|decoder_dim|encoder_dim|d_word_vec|d_inner)$", ["64"]),
    (r"^dim$|^dims?_?(in|out)?$|^d$|^c$", ["64"]),
    (r"depths?$|num_?layers?$|n_?layers?$|^layers$|num_?(res_?)?blocks?$|n_?blocks$|^n$|^blocks$|^nlayers$|^levels$", ["2", "[2, 2, 2, 2]"]),
    (r"heads?$|^nhead$|^num_heads$|^n_head$|^h$", ["4"]),
    (r"dim_?head|head_?dim|^d_k$|^d_v$", ["16"]),
    (r"mlp_?dim|dim_?feed_?forward|d_?ff$|d_?inner|intermediate|ff_?dim|hidden_?features|ffn_dim|pf_dim|feed_?forward", ["128"]),
    (r"mlp_?ratio|expansion|multiplier|width_mult|scale_factor|^ratio$", ["4", "1.0"]),
    (r"^(img|image|input|spatial)_?(size|resolution|dim|shape|res)s?$|^resolution$|^size$|^image_?(height|width)$|^img_(h|w)$|^height$|^width$", ["64", "(64, 64)", "(3, 64, 64)", "16"]),
    (r"patch_?(size|dim)$|^patch$", ["8"]),
    (r"vocab(ulary)?_?(size|len)?|num_?tokens?$|^n_?tokens?$|^ntoken$|^n_?vocab$|num_?embeddings|.*vocab.*|num_words|num_chars|n_symbols|n_?items?$|n_?users?$|num_(users|items|nodes)", ["100"]),
    (r"max_?(seq|len|position|length|pos|time|t).*|seq_?len.*|block_?size|context_?(len|length|size)|^length$|^window_?size$|num_frames|frames|n_ctx|.*_len$|^time_?steps$|pred_len|num_?patches|seq_length|sequence_length|lookback|horizon|n_points|num_points", ["32", "16"]),
    (r"drop|^p$|^rate$|.*_prob$", ["0.1"]),
    (r"kernel|^ks$|^k_size$", ["3"]),
    (r"stride", ["1"]),
    (r"pad(ding)?$", ["1"]),
    (r"pad.*idx|.*_idx$|.*_id$|.*_index$", ["0"]),
    (r"dilation|groups|^scale$|upscale|factor|^r$|reduction", ["2", "1"]),
    (r"^(in|input)_?(dim|dims|size|features?|feats?|d)$|^nfeat$|^n_?features?$|num_?features?|^n_?inputs?$|^num_inputs$|state_?(dim|size)|obs_?(dim|size)?|observation.*|.*_in$|feature_?(dim|size)|enc_in|dec_in|in_f.*", ["64", "16"]),
    (r"^(out|output|latent|z|action|code|proj|cond|style|noise|emb)_?(dim|dims|size|features?|d|dims)$|^num_?(outputs|actions)$|^n_?(actions?|outputs?)$|.*_out$|action.*|^nz$", ["16", "64"]),
    (r"^alpha$|^beta$|^eps(ilon)?$|^gamma$|^temperature$|^lr$|momentum", ["0.1"]),
    (r"^ch$", ["64"]),
    (r"pretrain|bias|use_|with_|is_|^bn$|batch_?norm|bilinear|causal|bidirectional|deep_supervision|verbose|normalize|concat|pruning", ["False", "True"]),
    (r"act(ivation)?$|nonlin", ["'relu'"]),
    (r"norm(_type)?$", ["'batch'"]),
    (r"attn_resolutions|attention_resolutions|attention_levels", ["[16]"]),
    (r"ch_mult|channel_mult|channel_multipliers|dim_mults", ["(1, 2)"]),
    (r"filters|num_channels|channels_list|hidden_?(dims|sizes|layers|units)|.*_dims$|.*_channels$|.*_sizes$|.*_list$", ["32", "[16, 32, 64]"]),
    (r"_dim$|_size$|_channels$|_ch$|_features$|_planes$|dim_|size|dim", ["64"]),
    (r"^num_|^n_|_num$|num|count", ["4", "2"]),
]
BY_TYPE = {"int": ["64", "4"], "float": ["0.1"], "bool": ["False"], "str": ["'relu'"], "tuple": ["(64, 64)"], "list": ["[16, 32, 64]"], "List[int]": ["[16, 32, 64]"]}

IMAGES = ["3x32x32", "3x64x64", "3x224x224", "1x28x28", "1x32x32", "3x128x128", "3x256x256", "1x64x64"]
TOKENS = ["16:int64", "32:int64", "64:int64"]
OTHERS = ["80x64", "1x8192", "8192", "3x256", "256x3", "6x256", "3x16x112x112", "1x32x32x32", "3x8x64x64", "64", "16", "32x64", "16x16", "96x7", "128"]

FORWARD: list[tuple[str, list[str]]] = [
    (r"^(t|ts|time|times|timesteps?|time_?steps?|sigma|noise_level|log_snr|c_noise|r)$", ["1,", "1,:int64"]),
    (r"^(y|labels?|cls|class_labels?|classes|c|cond)$", ["1,:int64", "16", "64", "16x64"]),
    (r"(lengths?|lens?|_len)$", ["1,:int64"]),
    (r"mask", ["16:bool", "32:bool", "1x16:bool", "16x16:bool", "32", "16", "1x1x16"]),
    (r"^(idx|ids|tokens?|input_?ids|src|tgt|trg|seq|src_seq|trg_seq|text|word|sentence|caption|captions|target|targets|inputs?_ids|src_tokens|token_type_ids|segment_label|segment_info)$", ["16:int64", "32:int64"]),
    (r"^(context|encoder_.*|memory|enc_out(put)?|cross|cond|kv)$", ["32x64", "16x64", "77x64"]),
    (r"^(q|k|v|query|key|value|queries|keys|values)$", ["32x64", "16x64"]),
    (r"^(points?|xyz|pc|pointcloud)$", ["3x256", "256x3"]),
    (r"^(adj|a|adjacency|graph)$", ["16x16"]),
    (r"^(z|noise|latent|latents|code|w|style)$", ["64", "16", "100", "32", "128", "512", "64x1x1", "100x1x1"]),
    (r"^(action|actions|act|a)$", ["16", "4", "1,:int64"]),
    (r"^(state|states|obs|observation|observations|s)$", ["16", "64", "4x84x84", "4"]),
    (r"^(h|hx|hidden|hidden_state|h_0|prev_hidden)$", ["64", "16"]),
    (r"(mel|mels|spec|audio|wav|waveform|signal)", ["80x64", "1x8192", "8192"]),
    (r"(mark|x_mark_enc|x_mark_dec)", ["96x4"]),
]


def argument_values(name: str, annotation: Any, module: Any) -> list[str]:
    """Values that a required argument may take, as Python expressions."""
    if inspect.isclass(annotation) and annotation.__module__ == module.__name__ and not issubclass(annotation, nn.Module):
        with contextlib.suppress(Exception):
            annotation()
            return [annotation.__name__ + "()"]
    if isinstance(annotation, str) and re.fullmatch(r"\w+", annotation) and inspect.isclass(getattr(module, annotation, None)):
        with contextlib.suppress(Exception):
            getattr(module, annotation)()
            return [annotation + "()"]
    if name in ("config", "cfg", "args", "configs", "hparams", "hps", "params", "options", "opt"):
        for n in dir(module):
            c = getattr(module, n)
            if inspect.isclass(c) and re.search(r"(config|args|params|options)$", n, re.I) and getattr(c, "__module__", "").split(".")[0] == module.__name__.split(".")[0]:
                with contextlib.suppress(Exception):
                    c()
                    return [n + "()"]
        for n in ("args", "opt", "cfg", "config", "hps", "hp"):
            if hasattr(module, n) and not inspect.ismodule(getattr(module, n)):
                return [n]
        return []
    if re.search(r"^(block|block_class|layer_class|bottleneck)$", name):
        return [n for n in ("BasicBlock", "Bottleneck", "Block") if inspect.isclass(getattr(module, n, None))]
    if re.search(r"^(layer|encoder|decoder|backbone|body|net|network|model|module|fn|func|function|attention|attn|bert|transformer|base|criterion|loss|"
                 r"encoders|decoders|layers_list|attn_layers|norm_layer|act_layer|conv_layer|optimizer|tokenizer|device|dataset|generator|discriminator|student|teacher|learner|embeddings?_model)$", name):
        return []
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if annotation is bool:
        return ["False", "True"]
    for pattern, values in BY_NAME:
        if re.search(pattern, name.lower()):
            return [v for v in values if not (annotation is int and not v.isdigit())] or values
    if text in BY_TYPE:
        return BY_TYPE[text]
    return ["64", "4"]


def parameters_of(target: Any) -> list[inspect.Parameter]:
    with contextlib.suppress(ValueError, TypeError):
        return [p for p in inspect.signature(target).parameters.values()]
    return []


def argument_sets(target: Any, module: Any, snippets: list[dict[str, Any]]) -> Iterator[tuple[dict[str, str], list[Any], str]]:
    """Arguments to try, with the inputs that go with them and where they come from."""
    params = parameters_of(target)
    names = [p.name for p in params if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    anything = any(p.kind == p.VAR_KEYWORD for p in params)
    required = [p for p in params if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    seen = set()
    for s in sorted(snippets, key=lambda s: -len(s["calls"])):
        if len(s["pos"]) > len(names):
            continue
        args = {**dict(zip(names, s["pos"], strict=False)), **s["kw"]}
        if not anything and not set(args) <= set(names) or not {p.name for p in required} <= set(args):
            continue
        key = (json.dumps(args, sort_keys=True), json.dumps(s["calls"]))
        if key not in seen and len(seen) < 6:
            seen.add(key)
            yield args, s["calls"], "snippet"
    for p in params:
        if not required and "pretrained" in p.name and p.default not in (False, None, p.empty):
            yield {p.name: "False" if p.default is True else "None"}, [], "defaults"
    choices = [[(p.name, v) for v in argument_values(p.name, p.annotation, module)] for p in required]
    if any(not c for c in choices) or len(choices) > 14:
        return
    n = 0
    for combination in itertools.product(*choices):
        n += 1
        if n > 8:
            break
        yield dict(combination), [], "defaults" if not required else "names"


def literal(text: str) -> Any:
    with contextlib.suppress(Exception):
        return ast.literal_eval(text)
    return None


def known_values(target: Any, args: dict[str, str]) -> dict[str, Any]:
    out = {p.name: p.default for p in parameters_of(target) if p.default is not p.empty}
    out.update({k: literal(v) for k, v in args.items()})
    return out


def image_candidates(values: dict[str, Any]) -> list[str]:
    channels, sizes = [], []
    for k, v in values.items():
        low = k.lower()
        if isinstance(v, bool):
            continue
        if isinstance(v, int) and 0 < v < 2048 and re.search(r"^(in|input|img|image|n)?_?(ch|chans?|channels?|planes|nc|c|channel)(_in)?$|^c_in$|^in_|^inp$|colors", low) and "size" not in low:
            channels.append(v)
        if re.search(r"(img|image|input|crop)_?(size|resolution|res|dim)|^resolution$|^size$|image_?(height|width)", low):
            if isinstance(v, int) and 7 < v <= 1024:
                sizes.append((v, v))
            elif isinstance(v, tuple | list) and len(v) in (2, 3) and all(isinstance(n, int) for n in v):
                sizes.append(tuple(v[-2:]))
                if len(v) == 3:
                    channels.append(v[0])
    out = []
    for c in channels or [3, 1]:
        for h, w in sizes:
            out.append(f"{c}x{h}x{w}")
    for c in channels:
        out += [f"{c}x32x32", f"{c}x64x64", f"{c}x224x224", f"{c}x16x16", f"{c}x8x8", f"{c}x128", f"{c}x8x32x32"]
    return out


def width_candidates(values: dict[str, Any]) -> list[str]:
    widths, lengths = [], []
    for k, v in values.items():
        if isinstance(v, bool) or not isinstance(v, int) or not 0 < v <= 4096:
            continue
        low = k.lower()
        if re.search(r"(dim|d_?model|hidden|embd?|features?|feats?|width|size|n_?inputs?|obs|state|latent|^nz$|^z|in_f|enc_in|c_in|nfeat|input)", low) and not re.search(r"(patch|kernel|img|image|out|mlp|head)", low):
            widths.append(v)
        if re.search(r"(seq|len|block_size|window|frames|points|context|patches|n_ctx|horizon|steps)", low):
            lengths.append(v)
    out = []
    for w in dict.fromkeys(widths):
        out += [f"{n}x{w}" for n in dict.fromkeys([*lengths[:3], 16, 32])]
        out += [str(w), f"{w}x32", f"{w}x64", f"{w}x16x16", f"{w}x32x32", f"{w}x1x1"]
    for n in dict.fromkeys(lengths):
        out += [f"{n}:int64", f"{n}x64", f"{n}x1", f"3x{n}"]
    return out


def parse(text: str) -> tuple[tuple[int, ...], str]:
    shape, _, dtype = text.partition(":")
    if shape == "1,":
        return (), dtype
    return tuple(int(n) for n in shape.split("x")), dtype


def input_sets(model: nn.Module, values: dict[str, Any], calls: list[Any]) -> Iterator[list[str]]:
    """Inputs to try for the arguments of forward that have no default."""
    for c in calls[:3]:
        yield [spelled(tuple(shape), dtype) for shape, dtype in c]
    params = [p for p in parameters_of(model.forward) if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)]
    required = [p for p in params if p.default is p.empty] or params[:1]
    vocabulary = any(isinstance(m, nn.Embedding) for m in model.modules())
    own = width_candidates(values) + [s for s in layer_candidates(model)]
    general = list(dict.fromkeys(image_candidates(values) + own[:14] + IMAGES + OTHERS + own[14:] + TOKENS))
    if vocabulary or any(re.search("vocab|token|num_embeddings", k) for k in values):
        lengths = [s for s in own if s.endswith(":int64")]
        general = list(dict.fromkeys([*lengths[:2], *TOKENS, *general]))
    if len(required) == 1:
        first = [c for pattern, cs in FORWARD if re.search(pattern, required[0].name.lower()) for c in cs]
        yield from ([c] for c in dict.fromkeys([*first, *general][:36]))
        return
    if len(required) > 4:
        return
    lists = []
    for p in required:
        first = [c for pattern, cs in FORWARD if re.search(pattern, p.name.lower()) for c in cs]
        lists.append(list(dict.fromkeys(first))[:4] or general[:10])
    if not any(re.search(pattern, required[0].name.lower()) for pattern, _ in FORWARD):
        lists[0] = general[:24]
    same = [c for c in general[:16]]
    for c in same:  # two images, two sequences
        yield [c] * len(required)
    for n, combination in enumerate(itertools.product(*lists)):
        if n > 40:
            return
        yield list(combination)


def layer_candidates(model: nn.Module) -> list[str]:
    """Shapes that the first layer with weights takes."""
    for m in model.modules():
        if isinstance(m, nn.Conv2d):
            c = m.in_channels
            return [f"{c}x{s}x{s}" for s in (32, 64, 128, 224, 16, 8)]
        if isinstance(m, nn.Conv1d):
            c = m.in_channels
            return [f"{c}x64", f"{c}x256", f"64x{c}", f"{c}x4096", f"{c}x1024"]
        if isinstance(m, nn.Conv3d):
            c = m.in_channels
            return [f"{c}x16x32x32", f"{c}x16x64x64", f"{c}x32x32x32", f"{c}x16x112x112"]
        if isinstance(m, nn.ConvTranspose2d):
            c = m.in_channels
            return [f"{c}x1x1", f"{c}x8x8", f"{c}"]
        if isinstance(m, nn.Linear):
            f = m.in_features
            out = [f"{f}", f"16x{f}", f"32x{f}"]
            if f in (784, 1024, 3072):
                out += ["1x28x28", "3x32x32", "1x32x32"]
            side = int(f**0.5)
            if side * side == f:
                out.append(f"1x{side}x{side}")
            return out
        if isinstance(m, nn.RNNBase):
            return [f"16x{m.input_size}", f"32x{m.input_size}"]
        if isinstance(m, nn.Embedding):
            return ["16:int64", "32:int64"]
    return []


# -------------------------------------------------------------------------------------------------------------------------- running


def tensors(x: Any, depth: int = 0) -> list[torch.Tensor]:
    """Tensors of a result in the order that its containers have them."""
    if isinstance(x, torch.Tensor):
        return [x]
    if depth > 6:
        return []
    if isinstance(x, dict):
        return [t for v in x.values() for t in tensors(v, depth + 1)]
    if isinstance(x, list | tuple):
        return [t for v in x for t in tensors(v, depth + 1)]
    if hasattr(x, "__dataclass_fields__"):
        return [t for n in x.__dataclass_fields__ for t in tensors(getattr(x, n), depth + 1)]
    return []


def make(inputs: list[str], batch: int, device: str) -> list[torch.Tensor]:
    out = []
    for text in inputs:
        shape, dtype = parse(text)
        if dtype == "int64":
            out.append(torch.zeros(batch, *shape, dtype=torch.int64, device=device) if device == "meta" else torch.ones(batch, *shape, dtype=torch.int64))
        elif dtype == "bool":
            out.append(torch.ones(batch, *shape, dtype=torch.bool, device=device))
        else:
            out.append(torch.rand(batch, *shape, device=device))
    return out


def forward(model: nn.Module, inputs: list[str], batch: int, device: str) -> tuple[list[list[int]], int, str]:
    torch.manual_seed(0)
    counter = FlopCounterMode(display=False)
    with torch.backends.mkldnn.flags(enabled=False), sdpa_kernel(SDPBackend.MATH), counter:
        with torch.device(device) if device == "meta" else contextlib.nullcontext():
            result = model(*make(inputs, batch, device))
    found = tensors(result)
    if not found:
        raise TypeError("the result has no tensor: " + type(result).__name__)
    return [list(t.shape) for t in found], int(counter.get_total_flops()), type(result).__name__


def without_batch(two: list[list[int]], three: list[list[int]]) -> list[dict[str, Any]] | None:
    """The shapes without the axis that grows with the batch; folded says how many entries that axis has for each sample."""
    if len(two) != len(three):
        return None
    out = []
    for a, b in zip(two, three, strict=True):
        if len(a) != len(b):
            return None
        grows = [i for i, (m, n) in enumerate(zip(a, b, strict=True)) if m != n]
        if not grows:
            out.append({"shape": a, "batch": -1})
            continue
        i = grows[0]
        if len(grows) > 1 or a[i] % 2 or b[i] != a[i] // 2 * 3:
            return None
        row = {"shape": a[:i] + a[i + 1 :], "batch": i}
        if a[i] != 2:
            row["folded"] = a[i] // 2
        out.append(row)
    return out


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raises Late after seconds of this process's own time: a busy machine takes no part of them."""
    def late(_sig: int, _frame: Any) -> None:
        raise Late()
    old = signal.signal(signal.SIGPROF, late)
    left = signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
        if left[0]:
            signal.setitimer(signal.ITIMER_PROF, max(1, left[0]))


def place(error: BaseException, repo: Path) -> tuple[str, int]:
    """The innermost line of the repository that an exception went through."""
    out = ("", 0)
    for frame in traceback.extract_tb(error.__traceback__):
        with contextlib.suppress(ValueError):
            out = (str(Path(frame.filename).resolve().relative_to(repo.resolve())), frame.lineno or 0)
    return out


def lazily(fill: Any) -> Any:
    """An initialiser of torch.nn.init that checks a large tensor and leaves its pages alone."""
    def init(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        if tensor.numel() < 1 << 15 or tensor.device.type == "meta":
            return fill(tensor, *args, **kwargs)
        fill(torch.empty_like(tensor, device="meta"), *args, **kwargs)
        return tensor
    return init


def spare_initialisation() -> None:
    for name in dir(nn.init):
        if name.endswith("_") and not name.startswith("_") and name not in ("orthogonal_", "sparse_", "dirac_", "eye_"):
            setattr(nn.init, name, lazily(getattr(nn.init, name)))


def build(target: Any, module: Any, args: dict[str, str], device: str) -> nn.Module:
    values = {k: eval(v, vars(module)) for k, v in args.items()}  # noqa: S307 (the repository's own code runs here anyway)
    torch.manual_seed(0)
    made = target(**values)
    if not isinstance(made, nn.Module):
        raise TypeError("not a module: " + type(made).__name__)
    return moved(made, device)


def moved(model: nn.Module, device: str) -> nn.Module:
    """The model on a device. From real numbers to the meta device Module.to unties weights that are shared; here they stay one."""
    places: dict[int, list[tuple[nn.Module, str]]] = {}
    for module in model.modules():
        for name, weight in module._parameters.items():
            if weight is not None:
                places.setdefault(id(weight), []).append((module, name))
    model = model.to(device)
    for (first, name), *others in places.values():
        for module, other in others:
            module._parameters[other] = first._parameters[name]
    return model


def count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def measured(model: nn.Module, inputs: list[str], device: str, mode: str) -> dict[str, Any]:
    model.train(mode == "train")
    two, flops2, kind = forward(model, inputs, 2, device)
    three, flops3, _ = forward(model, inputs, 3, device)
    outputs = without_batch(two, three)
    if outputs is None:
        raise TypeError("the result has no one batch axis")
    return {"outputs": outputs, "flops": 2 * flops2 - flops3, "flopsPerSample": flops3 - flops2, "result": kind}


def attempt(target: Any, module: Any, args: dict[str, str], devices: tuple[str, ...], problems: list[str]) -> tuple[nn.Module, str] | None:
    """The model on the first device that its constructor runs on."""
    for device in devices:
        try:
            with limit(5):
                return build(target, module, args, device), device
        except Late:
            problems.append("constructor: late")
        except Exception as e:
            problems.append(f"constructor {args}: {type(e).__name__}: {str(e)[:200]}")
    return None


def run(model: nn.Module, inputs: list[str], device: str, mode: str, problems: list[str]) -> dict[str, Any] | str:
    """What a forward gives, or why it does not: late, meta (the device cannot do it), or raises."""
    try:
        with limit(6):
            return measured(model, inputs, device, mode)
    except Late:
        problems.append(f"forward {inputs}: late")
        return "late"
    except Exception as e:
        problems.append(f"forward {inputs} {mode}: {type(e).__name__}: {str(e)[:160]}")
        return "meta" if device == "meta" and (isinstance(e, NotImplementedError) or "meta" in str(e).lower() or ".item()" in str(e) or "same device" in str(e)) else "raises"


def also_runs(target: Any, module: Any, args: dict[str, str], inputs: list[str], mode: str, problems: list[str]) -> str:
    """What keeps a model that runs on the meta device from running on real numbers: "", late or raises."""
    try:
        with limit(6):
            model = build(target, module, args, "cpu").train(mode == "train")
            model(*make(inputs, 2, "cpu"))
        return ""
    except Late:
        return "late"
    except Exception as e:
        problems.append(f"on the CPU, forward {inputs} {mode}: {type(e).__name__}: {str(e)[:160]}")
        return "raises"


def try_target(module: Any, name: str, repo: Path, snippets: list[dict[str, Any]]) -> dict[str, Any]:
    """The row of the first arguments and inputs that run, or why none does."""
    target = getattr(module, name)
    problems: list[str] = []
    deadline = time.process_time() + TARGET_SECONDS
    for args, calls, origin in argument_sets(target, module, snippets):
        if time.process_time() > deadline:
            break
        made = attempt(target, module, args, ("meta",), problems)
        if made is None:
            continue
        model, device = made
        params = count(model)
        if any(isinstance(p, nn.parameter.UninitializedParameter) for p in model.parameters()):
            return {"error": "lazy"}
        values = known_values(target, args)
        for inputs in input_sets(model, values, calls):
            if time.process_time() > deadline:
                problems.append("late")
                break
            for mode in ("train", "eval"):
                got = run(model, inputs, device, mode, problems)
                if got == "meta" and params < LARGEST_CPU:  # what the meta device cannot do
                    made = attempt(target, module, args, ("cpu",), problems)
                    if made is None:
                        break
                    model, device = made
                    got = run(model, inputs, device, mode, problems)
                if isinstance(got, str):
                    if got == "late":
                        deadline -= 4
                        break
                    continue
                if device == "meta" and params < LARGEST_CPU and got["flops"] < LARGEST_FLOPS:
                    checked = also_runs(target, module, args, inputs, mode, problems)
                    if checked == "raises":
                        continue
                    device = "cpu" if checked == "" else device
                if count(model) != params:
                    return {"error": "the forward adds parameters"}
                return {"args": args, "inputs": inputs, "mode": mode, "device": device, "origin": origin, "runs": True, "params": params, **got}
    return {"error": problems[-1] if problems else "no arguments", "tried": len(problems), "first": problems[0] if problems else ""}


def import_file(repo: Path, path: Path) -> tuple[Any, Path, str]:
    """The module of a file, the folder that imports start from, and why it could not be imported."""
    why = ""
    for root, beside in itertools.product(roots(repo, path), (False, True)):
        if beside and root == path.parent:
            continue
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        before, modules = list(sys.path), set(sys.modules)
        sys.path.insert(0, str(root))
        if beside:  # as a script of that folder would be run
            sys.path.insert(1, str(path.parent))
        sys.argv = [str(path)]
        try:
            with limit(15):
                module = load_file(repo, path, name)
            if Path(module.__file__).resolve() != path.resolve():
                raise ImportError("another file of that name: " + str(module.__file__))
            return module, root, ""
        except Late:
            why = "import: late"
        except BaseException as e:
            why = why or f"import: {type(e).__name__}: {str(e)[:200]}"
        sys.path[:] = before
        for n in set(sys.modules) - modules:  # an extension that was loaded cannot be loaded again
            if str(getattr(sys.modules[n], "__file__", "") or "").startswith(str(repo)):
                del sys.modules[n]
    return None, path.parent, why


def load_file(repo: Path, path: Path, name: str) -> Any:
    top = name.split(".")[0]
    if re.fullmatch(r"[\w.]+", name) and top not in sys.stdlib_module_names:
        for n in [n for n in sys.modules if n == top or n.startswith(top + ".")]:
            if not str(getattr(sys.modules[n], "__file__", "")).startswith(str(repo)):
                del sys.modules[n]
        return importlib.import_module(name)
    other = "measured_" + re.sub(r"\W", "_", name)
    spec = importlib.util.spec_from_file_location(other, path)
    if spec is None or spec.loader is None:
        raise ImportError("no loader")
    module = importlib.util.module_from_spec(spec)
    sys.modules[other] = module
    spec.loader.exec_module(module)
    return module


class Stub:
    """Stands for what a package that is not installed has. It may decorate while a file is imported; a model that calls it does not run."""

    importing = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return ()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __contains__(self, item: Any) -> bool:
        return False

    def __getitem__(self, item: Any) -> Any:
        return Stub()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not Stub.importing:
            raise RuntimeError("calls a package that is not installed")
        return args[0] if len(args) == 1 and not kwargs and (inspect.isclass(args[0]) or inspect.isfunction(args[0])) else Stub()


class StubModule(types.ModuleType):
    __path__: list[str] = []
    __version__ = "99.0.0"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub()


# Modules that older releases of installed packages had.
OLD_MODULES = {"torch._six", "torchvision.models.utils", "pytorch_lightning.utilities.distributed", "timm.models.layers.helpers"}


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes modules of packages that are neither in the repository nor installed."""

    def __init__(self, repo: Path) -> None:
        self.own = {p.stem for p in repo.rglob("*.py")} | {p.name for p in repo.rglob("*") if p.is_dir()}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        top, _, below = name.partition(".")
        if top in self.own or top in sys.stdlib_module_names:
            return None
        there = sys.modules.get(top)
        if below and not isinstance(there, StubModule) and name not in OLD_MODULES:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        return StubModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def child(repo: Path, path: Path, names: list[str], snippets: dict[str, Any], out: int) -> None:
    """Measures targets of one file and writes a JSON line for each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(scratch())
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    file = os.fdopen(out, "w")
    commit = (repo / ".commit").read_text().strip()
    sys.meta_path.append(Missing(repo))
    sys.modules.setdefault("torch.utils.tensorboard", StubModule("torch.utils.tensorboard"))
    module, root, why = import_file(repo, path)
    Stub.importing = False
    for name in names:
        row: dict[str, Any] = {"repo": repo.name.replace("+", "/", 1), "commit": commit, "root": str(root.relative_to(repo)), "file": str(path.relative_to(repo)), "name": name}
        if module is None:
            row |= {"error": why}
        elif not hasattr(module, name):
            row |= {"error": "not there"}
        else:
            target = getattr(module, name)
            if inspect.isclass(target) and not issubclass(target, nn.Module):
                row |= {"error": "not a module"}
            else:
                try:
                    with contextlib.redirect_stdout(io.StringIO()), limit(TARGET_SECONDS + 15):
                        row |= try_target(module, name, repo, snippets.get(name, []))
                except Late:
                    row |= {"error": "late"}
                except BaseException as e:
                    row |= {"error": f"{type(e).__name__}: {str(e)[:200]}"}
        file.write(json.dumps(row) + "\n")
        file.flush()
    file.close()
    os._exit(0)


def scratch() -> str:
    path = os.environ.get("TMPDIR", "/tmp") + "/measure"
    os.makedirs(path, exist_ok=True)
    return path


def measure_file(repo: Path, path: Path, names: list[str], snippets: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Forks a process for the file and gives what it wrote before it ended or its time did."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        try:
            os.setpgrp()
            child(repo, path, names, snippets, w)
        finally:
            os._exit(1)
    os.close(w)
    end = time.time() + FILE_SECONDS
    data = b""
    os.set_blocking(r, False)
    while time.time() < end:
        try:
            part = os.read(r, 65536)
        except BlockingIOError:
            time.sleep(0.05)
            continue
        if not part:
            break
        data += part
    os.close(r)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    got = set()
    for line in data.decode().splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            row = json.loads(line)
            got.add(row["name"])
            yield row
    for name in names:
        if name not in got:
            yield {"repo": repo.name.replace("+", "/", 1), "file": str(path.relative_to(repo)), "name": name, "error": "crash or late"}


def measure_repo(repo: Path, most: int, seconds: float, known: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows of one repository: the best targets of each file in turn, until enough run."""
    snippets = Snippets(repo).made
    sources = []
    for path in sorted(repo.rglob("*.py")):
        rel = str(path.relative_to(repo))
        if SKIP_DIRS.search(os.path.dirname(rel)) or path.name.startswith(("test_", "setup", "conftest")):
            continue
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            s = Source(repo, path)
            if s.targets():
                sources.append(s)
    sources.sort(key=lambda s: (min(r for r, _ in s.targets()), hashlib.sha256(str(s.path).encode()).digest()))
    seen, shapes, runs, end = {r["name"] for r in known if r.get("runs")}, set(), sum(bool(r.get("runs")) for r in known), time.time() + seconds
    for rank in (0, 1, 2):
        for s in sources:
            names = [n for r, n in s.targets() if r == rank and n not in seen]
            # Of a family of factories two are enough.
            names = sorted(names, key=lambda n: (bool(re.search(r"\d", n)), s.text.find(n)))[: 4 if len(sources) > 5 else 10]
            if not names or runs >= most or time.time() > end or rank == 2 and runs >= most // 2:
                continue
            seen |= set(names)
            for row in measure_file(repo, s.path, names, snippets):
                if row.get("runs"):
                    key = (row["params"], json.dumps(row["outputs"]), row["flops"])
                    if key in shapes or runs >= most:
                        continue
                    shapes.add(key)
                    runs += 1
                yield row


def claim(path: Path) -> bool:
    """Whether this process is the first to take a repository."""
    try:
        path.mkdir(parents=True)
    except FileExistsError:
        return False
    return True


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("repositories", type=Path)
    p.add_argument("rows", type=Path)
    p.add_argument("--only", default="")
    p.add_argument("--claims", type=Path, help="a folder in which processes that share the work note the repositories they take")
    p.add_argument("--again", type=Path, help="a folder of earlier rows: what ran there is not measured again")
    p.add_argument("--most", type=int, default=12, help="rows that run of one repository")
    p.add_argument("--seconds", type=float, default=240, help="for one repository")
    opt = p.parse_args()
    torch.set_num_threads(1)
    spare_initialisation()
    for name in ("einops", "timm", "torchvision", "numpy", "scipy", "torch._dynamo", "torch._decomp", "torch._refs"):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    done = set()
    if opt.rows.exists():
        done = {json.loads(line)["repo"] for line in opt.rows.read_text().splitlines()}
    repos = [r for r in sorted(opt.repositories.resolve().iterdir()) if (r / ".commit").exists() and opt.only.replace("/", "+") in r.name]
    known: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(opt.again.glob("*.jsonl")) if opt.again else []:
        for line in file.read_text().splitlines():
            row = json.loads(line)
            known.setdefault(row["repo"], []).append(row)
    with opt.rows.open("a") as out:
        for repo in repos:
            if repo.name.replace("+", "/", 1) in done or opt.claims and not claim(opt.claims / repo.name):
                continue
            n = k = 0
            for row in measure_repo(repo, opt.most, opt.seconds, known.get(repo.name.replace("+", "/", 1), [])):
                out.write(json.dumps(row) + "\n")
                out.flush()
                n, k = n + 1, k + bool(row.get("runs"))
            print(repo.name, k, "of", n, flush=True)


if __name__ == "__main__":
    main()
