package mcp

import "github.com/modelverifier/verifier/internal/action/check"

var _ = define(tool{
	name: "check", title: "Check a model",
	doc:   `Does the model run in PyTorch, and what is left to decide: preflight, data, train, evaluate, deploy; stops at the first stage that refuses. Call this first and after every change. verdict: ok, warn, ask (a person must decide) or block. A finding with "edit" is repaired by exactly that change.`,
	input: modelProperty + `,` + sourceProperties + `,` + policyProperty,
	output: []field{
		{"verdict", "string"}, {"outcome", "string"}, {"summary", "string"}, {"stoppedAt", "string?"}, {"findings", "array"}, {"stages", "array"}, {"decision", "object"},
		{"dataFit", "object"}, {"layout", "object"}, {"serve", "object"},
	},
	run: act("check", func(r *check.Result) string {
		text := r.Verdict + ": " + r.Summary + "\n" + findings(r.Findings)
		if r.Decision != nil {
			text += "to decide: " + r.Decision.Question + "\n"
		}
		return text
	}),
})
