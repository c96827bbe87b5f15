"""Prints what the functions of torch, torch.nn.functional and torch.nn.init, the methods of tensors and the classes of torch.nn take.

A line has a signature and the functions that have it. "p" is a function of Python, which looks at names and numbers of arguments alone; "b" is a
built-in one, which looks at their kinds, too. A parameter is NAME:KINDS, or NAME=KINDS where it has a default; *NAME:KINDS is any number of
them, a lone * begins those that are given by name alone, and ** takes any name. Kinds are T tensor, L sequence of tensors, i int, I sequence of
ints, f float, b bool, s str, n None; none of them is anything.

Run it with every PyTorch that counts, the oldest and the newest, and join the lines:  signatures.py old.txt >signatures.txt
"""
import ast
import inspect
import os
import re
import sys
import warnings

warnings.simplefilter("ignore")
import torch
import torch.nn.functional as F

STUBS = os.path.join(os.path.dirname(torch.__file__), "_C")
SKIP = re.compile(r"^(_|cudnn|mkldnn|miopen|fbgemm|quantize|q_|fake_quantize|sym_|is_same_size$|from_file|save|load|compile|set_|get_|seed|manual_seed|record_stream|sparse_)")
# These take a number for a tensor (should_allow_numbers_as_tensors of python_arg_parser.cpp).
NUMBERS = re.compile(r"^(add|sub|subtract|mul|multiply|div|divide|true_divide|floor_divide)_?$")


def stubs(path, inside=""):
    """The definitions of a stub file by name, of a class in it where one is named."""
    found = {}
    body = ast.parse(open(path).read()).body
    if inside:
        body = [d for c in body if isinstance(c, ast.ClassDef) and c.name == inside for d in c.body]
    for d in body:
        if isinstance(d, ast.FunctionDef):
            found.setdefault(d.name, []).append(d)
    return found


def kinds(node):
    """The kinds of an annotation; nothing where it may be anything."""
    text = ast.unparse(node).replace("Optional[", "None | Union[").replace("_", "")
    out = set()
    sequence = re.search(r"(Sequence|list|List|tuple|Tuple)\[", text)
    if sequence:
        out |= {"L"} if "Tensor" in text else {"I"} if re.search(r"\b(int|SymInt|IntLikeType)\b", text) else {"s"} if "str" in text else {""}
        text = re.sub(r"(Sequence|list|List|tuple|Tuple)\[.*?\]+", " ", text)
    for word in re.findall(r"\w+", text):
        kind = {"Tensor": "T", "int": "i", "SymInt": "i", "IntLikeType": "i", "float": "f", "Number": "f", "complex": "f", "FloatLikeType": "f",
                "PySymType": "f", "bool": "b", "str": "s", "None": "n", "size": "I", "Union": None, "torch": None,
                "ellipsis": "s", "EllipsisType": "s"}.get(word, "")
        if kind is not None:
            out.add(kind)
    return "" if "" in out or not out else "".join(sorted(out))


def kinds_of(parameter, default, function):
    """The kinds of a parameter: an empty default is None, too."""
    k = kinds(parameter.annotation) if parameter.annotation else ""
    empty = isinstance(default, ast.Constant) and default.value is None or isinstance(default, (ast.Tuple, ast.List)) and not default.elts
    if k and empty and "n" not in k:
        k += "n"
    if k == "T" and NUMBERS.match(function):
        k = "Tf"
    return k


def built_in(definition, method):
    """A signature from a stub."""
    a = definition.args
    positional = a.posonlyargs + a.args
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    out = []
    for i, (p, d) in enumerate(zip(positional, defaults)):
        name = p.arg
        if i == 0 and name == "self":
            if method:
                continue
            name = "input"
        out.append(f"{name}{'=' if d is not None else ':'}{kinds_of(p, d, definition.name)}")
    if a.vararg:
        out.append(f"*{a.vararg.arg}:{kinds(a.vararg.annotation) if a.vararg.annotation else ''}")
    elif a.kwonlyargs:
        out.append("*")
    for p, d in zip(a.kwonlyargs, a.kw_defaults):
        out.append(f"{p.arg}{'=' if d is not None else ':'}{kinds_of(p, d, definition.name)}")
    if a.kwarg:
        out.append("**")
    return ",".join(out)


