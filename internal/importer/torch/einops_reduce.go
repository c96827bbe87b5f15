package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// einopsReduce reduces the axes that the right side does not have.
func (r *reader) einopsReduce(t *Tensor, order, right []string, reduction interp.Value) (*Tensor, []string) {
	var drop, keep []int
	var left []string
	for i, axis := range order {
		if slices.Contains(right, axis) {
			keep, left = append(keep, i), append(left, axis)
		} else {
			drop = append(drop, i)
		}
	}
	if len(drop) == 0 {
		return t, order
	}
	name, isText := reduction.(string)
	if !isText {
		axes := interp.NewTuple()
		for _, i := range drop {
			axes.Items = append(axes.Items, int64(i))
		}
		return r.tensor("reduce", r.in.Call(reduction, &interp.Args{Pos: []interp.Value{t, axes}})), left
	}
	switch name {
	case "mean", "sum", "max", "min":
		var axes []interp.Value
		for _, i := range drop {
			axes = append(axes, int64(i))
		}
		if name == "mean" && t.isInt {
			r.einopsRaise("reduce_mean is not available for integers: mean needs a floating point tensor")
		}
		return r.reduced(name, t, axes, false), left
	}
	// The reduced axes go to the end, where they can be taken off.
	t = r.permute(t, append(keep, drop...))
	return r.reduceLast(name, t, len(drop)), left
}

// reduceLast reduces the last axes by a function that the catalogue does not have.
func (r *reader) reduceLast(name string, t *Tensor, n int) *Tensor {
	for i := range n {
		if _, ok := t.size(t.rank() - 1 - i).(int64); !ok {
			r.in.Fault("%s works across the samples of a batch", name)
		}
	}
	isInt := t.isInt
	out := r.custom(name, t.shape[:len(t.shape)-n], 0, t)
	out.isInt = isInt
	return out
}
