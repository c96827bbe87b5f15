package torch

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// setter gives a module a function by its name.
type setter func(name string, f func(a *interp.Args) interp.Value)

// numpyMakers are the functions that make arrays of sizes or of several arrays.
func (r *reader) numpyMakers(m *interp.Module) {
	set := setter(func(name string, f func(a *interp.Args) interp.Value) {
		m.Attrs[name] = interp.Fn(name, func(_ *interp.Interp, a *interp.Args) interp.Value { return f(a) })
	})
	r.numpyFilled(set)
	r.numpyConversions(set)
	r.numpyRanges(set)
	r.numpyJoins(set)
	r.numpyPairs(set)
	r.numpyManipulations(set)
	r.numpyProducts(set)
	r.numpySelections(set)
	r.numpyLimits(set)
}

// dtypeArg is the kind of numbers that the argument dtype asks for.
func dtypeArg(a *interp.Args, at int, otherwise byte) byte {
	if v, ok := a.Get("dtype", at); ok {
		return kindOf(v, otherwise)
	}
	return otherwise
}

// numpyFilled are zeros, ones, empty, full, eye and their kin.
func (r *reader) numpyFilled(set setter) {
	for name, v := range map[string]float64{"zeros": 0, "ones": 1, "empty": math.NaN()} {
		set(name, func(a *interp.Args) interp.Value {
			shape, _ := a.Get("shape", 0)
			return r.filledArray(r.numpySizes([]interp.Value{shape}), dtypeArg(a, 1, 'f'), v)
		})
		set(name+"_like", func(a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value { return r.filledArray(x.shape, dtypeArg(a, 1, x.kind), v) })
		})
	}
	set("full", r.numpyFull)
	set("eye", func(a *interp.Args) interp.Value { return r.identityArray(a, dtypeArg(a, 3, 'f')) })
	set("identity", func(a *interp.Args) interp.Value {
		return r.identityArray(&interp.Args{Pos: a.Pos[:1]}, dtypeArg(a, 1, 'f'))
	})
}

// numpyFull is numpy.full(shape, fill_value).
func (r *reader) numpyFull(a *interp.Args) interp.Value {
	shape, _ := a.Get("shape", 0)
	fill, _ := a.Get("fill_value", 1)
	v, ok := interp.AsFloat(fill)
	kind := byte('f')
	if _, whole := interp.AsInt(fill); whole {
		kind = 'i'
	}
	if !ok {
		v = math.NaN()
	}
	return r.filledArray(r.numpySizes([]interp.Value{shape}), dtypeArg(a, 2, kind), v)
}

// numpyConversions are array, asarray and their kin.
func (r *reader) numpyConversions(set setter) {
	for _, name := range []string{"array", "asarray", "ascontiguousarray", "asanyarray", "float32array"} {
		set(name, func(a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value {
				kind := dtypeArg(a, 1, x.kind)
				return x.each(kind, castTo(kind))
			})
		})
	}
}

// numpyRanges are arange and linspace.
func (r *reader) numpyRanges(set setter) {
	set("arange", func(a *interp.Args) interp.Value {
		t, ok := r.sequence(a).(*Tensor)
		if !ok {
			return r.in.Unknown("the range is not known")
		}
		x := r.asArray(t)
		kind := dtypeArg(a, 3, x.kind)
		return x.each(kind, castTo(kind))
	})
	set("linspace", func(a *interp.Args) interp.Value { return r.asArray(r.linspace(linspaceArgs(a))) })
}

// linspaceArgs are the arguments of numpy.linspace by the names that torch.linspace gives them.
func linspaceArgs(a *interp.Args) *interp.Args {
	args := &interp.Args{Pos: a.Pos[:min(3, len(a.Pos))]}
	for i, n := range []string{"start", "stop", "num"} {
		if v, ok := a.Get(n, -1); ok && i >= len(args.Pos) {
			args.Kw = append(args.Kw, interp.KV{Name: []string{"start", "end", "steps"}[i], Value: v})
		}
	}
	if len(args.Pos)+len(args.Kw) == 2 {
		args.Kw = append(args.Kw, interp.KV{Name: "steps", Value: int64(50)})
	}
	return args
}

// filledArray is an array with one value everywhere; the values of NaN are not known.
func (r *reader) filledArray(shape []int64, kind byte, v float64) *ndarray {
	var data []float64
	if n := count(shape); n >= 0 && n <= maxData && !math.IsNaN(v) {
		data = slices.Repeat([]float64{v}, int(n))
	}
	return r.array(shape, kind, data)
}

// identityArray is numpy.eye(N, M).
func (r *reader) identityArray(a *interp.Args, kind byte) interp.Value {
	b := (&interp.Args{Pos: a.Pos[:min(2, len(a.Pos))]}).Bind(r.in, "eye", "N", "M")
	n, m := interp.Or(b[0], int64(1)), interp.Or(b[1], nil)
	if m == nil {
		m = n
	}
	x := r.filledArray(r.numpySizes([]interp.Value{n, m}), kind, 0)
	for i := int64(0); x.data != nil && i < min(x.shape[0], x.shape[1]); i++ {
		x.data[i*x.shape[1]+i] = 1
	}
	return x
}
