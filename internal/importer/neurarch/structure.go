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
		insert(t.graph, i, graph.Component{Type: "stack", Params: []graph.Param{setInt("dim", 1)}})
	}
}

// pooled reads globalAvgPool1d behind features that are the last axis, as attention and embeddings give them, as the mean over the positions.
func (t *translation) pooled() {
	w := t.graph.Wire()
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		if (c.Type == "globalAvgPool1d" || c.Type == "globalMaxPool1d") && featuresLast(t.graph, w, i) {
			reduce := map[string]string{"globalAvgPool1d": "mean", "globalMaxPool1d": "max"}[c.Type]
			t.notes.add(c, "%s behind a sequence of features is their %s over the positions", c.Type, reduce)
			c.Type, c.Params = reduce, []graph.Param{setInt("dim", 1)}
		}
	}
}

// featuresLast reports whether the sequence that arrives has its features behind its positions, as the nearest layer that decides it has.
func featuresLast(g *graph.Graph, w *graph.Wiring, i int) bool {
	for range g.Components {
		in := w.Inputs(i)
		if len(in) == 0 {
			return false
		}
		i = int(in[0])
		typ := known(&g.Components[i])
		switch {
		case typ.HasAny(catalog.IsPatches | catalog.IsEmbedding | catalog.IsAttention | catalog.IsRecurrent | catalog.IsPositional):
			return true
		case typ.HasAny(catalog.IsConv | catalog.IsPool | catalog.IsBatchNorm):
			return false
		case typ.HasAny(catalog.IsAffine|catalog.IsNorm|catalog.IsGated|catalog.IsExperts) || typ != nil && typ.Group == catalog.Blocks:
			return true
		}
	}
	return false
}

// ties says whose table a tied layer uses, where several would do: that of the first embedding of its size.
func (t *translation) ties() {
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		v, given := c.Param("tied")
		if !given || !v.Bool() {
			continue
		}
		rows, width := tableOf(c)
		for j := range t.graph.Components {
			e := &t.graph.Components[j]
			otherRows, otherWidth := tableOf(e)
			if e.Type != "embedding" || j == i || rows != otherRows || width != otherWidth {
				continue
			}
			if v, tied := e.Param("tied"); tied && v.Bool() {
				continue
			}
			t.notes.add(c, "it uses the weight of %s, the first embedding of its size", e.Label())
			t.untie(c)
			c.SetParam("tiedTo", graph.StringValue(e.ID))
			break
		}
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

// tableOf is the size of the table of an embedding or of the layer that is tied to one.
func tableOf(c *graph.Component) (rows, width int64) {
	names := map[string][2]string{"embedding": {"numEmbeddings", "embeddingDim"}, "linear": {"outFeatures", "inFeatures"}, "lmHead": {"vocabSize", "embedDim"}}[c.Type]
	r, _ := c.Param(names[0])
	w, _ := c.Param(names[1])
	return r.Int(), w.Int()
}

// insert puts a component between another and everything that it reads.
func insert(g *graph.Graph, at int, c graph.Component) {
	to := g.Components[at].ID
	c.ID = freeID(g, to)
	c.Name = c.ID
	for i := range g.Connections {
		if g.Connections[i].To == to {
			g.Connections[i].To = c.ID
		}
	}
	g.Components = append(g.Components, c)
	g.Connections = append(g.Connections, graph.Connection{From: c.ID, To: to})
}

// freeID is an id that no component has yet.
func freeID(g *graph.Graph, base string) string {
	for n := 1; ; n++ {
		id := base + "_in"
		if n > 1 {
			id += strconv.Itoa(n)
		}
		if !taken(g, id) {
			return id
		}
	}
}

func taken(g *graph.Graph, id string) bool {
	for i := range g.Components {
		if g.Components[i].ID == id {
			return true
		}
	}
	return false
}
