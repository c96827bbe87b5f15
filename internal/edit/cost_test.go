//go:build unix

package edit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/graph"
)

// full is a graph at the limits, whose connections name components by their names, with these components beside.
func full(named bool, beside ...graph.Component) *graph.Graph {
	g := &graph.Graph{Components: beside}
	end := func(i int) string { return fmt.Sprint("c", i) }
	for i := len(beside); i < graph.ServiceLimits.Components; i++ {
		c := graph.Component{ID: end(i), Type: "linear"}
		if named {
			c.Name = "name of " + c.ID
		}
		g.Components = append(g.Components, c)
	}
	for i := range graph.ServiceLimits.Connections - len(beside) {
		from, to := end(len(beside)+i%1000), end(len(beside)+i*7%1990)
		if named {
			from = "name of " + from
		}
		g.Connections = append(g.Connections, graph.Connection{From: from, To: to})
	}
	return g
}

func numbered(n int, name string) (out []graph.Param) {
	for i := range n {
		out = append(out, graph.Param{Name: fmt.Sprint(name, i), Value: graph.IntValue(1)})
	}
	return out
}

func times(n int, op func(i int) Op) (ops []Op) {
	for i := range n {
		ops = append(ops, op(i))
	}
	return ops
}

func repeated(word string, n int) []string {
	return strings.Split(strings.Repeat(word+" ", n-1)+word, " ")
}

// most is what a thousand changes of the largest graph may take.
var most = adversary.Cost{Seconds: 1, Bytes: adversary.MaxBytes}

// TestChangesCostNoMoreThanTheirSize sends what is short, or at a limit, and once stood for work without end.
func TestChangesCostNoMoreThanTheirSize(t *testing.T) {
	long, first := strings.Repeat("a", 3_900_000), int64(0)
	x := graph.Component{ID: "x", Type: "linear"}
	wide := graph.Component{ID: "x", Type: "linear", Params: numbered(graph.MaxKeys, "p")}
	dangling := &graph.Graph{}
	for i := range 1000 {
		dangling.Components = append(dangling.Components, graph.Component{ID: fmt.Sprint(long[:2000], i), Type: "relu"})
		dangling.Connections = append(dangling.Connections, graph.Connection{From: fmt.Sprint(long[:2000], "b", i), To: fmt.Sprint(long[:2000], 0)})
	}
	var rounds []Op
	for range 330 {
		rounds = append(rounds, Op{Kind: Add, Component: "y", Type: "relu"}, Op{Kind: Connect, From: repeated("x", 141), To: repeated("y", 141)}, Op{Kind: Remove, Component: "y"})
	}
	for _, c := range []struct {
		name string
		g    *graph.Graph
		ops  []Op
		want string // of the error, "" where the changes are made
	}{
		{"two ids of megabytes", &graph.Graph{Components: []graph.Component{{ID: long + "xyz"}}}, []Op{{Kind: Change, Component: long + "uvw", Type: "relu"}}, "there is no component"},
		{"parameters of one component", full(false, x), times(900, func(i int) Op {
			return Op{Kind: Change, Component: "x", Params: numbered(1000, fmt.Sprint("a", i, "_"))}
		}), "would have 2000 parameters"},
		{"parameters of all", full(false), times(900, func(i int) Op { return Op{Kind: Change, Component: fmt.Sprint("c", i), Params: numbered(1000, "a")} }), "the graph would have 101000 parameters"},
		{"parameters beside many", full(false, wide), times(MaxOps, func(int) Op { return Op{Kind: Change, Component: "x", Params: numbered(1, "p")} }), ""},
		{"many parameters again", full(false, wide), times(MaxOps, func(int) Op { return Op{Kind: Change, Component: "x", Params: wide.Params} }), ""},
		{"renames", full(true), times(MaxOps, func(i int) Op { return Op{Kind: Rename, Component: fmt.Sprint("c", i), Name: fmt.Sprint("other", i)} }), ""},
		{"names", full(true), times(MaxOps, func(i int) Op { return Op{Kind: Change, Component: fmt.Sprint("c", i), Name: fmt.Sprint("other", i)} }), ""},
		{"connections", &graph.Graph{Components: full(false).Components}, times(MaxOps, func(i int) Op {
			return Op{Kind: Connect, From: repeated(fmt.Sprint("c", i), 20), To: []string{"c1999"}}
		}), ""},
		{"connections at a position", &graph.Graph{Components: full(false).Components}, times(MaxOps, func(i int) Op {
			return Op{Kind: Connect, From: repeated(fmt.Sprint("c", i), 20), To: []string{"c1999"}, At: &first}
		}), ""},
		{"connections at once", &graph.Graph{Components: full(false).Components}, []Op{{Kind: Connect, From: repeated("c1998", 20_000), To: []string{"c1999"}, At: &first}}, ""},
		{"connections that are removed again", &graph.Graph{Components: []graph.Component{x}}, rounds, "the changes would make 39762 connections"},
		{"groups", full(true), times(MaxOps, func(int) Op { return Op{Kind: Group, Components: repeated("c1999", 1000), Name: "g"} }), ""},
		{"copies of a long component", &graph.Graph{Components: []graph.Component{{ID: "x", Type: "relu", Extra: []graph.Member{{Name: "m", Raw: `"` + long + `"`}}}}}, times(MaxOps, func(int) Op { return Op{Kind: Duplicate, Component: "x"} }), "the copies would have more than 8388608 bytes"},
		{"copies of a long text", &graph.Graph{Components: []graph.Component{{ID: "x", Type: "relu", Params: []graph.Param{{Name: "m", Value: graph.StringValue(long)}}}}}, times(MaxOps, func(int) Op { return Op{Kind: Duplicate, Component: "x"} }), "the copies would have more than 8388608 bytes"},
		{"removals", full(false), times(MaxOps, func(i int) Op { return Op{Kind: Remove, Component: fmt.Sprint("c", 1999-i)} }), ""},
		{"removals of what has names", full(true), times(MaxOps, func(i int) Op { return Op{Kind: Remove, Component: fmt.Sprint("c", 1999-i)} }), ""},
		{"connections to nothing", dangling, times(MaxOps, func(i int) Op {
			return Op{Kind: Disconnect, From: []string{fmt.Sprint(long[:2000], "b", i)}, To: []string{fmt.Sprint(long[:2000], 0)}}
		}), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			cost := adversary.MeasureAgainst(t, most, func() { _, err = Apply(c.g, c.ops, graph.ServiceLimits) })
			t.Logf("%.3f s, %d MB", cost.Seconds, cost.Bytes>>20)
			if !cost.Within(most) {
				t.Errorf("takes %.2f s and %d MB", cost.Seconds, cost.Bytes>>20)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%.200v, want %q", err, c.want)
			}
		})
	}
}
