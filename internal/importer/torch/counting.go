package torch

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/infer"
)

// Every weight that the constructor registered is in the graph once, and no other: those of components that use them, those that the
// forward did not come to, and those that it never uses. A part that is not known stands in the graph without a number of weights, so that
// every count says that it lacks it.

// unread is a part of a module that is not known.
type unread struct {
	path string
	why  *interp.Unknown
}

// registered reports whether parameters() of the model has a weight.
func (r *reader) registered(p *Param) bool { return r.weights == nil || r.weights[p] }

// unreadParts finds the attributes of modules that are unknown and may hold weights, and the modules that a call which was not followed may
// have changed.
func (r *reader) unreadParts(root *interp.Instance) []unread {
	var out []unread
	for _, m := range r.modules(root) {
		x := m.value.(*interp.Instance)
		if u := r.in.Exposed(x); u != nil {
			out = append(out, unread{join(m.name, x.Class.Name), u})
		}
		for _, n := range x.Names() {
			v, _ := x.Get(n)
			if u, ok := v.(*interp.Unknown); ok && !u.Harmless {
				out = append(out, unread{join(m.name, n), u})
			}
		}
	}
	return out
}

// lack puts the parts that are not known into the graph, without their weights.
func (r *reader) lack(parts []unread) []string {
	r.scopes = nil
	var ids []string
	for _, p := range parts {
		id := r.unique(p.path)
		ids = append(ids, id)
		r.beside(graph.Component{ID: id, Type: "customModule", Name: id, Params: []graph.Param{param("unread", p.why.Reason())}}, interp.Place{File: p.why.File, Line: p.why.Line})
	}
	return ids
}

// beside hangs a component that nothing reads on the first input.
func (r *reader) beside(c graph.Component, at interp.Place) {
	if len(r.graph.Components) > 0 {
		r.graph.Connections = append(r.graph.Connections, graph.Connection{From: r.graph.Components[0].ID, To: c.ID})
	}
	r.add(c, at)
}

// unusedParts puts the weights that no component has beside the graph: one tensor for each module none of whose weights is used.
func (r *reader) unusedParts(x *interp.Instance, path string, seen map[*interp.Instance]bool) {
	if seen[x] {
		return
	}
	seen[x] = true
	free, used := int64(0), false
	all := r.parameters(x)
	for _, w := range all {
		t := w.value.(*Tensor)
		if t.param.counted {
			used = true
		} else if r.registered(t.param) {
			free += t.shape.Size()
		}
	}
	switch {
	case free == 0:
		return
	case path != "" && !used:
		for _, w := range all {
			w.value.(*Tensor).param.counted = true
		}
		r.besideTensor(path, catalog.Of(free), x.Made)
		return
	}
	for _, w := range r.own(x) {
		if t := w.value.(*Tensor); !t.param.counted && r.registered(t.param) && t.shape.Size() > 0 {
			t.param.counted = true
			r.besideTensor(join(path, w.name), t.shape, x.Made)
		}
	}
	for _, c := range r.children(x) {
		r.unusedParts(c.value.(*interp.Instance), join(path, c.name), seen)
	}
}

func (r *reader) besideTensor(path string, shape catalog.Shape, at interp.Place) {
	r.scopes = nil
	id := r.unique(path)
	r.beside(graph.Component{ID: id, Type: "parameter", Name: id, Params: []graph.Param{param("shape", shape)}}, at)
}

// settle holds the count of the graph against that of the module. Where they differ nothing is claimed: a component without a number of
// weights says so.
func (r *reader) settle(out *Model) {
	walked := infer.Walk(out.Graph)
	if out.Params < 0 || len(walked.ParamsWithheld()) > 0 || walked.Params == out.Params {
		return
	}
	why := fmt.Sprintf("the graph has %d parameters, but the module has %d", walked.Params, out.Params)
	out.Status = Partly
	out.Problems = append(out.Problems, Problem{Message: why})
	out.Withheld = append(out.Withheld, r.lack([]unread{{"uncounted", &interp.Unknown{Why: why}}})...)
	out.Lines, out.Calls = r.lines, r.calls
}

// sizeOf is the number of weights.
func sizeOf(weights []child) int64 {
	n := int64(0)
	for _, w := range weights {
		n += w.value.(*Tensor).shape.Size()
	}
	return n
}

// strange reports whether some of the weights are not registered, and says so.
func (r *reader) strange(typ string, weights []child) bool {
	for _, w := range weights {
		if t := w.value.(*Tensor); !r.registered(t.param) && t.shape.Size() > 0 {
			r.in.Note("the weights of this %s are in no registry of the model, as those of a layer in a list or made in the forward are: "+
				"parameters() does not have them, and they are not counted", typ)
			return true
		}
	}
	return false
}

// holding is a component of declared shape that has the weights which nobody has yet.
func (r *reader) holding(typ, code string, shape catalog.Shape, flops int64, weights []child, inputs []*Tensor) *Tensor {
	count := int64(0)
	for _, w := range weights {
		if p := w.value.(*Tensor).param; !p.counted && r.registered(p) {
			count += w.value.(*Tensor).shape.Size()
		}
	}
	params := []graph.Param{param("outShape", shape), param("code", code), param("numParams", count), param("flops", flops)}
	out := inputs[0].clone()
	out.node = r.component("customModule", r.leafName(typ), params, inputs)
	out.shape, out.isInt = shape, false
	r.customs++
	book(weights, out.node)
	return out
}
