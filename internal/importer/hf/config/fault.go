package config

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// The codes of this package's errors, beside those of package graph.
const (
	CodeArchitecture  = action.CodeUnsupported
	CodeConfig        = action.CodeFile
	CodeContradiction = action.CodeFile
)

// fault carries a caller's fault out of a family's functions, which read better when no line of them handles an error.
type fault struct{ err *graph.Error }

// Catch turns a fault into the error of the function that defers it. Another panic is our own fault, and goes on.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case fault:
		*err = p.err
	default:
		panic(p)
	}
}

// Fail ends the import with an error of a code at a path.
func Fail(code, path, format string, args ...any) {
	Refuse(&graph.Error{Code: code, Path: path, Message: quantity.Sprintf(format, args...)})
}

// Refuse ends the import with an error.
func Refuse(e *graph.Error) { panic(fault{e}) }

// Size is the product of the sizes of a shape, and whether it can be counted.
func Size(shape []int64) (int64, bool) {
	n, ok := int64(1), true
	for _, d := range shape {
		if ok {
			n, ok = quantity.Mul(n, d)
		}
	}
	return n, ok
}

// AddChecked is the sum of two counts, where ok says that both could be counted.
func AddChecked(a, b int64, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	return quantity.Add(a, b)
}
