package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/all"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

// act is a tool that is an action of the service: the same request, the same body, and a text made from the result.
func act[R any](name string, text func(*R) string) func(*Server, context.Context, *arguments) (*answer, error) {
	return func(_ *Server, ctx context.Context, a *arguments) (*answer, error) {
		body, err := a.request(ctx)
		if err != nil {
			return nil, err
		}
		for i := range all.Actions {
			if all.Actions[i].Name != name {
				continue
			}
			result, err := all.Actions[i].RunTold(body, limits, a.texts)
			if err != nil {
				return nil, err
			}
			r, ok := result.(*R)
			if !ok {
				return nil, fmt.Errorf("mcp: %s answers with %T", name, result)
			}
			return &answer{body: result, text: annotate.Harmless(text(r)) + a.said(), meta: a.meta()}, nil
		}
		return nil, fmt.Errorf("mcp: no action %s", name)
	}
}

// mostFindings bounds the text; the body has all of them.
const mostFindings = 12

// findings writes what was found, with the edits as they can be sent back.
func findings(list []action.Finding) string {
	var b strings.Builder
	for i, f := range list {
		if i == mostFindings {
			fmt.Fprintf(&b, "and %d more\n", len(list)-i)
			break
		}
		rule := f.RuleID
		if rule == "" {
			rule = f.Stage
		}
		line := fmt.Sprintf("%s %s: %s", f.Severity, rule, f.Detail)
		if f.Fix != "" {
			line += "\nfix: " + f.Fix
		}
		if len(f.Edit) > 0 {
			line += "\nedit: " + edits(f.Edit)
		}
		for _, o := range f.Options {
			line += "\noptions: " + o.String()
		}
		bullet(&b, line)
	}
	return b.String()
}

func edits(list []action.Edit) string {
	raw, err := encode(list)
	if err != nil {
		return ""
	}
	return string(raw)
}

var policyProperty = options("policy", `"object"`, "max_params", "must_fit", "forbid_types", "require_types", "max_layers", "max_memory_gb", "max_cost_usd",
	"severity {rule: block, warn or info}")

const policyLikeCheck = `"policy":{"type":"object"}`
