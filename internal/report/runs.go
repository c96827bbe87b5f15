package report

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// OfCheck reports the answer of check under a policy. Notes, which the body leaves out, are findings here: their rules fired.
func OfCheck(r *check.Result, p *policy.Policy) *Run {
	s := r.Study
	cover := rules.Cover(s.Walked, s.Findings)
	run := &Run{Command: "check", Verdict: r.Verdict, Summary: r.Summary, Rules: structuralRules(&cover), Verdicts: ofStudy(s)}
	run.addStages(r, &cover)
	run.addPolicy(p, &cover)
	names := places(s.Graph)
	for _, f := range r.Findings {
		if !f.Section {
			run.add(names, ofAction(f))
		}
	}
	for _, f := range s.Findings {
		if f.Rule.Severity == rules.Info {
			run.addNote(names, s.Graph, f)
		}
	}
	if r.DataFit != nil {
		run.addData(names, r.DataFit)
	}
	if r.Layout != nil {
		run.addLayout(r.Layout)
	}
	if r.Serve != nil {
		run.addServe(r.Serve)
	}
	run.sort()
	return run
}

// OfLint reports the answer of lint.
func OfLint(r *lint.Result, g *graph.Graph, p *policy.Policy) *Run {
	study := action.Examine(g)
	cover := rules.Cover(study.Walked, study.Findings)
	run := &Run{Command: "lint", Verdict: r.Verdict, Rules: structuralRules(&cover)}
	run.leaveOut(&cover)
	run.addPolicy(p, &cover)
	if r.Verdict == "fail" {
		run.Verdict = string(rules.Block)
	}
	run.Summary = fmt.Sprintf("Blocks: %d, warnings: %d, notes: %d.", r.Counts.Block, r.Counts.Warn, r.Counts.Info)
	names := places(g)
	for _, f := range r.Findings {
		out := Finding{Checker: CheckChecker, Rule: f.Rule, Severity: f.Severity, Detail: f.Message, Fix: f.Fix, Component: f.Component}
		if f.Line != "" {
			out.Checker, out.Rule, out.Title = PolicyChecker, policy.RuleOf(f.Line), policy.Title(f.Line)
		} else {
			out.Title = rules.Lookup(f.Rule).Title
		}
		if f.Component != "" {
			out.Detail = f.ComponentName + ": " + f.Message
		}
		run.add(names, out)
	}
	run.sort()
	return run
}

// OfPlan reports the answer of plan.
func OfPlan(r *plan.Result, g *graph.Graph, p *policy.Policy) *Run {
	legal := &r.Plan.Run
	study := action.Examine(g)
	cover := rules.Cover(study.Walked, study.Findings)
	run := &Run{Command: "plan", Verdict: "ok", Summary: r.Plan.Summary, Rules: structuralRules(&cover)}
	run.leaveOut(&cover)
	run.addPolicy(p, &cover)
	if r.Plan.Cost.Asked != nil {
		run.addAsked(&cover)
	}
	names := places(g)
	for _, f := range legal.Blockers {
		run.Verdict = string(rules.Block)
		run.add(names, ofAction(f))
	}
	for _, f := range legal.Warnings {
		if run.Verdict == "ok" {
			run.Verdict = string(rules.Warn)
		}
		run.add(names, ofAction(f))
	}
	for _, f := range study.Findings {
		if f.Rule.Severity == rules.Info {
			run.addNote(names, g, f)
		}
	}
	run.sort()
	return run
}

// OfLayout reports the answer of layout on a model that was walked.
func OfLayout(r *layout.Result, res *infer.Result) *Run {
	legal := "legal"
	if !r.Legal {
		legal = "not legal"
	}
	run := &Run{Command: "layout", Verdict: r.Verdict, Verdicts: Verdicts{Params: paramsOf(res)}}
	run.Summary = fmt.Sprintf("The layout is %s for %s on %d GPUs.", legal, r.Framework, r.GPUs)
	run.addLayout(r)
	run.sort()
	return run
}

// OfServe reports the answer of serve-check on a model that was walked.
func OfServe(r *serve.Result, res *infer.Result) *Run {
	run := &Run{Command: "serve-check", Verdict: r.Verdict, Verdicts: Verdicts{Params: paramsOf(res)}}
	switch {
	case r.Engine == "":
		run.Summary = "No engine was recognised."
	case r.Verdict == string(serve.Block):
		run.Summary = r.Engine + " " + r.EngineVersion + " does not serve the model with this command."
	default:
		run.Summary = r.Engine + " " + r.EngineVersion + " takes this command."
	}
	run.addServe(r)
	run.sort()
	return run
}

// addStages adds what check looks for past the graph, in the stages that it came to.
func (r *Run) addStages(res *check.Result, c *rules.Coverage) {
	r.leaveOut(c)
	for _, rule := range stageRules() {
		if rule.ID == action.StoredWeights.ID {
			if res.Compared { // it needs nothing of the graph
				r.Rules = append(r.Rules, rule)
			}
			continue
		}
		at := slices.IndexFunc(action.Keys(), func(k action.Key) bool { return k.ID == rule.ID })
		reached := slices.ContainsFunc(res.Stages, func(s check.Stage) bool { return s.Stage == action.Keys()[at].Stage })
		if !reached || !c.Full() {
			rule.Withheld = refusedWhy
		}
		r.Rules = append(r.Rules, rule)
	}
}

