package datasets

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

func init() {
	verified["architectures"] = architectureHolds
	verified["checks"] = checkHolds
	verified["grounding-264"] = groundingHolds
	verified["outcome-triples"] = tripleHolds
}

func decode(t *testing.T, line []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatal(err)
	}
}

// walked reads a graph as a request's is read, and walks it.
func walked(t *testing.T, id string, model []byte) *infer.Result {
	t.Helper()
	g, err := graph.Decode(model, "model", graph.ServiceLimits)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

// architectureHolds walks the graph of the row: it runs, and its figures are those of the row.
func architectureHolds(t *testing.T, line []byte) {
	var r architectureRow
	decode(t, line, &r)
	res := walked(t, r.ID, r.Model)
	n := map[string]int{}
	for i := range res.Graph.Components {
		n[res.Graph.Components[i].Type]++
	}
	for typ, c := range r.Types {
		if n[typ] != c {
			t.Errorf("%s has %d components of %s, not %d", r.ID, n[typ], typ, c)
		}
	}
	if rules.Blocked(rules.Run(res)) || len(n) != len(r.Types) || res.Params != r.Params || res.FLOPs != r.FLOPs ||
		res.Fingerprint() != r.Fingerprint {
		t.Errorf("%s: %d weights, %d FLOPs, %s", r.ID, res.Params, res.FLOPs, res.Fingerprint())
	}
}

// checkHolds asks lint for the findings of each example.
func checkHolds(t *testing.T, line []byte) {
	var r checkRow
	decode(t, line, &r)
	rule := rules.Lookup(r.ID)
	if (r.Outcome == nil) != (rule.Outcome() == nil) || r.Outcome != nil && *r.Outcome != *rule.Outcome() {
		t.Errorf("%s: what was measured is %+v, not %+v", r.ID, rule.Outcome(), r.Outcome)
	}
	if !slices.ContainsFunc(r.Examples, func(e checkExample) bool { return e.Fires }) {
		t.Errorf("%s fires in none of its examples", r.ID)
	}
	for _, e := range r.Examples {
		g, err := graph.Decode(e.Model, "model", graph.ServiceLimits)
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		var found []string
		for _, f := range lint.Run(&lint.Request{Model: g}).Findings {
			found = append(found, f.Rule)
		}
		var said []string
		for _, f := range e.Findings {
			if !rules.Lookup(f.Rule).Comparing { // rank alone asks such a rule
				said = append(said, f.Rule)
			}
		}
		if !slices.Equal(found, said) {
			t.Errorf("%s: lint finds %v, the row says %v in\n%s", r.ID, found, said, e.Notation)
		}
	}
}

// groundingHolds compares the engine's verdict with PyTorch's outcome: refused exactly where PyTorch refuses, and the
// same figures.
func groundingHolds(t *testing.T, line []byte) {
	var r groundingRow
	decode(t, line, &r)
	res := walked(t, r.ID, r.Model)
	if blocked := rules.Blocked(rules.Run(res)); blocked == r.Ran {
		t.Errorf("%s: PyTorch ran it: %v; blocked: %v", r.ID, r.Ran, blocked)
	}
	if !r.Ran {
		if r.Error == "" || r.Output != nil || r.Params != nil {
			t.Errorf("%s did not run and has %q, %v and %v", r.ID, r.Error, r.Output, r.Params)
		}
		return
	}
	if res.Params != *r.Params || res.FLOPs != *r.FLOPs || r.Error != "" {
		t.Errorf("%s: PyTorch has %d weights and %d FLOPs, we %d and %d", r.ID, *r.Params, *r.FLOPs, res.Params, res.FLOPs)
	}
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Type.ID == "output" {
			if !n.Out.Equal(catalog.Shape(*r.Output)) {
				t.Errorf("%s: PyTorch returns %v, we %v", r.ID, *r.Output, n.Out)
			}
			return
		}
	}
}

// tripleHolds judges the design again, and computes its accuracy from its curves.
func tripleHolds(t *testing.T, line []byte) {
	var r triple
	decode(t, line, &r)
	g, err := graph.Decode(r.Model, "model", graph.ServiceLimits)
	if err != nil {
		t.Fatalf("%s: %v", r.ID, err)
	}
	f := judged(g)
	f.Depth = r.Findings.Depth
	if f.Fingerprint != r.Findings.Fingerprint || !slices.Equal(f.Rules, r.Findings.Rules) ||
		f.Weight != r.Findings.Weight ||
		f.Params != r.Findings.Params || f.FLOPs != r.Findings.FLOPs {
		t.Errorf("%s: %+v, the row says %+v", r.ID, f, r.Findings)
	}
	for _, id := range f.Rules {
		if rules.Lookup(id).Severity == rules.Block {
			t.Errorf("%s was trained, and %s blocks it", r.ID, id)
		}
	}
	if a, n := lastAccuracy(r.Outcome.Runs); a != r.Outcome.Accuracy || n != r.Outcome.Seeds || n == 0 {
		t.Errorf("%s: accuracy %v of %d seeds, the row says %v of %d", r.ID, a, n, r.Outcome.Accuracy, r.Outcome.Seeds)
	}
}
