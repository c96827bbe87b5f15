package truth

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

// graphRow is one whole graph that PyTorch ran or refused.
type graphRow struct {
	ID, Family, Variant string
	Graph               json.RawMessage
	OK                  bool
	OutShape            catalog.Shape
	Params, FLOPs       int64
	Shapes              map[string]catalog.Shape // of every component; nil in the file of drawn graphs
	Error               string
}

// graphRows are the graphs that were known while rules were written.
func graphRows(t *testing.T) []graphRow { return graphsOf(t, "graphs.jsonl.gz") }

// drawnGraphs are graphs that were drawn and run in PyTorch afterwards.
func drawnGraphs(t *testing.T) []graphRow { return graphsOf(t, "graphs-drawn.jsonl.gz") }

func graphsOf(t *testing.T, file string) []graphRow {
	t.Helper()
	var rows []graphRow
	lines(t, file, func(line []byte) {
		var r graphRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	})
	return rows
}

// walk reads a row's graph as any caller does, and runs every rule on it.
func (r *graphRow) walk(t *testing.T) (*infer.Result, []rules.Finding) {
	t.Helper()
	g, err := graph.Decode(r.Graph, "model", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	return res, rules.Run(res)
}

// differs says how our answer differs from PyTorch's; empty where it does not.
func (r *graphRow) differs(res *infer.Result, findings []rules.Finding) string {
	blocked := rules.Blocked(findings)
	switch {
	case r.OK && blocked:
		return "PyTorch runs it, we refuse: " + findings[0].Message
	case !r.OK && !blocked:
		return "PyTorch refuses, we do not: " + r.Error
	case !r.OK:
		return ""
	case res.Params != r.Params:
		return fmt.Sprintf("PyTorch has %d weights, we count %d", r.Params, res.Params)
	case res.FLOPs != r.FLOPs:
		return fmt.Sprintf("PyTorch counts %d FLOPs, we count %d", r.FLOPs, res.FLOPs)
	}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if r.Shapes == nil {
			break
		}
		if want := r.Shapes[n.Component.ID]; !n.Out.Equal(want) {
			return fmt.Sprintf("%s: PyTorch gives %v, we give %v", n.Component.ID, want, n.Out)
		}
	}
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.Type.ID == "output" {
			if !n.Out.Equal(r.OutShape) {
				return fmt.Sprintf("PyTorch returns %v, we %v", r.OutShape, n.Out)
			}
			break
		}
	}
	return ""
}

// TestGraphs holds whole graphs to PyTorch: runs or not, and of those that run the weights, the FLOPs and every shape.
func TestGraphs(t *testing.T) { agree(t, graphRows(t)) }

// TestDrawnGraphs does so for those that nobody had seen, without the shapes of single components.
func TestDrawnGraphs(t *testing.T) { agree(t, drawnGraphs(t)) }

func agree(t *testing.T, rows []graphRow) {
	t.Helper()
	byVariant, byFamily := newTable("rows", "run", "agree"), newTable("rows", "run", "agree")
	for _, r := range rows {
		diff := r.differs(r.walk(t))
		byVariant.add(r.Variant, 1, count(r.OK), count(diff == ""))
		byFamily.add(r.Family, 1, count(r.OK), count(diff == ""))
		if diff != "" {
			t.Errorf("%s (%s): %s", r.ID, r.Variant, diff)
		}
	}
	byFamily.print()
	byVariant.print()
}

// TestOneFaultIsOneFinding holds that a graph broken in one place gets one blocking finding: no cascade behind it.
// Several findings are one if the same change repairs them all.
func TestOneFaultIsOneFinding(t *testing.T) {
	for _, r := range graphRows(t) {
		if r.OK || r.Variant == "duplicate" {
			continue // a duplicate id also takes the place of a component, which leaves several to repair
		}
		_, findings := r.walk(t)
		var block []string
		repairs := map[string]bool{} // consumers that blame one producer name the same repair
		for _, f := range findings {
			if f.Rule.Severity == rules.Block {
				block = append(block, f.Rule.ID+": "+f.Message)
				repairs[f.Fix] = true
			}
		}
		if len(block) > 1 && (len(repairs) > 1 || repairs[""]) {
			t.Errorf("%s (%s): %d blocking findings: %q", r.ID, r.Variant, len(block), block)
		}
	}
}
