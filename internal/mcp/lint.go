package mcp

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/lint"
)

var _ = define(tool{
	name: "lint", title: "List what every rule finds",
	doc:    `Every finding of every rule, also advice (warn, info) that check leaves out. No costs. Takes what check takes. verdict: pass, warn or fail.`,
	input:  modelLikeCheck + `,` + sourceLikeCheck + `,` + policyLikeCheck,
	output: []string{"verdict", "counts", "findings", "inferred"},
	run: act("lint", func(r *lint.Result) string {
		list := make([]action.Finding, len(r.Findings))
		for i, f := range r.Findings {
			list[i] = action.Finding{Severity: f.Severity, RuleID: f.Rule, Detail: f.Message, Fix: f.Fix, Edit: f.Edit, Options: f.Options}
			if f.ComponentName != "" {
				list[i].Detail = f.ComponentName + ": " + f.Message
			}
		}
		return fmt.Sprintf("%s: %d block, %d warn, %d info\n", r.Verdict, r.Counts.Block, r.Counts.Warn, r.Counts.Info) + findings(list)
	}),
})
