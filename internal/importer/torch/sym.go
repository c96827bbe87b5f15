package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// sym is a size that depends on the batch: so many times it. The batch is larger than one. What is no multiple of the batch any more
// is computed for the batch that the program is read for.
type sym struct{ times int64 }

func (s sym) TypeName() string { return "size of the batch" }

// ClassOf is for isinstance: a size is an int.
func (s sym) ClassOf() *interp.Class { return interp.IntClass() }

// Truth holds: there is at least one sample.
func (s sym) Truth() (value, known bool) { return true, true }

// Operate keeps what stays a multiple of the batch.
func (s sym) Operate(in *interp.Interp, op string, other interp.Value, swapped bool) (interp.Value, bool) {
	switch o := other.(type) {
	case *Tensor:
		return nil, false
	case *interp.Unknown:
		return o, true
	case sym:
		return s.operateSym(in, op, o, swapped), true
	case float64, *interp.List, *interp.Tuple, string:
		return s.plainly(in, op, other, swapped), true
	}
	if _, isUnary := unaries[op]; isUnary {
		return in.Unary(op[len("unary"):], s.Count(in)), true
	}
	n, ok := interp.AsInt(other)
	if !ok {
		if op == "==" || op == "!=" {
			return op == "!=", true
		}
		return in.Unknown("arithmetic with the size of the batch"), true
	}
	switch op {
	case "*":
		if n > 0 {
			return sym{s.times * n}, true
		}
	case "//", "/":
		if !swapped && n > 0 && s.times%n == 0 {
			return sym{s.times / n}, true
		}
	case "%":
		if !swapped && n > 0 && s.times%n == 0 {
			return int64(0), true
		}
	case "+", "-":
		if n == 0 && (op == "+" || !swapped) {
			return s, true
		}
	case "**":
		if n == 1 && !swapped {
			return s, true
		}
	case "==", "!=", "<", ">", "<=", ">=":
		if flip, ok := mirrored[op]; ok && swapped {
			op, swapped = flip, false
		}
		if n < 2*s.times { // the size is at least twice its factor
			if n >= s.times {
				in.Guess("a comparison takes the batch for larger than one")
			}
			return op == "!=" || op == ">" || op == ">=", true
		}
	}
	return s.plainly(in, op, other, swapped), true
}

var unaries = map[string]bool{"unary-": true, "unary+": true, "unary~": true}

// mirrored are the comparisons that change when their sides do.
var mirrored = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}

// plainly computes with the number that stands for the size.
func (s sym) plainly(in *interp.Interp, op string, other interp.Value, swapped bool) interp.Value {
	var a, b interp.Value = s.count(in, "the program computes with the size of the batch"), other
	if swapped {
		a, b = b, a
	}
	switch op {
	case "==", "!=", "<", ">", "<=", ">=":
		return in.Compare(op, a, b)
	}
	return in.Binary(op, a, b)
}

func (s sym) operateSym(in *interp.Interp, op string, o sym, swapped bool) interp.Value {
	a, b := s.times, o.times
	if swapped {
		a, b = b, a
	}
	switch op {
	case "+":
		return sym{a + b}
	case "-":
		if a == b {
			return int64(0)
		}
		if a > b {
			return sym{a - b}
		}
	case "//", "/":
		if b != 0 && a%b == 0 {
			return a / b
		}
	case "%":
		if b != 0 && a%b == 0 {
			return int64(0)
		}
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case ">":
		return a > b
	case "<=":
		return a <= b
	case ">=":
		return a >= b
	}
	return s.plainly(in, op, o.Count(in), swapped)
}
