package torch

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

var arithmetic = map[string]string{"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}

// Operate is arithmetic with a tensor.
func (t *Tensor) Operate(in *interp.Interp, op string, other interp.Value, swapped bool) (interp.Value, bool) {
	r := t.r
	switch op {
	case "unary-":
		return r.unary("neg", t), true
	case "unary+":
		return t, true
	case "unary~":
		return r.compared("~", t, nil, false), true
	case "==", "!=", "<", ">", "<=", ">=", "&", "|", "^":
		if other == nil {
			return nil, false
		}
		return r.compared(op, t, other, swapped), true
	case "<<", ">>":
		return pairwiseInt(op)(r, t, &interp.Args{Pos: []interp.Value{other}}), true
	}
	o, isTensor := other.(*Tensor)
	if !isTensor {
		return r.scalar(op, t, other, swapped)
	}
	a, b := t, o
	if swapped {
		a, b = o, t
	}
	switch op {
	case "@":
		return r.matmul(a, b), true
	case "**":
		return r.elementwise("pow", a, b), true
	case "//", "%", "<<", ">>":
		out := r.elementwise(op, a, b)
		out.isInt = a.isInt && b.isInt
		return out, true
	}
	typ, ok := arithmetic[op]
	if !ok {
		in.Fault("%s of tensors is not followed", op)
	}
	return r.merge(typ, a, b), true
}

// scalar is arithmetic with a number. It changes no shape: a component of its own says so only where the catalogue has one.
func (r *reader) scalar(op string, t *Tensor, other interp.Value, swapped bool) (interp.Value, bool) {
	if u, ok := other.(*interp.Unknown); ok {
		if _, inArithmetic := arithmetic[op]; !inArithmetic {
			r.in.Fault("a tensor meets a value that is not known: %s", u.Reason())
		}
		r.in.Fault("a tensor meets a value that is not known: %s", u.Reason())
	}
	f, isNumber := interp.AsFloat(other)
	if _, isSym := other.(sym); isSym {
		isNumber, f = true, 1
	}
	if !isNumber {
		return nil, false
	}
	if len(t.data) > 0 && t.constant() {
		_, isInt := interp.AsInt(other)
		if data := scalarData(op, t, f, isInt, swapped); data != nil {
			c := t.clone()
			c.data = data
			if !isInt || op == "/" {
				c.isInt = false
			}
			return c, true
		}
	}
	if op == "**" && !swapped {
		return r.apply("pow", "pow", []graph.Param{{Name: "exponent", Value: r.value("exponent", other)}}, t), true
	}
	if op == "<<" || op == ">>" {
		if !t.isInt {
			r.in.Fault("%s of a tensor is not followed", op)
		}
		c := r.shift(op, t, true)
		c.data = nil
		return c, true
	}
	switch op {
	case "+", "-", "*", "/", "//", "%", "**", "<<", ">>":
		_, isInt := interp.AsInt(other)
		return r.shift(op, t, isInt && op != "/"), true
	}
	return nil, false
}

// shift is arithmetic with a number: the same shape, no weights, no FLOPs. It stays visible as a component only where it turns
// integers into numbers with a fraction.
func (r *reader) shift(op string, t *Tensor, keepsInt bool) *Tensor {
	c := t.clone()
	if t.dense() {
		c.contiguous, c.mem = t.contiguous, t.mem
	}
	if t.param != nil && !t.constant() {
		c.node = r.place(t)
	}
	if t.isInt && !keepsInt {
		if t.constant() {
			c.isInt = false
			return c
		}
		return r.toFloat(t)
	}
	return c
}

// toFloat turns integers into floats.
func (r *reader) toFloat(t *Tensor) *Tensor {
	if !t.isInt {
		return t
	}
	if t.constant() {
		c := *t
		c.isInt = false
		return &c
	}
	return r.custom("float", t.shape, 0, t)
}

// unary is an element-wise function that the catalogue has without parameters.
func (r *reader) unary(typ string, t *Tensor) *Tensor {
	out := r.apply(typ, typ, nil, t)
	if out.constant() {
		out.data = valuesOf(typ, t)
	}
	return out
}

// elementwise is a function of tensors, element by element, that the catalogue does not have.
func (r *reader) elementwise(name string, tensors ...*Tensor) *Tensor {
	aligned := r.align(name, 0, tensors...)
	shape := aligned[0].shape
	for _, t := range aligned[1:] {
		shape = r.broadcastShapes(name, shape, t.shape)
	}
	out := r.custom(name, shape, 0, aligned...)
	r.layoutOf(out, aligned)
	out.width = promoted(tensors)
	return out
}

func (r *reader) broadcastShapes(what string, a, b catalog.Shape) catalog.Shape {
	out := append(catalog.Of(), a...)
	for i := range out {
		switch {
		case out[i] == 1:
			out[i] = b[i]
		case b[i] != 1 && b[i] != out[i]:
			r.in.Raise("RuntimeError", "The size of tensor a (%d) must match the size of tensor b (%d) in %s", out[i], b[i], what)
		}
	}
	return out
}
