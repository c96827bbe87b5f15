package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = register(func() *cobra.Command {
	c := judging(&cobra.Command{
		Use:   "plan MODEL...",
		Short: "Say what a model is, what training it takes, and what changed since the version before",
	}, planOne)
	c.Flags().String("base", "", "the version before: adds what changed since this `file`")
	c.Flags().Bool("markdown", false, "print the comment for a pull request")
	c.Flags().String("attention", "", "`how` attention is computed: "+strings.Join(estimate.Attentions, ", "))
	c.Flags().Int64("seq-len", 0, "tokens of a sample of text")
	c.Flags().Int64("batch", 0, "samples in a training step")
	c.Flags().String("precision", "", "`kind` of numbers that are trained with: "+strings.Join(estimate.Precisions, ", "))
	c.Flags().String("optimizer", "", "`name` of the optimizer: "+strings.Join(estimate.Optimizers, ", "))
	c.Flags().Int64("epochs", 0, "passes over the samples")
	c.Flags().Int64("samples", 0, "samples in an epoch")
	c.Flags().Bool("checkpointing", false, "keep only the inputs of blocks and compute the rest again")
	planMoreFlags(c)
	offer(c, "attention", estimate.Attentions...)
	offer(c, "precision", estimate.Precisions...)
	offer(c, "optimizer", estimate.Optimizers...)
	return c
})

func planOne(j *judge, in *input) (*answer, error) {
	markdown, _ := j.cmd.Flags().GetBool("markdown")
	if markdown && wantsJSON(j.cmd) {
		return nil, errors.New("--json has the Markdown in its body: give one of --json and --markdown")
	}
	if markdown && j.cmd.Flags().NArg() > 1 {
		return nil, errors.New("--markdown prints one comment: give one file")
	}
	q, err := request(in, plan.Decode, func(g *graph.Graph) *plan.Request { return &plan.Request{Model: g} })
	if err != nil {
		return nil, err
	}
	if err := planFlags(j.cmd, q); err != nil {
		return nil, err
	}
	if base, _ := j.cmd.Flags().GetString("base"); base != "" {
		if base == stdin && in.name == stdin {
			return nil, errors.New("standard input can be the model or the base, not both")
		}
		if q.Base, err = readVerifiable(j.cmd, base, "base"); err != nil {
			return nil, err
		}
	}
	h, err := j.apply(in, &q.Policy)
	if err != nil {
		return nil, err
	}
	r := plan.Run(q)
	a := &answer{body: r, text: func(p *page) { planText(p, r.Text) }, house: h}
	if markdown {
		a.text = func(p *page) { p.WriteString(r.Markdown) }
	}
	run := r.Plan.Run
	a.found = j.foundIn(q.Model, append(append([]action.Finding{}, run.Blockers...), run.Warnings...))
	return a, nil
}

// planFlags puts what flags say in place of what the request says.
func planFlags(cmd *cobra.Command, q *plan.Request) error {
	flags := cmd.Flags()
	for _, f := range []struct {
		name string
		to   *int64
	}{{"seq-len", &q.SeqLen}, {"batch", &q.Training.Batch}, {"epochs", &q.Training.Epochs}, {"samples", &q.Training.Samples}} {
		if !flags.Changed(f.name) {
			continue
		}
		if *f.to, _ = flags.GetInt64(f.name); *f.to < 1 {
			return fmt.Errorf("--%s is %d but must be at least 1", f.name, *f.to)
		}
	}
	for _, f := range []struct {
		name string
		to   *string
	}{{"attention", &q.Training.Attention}, {"precision", &q.Training.Precision}, {"optimizer", &q.Training.Optimizer}} {
		if !flags.Changed(f.name) {
			continue
		}
		if *f.to, _ = flags.GetString(f.name); *f.to == "" {
			return fmt.Errorf("--%s is empty", f.name)
		}
	}
	if flags.Changed("checkpointing") {
		q.Training.Checkpointing, _ = flags.GetBool("checkpointing")
	}
	q.Training.SamplesGiven = q.Training.SamplesGiven || flags.Changed("samples")
	if err := moreFlags(flags, q); err != nil {
		return err
	}
	if problems := q.Training.Validate(); len(problems) > 0 {
		return flagProblem(problems[0])
	}
	q.Using.Attention = q.Training.Attention
	return nil
}

// planText colours the labels of the text, and leaves it as it is otherwise.
func planText(p *page, text string) {
	for line := range strings.Lines(text) {
		label, _, _ := strings.Cut(line, " ")
		p.WriteString(string(p.word(label, 0)) + line[len(label):])
	}
}
