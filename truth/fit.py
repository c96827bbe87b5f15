"""Runs of well-known models at their published sizes, each repeated under a cap on the process's memory until the smallest in which it goes
through is known: python3 fit.py OUT.jsonl [--seconds N] [--part 0/2] [--expandable] [--smoke]

A row has the peak, what the allocator reserved, the largest cap that was too small (needsAtLeast), the smallest that was not (runsIn) and the
time of a step (the median behind two that warm up). Every third row is set aside: no constant may be fitted on it. Adapters are peft's and
4-bit weights and 8-bit optimizers bitsandbytes', where those are installed. --smoke runs small models on the CPU, without caps.
"""
import argparse, gc, json, os, sys, time, warnings

arguments = argparse.ArgumentParser()
arguments.add_argument("out")
arguments.add_argument("--seconds", type=float, default=1e9)
arguments.add_argument("--part", default="0/1")
arguments.add_argument("--expandable", action="store_true")
arguments.add_argument("--smoke", action="store_true")
arguments.add_argument("--only", default="")
A = arguments.parse_args()
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True" if A.expandable else ""
import torch
import transformers
from transformers import CONFIG_MAPPING, AutoModelForCausalLM, AutoModelForImageClassification, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()
AUTO = {"causal-lm": AutoModelForCausalLM, "masked-lm": AutoModelForMaskedLM, "image-classification": AutoModelForImageClassification, "seq2seq-lm": AutoModelForSeq2SeqLM}
DEV = "cpu" if A.smoke else "cuda"
DROPOUTS = ("attention_dropout attn_pdrop embd_pdrop resid_pdrop hidden_dropout_prob attention_probs_dropout_prob dropout dropout_rate hidden_dropout activation_dropout "
            "drop_path_rate layerdrop embedding_dropout mlp_dropout classifier_dropout encoder_layerdrop decoder_layerdrop seq_classif_dropout attention_dropout_prob").split()


def decoder(kind, hidden, inner, layers, heads, kv, vocab, **more):
    return "causal-lm", kind, dict(hidden_size=hidden, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=kv, vocab_size=vocab, **more)


MODELS = {
    "qwen3-0.6b": decoder("qwen3", 1024, 3072, 28, 16, 8, 151936, head_dim=128, tie_word_embeddings=True),
    "qwen3-1.7b": decoder("qwen3", 2048, 6144, 28, 16, 8, 151936, head_dim=128, tie_word_embeddings=True),
    "qwen3-4b": decoder("qwen3", 2560, 9728, 36, 32, 8, 151936, head_dim=128, tie_word_embeddings=True),
    "llama-3.1-8b": decoder("llama", 4096, 14336, 32, 32, 8, 128256, max_position_embeddings=131072),
    "mistral-7b": decoder("mistral", 4096, 14336, 32, 32, 8, 32768, sliding_window=None),
    "smollm2-360m": decoder("llama", 960, 2560, 32, 15, 5, 49152, tie_word_embeddings=True, max_position_embeddings=8192),
    "smollm2-1.7b": decoder("llama", 2048, 8192, 24, 32, 32, 49152, tie_word_embeddings=True, max_position_embeddings=8192),
    "gemma-3-1b": decoder("gemma3_text", 1152, 6912, 26, 4, 1, 262144, head_dim=256, sliding_window=512),
    "phi-1.5": decoder("phi", 2048, 8192, 24, 32, 32, 51200),
    "olmo-2-1b": decoder("olmo2", 2048, 8192, 16, 16, 16, 100352),
    "pythia-1.4b": ("causal-lm", "gpt_neox", dict(hidden_size=2048, intermediate_size=8192, num_hidden_layers=24, num_attention_heads=16, vocab_size=50304)),
    "opt-1.3b": ("causal-lm", "opt", dict(hidden_size=2048, ffn_dim=8192, num_hidden_layers=24, num_attention_heads=32)),
    "bloom-560m": ("causal-lm", "bloom", dict(hidden_size=1024, n_layer=24, n_head=16, vocab_size=250880)),
    "gpt2": ("causal-lm", "gpt2", {}),
    "roberta-base": ("masked-lm", "roberta", dict(vocab_size=50265, max_position_embeddings=514)),
    "modernbert-base": ("masked-lm", "modernbert", {}),
    "deberta-v3-base": ("masked-lm", "deberta-v2", dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, vocab_size=128100, relative_attention=True,
                                                       position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type=["p2c", "c2p"], position_biased_input=False, type_vocab_size=0)),
    "distilbert": ("masked-lm", "distilbert", {}),
    "bart-large": ("seq2seq-lm", "bart", {}),
    "t5-base": ("seq2seq-lm", "t5", dict(d_model=768, d_ff=3072, num_layers=12, num_heads=12, d_kv=64)),
    "convnext-base": ("image-classification", "convnext", dict(depths=[3, 3, 27, 3], hidden_sizes=[128, 256, 512, 1024])),
    "swin-base": ("image-classification", "swin", dict(embed_dim=128, depths=[2, 2, 18, 2], num_heads=[4, 8, 16, 32])),
    "dinov2-base": ("image-classification", "dinov2", dict(hidden_size=768, num_hidden_layers=12, num_attention_heads=12, image_size=224)),
    "vit-base": ("image-classification", "vit", {}),
}


