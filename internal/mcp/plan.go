package mcp

import "github.com/modelverifier/verifier/internal/action/plan"

var _ = define(tool{
	name: "plan", title: "Price a model, compare versions",
	doc: `Parameters, FLOPs, memory, time and dollars of training, cards that hold it, what makes it fit, what using it takes; with base, the structural diff.`,
	input: modelLikeCheck + `,` + sourceLikeCheck + `,"base":{"type":["string","object"],"description":"the version before"},` + policyLikeCheck + `,` +
		options("training", `"object"`, "batch", "precision (fp32, tf32, amp, fp16, bf16)", "optimizer", "epochs", "samples", "checkpointing", "microBatch", "fusedLoss",
			"expandableSegments", "solve (max-batch, max-seq-len, max-context, cheapest)", "dropout", "gpu", "frozen", "lora {rank, targets, bits, dropout}", "autocast",
			"quantized", "objective", "completion", "gpus", "shard", "offload") + `,` +
		options("inference", `"object"`, "batch", "precision", "prompt", "generated") + `,` +
		`"attention":{"enum":["sdpa","flash","eager"]},"seq_len":{"type":"integer"}`,
	output: []string{"plan", "text", "markdown"},
	run:    act("plan", func(r *plan.Result) string { return r.Text }),
})
