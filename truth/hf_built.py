"""What transformers makes of configs that leave keys out, that hold values of other kinds, or whose sizes were changed at random.

python3 truth/hf_built.py SEED [--per N] [--only MODEL_TYPE,...] [--classes CLASSES.json] > rows.jsonl

Each line is a config with what was changed in it, the number of weights of the model that is built from it on the meta device, and
whether that model runs when it is called on the CPU with 16 tokens or two images. params is -1 where the configuration class or the
constructor raises, with the error. runs is left out where the class was not called: speech, models with more than 20M weights or other
numbers, and classes whose unchanged config does not run either. Needs transformers 5.17. The configs that are changed are the small ones of hf.jsonl.gz.

CLASSES.json lists the classes of each model type, as `go test ./internal/importer/hf -run TestClassesAreListed -classes FILE` writes them.
"""
import argparse
import contextlib
import copy
import dataclasses
import gc
import gzip
import json
import random
import re
import signal
import warnings

import torch
import transformers
from transformers import CONFIG_MAPPING

LENGTH = 16
LIMIT = 12  # seconds of processor time that a row may take
CALLED = 2e7
SIZES = re.compile(r"head|size|d_model|embed|dim|rank|channels|width|n_inner|kernel|groups|experts|topk|per_tok|factor|layers|depth")
KEPT = ("model_type", "architectures")
IDLE = ({f.name for f in dataclasses.fields(transformers.PreTrainedConfig)} | {"use_cache", "initializer_range", "output_attentions"}) - {
    "dtype", "id2label", "is_encoder_decoder", "problem_type"}
# Crashes of how a model is called here: random numbers that loading does not draw, and halves that only a constructor keeps apart.
UNMEANT = re.compile("normal expects std|must have the same dtype|expected scalar type")
COMMON = {"num_labels": [0, 1, 3, None, "2", -1], "tie_word_embeddings": [None, 0, 1, "no"], "dtype": ["bfloat16", "half16", None],
          "torch_dtype": ["float16", None], "pad_token_id": [None, 0], "id2label": [{"0": "a", "1": "b", "2": "c"}, {}, None, ["a", "b"]],
          "is_decoder": [True, None], "head_dim": [None, 0, 24], "num_key_value_heads": [None, 0, 3, 5], "hidden_act": ["gelu", "silly", None],
          "layer_types": [None, [], ["full_attention"]], "rope_parameters": [None, {}, {"rope_type": "default"}, {"rope_type": "linear"}],
          "rope_scaling": [None, {"type": "linear", "factor": 2.0}], "problem_type": ["regression", "other"]}


class LeftOut(BaseException):
    """A row took more than its time, or needs another library, and is left out."""


def stop(*_):
    raise LeftOut


def built(config, cls, device):
    """The model of a config."""
    with torch.device(device):
        model = cls(CONFIG_MAPPING[config["model_type"]].from_dict(copy.deepcopy(config)))
    model.tie_weights()
    return model


def weights(model):
    return sum({id(p): p.numel() for p in model.parameters()}.values())


@contextlib.contextmanager
def uninitialised():
    """Leaves the random numbers of nn.init out: whether a model runs does not depend on them."""
    names = [n for n in dir(torch.nn.init) if n.endswith("_") and not n.startswith("_")]
    old = {n: getattr(torch.nn.init, n) for n in names}
    for n in names:
        setattr(torch.nn.init, n, lambda t, *a, **k: t)
    try:
        yield
    finally:
        for n in names:
            setattr(torch.nn.init, n, old[n])


def inputs(task, config):
    text = config.get_text_config()
    vocab = getattr(text, "vocab_size", None)
    if task == "image-classification":
        v = getattr(config, "vision_config", config)
        size = getattr(v, "image_size", 224) or 224
        h, w = (size, size) if isinstance(size, int) else tuple(size)[:2]
        return {"pixel_values": torch.zeros(2, getattr(v, "num_channels", 3), h, w)}
    ids = torch.arange(5, 5 + 2 * LENGTH).reshape(2, LENGTH) % max(min(vocab if isinstance(vocab, int) else 100, 100), 1)
    if task == "seq2seq-lm":
        return {"input_ids": ids, "decoder_input_ids": ids}
    return {"input_ids": ids}


def called(config, cls, task):
    """None where the model runs, else why it does not."""
    try:
        with uninitialised():
            model = built(config, cls, "cpu")
        for p in model.parameters():
            p.data.zero_()
        with torch.no_grad():
            model.eval()(**inputs(task, model.config))
    except Exception as e:
        return f"{type(e).__name__} {e}"
    return None


