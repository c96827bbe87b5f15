"""Runs of what people train today, on one card: peft's adapters, 4- and 8-bit weights and 8-bit and paged optimizers of bitsandbytes, DPO, GRPO
and PPO by hand, accumulation and packing: python3 recipes_measure.py OUT.jsonl [--seconds N] [--only WORD] [--smoke]

A row has the peak of a step, what the allocator reserved, and the time of a step (the median behind two that warm up). A row is set aside
where the first byte of the SHA-256 of its model, run, batch and recipe is below 85, which a third of them are: no constant may be fitted on it.
Models, optimizers and 4-bit weights are those of fit.py. PYTHONPATH has peft and bitsandbytes.
"""
import gc, hashlib, json, time

import fit as F
import torch
import torch.nn.functional as nn_f

ALL = "all-linear"


def run(model, batch, seq, words, **recipe):
    row = dict(model=model, batch=batch, seq=seq, run=words, **recipe)
    row["aside"] = hashlib.sha256(json.dumps(row, sort_keys=True).encode()).digest()[0] < 85
    return row


RUNS = [
    run("qwen3-1.7b", 4, 1024, "bf16 sdpa adamw", lora=16, targets=ALL),
    run("qwen3-1.7b", 4, 1024, "bf16 sdpa adamw", lora=16, targets=ALL, dropout=0.05),
    run("qwen3-1.7b", 8, 1024, "bf16 sdpa adamw ckpt", lora=16, targets=ALL, dropout=0.05),
    run("smollm2-1.7b", 4, 1024, "bf16 sdpa adamw", lora=64, targets=["q_proj", "v_proj"]),
    run("smollm2-1.7b", 4, 1024, "bf16 sdpa adamw", lora=64, targets=["q_proj", "v_proj"], adapterBits=16),
    run("olmo-2-1b", 4, 1024, "bf16 sdpa adamw", lora=32, targets=ALL, adapterBits=16, dropout=0.1),
    run("qwen3-1.7b", 4, 1024, "bf16 sdpa adamw", lora=16, targets=ALL, autocast=True),
    run("mistral-7b", 2, 1024, "bf16 sdpa adamw ckpt", lora=16, targets=ALL, dropout=0.1),
    run("qwen3-0.6b", 4, 1024, "bf16 sdpa adamw", lora=16, targets=ALL, quant="nf4"),
    run("qwen3-1.7b", 4, 1024, "bf16 sdpa adamw ckpt", lora=16, targets=ALL, quant="nf4", dropout=0.05),
    run("smollm2-1.7b", 4, 1024, "bf16 sdpa adamw", lora=16, targets=["q_proj", "v_proj"], quant="nf4"),
    run("smollm2-1.7b", 4, 1024, "bf16 sdpa adamw ckpt", lora=16, targets=ALL, quant="nf4", prepared=False),
    run("qwen3-0.6b", 4, 1024, "bf16 sdpa adamw ckpt", lora=16, targets=ALL, quant="nf4", autocast=True),
    run("smollm2-1.7b", 4, 1024, "bf16 sdpa adamw ckpt", lora=16, targets=ALL, quant="int8"),
    run("qwen3-0.6b", 4, 1024, "bf16 sdpa adamw8bit"),
    run("qwen3-0.6b", 4, 1024, "bf16 sdpa paged-adamw8bit"),
    run("smollm2-360m", 2, 512, "fp32 sdpa paged-adamw"),
    run("smollm2-360m", 2, 512, "fp32 sdpa adamw8bit"),
    run("qwen3-0.6b", 2, 1024, "bf16 sdpa adamw", accumulation=4),
    run("smollm2-360m", 4, 1024, "amp sdpa adamw", accumulation=2),
    run("qwen3-0.6b", 2, 1024, "bf16 sdpa adamw", recipe="dpo"),
    run("smollm2-1.7b", 2, 1024, "bf16 sdpa adamw ckpt", recipe="dpo"),
    run("qwen3-1.7b", 2, 1024, "bf16 sdpa adamw ckpt", recipe="dpo", lora=16, targets=ALL),
    run("smollm2-360m", 8, 384, "bf16 sdpa adamw", recipe="grpo", prompt=256),
    run("qwen3-0.6b", 8, 384, "bf16 sdpa adamw ckpt", recipe="grpo", prompt=256),
    run("smollm2-360m", 8, 384, "bf16 sdpa adamw", recipe="ppo", prompt=256),
    run("qwen3-0.6b", 1, 4096, "bf16 sdpa adamw", recipe="packed", pieces=8),
]