// addAsked adds that a card is asked for, and so judged.
func (r *Run) addAsked(c *rules.Coverage) {
	for _, rule := range stageRules() {
		if rule.ID == action.NoCardKey {
			if !c.Full() {
				rule.Withheld = refusedWhy
			}
			r.Rules = append(r.Rules, rule)
		}
	}
}

// leaveOut notes what the rules over the graph could not look at, and the checks past it that rest on all of it.
func (r *Run) leaveOut(c *rules.Coverage) {
	var open []rules.Open
	if o := c.Open(); o != nil {
		for _, k := range action.Keys() {
			if k != action.StoredWeights {
				o.Tests = append(o.Tests, k.ID)
			}
		}
		open = append(open, *o)
	}
	r.leaveCovered(CheckChecker, open, c)
}

// leaveCovered notes what could not be judged of a walked graph. What lies behind a refusal was not judged either, though the refusal says so.
func (r *Run) leaveCovered(checker string, open []rules.Open, c *rules.Coverage) {
	r.leave(checker, open)
	if len(open) == 0 && !c.Full() {
		for i := range r.Rules {
			if rule := &r.Rules[i]; rule.Checker == checker && rule.ID == NotJudged {
				rule.Withheld = refusedWhy
			}
		}
	}
}

// addPolicy adds the lines of a policy.
func (r *Run) addPolicy(p *policy.Policy, c *rules.Coverage) {
	if p.Empty() {
		return
	}
	r.Rules = append(r.Rules, policyRules(p, c)...)
	r.leaveCovered(PolicyChecker, policyOpen(p, c), c)
}

func openTests(open []rules.Open) (out []string) {
	for _, o := range open {
		out = append(out, o.Tests...)
	}
	return out
}

func ofAction(f action.Finding) Finding {
	out := Finding{Checker: CheckChecker, Rule: f.RuleID, Severity: f.Severity, Title: f.Title, Detail: f.Detail, Fix: f.Fix, Component: f.Component}
	switch {
	case f.Line != "":
		out.Checker, out.Rule = PolicyChecker, policy.RuleOf(f.Line)
	case f.Key != "":
		out.Rule = f.Key
	}
	return out
}

// place is where a component stands in the graph, and what it is called.
type place struct {
	at   int
	name string
}

func places(g *graph.Graph) map[string]place {
	out := make(map[string]place, len(g.Components))
	for i := range g.Components {
		out[g.Components[i].ID] = place{i, g.Components[i].Label()}
	}
	return out
}

func (r *Run) add(names map[string]place, f Finding) {
	f.at, f.Effective = -1, f.Severity
	if p, found := names[f.Component]; found && f.Component != "" {
		f.at, f.Name = p.at, p.name
	}
	r.Findings = append(r.Findings, f)
}

func (r *Run) addNote(names map[string]place, g *graph.Graph, f rules.Finding) {
	out := Finding{Checker: CheckChecker, Rule: f.Rule.ID, Severity: f.Rule.Severity, Title: f.Rule.Title, Detail: f.Message, Fix: f.Fix, quiet: true}
	if f.Node >= 0 {
		c := &g.Components[f.Node]
		out.Component, out.Detail = c.ID, c.Label()+": "+f.Message
	}
	r.add(names, out)
}

func (r *Run) addData(names map[string]place, d *data.Result) {
	r.Rules = append(r.Rules, only(dataRules(), d.Judged, openTests(d.Open))...)
	r.leave(DataChecker, d.Open)
	r.Verdicts.DataFit = &Verdict{d.Verdict}
	for _, f := range d.Findings {
		r.add(names, Finding{Checker: DataChecker, Rule: f.Rule, Severity: f.Severity, Title: f.Title, Detail: f.Detail, Fix: f.Fix, Component: f.Component})
	}
}

func (r *Run) addLayout(l *layout.Result) {
	r.Rules = append(r.Rules, only(layoutRules(l.Framework), l.Judged, openTests(l.Open))...)
	r.leave(LayoutChecker, l.Open)
	r.Verdicts.Layout = &Verdict{l.Verdict}
	for _, f := range l.Findings {
		r.add(nil, Finding{Checker: LayoutChecker, Rule: f.Rule, Severity: f.Severity, Title: f.Title, Detail: f.Detail, Fix: f.Fix})
	}
}

func (r *Run) addServe(s *serve.Result) {
	open := s.Open()
	r.Rules = append(r.Rules, only(serveRules(), s.Judged, openTests(open))...)
	r.leave(ServeChecker, open)
	r.Verdicts.Serve = &Serve{Verdict: s.Verdict, Engine: s.Engine}
	if s.Engine != "" {
		r.Verdicts.Serve.EngineVersion, r.Verdicts.Serve.EngineVersionAssumed = &s.EngineVersion, s.EngineVersionAssumed
	}
	for _, f := range s.Findings {
		r.add(nil, Finding{Checker: ServeChecker, Rule: f.Rule, Severity: rules.Severity(f.Severity), Title: f.Title, Detail: f.Detail, Fix: f.Fix})
	}
}
