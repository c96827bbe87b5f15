package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// numpyType is a type of numbers: a value of it is a number, or an array.
func (r *reader) numpyType(name string) interp.Value {
	return interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
		if len(a.Pos) == 0 {
			return int64(0)
		}
		kind := kindByName(name, 'f')
		return r.withArray(a, 0, func(x *ndarray) interp.Value { return r.numpyValue(x.each(kind, castTo(kind))) })
	})
}

// kindOf is the kind of numbers that a dtype means.
func kindOf(v interp.Value, otherwise byte) byte {
	switch x := v.(type) {
	case interp.Symbol:
		return kindByName(x.Name, otherwise)
	case string:
		return kindByName(x, otherwise)
	case *interp.Class:
		return kindByName(x.Name, otherwise)
	case *interp.Builtin:
		return kindByName(x.Name, otherwise)
	}
	return otherwise
}

// kindByName is kindOf for the name of a dtype, with or without its module.
func kindByName(name string, otherwise byte) byte {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			name = name[i+1:]
			break
		}
	}
	switch name {
	case "int", "int8", "int16", "int32", "int64", "long", "uint8", "uint16", "uint32", "uint64", "intp", "int_", "i4", "i8", "longlong":
		return 'i'
	case "bool", "bool_":
		return 'b'
	case "float", "float16", "float32", "float64", "double", "half", "single", "float_", "f4", "f8":
		return 'f'
	}
	return otherwise
}

// castTo is the conversion of one value by ndarray.astype.
func castTo(kind byte) func(float64) float64 {
	switch kind {
	case 'i':
		return math.Trunc
	case 'b':
		return func(v float64) float64 { return boolFloat(v != 0) }
	}
	return func(v float64) float64 { return v }
}
