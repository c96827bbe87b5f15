package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

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

// testName is the pattern of the specification.
var testName = regexp.MustCompile(`^[a-z][a-z0-9-]*(/[A-Za-z0-9_.:-]+)?$`)

func model(t interface{ Fatal(...any) }, text string) *graph.Graph {
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const (
	good = "x: input shape=[64]\nl: linear outFeatures=100\nr: relu\nm: linear outFeatures=10\no: output\nx -> l -> r -> m -> o\n"
	poor = "x: input shape=[64]\nl: linear outFeatures=100\nd \"noise\": dropout p=0.9\nr: relu\nm: linear inFeatures=7 outFeatures=10\nn: linear inFeatures=8 outFeatures=10\no: output\nx -> l -> r -> d -> m -> n -> o\n"
	text = "x: input shape=[64]\ne: embedding vocabSize=50257 embedDim=32\nh: lmHead embedDim=32 vocabSize=50257\no: output\nx -> e -> h -> o\n"
)

func somePolicy(t interface{ Fatal(...any) }) *policy.Policy {
	p, err := policy.Decode(`{"max_params":"1K","max_cost_usd":0,"severity":{"high-dropout":"block"}}`, "policy", action.FindGPU)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runs has one of every command, with findings of every checker.
func runs(t interface{ Fatal(...any) }) []*Run {
	p := somePolicy(t)
	var out []*Run
	for _, text := range []string{good, poor, text} {
		split := layout.Default()
		split.TP, split.PP = 3, 5
		q := &check.Request{Model: model(t, text), Policy: p, Data: &data.Request{SeqLen: 9999, NumLabels: 12, Features: 3, TokenizerSize: 99_999}, Layout: &split,
			Serve: &serve.Request{Command: "vllm serve x --tensor-parallel-sze 3 --no-such"}}
		checked := OfCheck(check.Run(q), p)
		g := model(t, text)
		linted := OfLint(lint.Run(&lint.Request{Model: g, Policy: p}), g, p)
		g = model(t, text)
		planned := OfPlan(plan.Run(&plan.Request{Model: g, Policy: p}), g, p)
		res := infer.Walk(g)
		out = append(out, checked, linted, planned, OfLayout(layout.Check(res, split), res), OfServe(serve.Check(res, q.Serve), res))
	}
	return out
}

func TestEveryRuleHasANameOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	for _, r := range Names().Rules {
		if !testName.MatchString(r.ID) || !testName.MatchString(r.Checker+"/"+r.ID) {
			t.Errorf("%s/%s is no test name", r.Checker, r.ID)
		}
		if other := seen[r.ID]; other != "" {
			t.Errorf("%s is a rule of %s and of %s: a waiver could not tell them apart", r.ID, other, r.Checker)
		}
		seen[r.ID] = r.Checker
	}
}

func TestWhatFiredCouldHaveFired(t *testing.T) {
	checkers := map[string]bool{}
	for _, r := range runs(t) {
		known := map[string]Rule{}
		for i, rule := range r.Rules {
			known[rule.Checker+"/"+rule.ID] = rule
			if rule.Title == "" || !testName.MatchString(rule.ID) {
				t.Errorf("%s: %+v", r.Command, rule)
			}
			if i > 0 && cmp.Or(cmp.Compare(r.Rules[i-1].Checker, rule.Checker), cmp.Compare(r.Rules[i-1].ID, rule.ID)) >= 0 {
				t.Errorf("%s: %s/%s is out of order", r.Command, rule.Checker, rule.ID)
			}
		}
		for _, f := range r.Findings {
			checkers[f.Checker] = true
			rule, found := known[f.Test()]
			if !found {
				t.Errorf("%s: %s fired and is not listed", r.Command, f.Test())
			}
			if rule.Severity != "" && ranks[f.Severity] < ranks[rule.Severity] {
				t.Errorf("%s: %s is worse than %s", f.Test(), f.Severity, rule.Severity)
			}
			if f.Title == "" || f.Detail == "" || f.Severity == "" || f.Component != "" && f.Name == "" {
				t.Errorf("%+v", f)
			}
		}
		if r.Verdict == "" || r.Summary == "" {
			t.Errorf("%s: %q, %q", r.Command, r.Verdict, r.Summary)
		}
	}
	for _, c := range []string{CheckChecker, DataChecker, LayoutChecker, PolicyChecker, ServeChecker} {
		if !checkers[c] {
			t.Errorf("no finding of %s was tried", c)
		}
	}
}

func TestFindingsOfCheckAndLintAreTheSame(t *testing.T) {
	of := func(r *Run) string {
		var out []string
		for _, f := range r.Findings {
			if f.Checker == CheckChecker || f.Checker == PolicyChecker {
				f.quiet = false
				out = append(out, fmt.Sprintf("%s %s %s %s %s %s", f.Test(), f.Severity, f.Title, f.Detail, f.Component, f.Name))
			}
		}
		return fmt.Sprintf("%q", out)
	}
	for _, text := range []string{good, poor, text} {
		g, p := model(t, text), somePolicy(t)
		checked := of(OfCheck(check.Run(&check.Request{Model: g, Policy: p}), p))
		if linted := of(OfLint(lint.Run(&lint.Request{Model: g, Policy: p}), g, p)); linted != checked {
			t.Errorf("%s\ncheck %s\nlint  %s", text, checked, linted)
		}
	}
}

// TestNumbersAreOnlyOfModelsThatRun holds the members to those of the specification; how near the estimates are is held elsewhere.
func TestNumbersAreOnlyOfModelsThatRun(t *testing.T) {
	const members = `^{"params":{"derived":%d},"training":{"peakGb":0\.[0-9]+,"upperGb":0\.[0-9]+,"smallestCard":"T4","smallestCardAtEstimate":"T4",%s"attention":"sdpa","estCostUsd":0\.[0-9]+},` +
		`"inference":{"peakGb":0\.[0-9]+,"smallestCard":"A10G","batch":1,"promptTokens":0,"genTokens":0,"precision":"bf16"}}$`
	for text, want := range map[string]string{
		good: fmt.Sprintf(members, 64*100+100+100*10+10, ""),
		text: fmt.Sprintf(members, 50257*32*2, `"seqLen":64,`),
		poor: `^{}$`,
		"x: input shape=[64]\nc: customModule\no: output\nx -> c -> o\n": `^{}$`,
	} {
		r := OfCheck(check.Run(&check.Request{Model: model(t, text)}), nil)
		got, err := json.Marshal(r.Verdicts)
		if err != nil || !regexp.MustCompile(want).Match(got) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// drawTerms draws a file and flags that say something about the findings of a run.
func drawTerms(t *rapid.T, r *Run) *Terms {
	severity := rapid.SampledFrom([]string{"block", "warn", "info", "off"})
	rule := rapid.Custom(func(t *rapid.T) string {
		known := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.open }) // which no policy can name
		if len(known) == 0 {
			return "check"
		}
		f := rapid.SampledFrom(known).Draw(t, "finding")
		return rapid.SampledFrom([]string{f.Test(), f.Rule, f.Checker}).Draw(t, "name")
	})
	out := &Terms{FailOn: rapid.SampledFrom([]rules.Severity{rules.Block, rules.Warn}).Draw(t, "fail on"), Model: "m", Now: rapid.SampledFrom([]string{"", "2026-06-01", "2028-01-01"}).Draw(t, "now")}
	for range rapid.IntRange(0, 3).Draw(t, "flags") {
		o, err := Names().ParseOverride(rule.Draw(t, "rule") + "=" + severity.Draw(t, "severity"))
		if err != nil {
			t.Fatal(err)
		}
		out.Flags = append(out.Flags, o)
	}
	section, waivers, seen := map[string]string{}, []map[string]string{}, []policy.Known{}
	for range rapid.IntRange(0, 3).Draw(t, "lines") {
		section[rule.Draw(t, "rule")] = severity.Draw(t, "severity")
	}
	for _, f := range r.Findings {
		if f.open {
			continue
		}
		if rapid.IntRange(0, 3).Draw(t, "waived") == 0 {
			waivers = append(waivers, map[string]string{"rule": f.Test(), "reason": "because", "expires": "2027-01-31"})
		}
		if rapid.IntRange(0, 3).Draw(t, "known") == 0 {
			seen = append(seen, policy.Known{Model: "m", Rule: f.Test(), Component: f.Component, Count: 1})
		}
	}
	if rapid.Bool().Draw(t, "has a file") {
		raw, _ := json.Marshal(map[string]any{"severity": section, "waivers": waivers})
		var err error
		if out.File, err = policy.ParseFile(raw, Names()); err != nil {
			t.Fatal(err)
		}
	}
	if rapid.Bool().Draw(t, "has a baseline") {
		out.Baseline = policy.NewBaseline(seen)
	}
	return out
}

// TestTermsChangeOnlyWhatGates judges runs under any file and flags: nothing of the answer changes, and what gates is a block or, if
// asked, a warning by its effective severity, that is neither waived nor known.
func TestTermsChangeOnlyWhatGates(t *testing.T) {
	all := runs(t)
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SampledFrom(all).Draw(t, "run")
		after := *before
		after.Findings = slices.Clone(before.Findings)
		terms := drawTerms(t, before)
		terms.Judge(&after)
		gating := false
		for i, f := range after.Findings {
			old := before.Findings[i]
			if f.Test() != old.Test() || f.Severity != old.Severity || f.Title != old.Title || f.Detail != old.Detail || f.Fix != old.Fix || f.Component != old.Component {
				t.Fatalf("%+v became %+v", old, f)
			}
			if f.open {
				if f.Gates || f.Waived || f.Effective != f.Severity || f.Baseline != "" {
					t.Fatalf("what was not judged was softened, or fails the command: %+v", f)
				}
				continue
			}
			want := (f.Effective == rules.Block || f.Effective == terms.FailOn) && !f.Waived && f.Baseline != Existing
			if f.Gates != want || f.Waived != (f.Reason != "") || (f.Baseline == "") != (terms.Baseline == nil) {
				t.Fatalf("%+v under fail on %s", f, terms.FailOn)
			}
			if terms.Flags == nil && terms.File == nil && f.Effective != f.Severity {
				t.Fatalf("%+v without any override", f)
			}
			gating = gating || f.Gates
		}
		if (after.ExitCode == ExitGated) != gating || after.Verdict != before.Verdict || after.Summary != before.Summary {
			t.Fatalf("exit code %d of %+v", after.ExitCode, after.Findings)
		}
	})
}

