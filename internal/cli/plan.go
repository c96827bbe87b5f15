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
		Short: "Say what a model is, what training it takes, and what changed since the version before",
		Long: `Says what a model is, what training it takes, and what changed since the version before.

With --run the run is read from the file of a trainer: axolotl, LLaMA-Factory, TRL, torchtitan, DeepSpeed, accelerate, or the arguments of
transformers' Trainer. MODEL may then be left out where the file names a model that is here or bundled. Every key is accounted for; what has
no estimate is said. A file with a wrong type, or one that contradicts itself, exits with 2.

With --max the plan is that of the largest batch, sample or context that fits the card of --gpu, and with --cheapest that of the card and the
settings on which the run costs least (docs/fit.md).

Without MODEL, those under models: in .verifier.yml are taken.`,
	}, planOne)
	c.Flags().String("base", "", "the version before: adds what changed since this `file`")
	c.Flags().Bool("history", false, "ask the hosted service what became of earlier runs of this structure; its fingerprint is sent, and nothing else")
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
