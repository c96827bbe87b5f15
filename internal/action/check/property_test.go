package check

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/graph"
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
