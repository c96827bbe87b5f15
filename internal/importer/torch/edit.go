package torch

import (
	"errors"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Edit sets a parameter of a component, as the finding of a check does, or flattens what a layer is given.
type Edit struct {
	Component string
	Param     string
	Value     graph.Value
	Flatten   string // the layer whose input is flattened; the rest is empty then
}

// ErrNotLayer is an edit of a component that is no layer of torch.nn which the source constructs.
var ErrNotLayer = errors.New("the component is no layer that the source constructs")

// edit makes layers as if the constructor had been given other arguments.
func (r *reader) edit(root *interp.Instance, edits []Edit) error {
	for _, e := range edits {
		if e.Flatten != "" && r.flattenBefore(root, e.Flatten) {
			continue
		}
		if !r.editOne(root, e) {
			return ErrNotLayer
		}
	}
	return nil
}

// flattenBefore has every call of a layer flatten its input first, as nn.Flatten() in front of it would.
func (r *reader) flattenBefore(root *interp.Instance, name string) bool {
	for _, m := range r.modules(root) {
		if m.name == name {
			if r.flattens == nil {
				r.flattens = map[*interp.Instance]bool{}
			}
			r.flattens[m.value.(*interp.Instance)] = true
			return true
		}
	}
	return false
}

// flattened are the arguments of a call of a layer whose input is to be flattened.
func (r *reader) flattened(a *interp.Args) *interp.Args {
	t, ok := (*Tensor)(nil), false
	if len(a.Pos) > 0 {
		t, ok = a.Pos[0].(*Tensor)
	}
	if !ok || t.rank() < 3 {
		return a
	}
	out := *a
	out.Pos = append([]interp.Value{r.flatten(t, 1, t.rank()-1)}, a.Pos[1:]...)
	return &out
}

func (r *reader) editOne(root *interp.Instance, e Edit) bool {
	for _, m := range r.modules(root) {
		x := m.value.(*interp.Instance)
		if m.name != e.Component {
			continue
		}
		for i := range layers {
			if l := &layers[i]; l.class == x.Class.Name && e.Value.Kind() == graph.Int {
				return r.remake(l, x, e)
			}
		}
	}
	return false
}

// remake gives a layer another argument, and the weights that follow from it.
func (r *reader) remake(l *layer, x *interp.Instance, e Edit) bool {
	sig := parseArgs(l.args)
	for _, n := range sig.names {
		if camel(n) != e.Param {
			continue
		}
		if bias, has := x.Get("bias"); has { // which holds the weight by now
			x.Set("bias", bias != nil && bias != false)
		}
		x.Set(n, e.Value.Int())
		r.spread(l, x)
		if l.weights != nil {
			for _, w := range l.weights(r, x) {
				r.setWeight(x, w)
			}
		}
		return true
	}
	return false
}
