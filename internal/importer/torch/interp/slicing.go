package interp

// position is an index into n items.
func (in *Interp) position(index Value, n int, what string) int {
	i, ok := in.Int(index)
	if !ok {
		in.raiseFor([]Value{index}, "TypeError", "%s indices must be integers or slices, not %s", what, TypeName(index))
	}
	given := i
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		in.Raise("IndexError", "%s index %d is out of range of %s", what, given, plural(n, "item"))
	}
	return int(i)
}

// cut takes a slice of items.
func (in *Interp) cut(items []Value, s *Slice) []Value {
	lo, hi, step := in.Bounds(s, int64(len(items)))
	var out []Value
	for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
		in.step()
		out = append(out, items[i])
	}
	in.spend(int64(len(out)))
	return out
}

// Bounds resolves a slice over n items as Python does.
func (in *Interp) Bounds(s *Slice, n int64) (lo, hi, step int64) {
	number := func(v Value, absent int64) int64 {
		if v == nil {
			return absent
		}
		if t, ok := v.(interface{ ToNumber(*Interp) Value }); ok { // a tensor of one element
			v = t.ToNumber(in)
		}
		i, ok := in.Int(v)
		if !ok {
			if u, unknown := v.(*Unknown); unknown {
				in.Fault("a slice has a bound that is not known: %s", u.reason())
			}
			if _, isFloat := v.(float64); isFloat || NoInteger(v) {
				in.Raise("TypeError", "slice indices must be integers or None or have an __index__ method, not %s", TypeName(v))
			}
			in.Fault("a slice has a bound that is a %s", TypeName(v))
		}
		return i
	}
	step = number(s.Step, 1)
	if step == 0 {
		in.Raise("ValueError", "slice step cannot be zero")
	}
	first, last := int64(0), n
	if step < 0 {
		first, last = n-1, -1
	}
	clamp := func(v Value, absent int64) int64 {
		if v == nil {
			return absent
		}
		i := number(v, 0)
		if i < 0 {
			i += n
		}
		if step < 0 {
			return min(max(i, -1), n-1)
		}
		return min(max(i, 0), n)
	}
	return clamp(s.Lo, first), clamp(s.Hi, last), step
}

func (in *Interp) setSlice(l *List, s *Slice, x Value) {
	lo, hi, step := in.Bounds(s, int64(len(l.Items)))
	if step != 1 {
		in.Fault("a slice with a step is assigned to")
	}
	hi = max(lo, hi)
	items := in.Iterate(x)
	in.spend(int64(len(items)))
	in.work(len(l.Items))
	l.Items = append(append(append([]Value(nil), l.Items[:lo]...), items...), l.Items[hi:]...)
}
