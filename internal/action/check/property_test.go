package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models/drawn"
)

var rank = map[string]int{"ok": 0, "ask": 1, "warn": 2, "block": 3}

func TestAPolicyOnlyMakesAVerdictStricter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		lines := []string{fmt.Sprintf(`"max_params":%d`, rapid.Int64Range(0, 1e8).Draw(t, "max_params")), `"must_fit":"T4"`, `"forbid_types":["dropout"]`,
			`"require_types":["layerNorm"]`, `"max_layers":20`, `"max_memory_gb":2.5`, `"max_cost_usd":0.05`}
		chosen := rapid.SliceOfDistinct(rapid.SampledFrom(lines), func(s string) string { return s }).Draw(t, "lines")
		body := fmt.Sprintf(`{"model":%s,"policy":{%s}}`, g.AppendJSON(nil), strings.Join(chosen, ","))
		r, err := Decode([]byte(body), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		plain, held := Run(&Request{Model: g}), Run(r)
		if rank[held.Verdict] < rank[plain.Verdict] {
			t.Fatalf("%s became %s under %s", plain.Verdict, held.Verdict, chosen)
		}
		a, _ := json.Marshal([]any{plain.Stages, plain.Findings, plain.StoppedAt})
		b, _ := json.Marshal([]any{held.Stages, held.Findings[:len(plain.Findings)], held.StoppedAt})
		if string(a) != string(b) {
			t.Fatalf("%s became %s", a, b)
		}
		for _, f := range held.Findings[len(plain.Findings):] {
			if f.Stage != "policy" {
				t.Fatalf("%+v", f)
			}
		}
	})
}

func TestRenamingChangesNothingButNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		renamed := g.Clone()
		renamed.Name = "another"
		for i := range renamed.Components {
			c := &renamed.Components[i]
			c.ID, c.Name = fmt.Sprintf("zz%dzz", i), ""
			for _, reference := range []string{"tiedTo", "sameAs"} {
				to, ok := c.Param(reference)
				for j := range g.Components {
					if ok && g.Components[j].ID == to.Str() {
						c.SetParam(reference, graph.StringValue(fmt.Sprintf("zz%dzz", j)))
					}
				}
			}
		}
		for i, c := range g.Connections {
			for j := range g.Components {
				if g.Components[j].ID == c.From {
					renamed.Connections[i].From = fmt.Sprintf("zz%dzz", j)
				}
				if g.Components[j].ID == c.To {
					renamed.Connections[i].To = fmt.Sprintf("zz%dzz", j)
				}
			}
		}
		want, got := Run(&Request{Model: g}), Run(&Request{Model: renamed})
		var back []string // the names as they were, the longest first
		for i := len(g.Components) - 1; i >= 0; i-- {
			back = append(back, fmt.Sprintf("zz%dzz", i), g.Components[i].Label())
		}
		for i := range want.Findings { // an id and the label that stands for it may differ
			want.Findings[i].Component, got.Findings[i].Component = "", ""
			want.Findings[i].Edit, got.Findings[i].Edit = nil, nil
		}
		w, _ := json.Marshal([]any{want.Verdict, want.Findings, want.Stages[1:], want.Decision})
		r, _ := json.Marshal([]any{got.Verdict, got.Findings, got.Stages[1:], got.Decision})
		if again := strings.NewReplacer(back...).Replace(string(r)); again != string(w) {
			t.Fatalf("%s became %s", w, again)
		}
	})
}

func TestTheSameRequestGivesTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		a, _ := json.Marshal(Run(&Request{Model: g.Clone()}))
		b, _ := json.Marshal(Run(&Request{Model: g.Clone()}))
		if string(a) != string(b) {
			t.Fatalf("%s, then %s", a, b)
		}
	})
}

// TestMemoryOfABlockedModelHoldsItsWeights: PyTorch constructs every module before it calls the first, so that a model of which one
// component is refused takes the memory of all its weights.
func TestMemoryOfABlockedModelHoldsItsWeights(t *testing.T) {
	blocked, partly := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		g.Normalize(catalog.Vocabulary)
		i := rapid.IntRange(0, len(g.Components)-1).Draw(t, "component")
		typ := catalog.Lookup(g.Components[i].Type)
		for _, p := range typ.Params {
			if v, given := g.Components[i].Param(p.Name); given && p.Reads != 0 && v.Kind() == graph.Int {
				g.Components[i].SetParam(p.Name, graph.IntValue(v.Int()+rapid.Int64Range(1, 9).Draw(t, "more")))
			}
		}
		q := &plan.Request{Model: g}
		var s *action.Study
		q.Examined = func(of *action.Study) { s = of }
		rec := plan.New(q)
		if s.Runs() || len(s.ParamsWithheld) > 0 {
			return
		}
		blocked++
		if !s.Repaired {
			partly++
		}
		least := 4 * s.Sized.Params
		if m := rec.Memory; m.WeightBytes < least || m.PeakBytes < m.WeightBytes+m.GradientBytes || m.CardBytes < m.PeakBytes {
			t.Fatalf("%d weights, but memory is %+v", s.Sized.Params, *m)
		}
		if u := estimate.Infer(s.Sized, estimate.InferOptions{Precision: "fp32"}); u.WeightBytes < least || u.CardBytes < u.WeightBytes {
			t.Fatalf("%d weights, but in use %+v", s.Sized.Params, *u)
		}
		unwalked := slices.ContainsFunc(s.Sized.Nodes, func(n infer.Node) bool {
			return (n.State == infer.Refused || n.State == infer.Unknown) && !n.Type.Has(catalog.IsVirtual)
		})
		if unwalked && !strings.Contains(s.Assumptions(), "lower bounds") {
			t.Fatalf("%s: what the walk did not reach is no lower bound", s.Assumptions())
		}
	})
	if !testing.Short() && (blocked < 10 || partly < 3) {
		t.Errorf("only %d models were blocked, %d of them without a whole repair", blocked, partly)
	}
}

func FuzzCheck(f *testing.F) {
	for _, text := range []string{clean, refused, warned, withheld, enormous, ""} {
		g, err := graph.Parse(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(`{"model":` + string(g.AppendJSON(nil)) + `,"policy":{"max_params":"1M"}}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Decode(body, graph.ServiceLimits)
		if err != nil {
			return
		}
		res := Run(r)
		if data, err := json.Marshal(res); err != nil || rank[res.Verdict] == 3 != (res.Outcome == "blocked") || len(res.Stages) == 0 {
			t.Fatalf("%s: %v", data, err)
		}
	})
}
