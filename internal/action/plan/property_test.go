package plan

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/models/drawn"
)

func TestAPlanAgainstItselfIsAnEmptyDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		renamed := g.Clone()
		for i := range renamed.Components {
			renamed.Components[i].Name = fmt.Sprint("name ", i)
		}
		d := New(&Request{Model: g, Base: renamed}).Diff
		if !d.empty() || zero(d.ParamsDelta) != 0 || amount(d.MemoryDeltaGB) != 0 || amount(d.CostDeltaUSD) != 0 || d.BlastRadius != 0 || len(d.Lines) != 0 ||
			d.LegalityChanged != nil || (d.ParamsDeltaPct == nil) != (d.ParamsDelta == nil) || amount(d.ParamsDeltaPct) != 0 || len(d.AddedNames)+len(d.RemovedNames)+len(d.RewiredNames) != 0 {
			t.Fatalf("%+v", d)
		}
	})
}

func TestADiffMirrorsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn.Model(t), drawn.Model(t)
		there, back := New(&Request{Model: b.Clone(), Base: a.Clone()}).Diff, New(&Request{Model: a, Base: b}).Diff
		if zero(there.ParamsDelta) != -zero(back.ParamsDelta) || amount(there.CostDeltaUSD) != -amount(back.CostDeltaUSD) || (there.LegalityChanged == nil) != (back.LegalityChanged == nil) {
			t.Fatalf("%+v, back %+v", there, back)
		}
	})
}

func TestABaseChangesNothingOfTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn.Model(t), drawn.Model(t)
		alone, with := New(&Request{Model: a.Clone()}), New(&Request{Model: a, Base: b})
		with.Diff, with.Summary = nil, alone.Summary
		x, _ := json.Marshal(alone)
		if y, _ := json.Marshal(with); string(x) != string(y) {
			t.Fatalf("%s became %s", x, y)
		}
	})
}

func TestAPolicyOnlyMakesAPlanStricter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		body := fmt.Sprintf(`{"model":%s,"policy":{"max_params":%d,"must_fit":"T4","max_layers":20,"max_cost_usd":0.05,"forbid_types":["dropout"]}}`, g.AppendJSON(nil),
			rapid.Int64Range(0, 1e8).Draw(t, "max_params"))
		r, err := Decode([]byte(body), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		plain, held := New(&Request{Model: g}), New(r)
		if held.Run.Legal && !plain.Run.Legal || len(held.Run.Blockers) < len(plain.Run.Blockers) || len(held.Run.Warnings) < len(plain.Run.Warnings) ||
			held.Run.Legal != plain.Run.Legal && held.Policy.Violations == 0 {
			t.Fatalf("%+v became %+v", plain.Run, held.Run)
		}
	})
}

func FuzzPlan(f *testing.F) {
	for _, text := range []string{clean, wider, refused, withheld, tokens, ""} {
		f.Add([]byte(`{"model":` + wire(f, text) + base(f, clean) + `,"seq_len":256,"policy":{"max_params":"1M"},"training":{"batch":2},"source":{"kind":"a"}}`))
		f.Add([]byte(`{"model":` + wire(f, text) + `,"training":{"gpu":"T4","batch":1048576,"microBatch":3,"fusedLoss":true,"frozen":["*"]},"inference":{"batch":7,"precision":"int4","prompt":9,"generated":1}}`))
		f.Add([]byte(`{"model":` + wire(f, text) + `,"training":{"batch":1048576,"lora":{"rank":8,"targets":["*"]}}}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Decode(body, graph.ServiceLimits)
		if err != nil {
			return
		}
		res := Run(r)
		if data, err := json.Marshal(res); err != nil || res.Plan.Run.Legal != (len(res.Plan.Run.Blockers) == 0) || res.Text == "" || res.Markdown == "" {
			t.Fatalf("%s: %v", data, err)
		}
	})
}

// zero and amount read numbers that are null where a version lacks components.
func zero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func amount(d *quantity.Decimal) int64 {
	if d == nil {
		return 0
	}
	return d.Unscaled
}
