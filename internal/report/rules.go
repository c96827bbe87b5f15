package report

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// refusedWhy is why a rule did not run on everything where something is refused.
const refusedWhy = "something is refused, and on it and behind it this was not looked at"

// structuralRules are the rules over the graph, and which of them could not look at all of it; c is nil where nothing was walked.
func structuralRules(c *rules.Coverage) []Rule {
	var out []Rule
	for _, r := range rules.Rules() {
		if r.Comparing {
			continue // of two designs, and there is one here
		}
		rule := Rule{Checker: CheckChecker, ID: r.ID, Severity: r.Severity, Title: r.Title, Help: r.Doc, URL: RuleURL(r.ID)}
		if c != nil && !c.Ran(r) {
			rule.Withheld = refusedWhy
		}
		out = append(out, rule)
	}
	return out
}

// stageRules are what check finds past the graph.
func stageRules() []Rule {
	var out []Rule
	for _, k := range action.Keys() {
		out = append(out, Rule{Checker: CheckChecker, ID: k.ID, Severity: rules.Warn, Title: k.Title, URL: RuleURL(k.ID)})
	}
	return out
}

func dataRules() []Rule {
	var out []Rule
	for _, r := range data.Rules() {
		out = append(out, Rule{Checker: DataChecker, ID: r.ID, Severity: r.Severity, Title: r.Title, URL: RuleURL(r.ID)})
	}
	return out
}

func layoutRules(framework string) []Rule {
	var out []Rule
	for _, r := range layout.Rules(framework) {
		out = append(out, Rule{Checker: LayoutChecker, ID: r.ID, Severity: r.Severity, Title: r.Title, URL: RuleURL(r.ID)})
	}
	return out
}

func serveRules() []Rule {
	var out []Rule
	for _, r := range serve.Rules() {
		out = append(out, Rule{Checker: ServeChecker, ID: r.ID, Title: r.Title, URL: RuleURL(r.ID)})
	}
	return out
}

// policyRules are the lines that are set. Of a model that is refused, or was not looked at in full, no line is known to hold.
func policyRules(p *policy.Policy, c *rules.Coverage) []Rule {
	var out []Rule
	for _, l := range p.Set() {
		rule := Rule{Checker: PolicyChecker, ID: policy.RuleOf(l.Key), Severity: l.Severity, Title: l.Title, Help: "The policy has the line " + l.Line + ".", URL: policyAddress(l.Key)}
		if !c.Full() {
			rule.Withheld = refusedWhy
		}
		out = append(out, rule)
	}
	return out
}

// policyAddress is the page of a line's key; a line under severity: has that of its rule.
func policyAddress(key string) string { return RuleURL(policy.RuleOf(key)) }

// Names are what a .verifier.yml can name.
func Names() policy.Names {
	n := policy.Names{GPUs: action.FindGPU}
	for _, list := range [][]Rule{structuralRules(nil), stageRules(), dataRules(), layoutRules(""), serveRules()} {
		for _, r := range list {
			n.Rules = append(n.Rules, policy.Rule{Checker: r.Checker, ID: r.ID})
		}
	}
	return n
}

// Tests are every test that a record can name, by checker and id, each with its page; what a line under severity: raises is its rule's.
func Tests() []Rule {
	out := slices.Concat(structuralRules(nil), stageRules(), dataRules(), layoutRules(""), serveRules(), []Rule{loosened})
	for _, l := range slices.Concat(policy.Lines(), []policy.Line{legality}) {
		out = append(out, Rule{Checker: PolicyChecker, ID: policy.RuleOf(l.Key), Severity: l.Severity, Title: l.Title, URL: policyAddress(l.Key),
			Help: "A line of a policy, " + l.Key + ". See the notes on policies for what it takes, and on attestations for what a record says of it."})
	}
	for _, checker := range []string{CheckChecker, DataChecker, LayoutChecker, PolicyChecker, ServeChecker} {
		out = append(out, notJudged(checker))
	}
	slices.SortStableFunc(out, func(a, b Rule) int { return cmp.Or(cmp.Compare(a.Checker, b.Checker), cmp.Compare(a.ID, b.ID)) })
	return out
}