def run(model, batch, seq, words, **more):
    return dict(model=model, batch=batch, seq=seq, run=words, **more)


ALL = "all-linear"
RUNS = [
    run("qwen3-1.7b", 4, 2048, "bf16 sdpa adamw"), run("qwen3-0.6b", 8, 2048, "amp sdpa adamw"), run("qwen3-1.7b", 4, 2048, "bf16 sdpa adamw ckpt"),
    run("llama-3.1-8b", 2, 2048, "bf16 sdpa adamw ckpt", lora=16, targets=ALL), run("smollm2-360m", 8, 2048, "bf16 sdpa adamw"), run("gemma-3-1b", 4, 2048, "bf16 eager adamw"),
    run("qwen3-4b", 2, 2048, "bf16 sdpa adamw", lora=16, targets=["q_proj", "v_proj"]), run("olmo-2-1b", 4, 2048, "amp sdpa adamw"), run("phi-1.5", 4, 1024, "bf16 eager adamw"),
    run("llama-3.1-8b", 4, 1024, "bf16 sdpa adamw ckpt", lora=16, targets=ALL, quant="nf4"), run("pythia-1.4b", 8, 1024, "bf16 sdpa adamw ckpt"), run("roberta-base", 32, 512, "amp sdpa adamw"),
    run("mistral-7b", 1, 4096, "bf16 sdpa adamw", lora=64, targets=["q_proj", "k_proj", "v_proj", "o_proj"]), run("smollm2-1.7b", 4, 2048, "bf16 sdpa adamw8bit ckpt"), run("convnext-base", 64, 0, "amp sdpa adamw"),
    run("qwen3-0.6b", 2, 4096, "bf16 eager adamw"), run("qwen3-1.7b", 16, 2048, "bf16 sdpa adamw ckpt", lora=8, targets=ALL), run("bart-large", 8, 512, "amp sdpa adamw"),
    run("opt-1.3b", 4, 1024, "fp32 sdpa adamw"), run("swin-base", 64, 0, "amp sdpa adamw"), run("gemma-3-1b", 4, 1024, "bf16 sdpa adamw ckpt", lora=32, targets=ALL),
    run("smollm2-360m", 16, 1024, "amp eager adamw"), run("modernbert-base", 32, 512, "amp sdpa adamw"), run("gpt2", 32, 1024, "amp sdpa adamw"),
    run("qwen3-4b", 8, 1024, "bf16 sdpa adamw ckpt", lora=16, targets=ALL, quant="nf4"), run("deberta-v3-base", 16, 256, "amp eager adamw"), run("vit-base", 256, 0, "amp sdpa adamw"),
    run("bloom-560m", 4, 1024, "amp eager adamw"), run("t5-base", 16, 512, "bf16 sdpa adamw"), run("dinov2-base", 64, 0, "bf16 eager adamw ckpt"),
    run("mistral-7b", 2, 2048, "bf16 sdpa adamw ckpt", lora=16, targets=ALL), run("pythia-1.4b", 4, 2048, "amp eager adamw"), run("distilbert", 64, 256, "fp32 sdpa adamw"),
    run("qwen3-4b", 1, 2048, "bf16 sdpa adafactor ckpt"), run("olmo-2-1b", 8, 1024, "bf16 sdpa adamw-fused"), run("smollm2-1.7b", 2, 2048, "bf16 sdpa paged-adamw8bit ckpt"),
]
SMOKE = dict(hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=16, vocab_size=2048, d_model=64, n_embd=64, n_head=4, n_layer=2, ffn_dim=96,
             word_embed_proj_dim=64, encoder_layers=2, decoder_layers=2, d_ff=96, num_layers=2, num_heads=4, d_kv=16, encoder_attention_heads=4, decoder_attention_heads=4)


