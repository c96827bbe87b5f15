package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/hardware"
)

// runFlags declares what can be said of a training run.
func runFlags(c *cobra.Command) {
	f := c.Flags()
	f.String("attention", "", "`how` attention is computed: "+strings.Join(estimate.Attentions, ", "))
	f.Int64("seq-len", 0, "tokens of a sample of text")
	f.Int64("batch", 0, "samples in a training step")
	f.String("precision", "", "`kind` of numbers that are trained with: "+strings.Join(estimate.Precisions, ", "))
	f.String("optimizer", "", "`name` of the optimizer: "+strings.Join(estimate.Optimizers, ", "))
	f.Int64("epochs", 0, "passes over the samples")
	f.Int64("samples", 0, "samples in an epoch")
	f.Bool("checkpointing", false, "keep only the inputs of blocks and compute the rest again")
	f.String("gpu", "", "the `card` to train on, and to find changes for where it is too small: "+strings.Join(hardware.Names(), ", "))
	f.Int64("micro-batch", 0, "samples that go through the model at once, their gradients added up to a batch")
	f.Bool("fused-loss", false, "compute logits and loss in pieces")
	f.Bool("expandable-segments", false, "the allocator's segments grow, as with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")
	f.Bool("dropout", false, "count what the dropout of a config.json keeps")
	f.StringSlice("frozen", nil, "components that are not trained: `names`, scopes or patterns such as model.layers.*")
	f.Int64("lora", 0, "train adapters of this `rank` and nothing else")
	f.StringSlice("lora-targets", nil, "linear layers that get adapters: `names` as q_proj,v_proj, regular expressions, scopes or patterns; all-linear, every one but the last, without it")
	offer(c, "attention", estimate.Attentions...)
	offer(c, "precision", estimate.Precisions...)
	offer(c, "optimizer", estimate.Optimizers...)
	offer(c, "gpu", hardware.Names()...)
}

// useFlags declares what can be said of the use of the model.
func useFlags(c *cobra.Command) {
	f := c.Flags()
	f.Int64("use-batch", 0, "inference: sequences or samples at once")
	f.String("use-precision", "", "inference: `kind` of numbers: "+strings.Join(estimate.InferPrecisions, ", "))
	f.Int64("prompt", 0, "inference: tokens that are read")
	f.Int64("generate", 0, "inference: tokens that are written")
	offer(c, "use-precision", estimate.InferPrecisions...)
}

// moreFlags puts what they say in place of what the request says.
func moreFlags(flags *pflag.FlagSet, q *plan.Request) error {
	rank := int64(0)
	for _, f := range []struct {
		name string
		to   *int64
	}{{"micro-batch", &q.Training.MicroBatch}, {"lora", &rank}, {"use-batch", &q.Using.Batch}, {"prompt", &q.Using.Prompt}, {"generate", &q.Using.Generated}} {
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
	for _, p := range q.Using.Validate() {
		p.Field = "inference." + p.Field
		return flagProblem(p)
	}
	return adaptFlags(flags, q, rank)
}

// flagOf names the flags that are spelled unlike the member of a request.
var flagOf = map[string]string{"microBatch": "micro-batch", "lora.rank": "lora", "inference.batch": "use-batch", "inference.precision": "use-precision",
	"inference.prompt": "prompt", "inference.generated": "generate"}

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
	if len(targets) > 0 && rank == 0 {
		return errors.New("--lora-targets needs --lora")
	}
	if len(frozen) == 0 && rank == 0 {
		return nil
	}
	a := &estimate.Adaptation{Frozen: frozen}
	if rank > 0 {
		a.LoRA = &estimate.LoRA{Rank: rank, Targets: targets}
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
			if p == "" || parse(p) != nil {
				return fmt.Errorf("--%s: %q is not a name or a pattern", flag, p)
			}
		}
	}
	q.Training.Adapt = a
	return q.CheckNames()
}
