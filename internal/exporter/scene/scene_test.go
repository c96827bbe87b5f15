package scene

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

func of(t *testing.T, g *graph.Graph) *Scene {
	t.Helper()
	g.Normalize(catalog.Vocabulary)
	s, err := Of(infer.Walk(g))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outline writes a scene in one line: boxes with the types of their rows, groups in brackets with their title and number.
func outline(it *Item) string {
	var parts []string
	for _, k := range it.Items {
		switch {
		case k.Like != "":
			parts = append(parts, k.Title+"~"+k.Like)
		case k.IsGroup():
			parts = append(parts, fmt.Sprintf("%s×%d[%s]", k.Title, k.Times, outline(k)))
		default:
			var rows []string
			for _, r := range k.Rows {
				rows = append(rows, r.Type)
			}
			text := strings.Join(rows, "+")
			if k.Times > 1 {
				text += fmt.Sprintf("×%d", k.Times)
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

func TestWhatRepeatsIsFolded(t *testing.T) {
	layer := func(n, width int) string {
		return fmt.Sprintf("h%d_n: layerNorm normalizedShape=%d\nh%d_l: linear inFeatures=%d outFeatures=%d\nh%d_r: relu\nh%d_add: add\n", n, width, n, width, width, n, n)
	}
	wires := func(before string, n int) string {
		return fmt.Sprintf("%s -> h%d_n -> h%d_l -> h%d_r\n%s, h%d_r -> h%d_add\n", before, n, n, n, before, n, n)
	}
	three := "x: input shape=[8]\n" + layer(0, 8) + layer(1, 8) + layer(2, 8) + "y: output\n" + wires("x", 0) + wires("h0_add", 1) + wires("h1_add", 2) + "h2_add -> y\n"
	block := "[layerNorm+linear+relu add]"
	for _, c := range []struct{ name, text, want string }{
		{"equal blocks", three, "input h0…h2×3" + block + " output"},
		{"what something else reads is not folded away", strings.Replace(three, "h2_add -> y", "h0_add, h2_add -> s -> y", 1) + "s: add\n", "input h0×1" + block + " h1…h2~h0 add output"},
		{"a name is not needed", strings.ReplaceAll(three, "_", ""), "input ×3" + block + " output"},
		{"blocks of other sizes are alike", strings.Replace(three, "h1_l: linear inFeatures=8", "h1_l: linear bias=false inFeatures=8", 1), "input h0×1" + block + " h1~h0 h2~h0 output"},
		{"single components", "x: input shape=[8]\na: linear outFeatures=8\nb: linear outFeatures=8\nc: linear outFeatures=8\ny: output\nx -> a -> b -> c -> y", "input linear×3 output"},
		{"two are too few", "x: input shape=[8]\na: relu\nb: relu\ny: output\nx -> a -> b -> y", "input relu+relu output"},
	} {
		g, err := graph.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := outline(of(t, g).Root); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

func TestScopesOfImportersMakeBlocks(t *testing.T) {
	g := &graph.Graph{Components: []graph.Component{{ID: "x", Type: "input", Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(4, 8)}}}}}
	last := "x"
	for i := range 4 {
		for _, part := range []string{"input_layernorm", "mlp"} {
			id := fmt.Sprintf("%s%d", part, i)
			c := graph.Component{ID: id, Type: "layerNorm", Params: []graph.Param{{Name: "normalizedShape", Value: graph.IntValue(8)}}}
			if part == "mlp" {
				c.Type, c.Params = "feedForward", []graph.Param{{Name: "embedDim", Value: graph.IntValue(8)}, {Name: "ffDim", Value: graph.IntValue(16)}}
			}
			c.Extra = []graph.Member{{Name: "scope", Raw: fmt.Sprintf(`"model.layers.%d.%s"`, i, part)}}
			g.Components = append(g.Components, c)
			g.Connections = append(g.Connections, graph.Connection{From: last, To: id})
			last = id
		}
	}
	s := of(t, g)
	if got, want := outline(s.Root), "input model.layers.0…3×4[layerNorm+feedForward]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got := s.Root.Items[1]; got.Ins != 1 || got.Params != 16+8*16*2+16+8 {
		t.Errorf("the block has %d inputs and %d weights", got.Ins, got.Params)
	}
}

func TestHugeGraphsAreFoldedOrRefused(t *testing.T) {
	chain := func(n int, param func(i int) int64) *graph.Graph {
		g := &graph.Graph{Components: []graph.Component{{ID: "x", Type: "input", Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(8)}}}}}
		last := "x"
		for i := range n {
			id := fmt.Sprintf("n%d", i)
			g.Components = append(g.Components, graph.Component{ID: id, Type: "linear", Params: []graph.Param{{Name: "outFeatures", Value: graph.IntValue(param(i))}}})
			g.Connections = append(g.Connections, graph.Connection{From: last, To: id})
			last = id
		}
		return g
	}
	if got, want := outline(of(t, chain(50000, func(int) int64 { return 8 })).Root), "input linear×50000"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	g := chain(5000, func(i int) int64 { return int64(i*i%977 + 1) })
	g.Normalize(catalog.Vocabulary)
	if _, err := Of(infer.Walk(g)); err == nil || !strings.Contains(err.Error(), "rows after folding") {
		t.Errorf("the error is %v", err)
	}
}
