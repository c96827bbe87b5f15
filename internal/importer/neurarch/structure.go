package neurarch

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// withoutInput reads components that the editor draws without an input. A table of embeddings that nothing indexes is used whole, as the
// learned queries of a resampler are. Positions that attention computes by itself are no layer.
func (t *translation) withoutInput() {
	w := t.graph.Wire()
	source := t.firstInput()
	dropped := map[string]bool{}
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		if len(w.Inputs(i)) > 0 {
			continue
		}
		switch c.Type {
		case "rope", "alibi":
			t.notes.add(c, "%s without an input is part of the attention that it points at; it has no weights, and is left out", c.Type)
			dropped[c.ID] = true
		case "embedding":
			rows, ok := c.Param("numEmbeddings")
			width, also := c.Param("embeddingDim")
			if source == "" || !ok || !also || rows.Kind() != graph.Int || width.Kind() != graph.Int {
				continue
			}
			t.notes.add(c, "an embedding without an input is used whole: it is a parameter of %d by %d", rows.Int(), width.Int())
			c.Type, c.Params = "parameter", []graph.Param{{Name: "shape", Value: graph.IntsValue(rows.Int(), width.Int())}}
			t.graph.Connections = append(t.graph.Connections, graph.Connection{From: source, To: c.ID})
		}
	}
	if len(dropped) > 0 {
		t.remove(dropped)
	}
}

// firstInput is the id of the input that tells a parameter how many samples there are.
func (t *translation) firstInput() string {
	for i := range t.graph.Components {
		if t.graph.Components[i].Type == "input" {
			return t.graph.Components[i].ID
		}
	}
	return ""
}

func (t *translation) remove(ids map[string]bool) {
	components, connections := t.graph.Components[:0:0], t.graph.Connections[:0:0]
	for _, c := range t.graph.Components {
		if !ids[c.ID] {
			components = append(components, c)
		}
	}
	for _, e := range t.graph.Connections {
		if !ids[e.From] && !ids[e.To] {
			connections = append(connections, e)
		}
	}
	t.graph.Components, t.graph.Connections = components, connections
}

// several reads a mean of several inputs as the mean over them, and attention with two as queries that attend to another sequence.
func (t *translation) several() {
	w := t.graph.Wire()
	put := wiresOf(t.graph)
	for i := range t.graph.Components { // those that are put in come behind
		c := &t.graph.Components[i]
		if c.Type == "multiHeadAttention" && len(w.Inputs(i)) == 2 {
			t.notes.add(c, "multiHeadAttention with two inputs is crossAttention: the first gives queries, the second keys and values")
			c.Type = "crossAttention"
		}
		if c.Type != "mean" || len(w.Inputs(i)) < 2 {
			continue
		}
		t.notes.add(c, "a mean of %d inputs is taken over them, and not over an axis", len(w.Inputs(i)))
		c.Params = []graph.Param{setInt("dim", 1)}
		put.insert(i, graph.Component{Type: "stack", Params: []graph.Param{setInt("dim", 1)}})
	}
}

// pooled reads globalAvgPool1d behind features that are the last axis, as attention and embeddings give them, as the mean over the
// positions.
func (t *translation) pooled() {
	last := featuresLast(t.graph)
	w := t.graph.Wire()
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		reduce := map[string]string{"globalAvgPool1d": "mean", "globalMaxPool1d": "max"}[c.Type]
		if in := w.Inputs(i); reduce != "" && len(in) > 0 && last[in[0]] {
			t.notes.add(c, "%s behind a sequence of features is their %s over the positions", c.Type, reduce)
			c.Type, c.Params = reduce, []graph.Param{setInt("dim", 1)}
		}
	}
}

// featuresLast says of which components the result has its features behind its positions, as the nearest layer that decides it has.
func featuresLast(g *graph.Graph) []bool {
	w := g.Wire()
	out := make([]bool, len(g.Components))
	for _, i := range w.Order {
		typ := known(&g.Components[i])
		switch {
		case typ.HasAny(catalog.IsPatches | catalog.IsEmbedding | catalog.IsAttention | catalog.IsRecurrent | catalog.IsPositional):
			out[i] = true
		case typ.HasAny(catalog.IsConv | catalog.IsPool | catalog.IsBatchNorm):
		case typ.HasAny(catalog.IsAffine|catalog.IsNorm|catalog.IsGated|catalog.IsExperts) || typ != nil && typ.Group == catalog.Blocks:
			out[i] = true
		default:
			in := w.Inputs(i)
			out[i] = len(in) > 0 && out[in[0]]
		}
	}
	return out
}

// ties says whose table a tied layer uses, where several would do: that of the first embedding of its size.
func (t *translation) ties() {
	tables := map[[2]int64]*graph.Component{}
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		if v, tied := c.Param("tied"); c.Type != "embedding" || tied && v.Bool() {
			continue
		}
		if size := tableOf(c); tables[size] == nil {
			tables[size] = c
		}
	}
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		v, given := c.Param("tied")
		owner := tables[tableOf(c)]
		if !given || !v.Bool() || owner == nil {
			continue
		}
		t.notes.add(c, "it uses the weight of %s, the first embedding of its size", owner.Label())
		t.untie(c)
		c.SetParam("tiedTo", graph.StringValue(owner.ID))
	}
}

func (t *translation) untie(c *graph.Component) {
	for k := range c.Params {
		if c.Params[k].Name == "tied" {
			c.Params = append(c.Params[:k:k], c.Params[k+1:]...)
			return
		}
	}
}

// tableOf is the number of rows and their width of an embedding's table, or of the layer that is tied to one.
func tableOf(c *graph.Component) [2]int64 {
	var names [2]string
	switch c.Type {
	case "embedding":
		names = [2]string{"numEmbeddings", "embeddingDim"}
	case "linear":
		names = [2]string{"outFeatures", "inFeatures"}
	case "lmHead":
		names = [2]string{"vocabSize", "embedDim"}
	}
	rows, _ := c.Param(names[0])
	width, _ := c.Param(names[1])
	return [2]int64{rows.Int(), width.Int()}
}

// wires finds the connections into a component, and ids that are free, while components are put in.
type wires struct {
	graph *graph.Graph
	ids   map[string]bool
	into  map[string][]int // connections, by the id that they lead to
}

func wiresOf(g *graph.Graph) *wires {
	w := &wires{g, make(map[string]bool, len(g.Components)), make(map[string][]int, len(g.Components))}
	for i := range g.Components {
		w.ids[g.Components[i].ID] = true
	}
	for i := range g.Connections {
		to := g.Connections[i].To
		w.into[to] = append(w.into[to], i)
	}
	return w
}

// insert puts a component between another and everything that it reads.
func (w *wires) insert(at int, c graph.Component) {
	to := w.graph.Components[at].ID
	c.ID = w.freeID(to + "_in")
	c.Name = c.ID
	for _, i := range w.into[to] {
		w.graph.Connections[i].To = c.ID
	}
	w.ids[c.ID], w.into[c.ID] = true, w.into[to]
	w.into[to] = []int{len(w.graph.Connections)}
	w.graph.Components = append(w.graph.Components, c)
	w.graph.Connections = append(w.graph.Connections, graph.Connection{From: c.ID, To: to})
}

func (w *wires) freeID(base string) string {
	id := base
	for n := 2; w.ids[id]; n++ {
		id = base + strconv.Itoa(n)
	}
	return id
}
