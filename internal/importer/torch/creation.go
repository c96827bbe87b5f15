package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// maxData is how many values of a constant are kept.
const maxData = 4096

// filled makes a constant of a size. A size with the batch in it gives a tensor with a batch.
func (r *reader) filled(sizes []interp.Value, isInt bool) *Tensor {
	t := &Tensor{r: r, node: -1, shape: catalog.Of(), batch: -1, isInt: isInt}
	for i, v := range sizes {
		if s, ok := v.(sym); ok {
			if t.batch >= 0 {
				t.shape = append(t.shape, s.count(r.in, "a constant has the batch in its shape twice"))
				continue
			}
			t.batch = i
			if s.times != 1 {
				t.post = 1
				t.shape = append(t.shape, s.times)
			}
			continue
		}
		n, ok := interp.AsInt(v)
		if !ok {
			if u, unknown := v.(*interp.Unknown); unknown {
				r.in.Fault("the size of a tensor is not known: %s", u.Reason())
			}
			if x, isTensor := v.(*Tensor); isTensor && len(x.data) == 1 {
				n, ok = int64(x.data[0]), true
			}
		}
		_, isFloat := v.(float64)
		if !ok && (isFloat || !isSequence(v) && interp.NoInteger(v)) { // of sequences, releases look at the first item alone
			r.in.Raise("TypeError", "a size is a %s", interp.TypeName(v))
		}
		if !ok {
			r.in.Doubt("TypeError", "a size is a %s", interp.TypeName(v))
		}
		if n < 0 {
			r.in.Raise("RuntimeError", "Trying to create tensor with negative dimension %d", n)
		}
		t.shape = append(t.shape, n)
	}
	r.measure(t.shape)
	if t.shape.Size() < 0 {
		r.in.Fault("a constant is too large")
	}
	return t
}

// isIntType says whether dtype is a type of integers.
func (r *reader) isIntType(a *interp.Args) bool {
	d, ok := a.Get("dtype", -1)
	s, isSymbol := d.(interp.Symbol)
	if !ok || !isSymbol {
		return false
	}
	switch s.Name {
	case "torch.long", "torch.int64", "torch.int", "torch.int32", "torch.uint8", "torch.int8", "torch.short", "torch.int16":
		return true
	}
	return false
}

// constantOf is torch.zeros and its kin: a constant with one value everywhere, which is not known where it is NaN.
func (r *reader) constantOf(value float64) interp.Value {
	return interp.Fn("fill", func(in *interp.Interp, a *interp.Args) interp.Value {
		t := r.filled(r.sizes(&interp.Args{Pos: a.Pos}, "size"), r.isIntType(a))
		if v, ok := a.Get("size", -1); ok && len(a.Pos) == 0 {
			t = r.filled(in.Iterate(v), r.isIntType(a))
		}
		r.typed(t, a)
		if !math.IsNaN(value) {
			t.fill(value)
		}
		return t
	})
}

// fill gives a small constant its values, all of them the same.
func (t *Tensor) fill(value float64) {
	n := t.shape.Size()
	if t.batch >= 0 || n < 0 || n > maxData {
		return
	}
	t.data = t.r.floats(int(n))
	for i := range t.data {
		t.data[i] = value
	}
}

// typed gives a new constant the kind of number that dtype says.
func (r *reader) typed(t *Tensor, a *interp.Args) {
	d, ok := a.Get("dtype", -1)
	s, isSymbol := d.(interp.Symbol)
	switch {
	case !ok || d == nil:
	case !isSymbol: // of another tensor, or not known
		t.isInt, t.mask, t.width = false, false, anyWidth
	case s.Name == "torch.bool":
		t.isInt, t.mask = false, true
	default:
		t.isInt, t.mask = r.isIntType(a), false
		if !t.isInt {
			t.width = widthOf(d)
		}
	}
}

