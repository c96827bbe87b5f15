package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// NotJudged is the rule of findings that say what a checker could not judge. Every checker has it. A policy cannot name it: what was
// not found out cannot be waived.
const NotJudged = "not-judged"

func notJudged(checker string) Rule {
	return Rule{Checker: checker, ID: NotJudged, Severity: rules.Warn, Title: "Not everything could be judged", URL: RuleURL(NotJudged),
		Help: "Something that the checks need was not given or is not known, so some of them did not run. They have not passed, and a record says WARNED at best. " +
			"The finding names what is missing, and the checks."}
}

// leave notes what a checker could not judge.
func (r *Run) leave(checker string, open []rules.Open) {
	r.Rules = append(r.Rules, notJudged(checker))
	for i := range open {
		o := &open[i]
		r.open = append(r.open, left{checker, o})
		detail := o.Why
		if n := len(o.Tests); n > 0 {
			detail += ": not judged: " + listed(o.Tests)
		}
		r.add(nil, Finding{Checker: checker, Rule: NotJudged, Severity: rules.Warn, Title: "Not judged: " + o.Why, Detail: detail, Fix: o.Fix, open: true})
	}
}

// Leave adds what a command could not judge of a model, for a reason that only the one who read it knows, to all of its checkers' work.
func (r *Run) Leave(why, fix string) {
	checker := CheckChecker
	switch r.Command {
	case "layout":
		checker = LayoutChecker
	case "serve-check":
		checker = ServeChecker
	}
	r.leave(checker, []rules.Open{{Why: why, Fix: fix}})
	r.sort()
}

// left is what one checker could not judge.
type left struct {
	checker string
	*rules.Open
}

// withhold marks the rules that did not run.
func (r *Run) withhold() {
	for i := range r.Rules {
		rule := &r.Rules[i]
		for _, o := range r.open {
			if o.checker == rule.Checker && slices.Contains(o.Tests, rule.ID) {
				rule.Withheld = o.Why
			}
		}
	}
}

// Tried is how many rules ran on everything that they are about.
func (r *Run) Tried() (n int) {
	for i := range r.Rules {
		if r.Rules[i].Withheld == "" {
			n++
		}
	}
	return n
}

// listed names a few of many.
func listed(ids []string) string {
	const most = 6
	if len(ids) <= most+1 {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:most], ", ") + " and " + strconv.Itoa(len(ids)-most) + " more"
}

// only keeps the rules with these ids.
func only(all []Rule, lists ...[]string) []Rule {
	return slices.DeleteFunc(all, func(r Rule) bool {
		return !slices.ContainsFunc(lists, func(ids []string) bool { return slices.Contains(ids, r.ID) })
	})
}

// policyOpen is what a policy cannot judge of a model that was not looked at in full.
func policyOpen(p *policy.Policy, c *rules.Coverage) []rules.Open {
	o := c.Open()
	if o == nil || p.Empty() {
		return nil
	}
	out := rules.Open{Why: o.Why, Fix: o.Fix}
	for _, l := range p.Set() {
		out.Tests = append(out.Tests, policy.RuleOf(l.Key))
	}
	return []rules.Open{out}
}
