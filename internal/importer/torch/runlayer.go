package torch

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// runLayer puts the component of a module behind its inputs.
func (r *reader) runLayer(l *layer, sig *signature, x *interp.Instance, inputs []*Tensor) interp.Value {
	params := r.layerParams(l, sig, x)
	t := inputs[0]
	if ranks := normRanks[l.class]; ranks != nil && !slices.Contains(ranks, t.rank()) && !(t.constant() && len(r.inputs) == 0) {
		r.in.Raise("ValueError", "%s: expected %s input (got %dD input of %s)", l.class, rankNames[l.class], t.rank(), r.describe(t))
	}
	switch {
	case l.typ == "identity":
		return t
	case l.typ == "embedding" && t.constant():
		return r.lookupConstant(x, t)
	}
	if v, ok := x.Get("return_indices"); ok && r.in.Truth(v) {
		return r.poolWithIndices(l, params, inputs)
	}
	return r.runOwn(l, sig, params, x, inputs)
}

// attach puts a component with weights behind its inputs. A folded or moved batch is brought into a form that the component takes.
func (r *reader) attach(typ string, spatial int, params []graph.Param, weights []child, inputs []*Tensor) *Tensor {
	if inputs[0].constant() && len(r.inputs) == 0 {
		return r.rehearse(typ, spatial, params, inputs[0])
	}
	if inputs[0].ofAll() {
		return r.attachJoint(typ, spatial, params, weights, inputs)
	}
	if spatial == 0 {
		if r.trailing(typ, params, inputs[0]) {
			all := r.whole(inputs[0], typ+" works on the batch axis")
			return r.attach(typ, spatial, params, weights, append([]*Tensor{all}, inputs[1:]...))
		}
		return r.weighted(typ, params, weights, inputs, nil)
	}
	t := inputs[0]
	if t.batch < 0 && len(t.shape) > 0 && !t.constant() {
		return r.attachWeight(typ, params, weights, inputs)
	}
	if t.batch < 0 && t.constant() {
		res := r.evaluate(typ, params, []*Tensor{{shape: t.shape[min(1, len(t.shape)):], isInt: t.isInt}})
		if res.Err == nil && len(weights) == 0 && len(t.shape) > 0 {
			return &Tensor{r: r, node: -1, shape: append(catalog.Of(t.shape[0]), res.Out...), batch: -1}
		}
	}
	if t.batch != 0 {
		all := r.whole(t, typ+" gets a tensor whose first axis is not the batch")
		return r.attach(typ, spatial, params, weights, append([]*Tensor{all}, inputs[1:]...))
	}
	if t.plain() {
		return r.weighted(typ, params, weights, inputs, nil)
	}
	// The batch has axes folded in: the component runs on what is behind them, as often as they say.
	inner := *t
	inner.shape, inner.pre, inner.post = t.shape[t.pre+t.post:], 0, 0
	return r.weighted(typ, params, weights, inputs, &inner)
}

// attachWeight runs a layer on what was computed of weights alone, such as a learned table of positions: its first axis stands where the
// batch would, and what comes out has no batch, either. It runs once with every call, as PyTorch counts it for one sample.
func (r *reader) attachWeight(typ string, params []graph.Param, weights []child, inputs []*Tensor) *Tensor {
	t := *inputs[0]
	t.node = r.place(inputs[0])
	t.param, t.data = nil, nil
	if t.shape[0] == 1 {
		one := r.reshapeGraph(&t, t.shape[1:])
		one.batch = 0
		out := r.weighted(typ, params, weights, append([]*Tensor{one}, inputs[1:]...), nil)
		out.batch, out.joint = -1, inputs[0].joint
		return r.unsqueeze(out, 0)
	}
	t.batch, t.pre, t.post = 0, 0, 1
	inner := t
	inner.shape, inner.pre, inner.post = t.shape[1:], 0, 0
	out := r.weighted(typ, params, weights, append([]*Tensor{&t}, inputs[1:]...), &inner)
	out.batch, out.pre, out.post, out.joint = -1, 0, 0, inputs[0].joint
	return out
}

// rehearse runs a layer on a constant while the model is being built: programs do that to learn the size of what comes out.
func (r *reader) rehearse(typ string, spatial int, params []graph.Param, t *Tensor) *Tensor {
	lead := catalog.Of()
	shape := t.shape
	if spatial != 0 && len(shape) > 0 {
		lead, shape = shape[:1], shape[1:]
	}
	res := r.evaluate(typ, params, []*Tensor{{shape: shape, isInt: t.isInt}})
	if res.Err != nil || res.Out == nil {
		r.in.Fault("%s is given a constant of %s while the model is built, and does not say what comes out", typ, r.describe(t))
	}
	return &Tensor{r: r, node: -1, shape: append(slices.Clone(lead), res.Out...), isInt: res.OutIsInt, batch: -1}
}

