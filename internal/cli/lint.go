package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/report"
)

var _ = register(func() *cobra.Command {
	return judging(&cobra.Command{
		Use:   "lint MODEL...",
		Short: "List what every rule finds in a model",
		Long: `Lists what every rule finds in a model: blocks with their fix, warnings and notes. Without MODEL,
the models under models: in .verifier.yml are linted.`,
	}, func(j *judge, in *input) (*answer, error) {
		q, err := request(in, lint.Decode, func(g *graph.Graph) *lint.Request { return &lint.Request{Model: g} })
		if err != nil {
			return nil, err
		}
		q.Text = in.textCall()
		j.apply(&q.Policy)
		r := lint.Run(q)
		return &answer{body: r, text: func(p *page) { lintText(p, r) }, run: report.OfLint(r, q.Model, q.Policy)}, nil
	})
})

func lintText(p *page, r *lint.Result) {
	if r.Followed != "" {
		p.line("%s", strings.TrimSpace(r.Followed))
		p.line("")
	}
	for _, f := range r.Findings {
		where := "the graph"
		if f.Component != "" {
			where = f.ComponentName + " (" + f.ComponentType + ")"
		}
		p.line("%s  %s: %s  [%s]", p.word(string(f.Severity), 5), where, f.Message, f.Rule)
		if f.Fix != "" {
			p.line("       fix: %s", f.Fix)
		}
	}
	p.line("%s: %s, %s, %s", p.word(r.Verdict, 0), plural(r.Counts.Block, "block"), plural(r.Counts.Warn, "warning"), plural(r.Counts.Info, "note"))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
