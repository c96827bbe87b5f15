package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	fitdata "github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load/dataset"
	"github.com/modelverifier/verifier/internal/report"
)

var _ = register(func() *cobra.Command {
	c := judging(&cobra.Command{
		Use:   "check MODEL...",
		Short: "Check whether a model runs, in five stages: preflight, data, train, evaluate, deploy",
		Long: `Checks a model in five stages (preflight, data, train, evaluate, deploy) and stops at the first that
refuses it. Questions that only a person can answer are listed and do not fail the command. With
--data the dataset is checked against the model: sequences, tokenizer, labels, images, columns and
classes. Without MODEL, the models under models: in .verifier.yml are checked.`,
	}, func(j *judge, in *input) (*answer, error) {
		q, err := checkRequest(j, in)
		if err != nil {
			return nil, err
		}
		r := check.Run(q)
		return &answer{body: r, text: func(p *page) { checkText(p, r) }, run: report.OfCheck(r, q.Policy)}, nil
	})
	dataFlag(c)
	attestFlags(c)
	linesFlag(c)
	return c
})

// checkRequest reads what check is asked, with the policy and the datasets.
func checkRequest(j *judge, in *input) (*check.Request, error) {
	q, err := request(in, check.Decode, func(g *graph.Graph) *check.Request { return &check.Request{Model: g} })
	if err != nil {
		return nil, err
	}
	q.Text = in.textCall()
	j.apply(&q.Policy)
	if in.loaded != nil && in.loaded.Weights != nil {
		differs := in.loaded.Weights.Differs()
		q.Stored = &differs
	}
	return q, datasets(j, q)
}

func dataFlag(c *cobra.Command) {
	c.Flags().StringArray("data", nil, "`dataset`: a folder or file of it, or what is known of it as JSON, as in {\"seq_len\":512}; later ones go over earlier ones")
}

// datasets reads --data into the request.
func datasets(j *judge, q *check.Request) error {
	refs, _ := j.cmd.Flags().GetStringArray("data")
	if j.cmd.Flags().Changed("data") && strings.TrimSpace(strings.Join(refs, "")) == "" {
		return errors.New("--data is empty: give a folder, a file, or JSON")
	}
	for _, ref := range refs {
		var found *fitdata.Request
		if strings.HasPrefix(strings.TrimSpace(ref), "{") {
			r, err := check.DecodeData(ref)
			if err != nil {
				return fmt.Errorf("--data: %w", err)
			}
			found = r
		} else {
			f, err := dataset.Open(ref)
			if err != nil {
				return err
			}
			for _, n := range f.Notes {
				j.note("%s", n)
			}
			found = &f.Request
		}
		if q.Data == nil {
			q.Data = &fitdata.Request{}
		}
		merged := q.Data.Over(found)
		q.Data = &merged
	}
	return nil
}

// fitText prints what --data was compared with.
func fitText(p *page, r *check.Result) {
	if r.DataFit == nil || len(r.DataFit.Checks) == 0 {
		return
	}
	p.line("")
	for _, c := range r.DataFit.Checks {
		p.line("%s  %-14s  %s (expected %s, got %s)", p.word(c.Status, 7), c.Name, c.Detail, c.Expected, c.Actual)
	}
}

func checkText(p *page, r *check.Result) {
	p.line("%s: %s", p.word(r.Verdict, 0), r.Summary)
	p.line("")
	for _, s := range r.Stages {
		p.line("%-9s  %s  %s", s.Stage, p.word(string(s.Status), 11), s.Headline)
	}
	fitText(p, r)
	if len(r.Findings) > 0 {
		p.line("")
	}
	for _, f := range r.Findings {
		findingText(p, f)
	}
	if d := r.Decision; d != nil {
		p.line("")
		p.line("%s  %s", p.word("ask", 5), d.Question)
		p.line("       because %s", d.Because)
		for _, o := range d.Options {
			p.line("       - %s (%s): %s", o.Label, o.Value, o.Hint)
		}
	}
}

func findingText(p *page, f action.Finding) {
	rule := f.RuleID
	if rule == "" {
		rule = f.Stage
	}
	p.line("%s  %s  [%s]", p.word(string(f.Severity), 5), f.Detail, rule)
	if f.Fix != "" {
		p.line("       fix: %s", f.Fix)
	}
	for _, o := range f.Options {
		p.line("       any of: %s", o.String())
	}
}
