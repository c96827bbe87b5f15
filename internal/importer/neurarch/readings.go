package neurarch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// reading is one way to understand the shapes of a file's inputs, and what came of it.
type reading struct {
	graph *graph.Graph
	notes notes
	walk  *infer.Result
	room  *infer.Room // of the walk
	fits  int         // components that run
	wires *wires
}

// insert puts a component in front of another.
func (r *reading) insert(at int, c graph.Component) {
	if r.wires == nil {
		r.wires = wiresOf(r.graph)
	}
	r.wires.insert(at, c)
}

// choice is a shape that an input may mean.
type choice struct {
	shape []int64
	why   string // "" where it is as written
	batch bool   // a leading 1 was the batch
}

// mostWalked bounds the components that all readings of a file walk together while they are completed, and mostReadings their number.
const (
	mostWalked   = 60_000
	mostReadings = 64
)

// settle understands the inputs in every way that they can be, and keeps the one in which most components run: the first of equals, so that
// a leading 1 is the batch unless it must be something else.
func (t *translation) settle() *reading {
	inputs, choices := t.choices()
	var best *reading
	spare := new(infer.Room)
	for _, pick := range picks(choices, max(2, min(mostReadings, mostWalked/4/max(1, len(t.graph.Components))))) {
		r, batched := &reading{graph: t.graph.Clone(), room: spare}, false
		for k, i := range inputs {
			c, chosen := &r.graph.Components[i], choices[k][pick[k]]
			c.SetParam("shape", graph.IntsValue(chosen.shape...))
			batched = batched || chosen.batch
			if chosen.why != "" {
				r.notes.add(c, "%s: the shape is %v", chosen.why, catalog.Shape(chosen.shape))
			}
		}
		if batched {
			r.reshapes()
		}
		t.complete(r)
		if best == nil {
			best, spare = r, new(infer.Room)
		} else if r.fits > best.fits {
			best, spare = r, best.room
		}
	}
	return best
}

// choices are the inputs whose shapes are known, and what each may mean, the likelier first.
func (t *translation) choices() (inputs []int, choices [][]choice) {
	w := t.graph.Wire()
	for i := range t.graph.Components {
		c := &t.graph.Components[i]
		v, given := c.Param("shape")
		if c.Type != "input" || !given {
			continue
		}
		shape, ok := sizes(v)
		if !ok {
			continue
		}
		inputs = append(inputs, i)
		choices = append(choices, meanings(shape, t.rowWidth(w, i)))
	}
	return inputs, choices
}

func sizes(v graph.Value) ([]int64, bool) {
	if v.Kind() != graph.List {
		return nil, false
	}
	out := make([]int64, 0, len(v.List()))
	for _, n := range v.List() {
		if n.Kind() != graph.Int {
			return nil, false
		}
		out = append(out, n.Int())
	}
	return out, true
}

// rowWidth is the width of the rows that an input's ids choose where embeddings alone read it, and 0 otherwise.
func (t *translation) rowWidth(w *graph.Wiring, input int) int64 {
	width := int64(0)
	for _, j := range w.Outputs(input) {
		c := &t.graph.Components[j]
		if c.Type == "parameter" {
			continue
		}
		if !known(c).Has(catalog.IsEmbedding) {
			return 0
		}
		v, _ := c.Param("embeddingDim")
		width = v.Int()
	}
	return width
}

const (
	batchFirst = "the leading 1 is the batch"
	oneID      = "one id per sample"
	rowsGiven  = "the last axis is the width of the rows that the ids choose"
)

func meanings(shape []int64, rowWidth int64) []choice {
	written := choice{shape: shape}
	if len(shape) == 1 && shape[0] == 1 && rowWidth > 0 {
		return []choice{written, {shape: []int64{}, why: oneID}}
	}
	out := []choice{written}
	if len(shape) > 1 && shape[0] == 1 {
		out = []choice{{shape[1:], batchFirst, true}, written}
	}
	if n, likeliest := len(shape), out[0]; rowWidth > 0 && len(likeliest.shape) > 1 && shape[n-1] == rowWidth {
		why := rowsGiven
		if likeliest.why != "" {
			why = likeliest.why + ", and " + rowsGiven
		}
		out = append([]choice{{likeliest.shape[:len(likeliest.shape)-1], why, likeliest.batch}}, out...)
	}
	return out
}

