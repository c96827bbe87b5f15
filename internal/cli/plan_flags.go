package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
)

// runFlags declares the flags of a training run.
func runFlags(c *cobra.Command) {
	f := c.Flags()
	f.String("attention", "", "`how` attention is computed: "+strings.Join(estimate.Attentions, ", "))
	f.Int64("seq-len", 0, "tokens of a sample of text")
	f.Int64("batch", 0, "samples in a training step")
	f.String("precision", "", "`precision` of training: "+strings.Join(estimate.Precisions, ", "))
	f.String("optimizer", "", "`name` of the optimizer: "+strings.Join(estimate.Optimizers, ", "))
	f.Int64("epochs", 0, "passes over the samples")
	f.Int64("samples", 0, "samples in an epoch")
	f.Bool("checkpointing", false, "activation checkpointing: save only the inputs of blocks and recompute the rest")
	f.String("gpu", "", "the `card` to train on; where it is too small, changes that make the run fit are listed: "+strings.Join(hardware.Names(), ", "))
	f.Int64("micro-batch", 0, "samples of a forward pass; gradients are accumulated to a batch")
	f.Bool("fused-loss", false, "compute logits and loss in chunks (fused linear cross-entropy)")
	f.Bool("expandable-segments", false, "the allocator's segments grow, as with expandable_segments:True in PYTORCH_CUDA_ALLOC_CONF")
	f.Bool("dropout", false, "count what the dropout of a config.json saves for backward")
	f.StringSlice("frozen", nil, "components that are not trained: `names`, scopes or patterns such as model.layers.*")
	f.Int64("lora", 0, "train only LoRA adapters of this `rank`")
	f.StringSlice("lora-targets", nil, "linear layers that get adapters: `names` as q_proj,v_proj, regular expressions, scopes or patterns; all-linear, every one but the last, without it")
	f.Bool("autocast", false, "torch.autocast over 16-bit weights (precision bf16), as transformers' Trainer runs")
	f.Bool("packing", false, "sample packing: every row of a batch is filled with samples, which do not attend to one another")
	f.Int64("lora-bits", 0, "`bits` of an element of an adapter: 32, as peft makes them, or 16, which is the type of the weights")
	f.Float64("lora-dropout", 0, "`probability` of the dropout in front of the adapters")
	f.String("quantized", "", "`how` bitsandbytes stores the linear layers but the last, under adapters: "+strings.Join(estimate.Bases, ", "))
	f.Int64("gpus", 0, "data-parallel `cards`, each with its own batch: the memory of one is computed, not measured")
	f.String("shard", "", "`how` the cards share the run: "+strings.Join(estimate.Shardings, ", "))
	f.String("offload", "", "`what` is offloaded to the host: "+strings.Join(estimate.Offloads, ", "))
	f.String("objective", "", "a preference or reinforcement `loss` with a frozen reference model: "+strings.Join(estimate.Objectives, ", "))
	f.Int64("completion", 0, "`tokens` of a sample that the model writes in a step of grpo or ppo")
	offer(c, "objective", estimate.Objectives...)
	offer(c, "shard", estimate.Shardings...)
	offer(c, "offload", estimate.Offloads...)
	offer(c, "attention", estimate.Attentions...)
	offer(c, "quantized", estimate.Bases...)
	offer(c, "precision", estimate.Precisions...)
	offer(c, "optimizer", estimate.Optimizers...)
	offer(c, "gpu", hardware.Names()...)
}

// useFlags declares the flags of inference.
func useFlags(c *cobra.Command) {
	f := c.Flags()
	f.Int64("use-batch", 0, "inference: sequences or samples at once")
	f.String("use-precision", "", "inference: `precision`: "+strings.Join(estimate.InferPrecisions, ", "))
	f.Int64("prompt", 0, "inference: tokens of the prompt")
	f.Int64("generate", 0, "inference: tokens that are generated")
	f.Int64("images", 0, "inference: images of a request, for a multimodal model")
	offer(c, "use-precision", estimate.InferPrecisions...)
}

// moreFlags puts what they say in place of what the request says.
func moreFlags(flags *pflag.FlagSet, q *plan.Request) error {
	rank := int64(0)
	for _, f := range []struct {
		name string
		to   *int64
	}{{"micro-batch", &q.Training.MicroBatch}, {"completion", &q.Training.Completion}, {"lora", &rank}, {"use-batch", &q.Using.Batch}, {"prompt", &q.Using.Prompt}, {"generate", &q.Using.Generated}, {"images", &q.Using.Images}} {
		if !flags.Changed(f.name) {
			continue
		}
		if *f.to, _ = flags.GetInt64(f.name); *f.to < 1 {
			return fmt.Errorf("--%s is %d but must be at least 1", f.name, *f.to)
		}
	}
	if flags.Changed("dropout") {
		q.Training.Dropout, _ = flags.GetBool("dropout")
	}
	if flags.Changed("autocast") {
		q.Training.Autocast, _ = flags.GetBool("autocast")
	}
	if flags.Changed("packing") {
		q.Training.Packing, _ = flags.GetBool("packing")
	}
	if flags.Changed("fused-loss") {
		q.Training.FusedLoss, _ = flags.GetBool("fused-loss")
	}
	if flags.Changed("expandable-segments") {
		q.Training.Expandable, _ = flags.GetBool("expandable-segments")
	}
	if flags.Changed("use-precision") {
		if q.Using.Precision, _ = flags.GetString("use-precision"); q.Using.Precision == "" {
			return errors.New("--use-precision is empty")
		}
	}
	if flags.Changed("gpu") {
		name, _ := flags.GetString("gpu")
		g := hardware.Lookup(name)
		if g == nil {
			return fmt.Errorf("--gpu is %q but takes one of %s", name, strings.Join(hardware.Names(), ", "))
		}
		q.Training.GPU = g.Name
	}
	if err := shardFlags(flags, &q.Training.Shard); err != nil {
		return err
	}
	if flags.Changed("objective") {
		if q.Training.Objective, _ = flags.GetString("objective"); !slices.Contains(estimate.Objectives, q.Training.Objective) {
			return flagProblem(estimate.Problem{Field: "objective", Value: q.Training.Objective, Allowed: estimate.Objectives})
		}
	}
	if q.Training.Completion > 0 && !q.Training.Writes() {
		return errors.New("--completion needs --objective grpo or ppo")
	}
	for _, p := range q.Using.Validate() {
		p.Field = "inference." + p.Field
		return flagProblem(p)
	}
	return adaptFlags(flags, q, rank)
}

