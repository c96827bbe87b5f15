"""What transformers builds from configs that leave keys out, or whose sizes were changed at random.

python3 truth/hf_built.py drop|break SEED > rows.jsonl. Each line is a config and the number of its weights, built on the meta
device: -1 and the error where the constructor raises. Needs transformers 5.17.

The committed rows were drawn by scripts that this one sums up, so it draws others. Of the configs that transformers refuses to
build, hf-partial has only those of the kinds that the importer refuses too, and hf-broken has none.
"""
import gzip
import json
import random
import re
import sys

import torch
import transformers

SIZES = re.compile(r"head|size|d_model|embed|dim|rank|channels|width|n_inner|kernel|groups|experts|topk|per_tok|factor")
OTHERS = re.compile(r"_id$|vocab|position|layer|image|patch|window|rope|std|labels")


def measure(config):
    cls = getattr(transformers, config["architectures"][0])
    with torch.device("meta"):
        model = cls(transformers.CONFIG_MAPPING[config["model_type"]].from_dict(json.loads(json.dumps(config))))
    model.tie_weights()
    return sum({id(p): p.numel() for p in model.parameters()}.values())


def dropped(config, share, rand):
    keep = ("model_type", "architectures")
    return {k: dropped(v, share, rand) if isinstance(v, dict) and k.endswith("_config") else v
            for k, v in config.items() if k in keep or rand.random() >= share}


def places(config):
    for key, value in config.items():
        if isinstance(value, dict):
            yield from places(value)
        elif type(value) is int and value > 0 and SIZES.search(key) and not OTHERS.search(key):
            yield config, key


def broken(config, rand):
    config = json.loads(json.dumps(config))
    found = list(places(config))
    heads = [p for p in found if "head" in p[1]]
    for _ in range(rand.choice([1, 1, 2]) if found else 0):
        owner, key = rand.choice(heads if heads and rand.random() < 0.6 else found)
        n = owner[key]
        owner[key] = rand.choice([n + 1, max(1, n - 1), n + 2, 3, 5, 7, n * 2, max(1, n // 2)])
    return config


def main(mode, seed):
    rand, rows = random.Random(int(seed)), {}
    for line in gzip.open("truth/hf.jsonl.gz"):
        row = json.loads(line)
        if row["params"] < 3e7:
            rows.setdefault((row["config"]["model_type"], row["config"]["architectures"][0]), []).append(row["config"])
    for key in sorted(rows):
        config = rand.choice(rows[key])
        config = broken(config, rand) if mode == "break" else dropped(config, rand.choice([0.1, 0.3, 0.6, 0.9]), rand)
        row = {"config": config}
        try:
            row["params"] = measure(config)
        except Exception as e:
            row["params"], row["error"] = -1, f"{type(e).__name__} {e}"[:150]
        print(json.dumps(row, separators=(",", ":")), flush=True)


main(*sys.argv[1:])
