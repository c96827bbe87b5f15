package torch

import "math"

// Small constants keep their values, because programs compute sizes with them. PyTorch computes in 32-bit floats: so does this.

// floats makes room for the values of a constant, and charges it: a program can keep every constant that it makes.
func (r *reader) floats(n int) []float64 {
	r.in.Spend(int64(n) / 8)
	r.in.Work(n / 4)
	return make([]float64, n)
}

// copyOf is a copy of a constant's values.
func (r *reader) copyOf(data []float64) []float64 {
	if data == nil {
		return nil
	}
	out := r.floats(len(data))
	copy(out, data)
	return out
}

var scalarFunctions = map[string]func(float64) float64{
	"exp": math.Exp, "sqrt": math.Sqrt, "log": math.Log, "abs": math.Abs, "neg": func(x float64) float64 { return -x },
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "tanh": math.Tanh, "floor": math.Floor, "ceil": math.Ceil, "round": math.RoundToEven,
	"log2": math.Log2, "log10": math.Log10, "trunc": math.Trunc, "square": func(x float64) float64 { return x * x },
	"reciprocal": func(x float64) float64 { return 1 / x }, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
	"relu": func(x float64) float64 { return math.Max(x, 0) }, "sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
}

// valuesOf computes the values of a function of a constant, or nil where they are not known.
func valuesOf(name string, t *Tensor) []float64 {
	f := scalarFunctions[name]
	if f == nil || len(t.data) == 0 || !t.constant() {
		return nil
	}
	out := t.r.floats(len(t.data))
	for i, v := range t.data {
		out[i] = float64(float32(f(v)))
	}
	return out
}

// scalarData computes the values of a constant and a number.
func scalarData(op string, t *Tensor, f float64, whole, swapped bool) []float64 {
	out := t.r.floats(len(t.data))
	for i, v := range t.data {
		a, b := v, f
		if swapped {
			a, b = f, v
		}
		switch op {
		case "+":
			out[i] = a + b
		case "-":
			out[i] = a - b
		case "*":
			out[i] = a * b
		case "/":
			out[i] = a / b
		case "**":
			out[i] = math.Pow(a, b)
		case "//":
			out[i] = math.Floor(a / b)
		case "%":
			out[i] = a - math.Floor(a/b)*b
		default:
			return nil
		}
		if !t.isInt || !whole || op == "/" {
			out[i] = float64(float32(out[i]))
		}
	}
	return out
}