// flagOf names the flags that are spelled unlike the member of a request.
var flagOf = map[string]string{"microBatch": "micro-batch", "lora.rank": "lora", "inference.batch": "use-batch", "inference.precision": "use-precision",
	"inference.prompt": "prompt", "inference.generated": "generate", "inference.images": "images"}

// flagProblem is the error of a flag.
func flagProblem(p estimate.Problem) error {
	if flag := flagOf[p.Field]; flag != "" {
		p.Field = flag
	}
	return fmt.Errorf("--%w", p)
}

// adaptFlags reads what is not trained.
func adaptFlags(flags *pflag.FlagSet, q *plan.Request, rank int64) error {
	frozen, _ := flags.GetStringSlice("frozen")
	targets, _ := flags.GetStringSlice("lora-targets")
	for _, flag := range []string{"lora-targets", "lora-bits", "lora-dropout", "quantized"} {
		if flags.Changed(flag) && rank == 0 {
			return fmt.Errorf("--%s needs --lora", flag)
		}
	}
	if len(frozen) == 0 && rank == 0 {
		return nil
	}
	a := &estimate.Adaptation{Frozen: frozen}
	if rank > 0 {
		a.LoRA = &estimate.LoRA{Rank: rank, Targets: targets}
		if err := adapterFlags(flags, q, a.LoRA); err != nil {
			return err
		}
	}
	for _, flag := range []string{"frozen", "lora-targets"} {
		list, _ := flags.GetStringSlice(flag)
		if len(list) > estimate.MaxPatterns {
			return fmt.Errorf("--%s has %d names but takes at most %d", flag, len(list), estimate.MaxPatterns)
		}
		for _, p := range list {
			parse := estimate.ParsePattern
			if flag == "lora-targets" {
				parse = estimate.ParseTarget
			}
			switch err := parse(p); {
			case errors.Is(err, estimate.ErrTooLarge):
				return fmt.Errorf("--%s: %q %w", flag, p, err)
			case p == "" || err != nil:
				return fmt.Errorf("--%s: %q is not a name or a pattern", flag, p)
			}
		}
	}
	q.Training.Adapt = a
	return q.CheckNames(graph.LocalLimits)
}

// adapterFlags reads what adapters are like, and the weights beside them.
func adapterFlags(flags *pflag.FlagSet, q *plan.Request, l *estimate.LoRA) error {
	l.Bits, _ = flags.GetInt64("lora-bits")
	l.Dropout, _ = flags.GetFloat64("lora-dropout")
	q.Training.Base, _ = flags.GetString("quantized")
	switch {
	case flags.Changed("lora-bits") && !slices.Contains(estimate.AdapterBits, l.Bits):
		return fmt.Errorf("--lora-bits is %d but takes 32 or 16", l.Bits)
	case !(l.Dropout >= 0 && l.Dropout < 1):
		return fmt.Errorf("--lora-dropout is %v but takes a number from 0 up to 1", l.Dropout)
	case flags.Changed("quantized") && !slices.Contains(estimate.Bases, q.Training.Base):
		return flagProblem(estimate.Problem{Field: "quantized", Value: q.Training.Base, Allowed: estimate.Bases})
	}
	return nil
}

// shardFlags reads how several cards share the run.
func shardFlags(flags *pflag.FlagSet, to *estimate.Shard) error {
	if flags.Changed("gpus") {
		if to.GPUs, _ = flags.GetInt64("gpus"); to.GPUs < 1 || to.GPUs > estimate.MaxGPUs {
			return flagProblem(estimate.Problem{Field: "gpus", Value: strconv.FormatInt(to.GPUs, 10), Max: estimate.MaxGPUs})
		}
	}
	for _, f := range []struct {
		name    string
		to      *string
		allowed []string
	}{{"shard", &to.Kind, estimate.Shardings}, {"offload", &to.Offload, estimate.Offloads}} {
		if !flags.Changed(f.name) {
			continue
		}
		if *f.to, _ = flags.GetString(f.name); !slices.Contains(f.allowed, *f.to) {
			return flagProblem(estimate.Problem{Field: f.name, Value: *f.to, Allowed: f.allowed})
		}
		if to.GPUs == 0 {
			return fmt.Errorf("--%s needs --gpus", f.name)
		}
	}
	if why := to.Wrong(); why != "" {
		return fmt.Errorf("--offload is %q, %s", to.Offload, why)
	}
	return nil
}
