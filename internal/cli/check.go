package cli

import (
	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = register(func() *cobra.Command {
	return judging(&cobra.Command{
		Use:   "check MODEL...",
		Short: "Walk a model through preflight, data, train, evaluate and deploy",
		Long: `Walks a model through five stages and stops at the first that refuses it. What only a person can decide is asked, and keeps
nothing from going on.`,
	}, func(j *judge, in *input) (*answer, error) {
		q, err := request(in, check.Decode, func(g *graph.Graph) *check.Request { return &check.Request{Model: g} })
		if err != nil {
			return nil, err
		}
		h, err := j.apply(in, &q.Policy)
		if err != nil {
			return nil, err
		}
		r := check.Run(q)
		return &answer{body: r, text: func(p *page) { checkText(p, r) }, house: h, found: j.foundIn(q.Model, r.Findings)}, nil
	})
})

func checkText(p *page, r *check.Result) {
	p.line("%s: %s", p.word(r.Verdict, 0), r.Summary)
	p.line("")
	for _, s := range r.Stages {
		p.line("%-9s  %s  %s", s.Stage, p.word(string(s.Status), 11), s.Headline)
	}
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
}
