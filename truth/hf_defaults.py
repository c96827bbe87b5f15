"""Class defaults of transformers' configurations, as internal/importer/hf/config/defaults holds them.

python3 hf_defaults.py OUTDIR [MODEL_TYPE...]: one file for each model type and for each part of one: the declared defaults of the fields,
before any of them is derived from others, what the class takes in each field, other names of fields, and the types of the parts. Needs
transformers 5.17. The class checks the types of its fields (huggingface_hub.dataclasses.strict), and those of the base class, which stand in
PreTrainedConfig.json. A type is written as Python writes it, in the words of JSON: int|null, list[float], dict.
"""
import collections.abc, dataclasses, inspect, json, os, sys, types, typing, warnings

warnings.filterwarnings("ignore")
import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig

transformers.logging.set_verbosity_error()
BASE = {f.name for f in dataclasses.fields(PreTrainedConfig)}
KEPT = {"tie_word_embeddings", "is_encoder_decoder", "is_decoder", "add_cross_attention", "num_labels"}
IDLE = {"initializer_range", "use_cache", "bos_token_id", "eos_token_id", "sep_token_id", "cls_token_id", "mask_token_id",
        "decoder_start_token_id"}


def plain(v):
    try:
        json.dumps(v)
        return v
    except TypeError:
        return None if v is None else str(v)


SIMPLE = {int: "int", float: "float", bool: "bool", str: "str", list: "list", dict: "dict", type(None): "null", None: "null"}


def alternatives(t):
    """The values of JSON that a type takes. What JSON has no values of is left out: tuples, configurations."""
    origin, args = typing.get_origin(t), typing.get_args(t)
    if t is typing.Any or isinstance(t, (str, typing.ForwardRef)):
        return ["any"]
    if t in SIMPLE:
        return [SIMPLE[t]]
    if origin in (typing.Union, types.UnionType):
        return list(dict.fromkeys(a for arg in args for a in alternatives(arg)))
    if origin is typing.Literal:
        return [json.dumps(a) for a in args]
    if origin in (list, collections.abc.Sequence):
        return [f"list[{'|'.join(alternatives(args[0]))}]"] if args else ["list"]
    if origin is dict:
        return [] if args[0] is int else ["dict"] if args[1] in (typing.Any, dict) else [f"dict[{'|'.join(alternatives(args[1]))}]"]
    return []


def taken(cls):
    """What a class takes in its fields. It checks nothing of what a parent declares unless it is a strict dataclass itself."""
    out = {}
    if "__validators__" in cls.__dict__:
        for f in dataclasses.fields(cls):
            names = alternatives(f.type)
            if "any" not in names and (cls is PreTrainedConfig or names != BASE_TYPES.get(f.name)):
                out[f.name] = "|".join(names)
    return out


BASE_TYPES = {f.name: alternatives(f.type) for f in dataclasses.fields(PreTrainedConfig)}


def fields(cls):
    out = {}
    if dataclasses.is_dataclass(cls):
        for f in dataclasses.fields(cls):
            if f.default is not dataclasses.MISSING:
                out[f.name] = plain(f.default)
            elif f.default_factory is not dataclasses.MISSING:
                try:
                    out[f.name] = plain(f.default_factory())
                except Exception:
                    out[f.name] = None
    else:
        for n, p in inspect.signature(cls.__init__).parameters.items():
            if n not in ("self", "kwargs"):
                out[n] = plain(p.default) if p.default is not inspect._empty else None
    for k in KEPT - out.keys():
        if isinstance(getattr(cls, k, None), (bool, int)):
            out[k] = getattr(cls, k)
    unused = (BASE - KEPT) | IDLE
    return {k: v for k, v in sorted(out.items()) if k not in unused and not (isinstance(v, str) and v.startswith("<"))}


def write(outdir, model_type, cls, done):
    if model_type in done:
        return
    done.add(model_type)
    rec, sub = {"class": cls.__name__, "fields": fields(cls)}, {}
    if taken(cls):
        rec["types"] = taken(cls)
    for key, part in (getattr(cls, "sub_configs", None) or {}).items():
        if part.__name__ not in ("AutoConfig", "PreTrainedConfig"):
            sub[key] = getattr(part, "model_type", "") or part.__name__
            write(outdir, sub[key], part, done)
    if getattr(cls, "attribute_map", None):
        rec["aliases"] = cls.attribute_map
    if sub:
        rec["sub"] = sub
    if cls.validate_layer_type is not PreTrainedConfig.validate_layer_type:
        rec["own"] = ["validate_layer_type"]
    with open(os.path.join(outdir, model_type + ".json"), "w") as f:
        f.write(json.dumps(rec, indent=1) + "\n")


def main(outdir, *types):
    done = set()
    write(outdir, "PreTrainedConfig", PreTrainedConfig, done)
    for model_type in types or list(CONFIG_MAPPING.keys()):
        write(outdir, model_type, CONFIG_MAPPING[model_type], done)
    print(len(done), "files")


if __name__ == "__main__":
    main(*sys.argv[1:])
