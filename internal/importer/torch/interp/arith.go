package interp

import (
	"math"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

var dunders = map[string]string{
	"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
	"&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}

var unaryMethods = map[string]string{"-": "__neg__", "+": "__pos__", "~": "__invert__"}

// Binary is a op b.
func (in *Interp) Binary(op string, a, b Value) Value {
	if o, ok := a.(Operand); ok {
		if v, done := o.Operate(in, op, b, false); done {
			return v
		}
	}
	if o, ok := b.(Operand); ok {
		if v, done := o.Operate(in, op, a, true); done {
			return v
		}
	}
	if u, ok := a.(*Unknown); ok {
		return u
	}
	if u, ok := b.(*Unknown); ok {
		return u
	}
	if x, ok := a.(*Instance); ok {
		if m, ok := in.method(x, "__"+dunders[op]+"__"); ok {
			return in.Call(m, &Args{Pos: []Value{b}})
		}
	}
	if x, ok := b.(*Instance); ok {
		if m, ok := in.method(x, "__r"+dunders[op]+"__"); ok {
			return in.Call(m, &Args{Pos: []Value{a}})
		}
	}
	if x, ok := AsInt(a); ok {
		if y, ok := AsInt(b); ok {
			return in.intOp(op, x, y, a, b)
		}
	}
	if x, ok := AsFloat(a); ok {
		if y, ok := AsFloat(b); ok {
			return in.floatOp(op, x, y)
		}
	}
	return in.containerOp(op, a, b)
}

func (in *Interp) intOp(op string, x, y int64, a, b Value) Value {
	n, ok := int64(0), true
	switch op {
	case "+":
		n = x + y
		ok = (n > x) == (y > 0)
	case "-":
		n = x - y
		ok = (n < x) == (y > 0)
	case "*":
		n, ok = mul(x, y)
	case "/":
		return in.floatOp(op, float64(x), float64(y))
	case "//", "%":
		if y == 0 {
			in.Raise("ZeroDivisionError", "integer division or modulo by zero")
		}
		q := x / y
		if r := x % y; r != 0 && (r < 0) != (y < 0) {
			q--
		}
		if n = q; op == "%" {
			n = x - q*y
		}
	case "**":
		return in.power(x, y)
	case "&", "|", "^":
		return bits(op, x, y, a, b)
	case "<<":
		if y < 0 || y > 62 || x > math.MaxInt64>>y || x < math.MinInt64>>y {
			return in.Unknown("a shift does not fit in 64 bits")
		}
		n = x << y
	case ">>":
		if y < 0 {
			in.Raise("ValueError", "negative shift count")
		}
		n = x >> min(y, 63)
	default:
		in.Raise("TypeError", "unsupported operand type(s) for %s: 'int' and 'int'", op)
	}
	if !ok {
		return in.Unknown("an integer does not fit in 64 bits")
	}
	return n
}

func bits(op string, x, y int64, a, b Value) Value {
	var n int64
	switch op {
	case "&":
		n = x & y
	case "|":
		n = x | y
	default:
		n = x ^ y
	}
	_, aIs := a.(bool)
	_, bIs := b.(bool)
	if aIs && bIs {
		return n != 0
	}
	return n
}

func mul(x, y int64) (int64, bool) {
	if x < 0 || y < 0 {
		if x == math.MinInt64 || y == math.MinInt64 {
			return 0, false
		}
		n, ok := quantity.Mul(abs(x), abs(y))
		if (x < 0) != (y < 0) {
			n = -n
		}
		return n, ok
	}
	return quantity.Mul(x, y)
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

func (in *Interp) power(x, y int64) Value {
	if y < 0 {
		return in.floatOp("**", float64(x), float64(y))
	}
	n := int64(1)
	for ; y > 0; y-- {
		in.step()
		var ok bool
		if n, ok = mul(n, x); !ok {
			return in.Unknown("an integer does not fit in 64 bits")
		}
		if n == 0 || n == 1 && x == 1 {
			break
		}
	}
	return n
}

func (in *Interp) floatOp(op string, x, y float64) Value {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		if y == 0 {
			in.Raise("ZeroDivisionError", "division by zero")
		}
		return x / y
	case "//":
		if y == 0 {
			in.Raise("ZeroDivisionError", "float floor division by zero")
		}
		return math.Floor(x / y)
	case "%":
		if y == 0 {
			in.Raise("ZeroDivisionError", "float modulo")
		}
		r := math.Mod(x, y)
		if r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		return r
	case "**":
		return math.Pow(x, y)
	}
	in.Raise("TypeError", "unsupported operand type(s) for %s: 'float' and 'float'", op)
	return nil
}

// containerOp is arithmetic on strings, lists, tuples, sets and dictionaries.
func (in *Interp) containerOp(op string, a, b Value) Value {
	switch x := a.(type) {
	case string:
		switch y := b.(type) {
		case string:
			if op == "+" {
				in.spend(int64(len(x)+len(y)) / 16)
				return x + y
			}
		case int64:
			if op == "*" {
				in.spendText(int64(len(x)), y)
				return strings.Repeat(x, int(max(y, 0)))
			}
		}
		if op == "%" {
			return in.percent(x, b)
		}
	case *List:
		if y, ok := b.(*List); ok && op == "+" {
			in.spend(int64(len(x.Items) + len(y.Items)))
			return NewList(append(append([]Value(nil), x.Items...), y.Items...)...)
		}
		if n, ok := in.Int(b); ok && op == "*" {
			return NewList(in.repeat(x.Items, n)...)
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok && op == "+" {
			in.spend(int64(len(x.Items) + len(y.Items)))
			return NewTuple(append(append([]Value(nil), x.Items...), y.Items...)...)
		}
		if n, ok := in.Int(b); ok && op == "*" {
			return NewTuple(in.repeat(x.Items, n)...)
		}
	case int64, bool:
		switch b.(type) {
		case *List, *Tuple, string:
			if op == "*" {
				return in.containerOp(op, b, a)
			}
		}
	case *Dict:
		if y, ok := b.(*Dict); ok && op == "|" {
			return in.union(x, y)
		}
	case *Set:
		if y, ok := b.(*Set); ok {
			return in.setOp(op, x, y)
		}
	case Symbol, *Class, *Builtin: // X | None in annotations
		if op == "|" {
			return x
		}
	}
	name := dunders[op]
	in.raiseFor([]Value{operand(a, "__"+name+"__"), operand(b, "__r"+name+"__")}, "TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", op, TypeName(a), TypeName(b))
	return nil
}

// union is one dictionary with the entries of another over its own.
func (in *Interp) union(x, y *Dict) *Dict {
	in.spend(int64(x.Len()))
	in.hashAll(x)
	d := x.copy()
	in.update(d, y)
	return d
}

func (in *Interp) setOp(op string, x, y *Set) Value {
	out := &Set{}
	in.spend(int64(x.d.Len() + y.d.Len()))
	in.hashAll(&x.d)
	in.hashAll(&y.d)
	for _, k := range x.d.keys {
		_, both := y.d.Get(k)
		if op == "|" || op == "&" && both || (op == "-" || op == "^") && !both {
			out.d.Set(k, true)
		}
	}
	if op == "|" || op == "^" {
		for _, k := range y.d.keys {
			if _, both := x.d.Get(k); !both {
				out.d.Set(k, true)
			}
		}
	}
	return out
}

// hashAll charges what it takes to find all keys of a dictionary in another one.
func (in *Interp) hashAll(d *Dict) {
	for _, k := range d.keys {
		in.hash(k)
	}
}

func (in *Interp) repeat(items []Value, n int64) []Value {
	if len(items) == 0 { // however often: nothing is charged for it
		return nil
	}
	n = max(n, 0)
	total, ok := quantity.Mul(n, int64(len(items)))
	if !ok {
		total = math.MaxInt64
	}
	in.spend(total)
	out := make([]Value, 0, total)
	for range n {
		out = append(out, items...)
	}
	return out
}

// Unary is op a.
func (in *Interp) Unary(op string, a Value) Value {
	if u, ok := a.(*Unknown); ok {
		return u
	}
	if op == "not" {
		if x, ok := a.(Assumed); ok {
			return Assumed{!x.Value, x.Why}
		}
		return !in.Truth(a)
	}
	if o, ok := a.(Operand); ok {
		if v, done := o.Operate(in, "unary"+op, nil, false); done {
			return v
		}
	}
	switch x := a.(type) {
	case float64:
		switch op {
		case "-":
			return -x
		case "+":
			return x
		}
	case *Instance:
		name := unaryMethods[op]
		if m, ok := in.method(x, name); ok {
			return in.Call(m, &Args{})
		}
	}
	n, ok := AsInt(a)
	if !ok {
		if x, ok := a.(*Instance); ok && lacksMethods(x, unaryMethods[op]) {
			in.Raise("TypeError", "bad operand type for unary %s: '%s'", op, TypeName(a))
		}
		in.raiseFor([]Value{a}, "TypeError", "bad operand type for unary %s: '%s'", op, TypeName(a))
	}
	switch op {
	case "-":
		return -n
	case "~":
		return ^n
	}
	return n
}
