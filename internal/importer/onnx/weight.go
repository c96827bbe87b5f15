package onnx

import (
	"slices"
	"strings"
	"unicode"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// use is a tensor that a component is trained in. Exporters store equal tensors once: norms and biases that share one are
// counted for every use, matrices once, since only those are tied on purpose.
type use struct {
	t      *tensor
	key    string
	size   int64
	perUse bool
}

// reads counts the parts of a constant that a node goes over, and reports whether there is room for them. The first is free: nearly every
// constant has one.
func (e *emitter) reads(n *node, v *value) bool {
	if e.over == nil && len(v.parts) > 1 {
		e.over = e.im.tracks(n, len(v.parts)-1)
	}
	return e.over == nil // with what is missing then, the node is refused
}

// weights are the uses of a kernel or a table.
func (e *emitter) weights(n *node, v *value) []use { return e.addWeights([]use{}, n, v) }

// addWeights adds the uses of a kernel or a table to others.
func (e *emitter) addWeights(out []use, n *node, v *value) []use {
	if !e.reads(n, v) {
		return out
	}
	before := len(out)
	for _, p := range v.parts {
		out = append(out, use{p.t, p.key, p.size, false})
	}
	if len(out) == before && v.konst && v.elem.isFloat() { // computed from nothing that is stored
		out = append(out, use{&tensor{name: v.name}, "computed " + v.name, v.size(), false})
	}
	return out
}

// vector are the uses of a bias, or of a scale or shift of a normalisation. It is none of them where the exporter wrote the
// neutral value for one that the module does not have.
func (e *emitter) vector(n *node, v *value, neutral float64) []use {
	if v == nil || !v.konst || !e.reads(n, v) {
		return nil
	}
	made := v.isLiteral() || slices.ContainsFunc(v.parts, func(p part) bool { return exporterMade(p.t.name) })
	if made && e.im.allEqual(v, neutral) {
		return nil
	}
	out := e.weights(n, v)
	for i := range out {
		out[i].perUse = true
	}
	return out
}

// allEqual reports whether a small constant has one value everywhere.
func (im *reading) allEqual(v *value, want float64) bool {
	num, err := im.numbers(v)
	if err != nil || num == nil || num.len() == 0 {
		return false
	}
	if num.alike == nil {
		alike := true
		for i := range num.len() {
			alike = alike && num.float(i) == num.float(0)
		}
		num.alike = &alike
	}
	return *num.alike && num.float(0) == want
}

// everything are the uses of an operator that no type stands for: the parameters that it reads, and of one that is not known
// every stored float tensor.
func (e *emitter) everything(n *node) []use {
	_, known := operators[n.op]
	most := 0
	for _, list := range [][]*value{n.in, n.outer} {
		for _, v := range list {
			if v != nil {
				most = min(most+len(v.parts), maxTracked)
			}
		}
	}
	out := make([]use, 0, most)
	matrices := map[*value]bool{} // each once: they are counted once
	for _, v := range slices.Concat(n.in, n.outer) {
		if v == nil || !v.konst || !v.elem.isFloat() || v.isLiteral() || v.size() < 2 || matrices[v] || known && !e.isTrained(v) {
			continue
		}
		if v.rank() >= 2 {
			matrices[v] = true
		}
		first := len(out)
		out = e.addWeights(out, n, v)
		for i := first; i < len(out); i++ {
			out[i].perUse = v.rank() < 2
		}
	}
	for _, a := range n.attrs {
		if a.g == nil {
			continue
		}
		if e.over == nil {
			e.over = e.im.tracks(n, len(a.g.initializers))
		}
		for _, t := range a.g.initializers {
			if t.elem.isFloat() && t.size > 1 {
				out = append(out, use{t, t.name, t.size, len(t.dims) < 2})
			}
		}
	}
	return out
}

// count returns how many parameters a component adds to those counted before, and how many it has with those. One whose
// matrix belongs to another component is tied to it, where its type can be.
func (e *emitter) count(c *component, t *catalog.Type, uses []use) (want, all int64, err error) {
	want, shared := e.owed(uses)
	all = want
	if len(shared) == 0 {
		return want, all, nil
	}
	partner := e.claimed[shared[0].key]
	other := &e.comps[partner]
	if other.typ == t.ID && other.sameAs < 0 && sameKeys(uses, other.uses) {
		c.sameAs, other.shared = partner, true
		return 0, sum(uses), nil
	}
	if len(shared) > 1 || t.Param("tiedTo") == nil || catalog.Lookup(other.typ).Param("tiedTo") == nil {
		return 0, 0, refused{"it shares its weight with " + other.name + ", to which a " + t.ID + " cannot be tied"}
	}
	c.tiedTo, other.shared = partner, true
	return want, want + shared[0].size, nil
}

// sameKeys reports whether two components are trained in the same tensors: they are then one module, called twice.
func sameKeys(a, b []use) bool {
	return slices.EqualFunc(a, b, func(x, y use) bool { return x.key == y.key })
}

func sum(uses []use) int64 {
	n, _ := quantity.Add(sizes(uses)...)
	return n
}

// owed counts the uses that are not counted yet, and lists those that are.
func (e *emitter) owed(uses []use) (want int64, shared []use) {
	seen := map[string]bool{}
	for _, u := range uses {
		if _, ok := e.claimed[u.key]; ok && !u.perUse {
			shared = append(shared, u)
			continue
		}
		if !u.perUse && seen[u.key] {
			continue
		}
		seen[u.key] = true
		if n, ok := quantity.Add(want, u.size); ok {
			want = n
		}
	}
	return want, shared
}

func (e *emitter) claim(uses []use, component int) {
	for _, u := range uses {
		if _, ok := e.claimed[u.key]; !ok && !u.perUse {
			e.claimed[u.key] = component
			e.undo = append(e.undo, func() { delete(e.claimed, u.key) })
		}
	}
}

// made are names that the dynamo exporter gives to the results of operations; behind one may be a number.
var made = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`val _val arange full ones zeros expand slice add sub mul div where view unsqueeze squeeze reshape transpose permute cat clone
		select index pow sin cos exp rsub tril triu masked_fill to _to_copy repeat stack outer einsum eq lt gt le ge lifted_tensor c_lifted_tensor _tensor_constant
		tensor_constant scalar_tensor scalar_tensor_default full_default constant t`) {
		made[name] = true
	}
}

