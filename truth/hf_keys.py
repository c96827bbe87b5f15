"""hf-keys.jsonl: parameter counts of small variants of every architecture with one further key of the config changed at a time.

python3 hf_keys.py SEED OUT.jsonl INFOS.jsonl: on the meta device, as hf.py does; a model that cannot be built gives no row.
"""
import json, random, sys, time, warnings, multiprocessing as mp, os
sys.path.insert(0, os.path.dirname(__file__))
import hf
import torch
SKIP = {"transformers_version", "_name_or_path", "id2label", "label2id", "architectures", "model_type", "return_dict", "output_hidden_states", "torchscript", "dtype", "chunk_size_feed_forward", "problem_type", "output_attentions", "use_cache", "pad_token_id", "bos_token_id", "eos_token_id", "is_encoder_decoder", "initializer_range", "is_decoder"}

def changed(k, v, r):
    if isinstance(v, bool): return [not v]
    if isinstance(v, int):
        if k.endswith("_id") or k.endswith("token_index"): return []
        return [v * 2 if v > 0 else v + 1, v + 1]
    return []

def one(args):
    task, i, seed = args
    maps = dict(zip(("causal-lm", "seq2seq-lm", "masked-lm", "image-classification", "speech-seq2seq"), (hf.MODEL_FOR_CAUSAL_LM_MAPPING, hf.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING, hf.MODEL_FOR_MASKED_LM_MAPPING, hf.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING, hf.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING)))
    mp_ = maps[task]; cls = list(mp_.keys())[i]; model_cls = mp_[cls]
    if isinstance(model_cls, tuple): model_cls = model_cls[0]
    r = random.Random(f"{seed}{task}{i}"); rows = []; info = None; t0 = time.time()
    def build(o):
        cfg = cls(**o)
        if task == "causal-lm" and hasattr(cfg, "is_decoder"): cfg.is_decoder = True
        with torch.device("meta"): m = model_cls(cfg)
        m.tie_weights()
        d = cfg.to_dict()
        d["architectures"] = [model_cls.__name__]; d["model_type"] = cls.model_type
        if task == "image-classification": d["num_labels"] = cfg.num_labels
        for k in ("transformers_version", "_name_or_path", "id2label", "label2id"): d.pop(k, None)
        return d, m
    try:
        base = cls().to_dict()
        for k in ("transformers_version", "_name_or_path", "id2label", "label2id"): base.pop(k, None)
        info = dict(task=task, modelType=cls.model_type, cls=model_cls.__name__, attribute_map=getattr(cls, "attribute_map", {}), defaults=base)
        o = None
        for name, o_ in hf.variants(cls, r, 6):
            if name == "default": continue
            try:
                d, m = build(o_); o = o_; base_n = hf.count(m); break
            except Exception: continue
        if o is None: return info, rows, "no base"
        rows.append(dict(task=task, variant="base", config=d, params=base_n))
        for k, v in list(d.items()):
            if k in SKIP: continue
            for nv in changed(k, v, r):
                if time.time() - t0 > 60: break
                try:
                    d2, m2 = build({**o, k: nv})
                    rows.append(dict(task=task, variant="key:" + k, config=d2, params=hf.count(m2)))
                except Exception: pass
            if isinstance(v, dict) and k.endswith("config"):
                for kk, vv in v.items():
                    if kk in SKIP: continue
                    for nv in changed(kk, vv, r)[:1]:
                        if time.time() - t0 > 60: break
                        try:
                            d2, m2 = build({**o, k: {**v, kk: nv}})
                            rows.append(dict(task=task, variant="key:" + k + "." + kk, config=d2, params=hf.count(m2)))
                        except Exception: pass
        return info, rows, ""
    except Exception as e:
        return info, rows, repr(e)[:100]

if __name__ == "__main__":
    seed, out, infos = sys.argv[1:4]
    jobs = [(t, i, seed) for t, mp_ in (("causal-lm", hf.MODEL_FOR_CAUSAL_LM_MAPPING), ("seq2seq-lm", hf.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING), ("masked-lm", hf.MODEL_FOR_MASKED_LM_MAPPING), ("image-classification", hf.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING), ("speech-seq2seq", hf.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING)) for i in range(len(mp_))]
    n = 0
    with mp.get_context("fork").Pool(12, maxtasksperchild=8) as p, open(out, "w") as f, open(infos, "w") as g:
        for info, rows, err in p.imap_unordered(one, jobs):
            if info: g.write(json.dumps(info, separators=(",", ":"), default=str) + "\n"); g.flush()
            for x in rows: f.write(json.dumps(x, separators=(",", ":"), default=str) + "\n"); n += 1
            f.flush()
            if err: print(info and info["modelType"], err)
    print(n, "rows")
