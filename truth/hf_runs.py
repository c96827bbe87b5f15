"""hf-runs.jsonl: whether the models of hf.jsonl run. Each small variant is built on the CPU and called once with 16 tokens or one image.

python3 hf_runs.py OUT.jsonl HF.jsonl.gz...
"""
import json, sys, gzip, time, warnings, multiprocessing as mp, os
warnings.filterwarnings("ignore")
import torch, transformers
transformers.logging.set_verbosity_error()
from transformers import CONFIG_MAPPING
LEN = 16

def one(line):
    r = json.loads(line)
    d = dict(r["config"]); mt = d["model_type"]; name = d["architectures"][0]
    out = dict(task=r["task"], modelType=mt, variant=r["variant"])
    try:
        torch.manual_seed(0); torch.set_num_threads(1)
        cls = CONFIG_MAPPING[mt]
        nl = d.pop("num_labels", None)
        cfg = cls.from_dict(d)
        if nl: cfg.num_labels = nl
        if r["task"] == "causal-lm" and hasattr(cfg, "is_decoder"): cfg.is_decoder = True
        model = getattr(transformers, name)(cfg)
        n = sum(p.numel() for p in {id(p): p for p in model.parameters()}.values())
        out["params"] = n
        if n > 3e8: out["skipped"] = "large"; return out
        model.train()
        vocab = min(getattr(cfg.get_text_config(), "vocab_size", 1000) or 1000, 900)
        ids = torch.randint(5, max(vocab, 6), (2, LEN))
        kw = {}
        if r["task"] in ("causal-lm", "masked-lm"): kw = dict(input_ids=ids)
        elif r["task"] == "seq2seq-lm": kw = dict(input_ids=ids, decoder_input_ids=ids)
        elif r["task"] == "image-classification":
            v = getattr(cfg, "vision_config", cfg)
            s = getattr(v, "image_size", 224) or 224
            h, w = (s, s) if isinstance(s, int) else tuple(s)[:2]
            kw = dict(pixel_values=torch.randn(2, getattr(v, "num_channels", 3), h, w))
        else: out["skipped"] = "speech"; return out
        with torch.no_grad():
            y = model(**kw)
        out["ok"] = True
        lg = getattr(y, "logits", None)
        if lg is not None: out["shape"] = list(lg.shape[1:])
    except Exception as e:
        out["ok"] = False; out["error"] = type(e).__name__ + ": " + str(e)[:200]
    return out

if __name__ == "__main__":
    lines = [l for f in sys.argv[2:] for l in gzip.open(f, "rt") if '"variant":"default"' not in l]
    t0 = time.time()
    with mp.get_context("fork").Pool(15, maxtasksperchild=20) as p, open(sys.argv[1], "w") as f:
        for x in p.imap_unordered(one, lines):
            f.write(json.dumps(x, separators=(",", ":")) + "\n"); f.flush()
    print(len(lines), round(time.time() - t0), "s")
