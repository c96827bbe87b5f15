package report

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

func structuralRules() []Rule {
	var out []Rule
	for _, r := range rules.Rules() {
		out = append(out, Rule{CheckChecker, r.ID, r.Severity, r.Title, r.Doc, Site + "/r/" + r.ID})
	}
	return out
}

// stageRules are what check finds past the graph.
func stageRules() []Rule {
	var out []Rule
	for _, k := range action.Keys() {
		out = append(out, Rule{Checker: CheckChecker, ID: k.ID, Severity: rules.Warn, Title: k.Title})
	}
	return out
}

func dataRules() []Rule {
	var out []Rule
	for _, r := range data.Rules() {
		out = append(out, Rule{Checker: DataChecker, ID: r.ID, Severity: r.Severity, Title: r.Title})
	}
	return out
}

func layoutRules(framework string) []Rule {
	var out []Rule
	for _, r := range layout.Rules(framework) {
		out = append(out, Rule{Checker: LayoutChecker, ID: r.ID, Severity: r.Severity, Title: r.Title})
	}
	return out
}

func serveRules() []Rule {
	var out []Rule
	for _, r := range serve.Rules() {
		out = append(out, Rule{Checker: ServeChecker, ID: r.ID, Title: r.Title})
	}
	return out
}

// policyRules are the lines that are set.
func policyRules(p *policy.Policy) []Rule {
	var out []Rule
	for _, l := range p.Set() {
		out = append(out, Rule{Checker: PolicyChecker, ID: policy.RuleOf(l.Key), Severity: l.Severity, Title: l.Title, Help: "The policy has the line " + l.Line + "."})
	}
	return out
}

// Names are what a .verifier.yml can name.
func Names() policy.Names {
	n := policy.Names{GPUs: action.FindGPU}
	for _, list := range [][]Rule{structuralRules(), stageRules(), dataRules(), layoutRules(""), serveRules()} {
		for _, r := range list {
			n.Rules = append(n.Rules, policy.Rule{Checker: r.Checker, ID: r.ID})
		}
	}
	return n
}
