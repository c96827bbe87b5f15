package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/runfile"
)

// What a file says becomes the options of an estimate, or is said to have none.
func TestARunsFileBecomesOptions(t *testing.T) {
	const examples = "../runfile/testdata"
	beside := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(examples, filepath.Base(name))) }
	for _, c := range []struct {
		file                                  string
		batch, micro, epochs, samples, seqLen int64
		precision, optimizer, attention       string
		checkpointing, fusedLoss              bool
		without                               []string
	}{
		{"axolotl-qlora.yml", 8, 2, 3, 0, 4096, "amp", "paged-adamw-8bit", "flash", true, true, []string{"fused kernels", "a plugin"}},
		{"axolotl-fsdp-dpo.yml", 8, 1, 1, 9600, 2048, "bf16", "adamw-fused", "flash", true, false, []string{"dpo", "8 cards"}},
		{"llamafactory-lora.yaml", 16, 2, 2, 20000, 3072, "bf16", "adamw", "flash", true, true, []string{"fused kernels", "neat_packing"}},
		{"llamafactory-zero3.yaml", 2, 1, 1, 0, 8192, "amp", "adamw-fused", "", true, false,
			[]string{"DeepSpeed's 16-bit weights", "zero-3", "samples that share a row (packing)"}},
		{"trl-sft.yaml", 8, 4, 1, 0, 4096, "bf16", "adamw-fused", "flash", true, true, []string{"fused kernels"}},
		{"trl-grpo.sh", 32, 8, 1, 16000, 0, "bf16", "adamw-fused", "", true, false, []string{"grpo"}},
		{"torchtitan-llama3-8b.toml", 8, 2, 1, 40000, 8192, "amp", "adamw-fused", "", false, false,
			[]string{"8 bits", "selective", "torch.compile", "tensor parallelism of 2", "32 cards", "recomputed", "quantised"}},
		{"torchtitan-qwen3-0.6b.toml", 4, 4, 1, 400, 4096, "bf16", "adamw-fused", "", true, false, nil},
		{"deepspeed-zero2.json", 32, 8, 0, 0, 0, "amp", "adamw-fused", "", false, false, []string{"DeepSpeed's 16-bit weights", "zero-2"}},
		{"deepspeed-zero3-auto.json", 0, 0, 0, 0, 0, "", "", "", false, false, []string{"the batch of one card", "zero-3"}},
		{"accelerate-fsdp.yaml", 0, 0, 0, 0, 0, "amp", "", "", true, false, []string{"the batch of one card", "16 cards"}},
		{"transformers-args.json", 32, 16, 4, 0, 0, "fp16", "adafactor", "", false, false, []string{"fsdp"}},
	} {
		data, err := os.ReadFile(filepath.Join(examples, c.file))
		if err != nil {
			t.Fatal(err)
		}
		report, err := runfile.Parse(c.file, data, runfile.Options{Open: beside})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		q := &plan.Request{}
		without := applyRun(q, report)
		o := q.Training
		if o.Batch != c.batch || o.MicroBatch != c.micro || o.Epochs != c.epochs || o.Samples != c.samples || q.SeqLen != c.seqLen {
			t.Errorf("%s: batch %d of %d, %d epochs of %d, %d tokens", c.file, o.Batch, o.MicroBatch, o.Epochs, o.Samples, q.SeqLen)
		}
		if o.Precision != c.precision || o.Optimizer != c.optimizer || o.Attention != c.attention || o.Checkpointing != c.checkpointing || o.FusedLoss != c.fusedLoss {
			t.Errorf("%s: %s, %s, %s, checkpointing %v, fused loss %v", c.file, o.Precision, o.Optimizer, o.Attention, o.Checkpointing, o.FusedLoss)
		}
		for _, w := range c.without {
			if !slices.ContainsFunc(without, func(s string) bool { return strings.Contains(s, w) }) {
				t.Errorf("%s does not say %q: %q", c.file, w, without)
			}
		}
		if len(without) != len(c.without) {
			t.Errorf("%s says %d things, want %d: %q", c.file, len(without), len(c.without), without)
		}
	}
}