def config(name):
    task, kind, over = MODELS[name]
    over = dict(over)
    if A.smoke and task != "image-classification":
        over.update({k: SMOKE[k] for k in SMOKE if k in over or k in ("num_layers", "encoder_layers", "decoder_layers")})
    cfg = CONFIG_MAPPING[kind](**over)
    for k in DROPOUTS:
        if isinstance(getattr(cfg, k, None), (int, float)):
            setattr(cfg, k, 0.0)
    if kind == "t5":
        cfg.decoder_start_token_id = 0
    cfg.use_cache = False
    return task, kind, cfg


def quantized(m, kind, wide):
    """A model without memory gets it: its linear layers but the head in 4 bits, blocks of 64 and double quantisation, one after the other as a
    checkpoint is loaded with load_in_4bit, and everything else as it is."""
    import bitsandbytes as bnb
    head = m.get_output_embeddings()
    for name, mod in list(m.named_modules()):
        if type(mod) is torch.nn.Linear and mod is not head:
            q = bnb.nn.Linear4bit(mod.in_features, mod.out_features, bias=mod.bias is not None, compute_dtype=torch.bfloat16, compress_statistics=True, quant_type=kind, device="meta")
            weight = torch.empty(mod.weight.shape, dtype=wide, device=DEV).normal_(0, 0.02).cpu()
            q.weight = bnb.nn.Params4bit(weight, requires_grad=False, compress_statistics=True, quant_type=kind)
            if mod.bias is not None:
                q.bias = torch.nn.Parameter(torch.zeros(mod.bias.shape, dtype=wide, device=DEV))
            parent, _, last = name.rpartition(".")
            setattr(m.get_submodule(parent), last, q.to(DEV))
            continue
        for k, p in list(mod.named_parameters(recurse=False)):
            if p.is_meta:
                setattr(mod, k, torch.nn.Parameter(torch.empty(p.shape, dtype=p.dtype, device=DEV).normal_(0, 0.02)))
        for k, t in list(mod.named_buffers(recurse=False)):
            if t.is_meta:
                mod._buffers[k] = torch.ones(t.shape, dtype=t.dtype, device=DEV)
    m.tie_weights()
    m.is_loaded_in_4bit = True
    return m


def adapted(m, row):
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
    if row.get("quant"):
        m = prepare_model_for_kbit_training(m, use_gradient_checkpointing="ckpt" in row["run"], gradient_checkpointing_kwargs=dict(use_reentrant=False))
    elif "ckpt" in row["run"]:
        m.enable_input_require_grads()
    return get_peft_model(m, LoraConfig(r=row["lora"], lora_alpha=2 * row["lora"], lora_dropout=0.0, target_modules=row["targets"], bias="none", task_type="CAUSAL_LM"))


def optimizer(kind, params):
    O = torch.optim
    if "8bit" in kind:
        import bitsandbytes as bnb
        return dict([("adamw8bit", bnb.optim.AdamW8bit), ("paged-adamw8bit", bnb.optim.PagedAdamW8bit)])[kind](params, lr=1e-5)
    return {"adamw": lambda: O.AdamW(params, lr=1e-5), "adamw-fused": lambda: O.AdamW(params, lr=1e-5, fused=True), "sgd": lambda: O.SGD(params, lr=1e-5, momentum=0.9),
            "adafactor": lambda: O.Adafactor(params, lr=1e-5)}[kind]()


def synchronize():
    if DEV == "cuda":
        torch.cuda.synchronize()


