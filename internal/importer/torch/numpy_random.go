package torch

import (
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// numpyRandom is numpy.random: shapes are known, values are not.
func (r *reader) numpyRandom() *interp.Module {
	m := interp.Native("numpy.random", nil)
	drawn := func(kind byte, shape func(a *interp.Args) []interp.Value) interp.Value {
		return interp.Fn("random", func(in *interp.Interp, a *interp.Args) interp.Value {
			return r.numpyValue(r.array(r.numpySizes(shape(a)), kind, nil))
		})
	}
	sized := func(at int) func(a *interp.Args) []interp.Value {
		return func(a *interp.Args) []interp.Value {
			v, ok := a.Get("size", at)
			if !ok || v == nil {
				return nil
			}
			return []interp.Value{v}
		}
	}
	all := func(a *interp.Args) []interp.Value { return a.Pos }
	m.Attrs["rand"], m.Attrs["randn"] = drawn('f', all), drawn('f', all)
	m.Attrs["normal"], m.Attrs["uniform"], m.Attrs["randint"] = drawn('f', sized(2)), drawn('f', sized(2)), drawn('i', sized(2))
	for _, n := range []string{"random", "random_sample", "standard_normal"} {
		m.Attrs[n] = drawn('f', sized(0))
	}
	m.Attrs["permutation"] = interp.Fn("permutation", func(in *interp.Interp, a *interp.Args) interp.Value {
		if n, ok := interp.AsInt(a.Pos[0]); ok {
			return r.array([]int64{n}, 'i', nil)
		}
		return r.withArray(a, 0, func(x *ndarray) interp.Value { return r.array(x.shape, x.kind, nil) })
	})
	none := interp.Fn("seed", func(*interp.Interp, *interp.Args) interp.Value { return nil })
	m.Attrs["seed"], m.Attrs["shuffle"] = none, none
	self := interp.Fn("generator", func(*interp.Interp, *interp.Args) interp.Value { return m })
	m.Attrs["RandomState"], m.Attrs["default_rng"] = self, self
	m.Values = func(string) bool { return true }
	return m
}
