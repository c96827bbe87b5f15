package report_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/report/annotate"
	"github.com/modelverifier/verifier/internal/report/junit"
	"github.com/modelverifier/verifier/internal/report/markdown"
	"github.com/modelverifier/verifier/internal/report/sarif"
	"github.com/modelverifier/verifier/internal/rules"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models/drawn"
	"github.com/modelverifier/verifier/models/drawn/figures"
)

var cards = rapid.SampledFrom([]string{"T4", "H100"})

// runs are the reports of a model: of every command that makes one.
func runs(g *graph.Graph, gpu string) []*report.Run {
	p, failed := policy.Decode(`{"max_params":"1K","max_memory_gb":0.001,"max_cost_usd":0.0001,"must_fit":"T4"}`, "policy", report.Names().GPUs)
	if failed != nil {
		panic(failed)
	}
	training := estimate.Options{GPU: gpu}
	split := layout.Default()
	split.GPU = hardware.Lookup(gpu)
	launch := &serve.Request{Command: "vllm serve m", GPU: split.GPU}
	walked := g.Clone()
	walked.Normalize(catalog.Vocabulary)
	res := infer.Walk(walked)
	return []*report.Run{
		report.OfCheck(check.Run(&check.Request{Model: g.Clone(), Training: training, Policy: p, Layout: &split, Serve: launch}), p),
		report.OfLint(lint.Run(&lint.Request{Model: g.Clone(), Policy: p}), walked, p),
		report.OfPlan(plan.Run(&plan.Request{Model: g.Clone(), Training: training, Policy: p}), walked, p),
		report.OfLayout(layout.Check(res, split), res),
		report.OfServe(serve.Check(res, launch), res),
	}
}

// TestNoReportLacksAComponentWithoutSayingSo draws models, breaks them, and reads their reports in every form.
func TestNoReportLacksAComponentWithoutSayingSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		lacks, all := figures.Of(g), runs(g, cards.Draw(t, "gpu"))
		here := func(s string) string { return s }
		for _, r := range all {
			if err := lacks.Answer(r.Verdicts); err != nil {
				t.Fatalf("%s: verdicts: %v", r.Command, err)
			}
			for _, f := range r.Findings {
				for _, text := range []string{r.Summary, f.Title, f.Detail, f.Fix} {
					if err := lacks.Text(text); err != nil {
						t.Fatalf("%s: %s: %v", r.Command, f.Test(), err)
					}
				}
			}
		}
		results, err := resultsOf(sarif.Log(all, sarif.Options{Paths: here}))
		if err == nil {
			err = lacks.Strings(results)
		}
		if err != nil {
			t.Fatalf("SARIF: %v", err)
		}
		for form, text := range map[string]string{"JUnit": string(junit.XML(all, here, nil)), "Markdown": markdown.Comment(all, here, nil), "GitHub": annotate.GitHub(all, here),
			"GitLab": annotate.GitLab(all, here), "CodeQuality": string(annotate.CodeQuality(all, here))} {
			if err := lacks.Text(text); err != nil {
				t.Fatalf("%s: %v", form, err)
			}
		}
	})
}

// resultsOf are what a log says of models; its descriptions of rules say nothing of them.
func resultsOf(log []byte) ([]byte, error) {
	var l struct {
		Runs []struct{ Results json.RawMessage }
	}
	if err := json.Unmarshal(log, &l); err != nil {
		return nil, err
	}
	if len(l.Runs) != 1 {
		return nil, fmt.Errorf("%d runs", len(l.Runs))
	}
	return l.Runs[0].Results, nil
}

// TestNoRecordPassesATestWhoseInputsWereWithheld: of a model with components that nobody can look into, the only tests that pass are those
// about what is written down: of the graph those that say so themselves, of a split and a launch command those that pass too where the
// model is one module of which nothing is known. A model that has a config.json says its sizes there.
func TestNoRecordPassesATestWhoseInputsWereWithheld(t *testing.T) {
	hidden, err := graph.Parse("x: input shape=[8]\nm: customModule\no: output\nx -> m -> o")
	if err != nil {
		t.Fatal(err)
	}
	typed := passed(runs(hidden, "H100"))
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		lacks := figures.Of(g)
		if len(lacks.Memory) == 0 {
			return
		}
		for _, r := range runs(g, cards.Draw(t, "gpu")) {
			for _, test := range passed([]*report.Run{r}) {
				checker, id, _ := strings.Cut(test, "/")
				ofText := checker == report.CheckChecker && rules.Lookup(id) != nil && rules.Lookup(id).Written
				sized := (checker == report.LayoutChecker || checker == report.ServeChecker && !strings.HasPrefix(id, "mem-")) && facts.Imported(infer.Walk(g))
				if !ofText && !sized && !slices.Contains(typed, test) {
					t.Fatalf("%s: %s has passed, though %q cannot be looked into", r.Command, test, lacks.Memory[:1])
				}
			}
			if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Rule == report.NotJudged || f.Severity == rules.Block }) {
				t.Fatalf("%s: nothing says that %q was not looked into", r.Command, lacks.Memory[:1])
			}
		}
	})
}

// passed are the tests that ran and found nothing, as a record lists them.
func passed(all []*report.Run) (out []string) {
	for _, r := range all {
		for _, rule := range r.Rules {
			test := rule.Checker + "/" + rule.ID
			if rule.Withheld == "" && !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Test() == test }) {
				out = append(out, test)
			}
		}
	}
	return out
}
