package torch

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// numpyReductions are the reductions by name; the values of those without a function are not known.
var numpyReductions = map[string]func([]float64) float64{
	"sum": total,
	"prod": func(v []float64) float64 {
		n := 1.0
		for _, f := range v {
			n *= f
		}
		return n
	},
	"mean": func(v []float64) float64 { return total(v) / float64(len(v)) },
	"max":  func(v []float64) float64 { return slices.Max(append(v, math.Inf(-1))) }, "min": func(v []float64) float64 { return slices.Min(append(v, math.Inf(1))) },
	"any": func(v []float64) float64 {
		return boolFloat(slices.ContainsFunc(v, func(f float64) bool { return f != 0 }))
	},
	"all": func(v []float64) float64 { return boolFloat(!slices.Contains(v, 0)) },
	"std": nil, "var": nil, "median": nil,
	"argmax": func(v []float64) float64 { return float64(slices.Index(v, slices.Max(append(v, math.Inf(-1))))) },
	"argmin": func(v []float64) float64 { return float64(slices.Index(v, slices.Min(append(v, math.Inf(1))))) },
}

// total is the sum of all values, from first to last.
func total(v []float64) float64 {
	n := 0.0
	for _, f := range v {
		n += f
	}
	return n
}

// numpyReduction is a reduction over all, or over axes.
func numpyReduction(name string, f func([]float64) float64) numpyFn {
	return func(r *reader, x *ndarray, a *interp.Args) interp.Value {
		kind := x.kind
		switch name {
		case "mean", "std", "var", "median":
			kind = 'f'
		case "sum", "prod":
			if kind == 'b' {
				kind = 'i'
			}
		case "argmax", "argmin":
			kind = 'i'
		case "any", "all":
			kind = 'b'
		}
		axis, given := a.Get("axis", 0)
		keep := false
		if v, ok := a.Get("keepdims", -1); ok {
			keep = r.in.Truth(v)
		}
		if !given || axis == nil {
			var data []float64
			if x.data != nil && f != nil && len(x.data) > 0 {
				data = []float64{f(slices.Clone(x.data))}
			}
			shape := []int64{}
			if keep {
				shape = slices.Repeat([]int64{1}, len(x.shape))
			}
			return r.numpyValue(r.array(shape, kind, data))
		}
		drop := map[int]bool{}
		for _, n := range r.numpySizes([]interp.Value{axis}) {
			drop[r.dim(n, len(x.shape))] = true
		}
		var shape []int64
		for i, n := range x.shape {
			switch {
			case !drop[i]:
				shape = append(shape, n)
			case keep:
				shape = append(shape, 1)
			}
		}
		return r.numpyValue(r.array(shape, kind, nil))
	}
}

// numpyCumsum is numpy.cumsum: the values where the array is flat, else the shape.
func numpyCumsum(r *reader, x *ndarray, a *interp.Args) interp.Value {
	if v, ok := a.Get("axis", 0); ok && v != nil && len(x.shape) > 1 {
		return r.array(x.shape, x.kind, nil)
	}
	data, sum := slices.Clone(x.data), 0.0
	for i := range data {
		sum += data[i]
		data[i] = sum
	}
	return r.array([]int64{count(x.shape)}, x.kind, data)
}