// picks are the ways to choose one meaning of each input, at most so many: where there are more, all inputs are understood alike.
func picks(choices [][]choice, most int) [][]int {
	total, widest := 1, 1
	for _, c := range choices {
		widest = max(widest, len(c))
		if total *= len(c); total > most {
			total = most + 1
		}
	}
	var out [][]int
	if total > most {
		for n := range widest {
			pick := make([]int, len(choices))
			for k := range choices {
				pick[k] = min(n, len(choices[k])-1)
			}
			out = append(out, pick)
		}
		return out
	}
	pick := make([]int, len(choices))
	for {
		out = append(out, slices.Clone(pick))
		k := len(pick) - 1
		for ; k >= 0; k-- {
			if pick[k]++; pick[k] < len(choices[k]) {
				break
			}
			pick[k] = 0
		}
		if k < 0 {
			return out
		}
	}
}

const normalized = "normalizedShape"

// attempt walks a graph. What it returns is good until the next.
func (r *reading) attempt(g *graph.Graph) *infer.Result {
	r.room.Clear()
	return r.room.Attempt(g)
}

// complete fills in what follows from the shapes that arrive, from the inputs on, and counts what runs.
func (t *translation) complete(r *reading) {
	t.shapeOpen(r)
	t.sizeNorms(r)
	for {
		r.walk = r.attempt(r.graph)
		t.walked += len(r.graph.Components)
		if t.walked > mostWalked || !r.improve() {
			break
		}
	}
	for i := range r.walk.Nodes {
		if s := r.walk.Nodes[i].State; s == infer.Legal || s == infer.Withheld {
			r.fits++
		}
	}
}

// shapeOpen gives open components whose result has the shape of their input that shape. One walk finds them all: for that they do nothing.
func (t *translation) shapeOpen(r *reading) {
	if len(t.keeps) == 0 {
		return
	}
	g := r.graph.Clone()
	for i := range g.Components {
		if c := &g.Components[i]; t.keeps[c.ID] && c.Type == openType {
			c.Type, c.Params = "identity", nil
		}
	}
	walk := r.attempt(g)
	for i := range r.graph.Components {
		c, in := &r.graph.Components[i], walk.Nodes[i].In
		if _, given := c.Param("outShape"); given || !t.keeps[c.ID] || c.Type != openType || len(in) == 0 || in[0] == nil {
			continue
		}
		c.SetParam("outShape", graph.IntsValue(in[0]...))
		r.notes.add(c, "its result has the shape of its input")
	}
}

// sizeNorms gives the norms that leave out their size the one that arrives, as far as everything before them runs. One walk finds them all: a norm
// does not change a shape. Those behind what is refused wait for what that means.
func (t *translation) sizeNorms(r *reading) {
	g, open := r.graph.Clone(), map[int]bool{}
	for i := range g.Components {
		c := &g.Components[i]
		if _, given := c.Param(normalized); !given && known(c).Has(catalog.IsNorm) && known(c).Param(normalized) != nil {
			open[i] = true
			c.Type, c.Params = "identity", nil
		}
	}
	if len(open) == 0 {
		return
	}
	walk := r.attempt(g)
	t.walked += len(g.Components)
	unsure := make([]bool, len(walk.Nodes))
	for _, i := range walk.Wiring.Order {
		n := &walk.Nodes[i]
		unsure[i] = n.State == infer.Refused || slices.ContainsFunc(walk.Wiring.Inputs(i), func(j int32) bool { return unsure[j] })
		if open[i] && !unsure[i] && len(n.In) == 1 && n.In[0].Rank() > 0 {
			r.sizeNorm(&r.graph.Components[i], n.In[0])
		}
	}
}

// sizeNorm writes down that a norm is over the features that arrive.
func (r *reading) sizeNorm(c *graph.Component, in catalog.Shape) {
	r.notes.add(c, "%s of %s is left out, and taken from the input", normalized, c.Type)
	c.SetParam(normalized, graph.IntValue(in[len(in)-1]))
}

// improve changes what the walk refused and the format means otherwise, and reports whether it did.
func (r *reading) improve() bool {
	changed := false
	for _, refusal := range r.walk.Refusals {
		changed = r.understand(refusal) || changed
	}
	return changed
}

// understand tries what the format means where PyTorch refuses the words of it.
func (r *reading) understand(refusal infer.Refusal) bool {
	i := refusal.Node
	n := &r.walk.Nodes[i]
	if slices.ContainsFunc(n.In, func(s catalog.Shape) bool { return s == nil }) {
		return false
	}
	switch {
	case refusal.Rule == catalog.MissingParam:
		return r.takeSize(i, refusal)
	case n.Type == nil || len(n.In) == 0:
		return false
	case n.Type.ID == "linear" && len(n.In) == 1:
		return r.poolMap(i)
	case n.Type.ID == "linear":
		return r.joinInputs(i)
	case n.Type.ID == "matmul":
		return r.dotProduct(i)
	case n.Type.ID == "concatenate":
		return r.joinLast(i)
	}
	return false
}

