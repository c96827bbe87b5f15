package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// joiningFunctions adds the functions of torch that take several tensors and join them, or bring them to one shape.
func (r *reader) joiningFunctions(torch *interp.Module) {
	for name, axis := range map[string]int64{"vstack": 0, "hstack": 1, "dstack": 2, "row_stack": 0, "column_stack": 1} {
		setDefault(torch, name, func(in *interp.Interp, a *interp.Args) interp.Value { return r.stackAlong(name, axis, a) })
	}
	setDefault(torch, "cartesian_prod", r.cartesianProd)
	setDefault(torch, "broadcast_tensors", r.broadcastTensors)
}

// stackAlong is torch.vstack and the like: vectors get the axes that are missing first.
func (r *reader) stackAlong(name string, axis int64, a *interp.Args) interp.Value {
	list := r.tensors(name, a.Pos[0])
	at := axis
	for i, t := range list {
		switch {
		case t.rank() < 2 && axis == 1 && name == "hstack":
			at = 0
		case t.rank() < 2 && name == "column_stack":
			list[i] = r.unsqueeze(t, 1)
		case t.rank() < 2:
			list[i] = r.unsqueeze(t, 0)
		}
		if axis == 2 && list[i].rank() < 3 {
			list[i] = r.unsqueeze(list[i], 2)
		}
	}
	return r.concat(list, at)
}

// cartesianProd is torch.cartesian_prod.
func (r *reader) cartesianProd(in *interp.Interp, a *interp.Args) interp.Value {
	n := interp.Value(int64(1))
	list := r.tensors("cartesian_prod", interp.NewTuple(a.Pos...))
	for _, t := range list {
		n = in.Binary("*", n, t.size(0))
	}
	return r.declared("cartesian_prod", []interp.Value{n, int64(len(list))}, 0, list...)
}

// broadcastTensors is torch.broadcast_tensors.
func (r *reader) broadcastTensors(in *interp.Interp, a *interp.Args) interp.Value {
	list := r.tensors("broadcast_tensors", interp.NewTuple(a.Pos...))
	dims := list[0].dims()
	for _, t := range list[1:] {
		dims = r.broadcastDims("broadcast_tensors", dims, t.dims())
	}
	out := interp.NewTuple()
	for _, t := range list {
		out.Items = append(out.Items, expandOp(r, t, &interp.Args{Pos: slices.Clone(dims)}))
	}
	return out
}