def eight_bits(m):
    """The linear layers but the head in 8 bits, as load_in_8bit has them."""
    import bitsandbytes as bnb
    head = m.get_output_embeddings()
    for name, mod in list(m.named_modules()):
        if type(mod) is torch.nn.Linear and mod is not head:
            q = bnb.nn.Linear8bitLt(mod.in_features, mod.out_features, bias=mod.bias is not None, has_fp16_weights=False, threshold=6.0, device="meta")
            q.weight = bnb.nn.Int8Params(mod.weight.data.cpu(), requires_grad=False, has_fp16_weights=False)
            if mod.bias is not None:
                q.bias = mod.bias
            parent, _, last = name.rpartition(".")
            setattr(m.get_submodule(parent), last, q.to(F.DEV))
    m.is_loaded_in_8bit = True
    return m


def model(row, frozen=False):
    task, _, cfg = F.config(row["model"])
    words = row["run"].split()
    wide = torch.bfloat16 if words[0] == "bf16" else torch.float32
    torch.set_default_dtype(wide)
    with torch.device("meta" if row.get("quant") == "nf4" else F.DEV):
        m = F.AUTO[task].from_config(cfg, attn_implementation=words[1]).train(not frozen)
    torch.set_default_dtype(torch.float32)
    m = m.to(wide)
    if frozen:
        return m.requires_grad_(False)
    if row.get("quant") == "nf4":
        m = F.quantized(m, "nf4", wide)
    if row.get("quant") == "int8":
        m = eight_bits(m)
    if "ckpt" in words:
        m.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
    if not row.get("lora"):
        return m
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
    if row.get("quant") and row.get("prepared", True):
        m = prepare_model_for_kbit_training(m, use_gradient_checkpointing="ckpt" in words, gradient_checkpointing_kwargs=dict(use_reentrant=False))
    elif "ckpt" in words:
        m.enable_input_require_grads()
    config = LoraConfig(r=row["lora"], lora_alpha=2 * row["lora"], lora_dropout=row.get("dropout", 0.0), target_modules=row["targets"], bias="none", task_type="CAUSAL_LM")
    return get_peft_model(m, config, autocast_adapter_dtype=row.get("adapterBits", 32) == 32)


def optimizer(kind, params):
    if kind == "paged-adamw":
        import bitsandbytes as bnb
        return bnb.optim.PagedAdamW32bit(params, lr=1e-5)
    return F.optimizer(kind, params)


def log_probs(logits, ids):
    """The log-probabilities of the tokens that were chosen, row by row (selective_log_softmax of TRL for 16 bits, and here for all)."""
    rows = [torch.gather(nn_f.log_softmax(l, dim=-1), dim=-1, index=i.unsqueeze(-1)).squeeze(-1) for l, i in zip(logits, ids)]
    return torch.stack(rows)


def scored(m, ids, keep):
    """Log-probabilities of the last tokens, from the logits before them."""
    logits = m(input_ids=ids, logits_to_keep=keep + 1).logits[:, :-1]
    return log_probs(logits, ids[:, -keep:])