// trailing reports whether a layer over the last axes has the batch among them.
func (r *reader) trailing(typ string, params []graph.Param, t *Tensor) bool {
	n := 0
	switch typ {
	case "linear", "bilinear":
		n = 1
	case "layerNorm", "rmsNorm":
		n = 1
		for _, p := range params {
			if p.Name == "normalizedShape" {
				n = max(1, len(p.Value.List()))
			}
		}
	}
	return t.batch >= 0 && t.batch >= t.rank()-n && n > 0
}

// weighted emits a component and books its weights. Weights that another component has are not counted again.
func (r *reader) weighted(typ string, params []graph.Param, weights []child, inputs []*Tensor, inner *Tensor) *Tensor {
	over := inputs
	if inner != nil {
		over = append([]*Tensor{inner}, inputs[1:]...)
	}
	r.fitsWeight(typ, inputs[0], weights)
	taken := -1
	for _, w := range weights {
		if p := w.value.(*Tensor).param; p.counted {
			taken = p.owner
		}
	}
	if taken >= 0 {
		return r.shared(typ, params, weights, inputs, over, inner, taken)
	}
	if inner != nil {
		out := r.folded(typ, params, weights, inputs, over, inner)
		book(weights, out.node)
		return out
	}
	if len(weights) > 0 {
		for _, t := range inputs {
			r.place(t)
		}
		res := r.evaluate(typ, params, inputs)
		if r.strange(typ, weights) && res.Err == nil {
			return r.holding(typ, typ+" whose weights are not registered", res.Out, res.FLOPs, weights, inputs)
		}
		if res.Err == nil && r.misread(typ, params, inputs) {
			return r.holding(typ, typ, res.Out, res.FLOPs, weights, inputs)
		}
		if res.Err == nil && res.Count != sizeOf(weights) {
			r.in.Fault("this %s has %d weights where it was made with %d: a part of it was replaced", typ, sizeOf(weights), res.Count)
		}
	}
	book(weights, len(r.graph.Components)) // first: where the component does not run, its weights are in the graph all the same
	return r.apply(typ, r.leafName(typ), params, inputs...)
}

// leafName is the name of a component of a module: nothing, where the path of the module is name enough.
func (r *reader) leafName(typ string) string {
	if r.leaf() {
		return ""
	}
	return typ
}

// leaf reports whether the module that is running is one of torch.nn itself.
func (r *reader) leaf() bool { return r.scope() != "" && r.leaves[r.scope()] }

// folded runs a component on each entry of a folded batch: a component of declared shape stands for it.
func (r *reader) folded(typ string, params []graph.Param, weights []child, inputs, over []*Tensor, inner *Tensor) *Tensor {
	res := r.evaluate(typ, params, over)
	if res.Err != nil || res.Out == nil {
		message := "does not say what comes out"
		if res.Err != nil {
			message = res.Err.Message
		}
		r.refuse(inputs[0], typ, message)
	}
	t := inputs[0]
	out := t.clone()
	out.shape = append(append(catalog.Of(), t.shape[:t.pre+t.post]...), res.Out...)
	out.isInt = res.OutIsInt
	given := []graph.Param{param("outShape", out.shape), param("code", "each of the "+index(int(t.folded()))+" entries: "+typ)}
	count := sizeOf(weights)
	if r.strange(typ, weights) {
		count = 0
	}
	given = append(given, param("numParams", count), param("flops", res.FLOPs*t.folded()))
	out.node = r.component("customModule", r.leafName(typ), given, inputs)
	out.laidOut(typ, inputs)
	r.customs++
	return out
}

// again reports whether weights are all those of one component of the type: its module is called once more.
func (r *reader) again(typ string, weights []child, owner int) bool {
	for _, w := range weights {
		if p := w.value.(*Tensor).param; !p.counted || p.owner != owner {
			return false
		}
	}
	return r.graph.Components[owner].Type == typ
}

