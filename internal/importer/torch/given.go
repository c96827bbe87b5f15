package torch

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// give makes the arguments of forward, and an input of the graph for each tensor among them.
func (r *reader) give(opt Options) *interp.Args {
	if r.batch = batchOf(opt.Inputs); opt.batch > 0 {
		r.batch, r.pinned = opt.batch, true
	}
	tensors := tensorsIn(opt.Inputs)
	r.unbatched = len(tensors) > 0 && !slices.ContainsFunc(tensors, func(in Input) bool { return !in.Unbatched })
	args := &interp.Args{}
	for _, in := range opt.Inputs {
		v := r.given(in)
		if in.Name != "" {
			args.Kw = append(args.Kw, interp.KV{Name: in.Name, Value: v})
		} else {
			args.Pos = append(args.Pos, v)
		}
	}
	return args
}

func (r *reader) given(in Input) interp.Value {
	switch {
	case in.Kind == "dict":
		d := interp.NewDict()
		for _, item := range in.Items {
			d.Set(item.Name, r.given(item))
		}
		return d
	case in.Kind != "":
		items := make([]interp.Value, len(in.Items))
		for i, item := range in.Items {
			items[i] = r.given(item)
		}
		if in.Kind == "tuple" {
			return interp.NewTuple(items...)
		}
		return interp.NewList(items...)
	case in.Literal != "":
		v, ok := literalValue(in.Literal)
		if !ok {
			r.in.Fault("%q is no number, string, True, False or None", in.Literal)
		}
		return v
	}
	return r.givenTensor(in)
}

// givenTensor makes an input of the graph. One that was given with another number of entries in front than the first has no batch.
func (r *reader) givenTensor(in Input) *Tensor {
	t := &Tensor{r: r, node: -1, shape: append(catalog.Of(), in.Shape...), batch: in.At, isInt: in.isInt(), contiguous: true}
	switch {
	case in.Unbatched:
		t.batch, t.joint = -1, true
	case in.Batch > 0 && in.Batch != r.batch:
		t.batch, t.joint, t.shape = -1, true, append(catalog.Of(in.Batch), in.Shape...)
		r.in.Note("an input with %d entries in front, where another has %d, is taken to have no batch", in.Batch, r.batch)
	}
	params := []graph.Param{param("shape", t.shape)}
	if in.DType != "" && in.DType != "float64" && in.DType != "bool" { // which a graph has no word for
		params = append(params, param("dtype", in.DType))
	}
	id := "input"
	if n := len(r.inputs); n > 0 {
		id = fmt.Sprintf("input%d", n+1)
	}
	t.node = r.component("input", id, params, nil)
	r.ints[t.node] = t.isInt
	r.inputs = append(r.inputs, t)
	return t
}