def python(function, bound=False):
    """A signature of a function that is written in Python, None where it does not say."""
    if "if_true" in (function.__code__.co_freevars if inspect.isfunction(function) else ()):  # max_pool2d and the like: one of two
        cells = dict(zip(function.__code__.co_freevars, function.__closure__))
        function = cells["if_true"].cell_contents
    try:
        s = inspect.signature(function)
    except (ValueError, TypeError):
        return None
    out, star = [], False
    for i, p in enumerate(s.parameters.values()):
        if bound and i == 0:
            continue
        if p.kind is p.VAR_POSITIONAL:
            out.append(f"*{p.name}:")
            star = True
        elif p.kind is p.VAR_KEYWORD:
            out.append("**")
        else:
            if p.kind is p.KEYWORD_ONLY and not star:
                out.append("*")
                star = True
            out.append(p.name + (":" if p.default is p.empty else "="))
    return ",".join(out)


def all_of():
    functions, methods = stubs(os.path.join(STUBS, "_VariableFunctions.pyi")), stubs(os.path.join(STUBS, "__init__.pyi"), "TensorBase")
    if not methods:
        methods = stubs(os.path.join(STUBS, "__init__.pyi"), "_TensorBase")
    low = stubs(os.path.join(STUBS, "_nn.pyi"))
    for name in sorted(n for n in dir(torch) if not SKIP.match(n)):
        f = getattr(torch, name)
        if inspect.isfunction(f):
            yield "torch." + name, "p", [python(f)]
        elif inspect.isbuiltin(f) and name in functions:
            yield "torch." + name, "b", [built_in(d, False) for d in functions[name]]
    for name in sorted(n for n in dir(torch.Tensor) if not SKIP.match(n)):
        f = getattr(torch.Tensor, name)
        if inspect.isfunction(f):
            yield "tensor." + name, "p", [python(f, True)]
        elif inspect.ismethoddescriptor(f) and name in methods:
            yield "tensor." + name, "b", [built_in(d, True) for d in methods[name]]
    for name in sorted(n for n in dir(F) if not n.startswith("_")):
        f = getattr(F, name)
        if inspect.isfunction(f) and f.__module__.startswith("torch."):
            yield "torch.nn.functional." + name, "p", [python(f)]
        elif inspect.isbuiltin(f):
            found = functions.get(name) if f is getattr(torch, name, None) else low.get(name)
            if found:
                yield "torch.nn.functional." + name, "b", [built_in(d, False) for d in found]
    for name in sorted(n for n in dir(torch.nn.init) if not n.startswith("_")):
        f = getattr(torch.nn.init, name)
        if inspect.isfunction(f) and f.__module__ == "torch.nn.init":
            yield "torch.nn.init." + name, "p", [python(f)]
    for name in sorted(dir(torch.nn)):
        c = getattr(torch.nn, name)
        if isinstance(c, type) and issubclass(c, torch.nn.Module) and c is not torch.nn.Module and not name.startswith("Lazy"):
            yield f"torch.nn.{name}.__init__", "p", [python(c.__init__, True)]
            if "forward" in vars(c) or any("forward" in vars(b) for b in c.__mro__ if b is not torch.nn.Module):
                yield f"torch.nn.{name}.forward", "p", [python(c.forward, True)]


def main():
    found = {}
    for path in sys.argv[1:]:
        for line in open(path):
            how, signature, names = re.fullmatch(r"(\w) \((.*)\): (.*)\n", line).groups()
            for n in names.split():
                found.setdefault(n, []).append((how, signature))
    for name, how, signatures in all_of():
        for s in signatures:
            if s is not None and (how, s) not in found.setdefault(name, []):
                found[name].append((how, s))
    for name, entries in found.items():  # what was built in once and is Python now takes any kind that one of the two takes
        if {"p"} < {how for how, _ in entries}:
            found[name] = [("b", s) for _, s in entries]
    joined = {}
    for name in sorted(found):
        for how, s in found[name]:
            joined.setdefault((how, s), []).append(name)
    for (how, s), names in sorted(joined.items()):
        print(f"{how} ({s}): {' '.join(names)}")


main()