class Step:
    """One step of a recipe: forward, backward, and what lives beside."""

    def __init__(self, row):
        self.row, self.words, self.recipe = row, row["run"].split(), row.get("recipe", "")
        self.m = model(row)
        self.params = [p for p in self.m.parameters() if p.requires_grad]
        self.vocabulary = min(1000, self.m.get_output_embeddings().weight.shape[0])
        if self.recipe in ("dpo", "grpo", "ppo") and not row.get("lora"):
            self.reference = model(row, frozen=True)
        if self.recipe == "ppo":
            bare = {k: v for k, v in row.items() if k != "recipe"}
            self.value, self.reward = self.scalar(model(bare)), self.scalar(model(bare, frozen=True)).requires_grad_(False)
            self.params += list(self.value.parameters())
        self.o = optimizer(self.words[2], self.params)
        self.b, self.s = (2, 64) if F.A.smoke else (row["batch"], row["seq"])
        self.ids = torch.randint(0, self.vocabulary, (2 * self.b if self.recipe == "dpo" else self.b, self.s), device=F.DEV)

    def scalar(self, m):
        """The same layers with a head of one number, in a 16-bit run of 16 bits."""
        body = m.model
        head = torch.nn.Linear(m.config.hidden_size, 1, bias=False, device=F.DEV, dtype=body.embed_tokens.weight.dtype)
        return torch.nn.ModuleDict(dict(body=body, head=head))

    def scalars(self, m):
        return m["head"](m["body"](input_ids=self.ids).last_hidden_state).squeeze(-1)

    def plain(self):
        self.m(input_ids=self.ids, labels=self.ids).loss.backward()

    def packed(self):
        n = self.row["pieces"]
        positions = torch.arange(self.s // n, device=F.DEV).repeat(n).unsqueeze(0)
        self.m(input_ids=self.ids, labels=self.ids, position_ids=positions).loss.backward()

    def referred(self, keep):
        with torch.no_grad():
            if self.row.get("lora"):
                with self.m.disable_adapter():
                    return scored(self.m, self.ids, keep)
            return scored(self.reference, self.ids, keep)

    def dpo(self):
        keep = self.s - 1
        chosen, rejected = scored(self.m, self.ids, keep).sum(1).chunk(2)
        ref_chosen, ref_rejected = self.referred(keep).sum(1).chunk(2)
        (-nn_f.logsigmoid(0.1 * ((chosen - ref_chosen) - (rejected - ref_rejected)))).mean().backward()

    def generated(self):
        prompt = self.s // 2 if F.A.smoke else self.row["prompt"]
        new = self.s - prompt
        with torch.no_grad():
            self.m.eval()
            self.ids = self.m.generate(self.ids[:, :prompt], attention_mask=torch.ones_like(self.ids[:, :prompt]), max_new_tokens=new, min_new_tokens=new, do_sample=True, use_cache=True, pad_token_id=0)
            self.m.train()
        return new

    def grpo(self):
        new = self.generated()
        ref = self.referred(new)
        logps = scored(self.m, self.ids, new)
        advantage = torch.randn(self.b, 1, device=F.DEV)
        kl = torch.exp(ref - logps) - (ref - logps) - 1
        (-(torch.exp(logps - logps.detach()) * advantage - 0.04 * kl)).mean().backward()

    def ppo(self):
        new = self.generated()
        ref = self.referred(new)
        with torch.no_grad():
            old, values, reward = scored(self.m, self.ids, new), self.scalars(self.value)[:, -new:], self.scalars(self.reward)[:, -1:]
        advantage = reward - 0.05 * (old - ref) - values
        ratio = torch.exp(scored(self.m, self.ids, new) - old)
        wrong = (self.scalars(self.value)[:, -new:] - (advantage + values)) ** 2
        (torch.max(-advantage * ratio, -advantage * ratio.clamp(0.8, 1.2)).mean() + 0.1 * wrong.mean()).backward()

    def __call__(self):
        with torch.autocast(F.DEV, torch.bfloat16, enabled=self.words[0] == "amp" or self.row.get("autocast", False)):
            for _ in range(self.row.get("accumulation", 1)):
                {"": self.plain, "packed": self.packed, "dpo": self.dpo, "grpo": self.grpo, "ppo": self.ppo}[self.recipe]()
        self.o.step()
        self.o.zero_grad(set_to_none=True)


def measure(row):
    step, peaks, times = Step(row), [], []
    generates = row.get("recipe") in ("grpo", "ppo")
    for _ in range(2 if F.A.smoke else 3 if generates else 6):
        F.synchronize()
        begun = time.perf_counter()
        if F.DEV == "cuda":
            torch.cuda.reset_peak_memory_stats()
        step()
        F.synchronize()
        times.append(time.perf_counter() - begun)
        peaks.append(torch.cuda.max_memory_allocated() - F.BASE if F.DEV == "cuda" else 0)
    task, kind, cfg = F.config(row["model"])
    held = torch.cuda.memory_allocated() - F.BASE if F.DEV == "cuda" else 0
    reserved = torch.cuda.max_memory_reserved() if F.DEV == "cuda" else 0
    warm = sorted(times[1:] if generates else times[2:] or times)
    return dict(row, task=task, type=kind, config=json.loads(cfg.to_json_string()), peakBytes=peaks[-1], restBytes=held, reservedBytes=reserved,
                stepMs=round(1000 * warm[len(warm) // 2], 3), trained=sum(p.numel() for p in step.params))


def main():
    begun = time.time()
    with open(F.A.out, "w") as f:
        for row in RUNS:
            if F.A.only and F.A.only not in json.dumps(row):
                continue
            if time.time() - begun > F.A.seconds:
                print("out of time at", row, flush=True)
                break
            gc.collect()
            if F.DEV == "cuda":
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            try:
                got = measure(row)
            except Exception as e:
                got = dict(row, error=f"{type(e).__name__}: {e}"[:300])
            f.write(json.dumps(got, separators=(",", ":")) + "\n")
            f.flush()
            print({k: v for k, v in got.items() if k not in ("config", "task", "type")}, f"{time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
