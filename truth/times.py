"""Times of a step of well-known models at their published sizes, without the search for the smallest memory of fit.py:
python3 times.py OUT.jsonl [--seconds N]

Long sequences, TF32, eager attention with checkpointing, small batches and mixtures of experts: what the rows of fit.py do not have. Every row
is set aside: no rate may be fitted on it.
"""
import argparse, gc, json, sys, time

arguments = argparse.ArgumentParser()
arguments.add_argument("out")
arguments.add_argument("--seconds", type=float, default=1e9)
A = arguments.parse_args()
sys.argv = [sys.argv[0], A.out]  # fit.py reads its own arguments
import fit
import torch

fit.MODELS.update({
    "olmoe-1b-7b-4": fit.decoder("olmoe", 2048, 1024, 4, 16, 16, 50304, num_experts=64, num_experts_per_tok=8),  # four of its sixteen layers
})
run = fit.run
RUNS = [
    run("qwen3-0.6b", 1, 16384, "bf16 sdpa adamw ckpt"), run("qwen3-1.7b", 1, 8192, "bf16 sdpa adamw ckpt"), run("smollm2-360m", 1, 8192, "bf16 sdpa adamw"),
    run("smollm2-360m", 8, 1024, "tf32 sdpa adamw"), run("gpt2", 16, 1024, "tf32 sdpa adamw"), run("vit-base", 128, 0, "tf32 sdpa adamw"),
    run("pythia-1.4b", 4, 1024, "bf16 eager adamw ckpt"), run("opt-1.3b", 4, 1024, "bf16 eager adamw ckpt"), run("qwen3-0.6b", 4, 2048, "bf16 eager adamw ckpt"),
    run("qwen3-0.6b", 1, 512, "bf16 sdpa adamw"), run("gpt2", 1, 1024, "amp sdpa adamw"), run("roberta-base", 4, 128, "fp32 sdpa adamw"),
    run("olmo-2-1b", 2, 4096, "bf16 sdpa adamw-fused ckpt"), run("opt-1.3b", 8, 2048, "bf16 sdpa sgd"), run("bloom-560m", 8, 1024, "bf16 sdpa adamw ckpt"),
    run("modernbert-base", 8, 4096, "bf16 sdpa adamw"), run("deberta-v3-base", 8, 512, "fp32 eager adamw ckpt"), run("t5-base", 8, 512, "fp32 eager adamw"),
    run("convnext-base", 128, 0, "bf16 sdpa adamw ckpt"), run("swin-base", 32, 0, "fp32 sdpa adamw"), run("dinov2-base", 256, 0, "amp sdpa adamw-fused"),
    run("llama-3.1-8b", 1, 8192, "bf16 sdpa sgd ckpt"), run("olmoe-1b-7b-4", 4, 1024, "bf16 sdpa adamw"), run("distilbert", 256, 128, "amp eager adamw"),
]


def main():
    begun = time.time()
    with open(A.out, "w") as f:
        for row in RUNS:
            if time.time() - begun > A.seconds:
                print("out of time at", row, flush=True)
                break
            torch.backends.cuda.matmul.allow_tf32 = row["run"].startswith("tf32")
            try:
                got = fit.train(row, 9)
                task, kind, cfg = fit.config(row["model"])
                row = dict(row, aside=True, task=task, type=kind, config=json.loads(cfg.to_json_string()), **got)
                f.write(json.dumps(row, separators=(",", ":")) + "\n")
                f.flush()
            except Exception as e:
                print("failed", row, type(e).__name__, str(e)[:300].replace("\n", " "), flush=True)
                e = None
            gc.collect()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            print(row["model"], row["run"], row["batch"], row["seq"], row.get("peakBytes"), row.get("stepMs"), f"{time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
