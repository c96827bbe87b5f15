package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// PyTorch runs on tensors without elements, and programs begin lists and sums with them. A graph has none: cat passes over them here, and
// what else is done with them is not followed.

// empty reports whether a tensor has no elements.
func (t *Tensor) empty() bool { return slices.Contains(t.shape, 0) }

// without is a tensor with an axis that has no entries.
func (r *reader) without(t *Tensor, axis int) *Tensor {
	c := t.clone()
	c.node, c.shape = -1, slices.Clone(t.shape)
	c.shape[t.axis(axis)] = 0
	return c
}

// mayBeEmpty are the types whose sizes may be 0 in PyTorch, which the catalogue does not have.
var mayBeEmpty = []string{"linear", "embedding", "embeddingBag", "layerNorm", "rmsNorm", "slice", "split", "repeat", "expand",
	"adaptiveAvgPool1d", "adaptiveAvgPool2d", "adaptiveAvgPool3d", "adaptiveMaxPool1d", "adaptiveMaxPool2d", "adaptiveMaxPool3d"}

// withElements gives up where a component would take or give a tensor without elements.
func (r *reader) withElements(typ string, params []graph.Param, inputs []*Tensor) {
	for _, t := range inputs {
		if t.empty() {
			r.in.Fault("%s of a tensor without elements is not followed", typ)
		}
	}
	if !slices.Contains(mayBeEmpty, typ) {
		return
	}
	for _, p := range params {
		if p.Name == "dim" || p.Name == "start" || p.Name == "index" || p.Name == "paddingIdx" {
			continue
		}
		if p.Value.Kind() == graph.Int && p.Value.Int() == 0 && p.Name != "end" {
			r.in.Fault("%s gives a tensor without elements, which is not followed", typ)
		}
		if p.Value.Kind() == graph.List && slices.ContainsFunc(p.Value.List(), func(v graph.Value) bool { return v.Kind() == graph.Int && v.Int() == 0 }) {
			r.in.Fault("%s gives a tensor without elements, which is not followed", typ)
		}
	}
}

// solid leaves out the tensors that cat passes over: those without elements, of which one of a single axis may have any rank beside it.
func (r *reader) solid(tensors []*Tensor, dim interp.Value) []*Tensor {
	out := slices.DeleteFunc(slices.Clone(tensors), (*Tensor).empty)
	if len(out) == len(tensors) || len(out) == 0 {
		return tensors
	}
	for _, t := range tensors {
		if !t.empty() || t.rank() == 1 && t.batch < 0 {
			continue
		}
		if t.rank() != out[0].rank() {
			r.in.Raise("RuntimeError", "Tensors must have same number of dimensions: got %d and %d", t.rank(), out[0].rank())
		}
		at := r.dim(dim, t.rank())
		for i := range t.rank() {
			a, fixed := t.size(i).(int64)
			b, alsoFixed := out[0].size(i).(int64)
			if i != at && fixed && alsoFixed && a != b {
				r.in.Raise("RuntimeError", "Sizes of tensors must match except in dimension %d. Expected size %d but got size %d", at, a, b)
			}
		}
	}
	return out
}
