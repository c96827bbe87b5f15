package mcp

import "github.com/modelverifier/verifier/internal/action/plan"

var _ = define(tool{
	name: "plan", title: "Price a model, compare versions",
	doc: `Parameters, FLOPs, training memory, time and dollars, which cards hold it, changes that make it fit, its use; with base, what changed since.`,
	input: modelProperty + `,` + sourceProperties + `,"base":{"type":["string","object"],"description":"before, as model"},` + policyProperty + `,` +
		options("training", `"object"`, "precision: fp32, tf32, amp, fp16, bf16; lora: {rank, targets, bits, dropout}; solve: max-batch, max-seq-len, max-context, cheapest", nil,
			"batch", "precision", "optimizer", "epochs", "samples", "checkpointing", "microBatch", "fusedLoss", "expandableSegments", "solve", "dropout", "gpu", "frozen", "lora", "autocast", "packing", "quantized", "objective", "completion", "gpus", "shard", "offload") + `,` +
		options("inference", `"object"`, "using the trained model", nil, "batch", "precision", "prompt", "generated", "images") + `,` +
		options("source", `"object"`, "where the model is from", nil, "kind", "target", "input") + `,` +
		`"attention":{"enum":["sdpa","flash","eager"]},"seq_len":{"type":"integer","minimum":1}`,
	output: []field{{"plan", "object"}, {"text", "string"}, {"markdown", "string"}},
	run:    act("plan", func(r *plan.Result) string { return r.Text }),
})