// like makes a constant of the shape of a tensor, which stays one of the batch.
func (r *reader) like(name string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		c := t.clone()
		c.node = -1
		c.isInt = t.isInt && !(name == "randn_like" || name == "rand_like")
		r.typed(c, a)
		if fill := map[string]float64{"zeros_like": 0, "ones_like": 1}; c.batch < 0 && (name == "zeros_like" || name == "ones_like") {
			c.fill(fill[name])
		}
		return c
	}
}

// sequence is arange(end), arange(start, end) and arange(start, end, step), each also by its name.
func (r *reader) sequence(a *interp.Args) interp.Value {
	given := r.arangeArgs(a)
	if s, isSym := given["end"].(sym); isSym && given["start"] == int64(0) && given["step"] == int64(1) {
		return r.filled([]interp.Value{s}, true)
	}
	start, startInt := r.arangeNumber("start", given["start"])
	stop, stopInt := r.arangeNumber("end", given["end"])
	step, stepInt := r.arangeNumber("step", given["step"])
	n := r.arangeLength(start, stop, step)
	d, hasType := a.Get("dtype", -1)
	whole := startInt && stopInt && stepInt
	t := &Tensor{r: r, node: -1, shape: catalog.Of(n), batch: -1, isInt: whole && !(hasType && isFloatType(d)) || r.isIntType(a)}
	if n <= longestCount {
		r.in.Spend(n / 16)
		for i := range n {
			t.data = append(t.data, start+float64(float64(i)*step))
		}
	}
	return t
}

// arangeArgs are start, end and step by their names; one number alone is the end.
func (r *reader) arangeArgs(a *interp.Args) map[string]interp.Value {
	names := []string{"start", "end", "step"}
	if _, named := a.Get("end", -1); !named && len(a.Pos) == 1 {
		names = []string{"end", "start", "step"}
	}
	given := map[string]interp.Value{"start": int64(0), "step": int64(1)}
	for i, v := range a.Pos[:min(3, len(a.Pos))] {
		given[names[i]] = v
	}
	for _, n := range names {
		if v, ok := a.Get(n, -1); ok {
			given[n] = v
		}
	}
	if _, ok := given["end"]; !ok {
		r.in.Raise("TypeError", "arange() missing 1 required positional arguments: \"end\"")
	}
	return given
}

// arangeNumber is an argument of arange as a number; isInt says whether it is an integer.
func (r *reader) arangeNumber(name string, v interp.Value) (f float64, isInt bool) {
	if x, isTensor := v.(*Tensor); isTensor && len(x.data) == 1 {
		v = x.ToNumber(r.in)
	}
	f, ok := interp.AsFloat(v)
	if !ok {
		if s, isSym := v.(sym); isSym {
			f, ok = float64(s.count(r.in, "a sequence ends at the size of the batch")), true
			v = int64(f)
		}
		if u, unknown := v.(*interp.Unknown); unknown {
			r.in.Fault("%s of arange is not known: %s", name, u.Reason())
		}
	}
	if !ok {
		r.in.Fault("arange over a %s is not followed", interp.TypeName(v))
	}
	_, isInt = interp.AsInt(v)
	return f, isInt
}

// arangeLength is how many numbers arange gives.
func (r *reader) arangeLength(start, stop, step float64) int64 {
	if step == 0 {
		r.in.Raise("RuntimeError", "step must be nonzero")
	}
	if (stop-start)/step < 0 {
		r.in.Raise("RuntimeError", "upper bound and larger bound inconsistent with step sign: %g to %g by %g", start, stop, step)
	}
	if (stop-start)/step > 1e9 {
		r.in.Fault("arange gives more than a milliard numbers")
	}
	return int64(math.Ceil((stop - start) / step))
}

// longestCount is how many numbers of arange are kept: positions are looked up in tables with them.
const longestCount = 1 << 16

