"""Which modules are written as one call of torch.nn, and with which arguments they are constructed."""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Optional, Tuple

RECURRENT = (
    "input_size",
    "hidden_size",
    "num_layers",
    "bias",
    "batch_first",
    "dropout",
    "bidirectional",
    "proj_size",
    "nonlinearity",
)

# Layers with parts that are one layer all the same.
WHOLE = ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer")

# Modules of torch.nn that only hold others, or that decide at run time what they call.
HOLDERS = (
    "Module",
    "Sequential",
    "ModuleList",
    "ModuleDict",
    "ParameterList",
    "ParameterDict",
    "Transformer",
    "TransformerEncoder",
    "TransformerDecoder",
    "Container",
)


class Layers:
    """Knows the torch.nn modules of one model. A layer is taken for one only where constructing it anew gives the same parameters."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.seen: Dict[str, Optional[Dict[str, Tuple[int, ...]]]] = {}

    def of(self, module: Any) -> Optional[Tuple[str, Dict[str, Any]]]:
        """The class of torch.nn and the arguments of its constructor, or None where the module is not plainly one."""
        cls = self.base(module)
        if cls is None or "parametrizations" in module._modules or module._forward_pre_hooks or module._forward_hooks:
            return None
        kwargs = self.arguments(cls, module)
        if kwargs is None:
            return None
        made = self.made(cls, kwargs)
        if made is None or made != {n: tuple(p.shape) for n, p in module.named_parameters()}:
            return None
        return cls.__name__, kwargs

    def base(self, module: Any) -> Optional[Any]:
        """The class of torch.nn whose forward the module runs."""
        forward = getattr(type(module), "forward", None)
        if "forward" in vars(module):
            return None
        for cls in type(module).__mro__:
            if cls.__module__.startswith("torch.nn.modules.") and getattr(self.torch.nn, cls.__name__, None) is cls:
                same = cls.forward is forward and all(
                    getattr(type(module), n, None) is getattr(cls, n, None)
                    for n in ("_conv_forward", "_check_input_dim")
                    if hasattr(cls, n)
                )
                return cls if same and cls.__name__ not in HOLDERS else None
        return None

    def arguments(self, cls: Any, module: Any) -> Optional[Dict[str, Any]]:
        """The arguments that differ from the defaults of the constructor, read from the attributes of the same names."""
        out: Dict[str, Any] = {}
        for name, default in self.parameters(cls):
            found, value = self.value(cls, module, name)
            if not found:
                if default is inspect.Parameter.empty:
                    return None
                continue
            if default is inspect.Parameter.empty or not same(value, default):
                if not plain(value):
                    return None
                out[name] = value
        return out

    def parameters(self, cls: Any) -> List[Tuple[str, Any]]:
        if issubclass(cls, self.torch.nn.RNNBase):
            given = {
                "input_size": inspect.Parameter.empty,
                "hidden_size": inspect.Parameter.empty,
                "num_layers": 1,
                "bias": True,
                "batch_first": False,
                "dropout": 0.0,
                "bidirectional": False,
                "proj_size": 0,
                "nonlinearity": "tanh",
            }
            return [(n, given[n]) for n in RECURRENT if n != "nonlinearity" or cls.__name__ == "RNN"]
        signature = inspect.signature(cls.__init__).parameters.values()
        return [
            (p.name, p.default)
            for p in signature
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
            and p.name not in ("self", "device", "dtype")
            and not p.name.startswith("_")
        ]

    def value(self, cls: Any, module: Any, name: str) -> Tuple[bool, Any]:
        if cls.__name__.startswith("Transformer"):
            return transformer(module, name)
        if name == "bias" and not issubclass(cls, self.torch.nn.RNNBase):
            for p in ("bias", "in_proj_bias"):
                if p in module._parameters:
                    return True, module._parameters[p] is not None
        if name == "add_bias_kv":
            return True, module.bias_k is not None
        if name == "freeze" or not hasattr(module, name):
            return False, None
        value = getattr(module, name)
        if issubclass(cls, self.torch.nn.modules.conv._ConvNd) and isinstance(value, tuple) and len(set(value)) == 1:
            value = value[0]  # convolutions keep a number for every axis, as it was hardly ever written
        return True, value

    def made(self, cls: Any, kwargs: Dict[str, Any]) -> Optional[Dict[str, Tuple[int, ...]]]:
        """The shapes of the parameters of a new layer, which lies on the meta device and costs nothing."""
        key = cls.__name__ + repr(sorted(kwargs.items()))
        if key not in self.seen:
            takes = inspect.signature(cls.__init__).parameters
            where = {"device": "meta"} if "device" in takes or issubclass(cls, self.torch.nn.RNNBase) else {}
            try:
                self.seen[key] = {n: tuple(p.shape) for n, p in cls(**kwargs, **where).named_parameters()}
            except Exception:  # whatever a constructor says: it is not that layer then
                self.seen[key] = None
        return self.seen[key]


def transformer(module: Any, name: str) -> Tuple[bool, Any]:
    """The arguments of an encoder or decoder layer, which keeps them in its parts."""
    attention = module.self_attn
    activation = getattr(module, "activation", None)
    known = {
        "d_model": attention.embed_dim,
        "nhead": attention.num_heads,
        "dim_feedforward": module.linear1.out_features,
        "dropout": module.dropout.p,
        "activation": getattr(activation, "__name__", type(activation).__name__).lower(),
        "layer_norm_eps": module.norm1.eps,
        "batch_first": attention.batch_first,
        "norm_first": module.norm_first,
        "bias": module.linear1.bias is not None,
    }
    return name in known, known.get(name)


def same(a: Any, b: Any) -> bool:
    """Whether two arguments are one value; tuples and lists are alike, and True is not 1."""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and bool(a == b)


def plain(v: Any) -> bool:
    """Whether a value can be written as it is."""
    if isinstance(v, (tuple, list)):
        return all(plain(x) for x in v)
    return v is None or isinstance(v, (bool, int, float, str))