// shared is the second use of weights. A module that is called again names its first call, and a linear layer or an embedding can say
// whose weight it uses; any other layer becomes a component of declared shape that has no weights of its own.
func (r *reader) shared(typ string, params []graph.Param, weights []child, inputs, over []*Tensor, inner *Tensor, owner int) *Tensor {
	if inner == nil && r.again(typ, weights, owner) {
		return r.apply(typ, r.leafName(typ), append(params, param("sameAs", r.graph.Components[owner].ID)), inputs...)
	}
	free := 0 // weights that nobody has yet
	var tied *Param
	for _, w := range weights {
		switch p := w.value.(*Tensor).param; {
		case !p.counted:
			free++
		case w.name == "weight":
			tied = p
		default:
			tied = nil
			free = 1 << 20 // a bias that is counted already
		}
	}
	if inner == nil && tied != nil && free < 1<<20 && catalog.Lookup(typ).Param("tiedTo") != nil {
		params = append(params, param("tiedTo", r.graph.Components[tied.owner].ID))
		for _, t := range inputs {
			r.place(t)
		}
		book(weights, len(r.graph.Components))
		return r.apply(typ, r.leafName(typ), params, inputs...)
	}
	res := r.evaluate(typ, params, over)
	if res.Err != nil || res.Out == nil {
		if res.Err == nil {
			r.refuse(inputs[0], typ, "does not say what comes out")
		}
		r.refuse(inputs[0], typ, res.Err.Message)
	}
	t := inputs[0]
	out := t.clone()
	out.shape, out.isInt = res.Out, res.OutIsInt
	if inner != nil {
		out.shape = append(append(catalog.Of(), t.shape[:t.pre+t.post]...), res.Out...)
	}
	flops := res.FLOPs
	if inner != nil {
		flops *= t.folded()
	}
	made := r.holding(typ, typ+" with the weights of "+r.graph.Components[owner].ID, out.shape, flops, weights, inputs)
	made.isInt = res.OutIsInt
	return made
}

// book notes which component counts weights that nobody counted yet.
func book(weights []child, node int) {
	for _, w := range weights {
		if p := w.value.(*Tensor).param; !p.counted {
			p.counted, p.owner = true, node
		}
	}
}

// lookupConstant is an embedding of constant indices: rows of its weight. Indices that count up from a first one are a slice.
func (r *reader) lookupConstant(x *interp.Instance, t *Tensor) interp.Value {
	v, _ := x.Get("weight")
	w, ok := v.(*Tensor)
	if !ok {
		r.in.Fault("an embedding has no weight")
	}
	return r.rows(w, t)
}

// normRanks are the numbers of axes that batch normalisation takes.
var normRanks = map[string][]int{"BatchNorm1d": {2, 3}, "BatchNorm2d": {4}, "BatchNorm3d": {5}}

var rankNames = map[string]string{"BatchNorm1d": "2D or 3D", "BatchNorm2d": "4D", "BatchNorm3d": "5D"}

// rows takes rows of a weight by constant indices.
func (r *reader) rows(w, indices *Tensor) *Tensor {
	for _, v := range indices.data {
		if v < 0 || v >= float64(w.shape[0]) {
			r.in.Raise("IndexError", "index out of range in self: %d in a table of %d rows", int64(v), w.shape[0])
		}
	}
	r.place(w)
	out := append(append(catalog.Of(), indices.shape...), w.shape[1:]...)
	plainWeight := &Tensor{r: r, node: r.place(w), shape: w.shape, batch: -1}
	n := indices.shape.Size()
	if first, ok := countsUp(indices); ok && n <= w.shape[0] {
		s := plainWeight
		if n < w.shape[0] {
			s = r.apply("slice", "slice", []graph.Param{param("dim", 1), param("start", first), param("end", first+n)}, plainWeight)
		}
		return r.reshapeGraph(s, out)
	}
	return r.custom("gather", out, 0, plainWeight)
}

// countsUp reports whether indices are first, first+1, …
func countsUp(t *Tensor) (int64, bool) {
	if len(t.data) == 0 || int64(len(t.data)) != t.shape.Size() {
		return 0, false
	}
	for i, v := range t.data {
		if v != t.data[0]+float64(i) {
			return 0, false
		}
	}
	return int64(t.data[0]), t.data[0] >= 0
}

// isLeafClass reports whether a class is one of torch.nn's own layers or derives from one without a forward of its own.
func (r *reader) isLeafClass(c *interp.Class) bool {
	f, ok := c.Lookup("forward")
	if !ok {
		return false
	}
	_, native := f.(*interp.Builtin)
	return native && !c.Is(r.sequentialClass) && !strings.HasSuffix(c.Name, "List") && !strings.HasSuffix(c.Name, "Dict")
}