func TestExpiryIsJudgedOnTheDayThatIsGiven(t *testing.T) {
	file, err := policy.ParseFile([]byte("waivers: [{rule: high-dropout, component: noise, reason: paper, expires: 2027-01-31}]"), Names())
	if err != nil {
		t.Fatal(err)
	}
	for now, want := range map[string]string{
		"":           "[high-dropout on noise does not fail this command: waived: paper; it expires on 2027-01-31, which was not judged without --now]",
		"2027-01-31": "[high-dropout on noise does not fail this command: waived: paper]",
		"2027-02-01": "[the waiver of high-dropout on noise expired on 2027-01-31]",
	} {
		g := model(t, poor)
		r := OfLint(lint.Run(&lint.Request{Model: g}), g, nil)
		terms := &Terms{FailOn: rules.Warn, File: file, Now: now}
		if got := fmt.Sprint(terms.Judge(r)); got != want {
			t.Errorf("%q: %s, want %s", now, got, want)
		}
	}
}

func study(t *testing.T, text string) *action.Study {
	s := action.Examine(model(t, text))
	s.Price((&check.Request{}).Options(), 0)
	return s
}

func TestAChangeIsRefusedForWhatItBreaks(t *testing.T) {
	const larger = "x: input shape=[64]\nl: linear outFeatures=200\nr: relu\nm: linear outFeatures=10\no: output\nx -> l -> r -> m -> o\n"
	const unknown = "x: input shape=[64]\nc: customModule\no: output\nx -> c -> o\n"
	head := study(t, larger).Walked.Fingerprint()
	for _, c := range []struct {
		name, base, head, file string
		gate                   string
		findings, gating       int
	}{
		{"nothing changed", good, good, "change: {max_params_growth: 0%}", Approved, 0, 0},
		{"no file", good, larger, "", Approved, 0, 0},
		{"within the line", good, larger, "change: {max_params_growth: 100%}", Approved, 0, 0},
		{"beyond it", good, larger, "change: {max_params_growth: 10%}", Refused, 1, 1},
		{"smaller", larger, good, "change: {max_params_growth: 0%, max_cost_growth: 0%, max_memory_growth: 0%}", Approved, 0, 0},
		{"approved", good, larger, "change: {max_params_growth: 10%}\napproved: [{fingerprint: '" + head + "', reason: decided}]", Approved, 1, 0},
		{"another one is approved", good, larger, "change: {max_params_growth: 10%}\napproved: [{fingerprint: deadbeef, reason: decided}]", Refused, 1, 1},
		{"broken", good, poor, "", Refused, 1, 1},
		{"broken, and no line is compared", good, poor, "change: {max_params_growth: 0%}", Refused, 1, 1},
		{"repaired", poor, good, "", Approved, 0, 0},
		{"repaired, with a line", poor, good, "change: {max_params_growth: 0%}", Approved, 1, 0},
		{"broken before", poor, poor, "", Approved, 0, 0},
		{"not known", unknown, unknown, "change: {max_params_growth: 0%}", Approved, 2, 0},
		{"nothing but an approval helps", good, larger, "change: {max_params_growth: 10%}\nseverity: {policy: off}", Refused, 1, 1},
	} {
		file, err := policy.ParseFile([]byte(c.file), Names())
		if err != nil {
			t.Fatal(err)
		}
		change := Compare(study(t, c.base), study(t, c.head), file)
		run := &Run{}
		run.AddChange(change)
		(&Terms{FailOn: rules.Block, File: file, Baseline: policy.NewBaseline(nil)}).Judge(run)
		gating := 0
		for _, f := range run.Findings {
			if f.Gates {
				gating++
			}
			if !slices.ContainsFunc(run.Rules, func(r Rule) bool { return r.ID == f.Rule && r.Checker == f.Checker }) || !testName.MatchString(f.Rule) {
				t.Errorf("%s: %s is not listed", c.name, f.Test())
			}
		}
		if change.Gate != c.gate || run.Verdicts.Change.Gate != c.gate || len(run.Findings) != c.findings || gating != c.gating || (run.ExitCode == 1) != (c.gate == Refused) {
			t.Errorf("%s: %s, %d findings, %d gating, exit code %d: %+v", c.name, change.Gate, len(run.Findings), gating, run.ExitCode, run.Findings)
		}
		if (len(change.Reasons) > 0) != (c.gate == Refused || change.Approval != nil) {
			t.Errorf("%s: %q", c.name, change.Reasons)
		}
	}
}
