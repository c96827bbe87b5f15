package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// numpyGrid is numpy.ogrid, whose axes are arrays that broadcast against each other, and numpy.mgrid, which has them broadcast.
type numpyGrid struct {
	r    *reader
	open bool
}

// TypeName is for messages.
func (g *numpyGrid) TypeName() string { return "nd_grid" }

// Item is ogrid[a:b, c:d].
func (g *numpyGrid) Item(in *interp.Interp, index interp.Value) interp.Value {
	list := []interp.Value{index}
	tuple, several := index.(*interp.Tuple)
	if several {
		list = tuple.Items
	}
	lines := make([][]float64, len(list))
	full, kind := make([]int64, len(list)), byte('i')
	for i, v := range list {
		line, whole, ok := gridLine(v)
		if !ok {
			return in.Unknown("a grid of numpy of this kind is not followed")
		}
		if lines[i], full[i] = line, int64(len(line)); !whole {
			kind = 'f'
		}
	}
	if !several {
		return g.r.array(full, kind, lines[0])
	}
	out := interp.NewList()
	for i, line := range lines {
		shape := make([]int64, len(list))
		for k := range shape {
			shape[k] = 1
		}
		shape[i] = full[i]
		x := g.r.array(shape, kind, line)
		if !g.open {
			x = x.broadcastTo(full)
		}
		out.Items = append(out.Items, x)
	}
	if !g.open {
		return g.r.array(append([]int64{int64(len(list))}, full...), kind, joined(out.Items))
	}
	return out
}

// gridLine are the numbers of one slice, and whether all of it is whole numbers.
func gridLine(v interp.Value) (line []float64, whole, ok bool) {
	s, isSlice := v.(*interp.Slice)
	if !isSlice {
		return nil, false, false
	}
	bound := [3]float64{0, 0, 1}
	whole = true
	for i, b := range []interp.Value{s.Lo, s.Hi, s.Step} {
		if b == nil && i != 1 {
			continue
		}
		f, number := interp.AsFloat(b)
		_, isInt := interp.AsInt(b)
		if !number {
			return nil, false, false
		}
		bound[i], whole = f, whole && isInt
	}
	n := math.Ceil((bound[1] - bound[0]) / bound[2])
	if math.IsNaN(n) || n > maxData {
		return nil, false, false
	}
	for i := range int(max(n, 0)) {
		line = append(line, bound[0]+float64(float64(i)*bound[2]))
	}
	return line, whole, true
}

// joined are the values of arrays behind each other, nil where some are not known.
func joined(arrays []interp.Value) []float64 {
	var out []float64
	for _, v := range arrays {
		x := v.(*ndarray)
		if x.data == nil {
			return nil
		}
		out = append(out, x.data...)
	}
	return out
}

// broadcastTo repeats an array along its axes of size 1.
func (x *ndarray) broadcastTo(shape []int64) *ndarray {
	st := stridesOf(x.shape)
	return x.gatherBy(shape, func(index []int64) int64 {
		from := int64(0)
		for k, i := range index {
			if x.shape[k] != 1 {
				from += i * st[k]
			}
		}
		return from
	})
}

// numpyLimits are numpy.finfo and numpy.iinfo.
func (r *reader) numpyLimits(set setter) {
	set("finfo", func(*interp.Args) interp.Value {
		x := interp.NewInstance(interp.NewClass("finfo"))
		for name, v := range map[string]float64{"eps": 0x1p-52, "max": math.MaxFloat64, "min": -math.MaxFloat64, "tiny": 0x1p-1022} {
			x.Set(name, v)
		}
		return x
	})
}