def places(value, path=()):
    """Every place in a config that holds a value: the names on the way to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in IDLE and (path or key not in KEPT):
                yield path + (key,)
                yield from places(inner, path + (key,))
    elif isinstance(value, list) and value and len(path) > 0:
        yield path + (0,)


def owner(config, path):
    for name in path[:-1]:
        config = config[name]
    return config


def another(value, rand):
    """A value of another kind, or one that is seldom meant."""
    if isinstance(value, bool):
        return rand.choice([None, not value, not value, 1, 0, "true"])
    if isinstance(value, int):
        return rand.choice([None, 0, -1, -3, value + 1, max(value - 1, 1), 3, 5, 7, value * 2, value // 2, str(value), value + 0.5,
                            float(value), True, [value], {}])
    if isinstance(value, float):
        return rand.choice([None, 0, -1.0, 1, str(value), [value], False])
    if isinstance(value, str):
        return rand.choice([None, "", "other", 3, [value]])
    if isinstance(value, list):
        return rand.choice([None, [], value[:-1], value + value[-1:], value[0] if value else 1, "all", {}])
    if isinstance(value, dict):
        return rand.choice([None, {}, [], "all", 3])
    return rand.choice([0, 1, "all", [], {}, True])


def sized(value, rand):
    return rand.choice([value + 1, max(1, value - 1), value + 2, 3, 5, 7, value * 2, max(1, value // 2)])


def change(config, classes, rand):
    """Changes a config in place, and says how."""
    found = list(places(config))
    kind = rand.choice(["value", "value", "value", "size", "size", "leave", "leave", "leave-many", "common", "common", "token", "class"])
    if kind == "leave-many":
        share = rand.choice([0.3, 0.6, 0.9, 1])
        for path in sorted(found, key=len, reverse=True):
            if type(path[-1]) is str and path[-1] != "model_type" and rand.random() < share:
                owner(config, path).pop(path[-1])
        return kind
    if kind == "common":
        key = rand.choice(sorted(COMMON))
        config[key] = rand.choice(COMMON[key])
        return f"common {key}={json.dumps(config[key])}"
    if kind == "token":
        owners = [config] + [v for v in config.values() if isinstance(v, dict) and "vocab_size" in v]
        c = rand.choice(owners)
        vocab = c.get("vocab_size")
        vocab = vocab if isinstance(vocab, int) else 1000
        c["pad_token_id"] = rand.choice([vocab, vocab + 7, vocab - 1, -1, -vocab, -vocab - 1, 1])
        return f"token pad_token_id={c['pad_token_id']} of {vocab}"
    if kind == "class":
        config["architectures"] = rand.choice([None, [], [rand.choice(classes)], [rand.choice(classes)], "", ["BertModel"]])
        if rand.random() < 0.3:
            del config["architectures"]
        return f"class {config.get('architectures')}"
    if kind == "size":
        found = [p for p in found if type(owner(config, p)[p[-1]]) is int and SIZES.search(str(p[-1] if type(p[-1]) is str else p[-2]))] or found
        heads = [p for p in found if "head" in str(p)]
        found = heads if heads and rand.random() < 0.4 else found
    if not found:
        return "nothing"
    path = rand.choice(found)
    inside = owner(config, path)
    if kind == "leave" and type(path[-1]) is str:
        del inside[path[-1]]
    elif kind == "size" and type(inside[path[-1]]) is int:
        inside[path[-1]] = sized(inside[path[-1]], rand)
    else:
        inside[path[-1]] = another(inside[path[-1]], rand)
    name = ".".join(map(str, path))
    return f"{kind} {name}" + ("" if kind == "leave" else f"={json.dumps(inside.get(path[-1]) if type(inside) is dict else inside[path[-1]])}")


def plain(config):
    return json.loads(json.dumps(config).replace("-Infinity", "-1e30").replace("Infinity", "1e30").replace("NaN", "0.0"))


def measured(config, cls):
    try:
        model = built(config, cls, "meta")
        row = {"params": weights(model)}
        if row["params"] > CALLED or sum(b.numel() for b in model.buffers()) > CALLED:
            row["large"] = True
        return row
    except ImportError:  # of timm and the like, which says nothing about the config
        raise LeftOut from None
    except Exception as e:
        return {"params": -1, "error": f"{type(e).__name__} {e}"[:300]}


def sources():
    """The small configs of each model type, with their task; the two smallest where none is small."""
    rows = {}
    for line in gzip.open("truth/hf.jsonl.gz"):
        row = json.loads(line)
        rows.setdefault(row["config"]["model_type"], []).append((row["params"], row["task"], plain(row["config"])))
    for model_type, found in rows.items():
        found.sort(key=lambda r: r[0])
        small = [r for r in found if r[0] < 1.5e7] or found[:2]
        rows[model_type] = [r[1:] for r in small]
    return rows


def drawn(rows, family, rand, ran):
    """A config that was changed, and what became of it. ran says of each class whether it can be called as we call it."""
    task, config = rand.choice(rows)
    config = copy.deepcopy(config)
    if rand.random() < 0.3:
        config["architectures"] = [rand.choice(family["classes"])]
    base = copy.deepcopy(config)
    how = change(config, family["classes"], rand)
    names = config.get("architectures")
    name = names[0] if isinstance(names, list) and names else family["default"]
    cls = getattr(transformers, name, None)
    if cls is None:
        return None
    row = {"config": config, "task": task, "how": how, **measured(config, cls)}
    if row.pop("large", False) or task == "speech-seq2seq" or row["params"] < 0:
        return row
    why = called(config, cls, task)
    row["runs"] = why is None
    if why:
        if (name, task) not in ran:
            base["architectures"] = [name]
            ran[name, task] = called(base, cls, task) is None
        if not ran[name, task] or UNMEANT.search(why):
            del row["runs"]
        else:
            row["error"] = why[:300]
    return row


def main():
    args = argparse.ArgumentParser()
    args.add_argument("seed")
    args.add_argument("--per", type=int, default=4)
    args.add_argument("--only", default="")
    args.add_argument("--classes", required=True)
    args = args.parse_args()
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    signal.signal(signal.SIGPROF, stop)
    classes, rows, ran = json.load(open(args.classes)), sources(), {}
    gc.collect()
    gc.freeze()
    types = [t for t in sorted(rows) if t in classes and (not args.only or t in args.only.split(","))]
    for turn in range(args.per):
        for model_type in random.Random(f"{args.seed} {turn}").sample(types, len(types)):
            rand = random.Random(f"{args.seed} {turn} {model_type}")
            row = None
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            with contextlib.suppress(LeftOut):
                row = drawn(rows[model_type], classes[model_type], rand, ran)
            signal.setitimer(signal.ITIMER_PROF, 0)
            gc.collect()
            if row:
                print(json.dumps(row, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
