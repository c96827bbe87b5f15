package mcp

import "github.com/modelverifier/verifier/internal/action/check"

var _ = define(tool{
	name: "check", title: "Check a model",
	doc: `Does the model run in PyTorch, and what is left to decide. Call it first and after every change. verdict: ok, warn, ask (a person must decide) or ` +
		`block. A finding with "edit" is repaired by exactly that change.`,
	input:  modelProperty + `,` + sourceProperties + `,` + policyProperty,
	output: []string{"verdict", "outcome", "summary", "stoppedAt", "findings", "stages", "decision", "dataFit", "layout", "serve"},
	run: act("check", func(r *check.Result) string {
		text := r.Verdict + ": " + r.Summary + "\n" + findings(r.Findings)
		if r.Decision != nil {
			text += "to decide: " + r.Decision.Question + "\n"
		}
		return text
	}),
})
