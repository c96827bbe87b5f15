"""Which modules get pad_token_id as the padding_idx of nn.Embedding, which raises where its table has no such row.

python3 truth/hf_padding.py DEFAULTS CLASSES.json writes them as "padded" into the files that hf_defaults.py wrote: the last names of the
modules, for each configuration class whose pad_token_id they got. A model of each type is built on the meta device, after each config
in it was given a pad_token_id of its own. CLASSES.json is that of hf_built.py. Needs transformers 5.17.
"""
import copy
import gc
import json
import os
import sys
import warnings

import torch
import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig

from hf_built import sources


def parts(config):
    """A config and those inside it."""
    yield config
    for value in list(vars(config).values()):
        if isinstance(value, PreTrainedConfig):
            yield from parts(value)


def padded(model_type, name, config):
    """The configuration classes and module names that belong together in a model."""
    config = CONFIG_MAPPING[model_type].from_dict(copy.deepcopy(config))
    marks = {}
    for part in parts(config):
        mark = 11 + len(marks)
        part.pad_token_id = mark
        marks[mark] = part.model_type or type(part).__name__
    with torch.device("meta"):
        model = getattr(transformers, name)(config)
    for path, module in model.named_modules():
        if isinstance(module, torch.nn.Embedding) and module.padding_idx in marks:
            yield marks[module.padding_idx], path.split(".")[-1]


def main(defaults, classes):
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    rows, found, gone = sources(), {}, []
    gc.collect()
    gc.freeze()
    for model_type, family in sorted(json.load(open(classes)).items()):
        try:
            for owner, module in padded(model_type, family["default"], rows[model_type][0][1]):
                found.setdefault(owner, set()).add(module)
        except Exception as e:
            gone.append(f"{model_type}: {type(e).__name__} {e}"[:160])
        gc.collect()
    for owner, modules in found.items():
        path = os.path.join(defaults, owner + ".json")
        if os.path.exists(path):
            record = json.load(open(path))
            record["padded"] = sorted(modules)
            with open(path, "w") as f:
                f.write(json.dumps(record, indent=1) + "\n")
    print(len(found), "classes with padding;", len(gone), "models were not built:", *gone, sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