// takeSize takes a size that is left out from the input, where only one fits. A normalisation is over the features.
func (r *reading) takeSize(i int, refusal infer.Refusal) bool {
	n, c := &r.walk.Nodes[i], &r.graph.Components[i]
	if n.Type != nil && n.Type.Has(catalog.IsNorm) && n.Type.Param(normalized) != nil && len(n.In) == 1 && n.In[0].Rank() > 0 {
		if _, given := c.Param(normalized); !given {
			r.sizeNorm(c, n.In[0])
			return true
		}
	}
	for _, e := range refusal.Edits {
		if e.Component != c.ID || e.Inserts() {
			return false
		}
	}
	for _, e := range refusal.Edits {
		if _, given := c.Param(e.Param); given {
			return false
		}
		c.SetParam(e.Param, e.Value)
		r.notes.add(c, "%s of %s is left out, and taken from the input", e.Param, c.Type)
	}
	return len(refusal.Edits) > 0
}

// poolMap reads a linear layer over the channels of a picture as one over their means: the format has no pooling before a head.
func (r *reading) poolMap(i int) bool {
	n := &r.walk.Nodes[i]
	c := &r.graph.Components[i]
	in := n.In[0]
	want, _ := c.Param("inFeatures")
	if in.Rank() != 3 || want.Int() != in[0] || in[2] == in[0] {
		return false
	}
	r.notes.add(c, "a linear layer over channels reads their means: a global average pooling is put before it")
	r.insert(i, graph.Component{Type: "globalAvgPool2d"})
	return true
}

// joinInputs reads a linear layer with several inputs as one over all their features, where those add up to what it takes.
func (r *reading) joinInputs(i int) bool {
	n, c := &r.walk.Nodes[i], &r.graph.Components[i]
	want, _ := c.Param("inFeatures")
	total := int64(0)
	for _, s := range n.In {
		if s.Rank() == 0 || s.Rank() != n.In[0].Rank() {
			return false
		}
		total += s[len(s)-1]
	}
	if total != want.Int() {
		return false
	}
	r.notes.add(c, "a linear layer with %d inputs reads their features one behind the other: a concatenation is put before it", len(n.In))
	r.insert(i, graph.Component{Type: "concatenate", Params: []graph.Param{setInt("dim", -1)}})
	return true
}

// dotProduct reads the product of two vectors as the sum over their products, element by element.
func (r *reading) dotProduct(i int) bool {
	n, c := &r.walk.Nodes[i], &r.graph.Components[i]
	if len(n.In) != 2 || !slices.Equal(n.In[0], n.In[1]) || n.In[0].Rank() < 1 || n.In[0].Rank() > 2 || n.In[0].Rank() == 2 && n.In[0][0] != 1 {
		return false
	}
	r.notes.add(c, "matmul of two vectors is their dot product")
	r.insert(i, graph.Component{Type: "multiply"})
	c = &r.graph.Components[i]
	c.Type, c.Params = "sum", []graph.Param{setInt("dim", -1)}
	return true
}

// joinLast reads a concatenation that names no axis as one of features, where only the last axis differs.
func (r *reading) joinLast(i int) bool {
	n, c := &r.walk.Nodes[i], &r.graph.Components[i]
	if _, given := c.Param("dim"); given {
		return false
	}
	for _, s := range n.In {
		if s.Rank() < 2 || s.Rank() != n.In[0].Rank() || !slices.Equal(s[:len(s)-1], n.In[0][:len(s)-1]) {
			return false
		}
	}
	r.notes.add(c, "a concatenation that names no axis joins features: only the last axis differs")
	c.SetParam("dim", graph.IntValue(-1))
	return true
}

// reshapes leaves the batch out of the sizes of reshapes, in a file whose inputs have it.
func (r *reading) reshapes() {
	for i := range r.graph.Components {
		c := &r.graph.Components[i]
		v, _ := c.Param("shape")
		shape, ok := sizes(v)
		if c.Type != "reshape" || !ok || len(shape) < 2 || shape[0] != 1 {
			continue
		}
		r.notes.add(c, "%s: the shape is %v", batchFirst, catalog.Shape(shape[1:]))
		c.SetParam("shape", graph.IntsValue(shape[1:]...))
	}
}
