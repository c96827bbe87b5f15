"""Builds and runs models, and prints for each how many parameters it has (-1 where it cannot be built), the shape of its first result, or what went wrong."""
import importlib.util
import json
import sys

import torch

jobs = json.load(open(sys.argv[1]))
out = sys.stdout
sys.stdout = sys.stderr


def first(v):
    if isinstance(v, torch.Tensor):
        return v
    if isinstance(v, dict):
        v = list(v.values())
    for x in v if isinstance(v, (tuple, list)) else []:
        t = first(x)
        if t is not None:
            return t
    return None


results = []
for number, job in enumerate(jobs):
    params = -1
    try:
        spec = importlib.util.spec_from_file_location("m%d" % number, job["file"])
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        args = {k: eval(v, vars(module)) for k, v in (job["args"] or {}).items()}
        model = getattr(module, job["name"])(**args).train(job["training"])
        params = sum(p.numel() for p in model.parameters())
        inputs = []
        for i in job["inputs"]:
            shape = [job.get("batch", 2)] + (i["shape"] or [])
            dtype = getattr(torch, i.get("dtype") or "float32")
            inputs.append(torch.rand(shape) if dtype.is_floating_point else torch.zeros(shape, dtype=dtype))
        with torch.no_grad():
            result = first(model(*inputs))
        results.append({"params": params, "output": list(result.shape), "error": ""})
    except Exception as e:
        results.append({"params": params, "output": [], "error": "%s: %s" % (type(e).__name__, str(e).split("\n")[0][:200])})
json.dump(results, out)
