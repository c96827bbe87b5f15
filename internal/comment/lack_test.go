package comment

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/report"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models/drawn"
	"github.com/modelverifier/verifier/models/drawn/figures"
)

// TestNoCommentLacksAComponentWithoutSayingSo draws two versions of a model, breaks them, and reads record and comment. A cell of the
// table is an entry of its own.
func TestNoCommentLacksAComponentWithoutSayingSo(t *testing.T) {
	here := func(s string) string { return s }
	rapid.Check(t, func(t *rapid.T) {
		base, head := drawn.Model(t), drawn.Model(t)
		drawn.Broken(t, head)
		before, now := figures.Of(base), figures.Of(head)
		m := Model{Base: Of(studied(base)), Head: Of(studied(head))}
		m.Set(plan.New(&plan.Request{Model: head.Clone(), Base: base.Clone()}))
		m.Judge(report.OfCheck(check.Run(&check.Request{Model: head.Clone()}), nil), here)
		for what, err := range map[string]error{"base": before.Answer(m.Base), "head": now.Answer(m.Head)} {
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		for i, c := range columns {
			for version, lacks := range map[*Figures]figures.Lack{m.Base: before, m.Head: now} {
				text, whole := c.written(version)
				if err := lacks.Text(text + []string{" parameters", "", "", ""}[i]); err != nil {
					t.Fatalf("column %d: %v", i, err)
				}
				if missing := [][]string{lacks.Params, lacks.FLOPs, lacks.Memory, lacks.Memory}[i]; whole && len(missing) > 0 {
					t.Fatalf("column %d: %q counts as whole and lacks %q", i, text, missing[0])
				}
			}
		}
		m.Base = nil // a cell with both versions says of each what it lacks, as was read above
		if err := now.Text(Markdown(&Record{Version: Version, Models: []Model{m}}, tag, "dev")); err != nil {
			t.Fatal(err)
		}
	})
}

func studied(g *graph.Graph) *action.Study {
	s := action.Examine(g.Clone())
	s.Price(estimate.Options{}, 0)
	return s
}
