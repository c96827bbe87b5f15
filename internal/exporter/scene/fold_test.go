//go:build unix

package scene

import (
	"fmt"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// TestStarsThatDoNotFoldCostLittle holds that components which are all alike, but read by something far behind them, are compared
// once for each distance: such a star took a minute.
func TestStarsThatDoNotFoldCostLittle(t *testing.T) {
	for _, far := range []func(i int) bool{func(int) bool { return true }, func(i int) bool { return i%7 == 0 }, func(i int) bool { return i > 1000 }} {
		g := &graph.Graph{Components: []graph.Component{{ID: "x", Type: "input", Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(8)}}}}}
		for i := range 1998 {
			g.Components = append(g.Components, graph.Component{ID: fmt.Sprint(i), Type: "relu"})
			g.Connections = append(g.Connections, graph.Connection{From: "x", To: fmt.Sprint(i)})
			if far(i) {
				g.Connections = append(g.Connections, graph.Connection{From: fmt.Sprint(i), To: "s"})
			}
		}
		g.Components = append(g.Components, graph.Component{ID: "s", Type: "add"})
		g.Normalize(catalog.Vocabulary)
		res := infer.Walk(g)
		if c := adversary.Measure(t, func() { _, _ = Of(res); Runs(res) }); !c.Within(adversary.Bar) {
			t.Errorf("took %.2f s and %d MB", c.Seconds, c.Bytes>>20)
		}
	}
}