// exporterMade reports whether a name was made up by an exporter, and is not that of a parameter or buffer of the model.
func exporterMade(name string) bool {
	if strings.HasPrefix(name, "onnx::") || strings.Contains(name, "Constant") || strings.Contains(name, "_output_") || strings.HasSuffix(name, "_cast") {
		return true
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	stem := strings.TrimRightFunc(name, unicode.IsDigit)
	return stem == "" && name != "" || made[strings.TrimSuffix(stem, "_")] || made[stem]
}

// notTrained are the last parts of the names of buffers that models are known to keep.
var notTrained = map[string]bool{"running_mean": true, "running_var": true, "num_batches_tracked": true, "inv_freq": true, "position_ids": true, "token_type_ids": true,
	"relative_position_index": true, "relative_coords_table": true, "mask": true, "attn_mask": true, "causal_mask": true, "original_inv_freq": true}

// isTrained decides whether a constant that is added, multiplied or joined is a parameter of the model: it is stored under
// a name of the model's own, and neither a mask nor a table of sines.
func (e *emitter) isTrained(v *value) bool {
	return v.trained.asked(func() bool {
		return v.konst && v.elem.isFloat() && slices.ContainsFunc(v.parts, func(p part) bool {
			last := p.t.name[strings.LastIndexByte(p.t.name, '.')+1:]
			return !p.t.literal && p.t.elem.isFloat() && !exporterMade(p.t.name) && !notTrained[last] && !e.isSinusoid(p.t)
		})
	})
}

// isSinusoid reports whether the first row of a table is that of sines and cosines at position 0: zeros and ones, one after
// the other or in two halves.
func (e *emitter) isSinusoid(t *tensor) bool {
	if t.sines == nil {
		sines := e.readsSinusoid(t)
		t.sines = &sines
	}
	return *t.sines
}

func (e *emitter) readsSinusoid(t *tensor) bool {
	if len(t.dims) < 2 {
		return false
	}
	width := t.dims[len(t.dims)-1]
	if width < 2 || width%2 != 0 || width > 1<<14 {
		return false
	}
	num, err := e.im.load(t, width)
	if err != nil || num == nil || num.floats == nil || int64(len(num.floats)) < width {
		return false
	}
	woven, halves := true, true
	for i, v := range num.floats {
		woven = woven && v == float64(i%2)
		halves = halves && v == float64(2*i/len(num.floats))
	}
	return woven || halves
}