// linspace is torch.linspace(start, end, steps).
func (r *reader) linspace(a *interp.Args) interp.Value {
	b := (&interp.Args{Pos: a.Pos}).Bind(r.in, "linspace", "start", "end", "steps")
	for i, n := range []string{"start", "end", "steps"} {
		if v, ok := a.Get(n, -1); ok {
			b[i] = v
		}
	}
	lo, ok1 := interp.AsFloat(b[0])
	hi, ok2 := interp.AsFloat(b[1])
	n, ok3 := interp.AsInt(b[2])
	if !ok1 || !ok2 || !ok3 || n < 0 {
		r.in.Fault("linspace of values that are not known")
	}
	t := &Tensor{r: r, node: -1, shape: catalog.Of(n), batch: -1}
	if n > maxData || n == 0 {
		return t
	}
	t.data = r.floats(int(n))
	for i := range t.data {
		t.data[i] = lo
		if n > 1 {
			t.data[i] = lo + float64((hi-lo)*float64(i))/float64(n-1)
		}
	}
	return t
}

// literalTensor is torch.tensor(…).
func (r *reader) literalTensor(a *interp.Args) interp.Value {
	if len(a.Pos) == 0 {
		return r.filled(nil, false)
	}
	if x, ok := a.Pos[0].(*ndarray); ok {
		a = &interp.Args{Pos: []interp.Value{x.tensor()}, Kw: a.Kw}
	}
	shape, data, isInt, mask := catalog.Of(), []float64{}, true, true
	var fill func(v interp.Value, depth int)
	fill = func(v interp.Value, depth int) {
		switch x := v.(type) {
		case *interp.List, *interp.Tuple:
			items := r.in.Iterate(x)
			r.in.Work(4 + len(items)) // however short it is: one may lie in another many times
			if depth > maxRank {
				r.in.Fault("a tensor is made of lists that are nested more than %d deep", maxRank)
			}
			if depth == len(shape) {
				shape = append(shape, int64(len(items)))
			}
			for _, item := range items {
				fill(item, depth+1)
			}
			return
		case *Tensor:
			if depth == 0 {
				shape, data, isInt, mask = x.shape, x.data, x.isInt, x.mask
				return
			}
			if len(x.data) == 1 {
				data, isInt, mask = append(data, x.data[0]), isInt && x.isInt, mask && x.mask
				return
			}
		case *interp.Unknown:
			r.in.Fault("the values of a tensor are not known: %s", x.Reason())
		}
		f, ok := interp.AsFloat(v)
		if !ok {
			r.in.Fault("a tensor is made of a %s", interp.TypeName(v))
		}
		if _, whole := interp.AsInt(v); !whole {
			isInt = false
		}
		_, truth := v.(bool)
		mask = mask && truth
		if len(data) <= maxData {
			data = append(data, f)
		}
	}
	fill(a.Pos[0], 0)
	mask = mask && shape.Size() > 0
	t := &Tensor{r: r, node: -1, shape: shape, batch: -1, isInt: isInt && !mask && shape.Size() > 0, mask: mask}
	r.typed(t, a)
	if len(data) <= maxData {
		r.in.Spend(int64(len(data)) / 8)
		t.data = data
	}
	return t
}

// meshgrid gives one grid for each of its vectors.
func (r *reader) meshgrid(a *interp.Args) interp.Value {
	list := a.Pos
	if len(list) == 1 {
		if _, isTensor := list[0].(*Tensor); !isTensor {
			list = r.in.Iterate(list[0])
		}
	}
	shape, isInt := catalog.Of(), true
	for _, v := range list {
		t := r.tensor("meshgrid", v)
		isInt = isInt && t.isInt
		if !t.constant() {
			r.in.Fault("meshgrid of computed tensors is not followed")
		}
		shape = append(shape, t.shape.Size())
	}
	if how, ok := a.Get("indexing", -1); ok && how == "xy" && len(shape) >= 2 {
		shape[0], shape[1] = shape[1], shape[0]
	}
	r.measure(shape)
	out := interp.NewTuple()
	for range list {
		out.Items = append(out.Items, &Tensor{r: r, node: -1, shape: shape, batch: -1, isInt: isInt})
	}
	return out
}

func isSequence(v interp.Value) bool {
	switch v.(type) {
	case *interp.List, *interp.Tuple:
		return true
	}
	return false
}
