package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/report"
)

var _ = register(func() *cobra.Command {
	c := judging(&cobra.Command{
		Use:   "plan MODEL...",
		Short: "Estimate memory, time and cost of a run, and compare with the version before",
		Long: `Estimates the memory, time and cost of training and of inference, and compares with the version
before.

--run reads the run from the file of a trainer: axolotl, LLaMA-Factory, TRL, torchtitan, DeepSpeed,
accelerate, or the arguments of transformers' Trainer. MODEL may then be left out if the file names
a local or bundled model. Every key is listed as used, without effect, unknown or not estimated. A
file with a wrong type, or one that contradicts itself, exits with 2.

--max finds the largest batch, sample or context that fits the card of --gpu. --cheapest finds the
card and the settings on which the run costs least (docs/fit.md).

Without MODEL, the models under models: in .verifier.yml are planned.`,
	}, planOne)
	c.Flags().String("base", "", "the version before: adds what changed since this `file`")
	c.Flags().Bool("history", false, "ask the hosted service for outcomes of earlier runs of this structure; only its fingerprint is sent")
	remoteFlags(c)
	runFlags(c)
	useFlags(c)
	solveFlags(c)
	runFileFlags(c)
	return c
})

func planOne(j *judge, in *input) (*answer, error) {
	q, err := request(in, plan.Decode, func(g *graph.Graph) *plan.Request { return &plan.Request{Model: g} })
	if err != nil {
		return nil, err
	}
	run, err := runOf(j.cmd)
	if err != nil {
		return nil, err
	}
	var without []string
	if run != nil {
		without = applyRun(q, run)
	}
	if err := planFlags(j.cmd, q); err != nil {
		return nil, err
	}
	if err := askFlags(j.cmd, q); err != nil {
		return nil, err
	}
	if err := checkRun(q, run); err != nil {
		return nil, err
	}
	if base, err := baseOf(j.cmd, in); err != nil {
		return nil, err
	} else if base != nil {
		q.Base = base
	}
	q.Text = in.textCall()
	j.apply(&q.Policy)
	record := plan.New(q)
	if is(j.cmd, "history") {
		if record.History, err = history(j.cmd, record.Model.Fingerprint); err != nil {
			return nil, err
		}
	}
	r := plan.Render(record)
	j.out.comments = append(j.out.comments, r.Markdown)
	a := &answer{body: r, text: func(p *page) { planText(p, r.Text) }, run: report.OfPlan(r, q.Model, q.Policy)}
	if run != nil {
		a.body = runPlan{r, run, append([]string{}, without...)}
		a.text = func(p *page) { planText(p, strings.TrimSuffix(r.Text, "\n")+"\n"+runText(run, without)) }
	}
	return a, nil
}

// baseOf reads the version before, nil where --base was not given.
func baseOf(cmd *cobra.Command, in *input) (*graph.Graph, error) {
	base, _ := cmd.Flags().GetString("base")
	if base == "" {
		return nil, nil
	}
	if base == stdin && in.name == stdin {
		return nil, errors.New("standard input can be the model or the base, not both")
	}
	return readVerifiable(cmd, base, "base")
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
		p.WriteString(wrap(string(p.word(label, 0))+strings.TrimSuffix(line[len(label):], "\n")) + "\n")
	}
}