def train(row, steps):
    task, kind, cfg = config(row["model"])
    words = row["run"].split()
    precision, attention = words[0], words[1]
    wide = torch.bfloat16 if precision == "bf16" else torch.float32
    torch.set_default_dtype(wide)
    with torch.device("meta" if row.get("quant") else DEV):
        m = AUTO[task].from_config(cfg, **({} if kind in ("convnext", "resnet") else dict(attn_implementation=attention))).train()
    torch.set_default_dtype(torch.float32)
    m = m.to(wide)
    if row.get("quant"):
        m = quantized(m, row["quant"], wide)
    if "ckpt" in words:
        m.gradient_checkpointing_enable()
    if row.get("lora"):
        m = adapted(m, row)
    params = [p for p in m.parameters() if p.requires_grad]
    o = optimizer(words[2], params)
    b = 2 if A.smoke else row["batch"]
    if task == "image-classification":
        n = getattr(cfg, "image_size", 224) or 224
        x = dict(pixel_values=torch.randn(b, 3, n, n, device=DEV, dtype=wide), labels=torch.zeros(b, dtype=torch.long, device=DEV))
    else:
        ids = torch.randint(0, 1000, (b, min(row["seq"], 64) if A.smoke else row["seq"]), device=DEV)
        x = dict(input_ids=ids, labels=ids)
    peaks, times = [0], []
    for _ in range(steps):
        synchronize()
        begun = time.perf_counter()
        if DEV == "cuda":
            torch.cuda.reset_peak_memory_stats()
        with torch.autocast(DEV, torch.bfloat16, enabled=precision == "amp"):
            loss = m(**x).loss
        loss.backward()
        o.step()
        o.zero_grad(set_to_none=True)
        del loss
        synchronize()
        times.append(time.perf_counter() - begun)
        if DEV == "cuda":
            peaks.append(torch.cuda.max_memory_allocated() - BASE)
    out = dict(peakBytes=peaks[-1], params=sum(p.numel() for p in m.parameters()), trained=sum(p.numel() for p in params))
    if DEV == "cuda":
        out["reservedBytes"] = torch.cuda.max_memory_reserved()
    if steps > 4:
        out["stepMs"] = round(1000 * sorted(times[2:])[(steps - 2) // 2], 3)
    return out


def attempt(row, cap, steps=3):
    if DEV == "cuda":
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.set_per_process_memory_fraction(min(1.0, cap / TOTAL), 0)
    try:
        return train(row, steps)
    except torch.OutOfMemoryError:
        return None
    finally:
        gc.collect()
        if DEV == "cuda":
            torch.cuda.empty_cache()


def measure(row):
    full = attempt(row, TOTAL, 7 if row.get("quant") is None else 6)
    if full is None:
        return None
    low, high = full["peakBytes"] * 0.995, full["reservedBytes"] * 1.005
    tried = False
    while high - low > 0.012 * full["peakBytes"]:
        middle = (low + high) / 2
        if attempt(row, middle):
            high, tried = middle, True
        else:
            low = middle
    task, kind, cfg = config(row["model"])
    return dict(row, task=task, type=kind, config=json.loads(cfg.to_json_string()), **full, needsAtLeast=int(low), runsIn=int(high), tried=tried, expandable=A.expandable)


def main():
    begun = time.time()
    part, parts = map(int, A.part.split("/"))
    with open(A.out, "w") as f:
        for k, row in enumerate(RUNS):
            if k % parts != part or A.only and A.only not in json.dumps(row):
                continue
            if time.time() - begun > A.seconds:
                print("out of time at", row, flush=True)
                break
            row["aside"] = k % 3 == 2
            try:
                got = train(row, 2) if A.smoke else measure(row)
            except Exception as e:
                print("failed", row, type(e).__name__, str(e)[:300].replace("\n", " "), flush=True)
                e = None
                gc.collect()
                continue
            if got is None:
                print("does not fit", row, flush=True)
                continue
            if not A.smoke:
                f.write(json.dumps(got, separators=(",", ":")) + "\n")
                f.flush()
            peak = max(1, got["peakBytes"])
            print(row["model"], row["run"], row["batch"], row["seq"], row.get("lora", ""), row.get("quant", ""), f"peak {peak / 1e9:.2f} GB, needs {got.get('needsAtLeast', 0) / peak:.3f} to {got.get('runsIn', 0) / peak:.3f},",
                  f"reserved {got.get('reservedBytes', 0) / peak:.3f}, {got.get('stepMs')} ms, {time.time() - begun:.0f} s", flush=True)


TOTAL = 0 if A.smoke else torch.cuda.get_device_properties(0).total_memory
if DEV == "cuda":  # cuBLAS's workspace is there once, outside the peaks
    x = torch.randn(256, 256, device="cuda", requires_grad=True)
    (x @ x).sum().backward()
    (x.bfloat16() @ x.bfloat16()).sum().backward()
    del x
BASE = 0 if A.smoke else torch.cuda.memory_allocated()
if __name__ == "__main__":
    main()
