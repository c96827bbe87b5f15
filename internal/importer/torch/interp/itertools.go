package interp

import "slices"

// itertoolsNames are the functions of itertools. What they give is made at once: only cycle has no end.
func itertoolsNames() map[string]Value {
	chain := Fn("chain", chained)
	chain.Attrs = map[string]Value{"from_iterable": Fn("from_iterable", func(in *Interp, a *Args) Value {
		return chained(in, &Args{Pos: in.Iterate(in.one(a, "from_iterable"))})
	})}
	out := map[string]Value{"chain": chain}
	for name, f := range map[string]func(*Interp, *Args) Value{
		"product": product, "repeat": repeated, "accumulate": accumulate, "islice": islice, "zip_longest": zipLongest, "cycle": cycled,
		"combinations": combinations, "pairwise": pairwise,
	} {
		out[name] = Fn(name, f)
	}
	return out
}

// chained is itertools.chain.
func chained(in *Interp, a *Args) Value {
	var out []Value
	for _, v := range a.Pos {
		items := in.Iterate(v)
		in.spend(int64(len(items)))
		out = append(out, items...)
	}
	return &Iterator{items: out}
}

// repeated is itertools.repeat.
func repeated(in *Interp, a *Args) Value {
	b := a.Bind(in, "repeat", "object", "times")
	n, ok := AsInt(b[1])
	if !ok {
		return in.Unknown("itertools.repeat without an end")
	}
	return &Iterator{items: in.repeat(b[:1], n)}
}

// accumulate is itertools.accumulate, of sums.
func accumulate(in *Interp, a *Args) Value {
	var out []Value
	for i, v := range in.Iterate(in.one(a, "accumulate")) {
		if i > 0 {
			v = in.Binary("+", out[i-1], v)
		}
		in.spend(1)
		out = append(out, v)
	}
	return &Iterator{items: out}
}

// islice is itertools.islice.
func islice(in *Interp, a *Args) Value {
	s := toSlice(a.Pos[1:])
	return &Iterator{items: in.cut(in.Iterate(a.Pos[0]), s)}
}

// combinations is itertools.combinations, in the order of the items.
func combinations(in *Interp, a *Args) Value {
	b := a.Bind(in, "combinations", "iterable", "r")
	items := in.Iterate(b[0])
	n, ok := AsInt(b[1])
	if !ok || n < 0 {
		return in.Unknown("combinations of this kind are not followed")
	}
	out := &Iterator{}
	var take func(from int, taken []Value)
	take = func(from int, taken []Value) {
		in.nest("a combination")
		defer in.unnest()
		if int64(len(taken)) == n {
			in.spend(n + 1)
			out.items = append(out.items, NewTuple(slices.Clone(taken)...))
			return
		}
		for i := from; int64(len(items)-i) >= n-int64(len(taken)); i++ {
			in.step()
			take(i+1, append(taken, items[i]))
		}
	}
	if n <= int64(len(items)) {
		take(0, nil)
	}
	return out
}

// pairwise is itertools.pairwise.
func pairwise(in *Interp, a *Args) Value {
	items, out := in.Iterate(in.one(a, "pairwise")), &Iterator{}
	in.spend(int64(len(items)))
	for i := 1; i < len(items); i++ {
		out.items = append(out.items, NewTuple(items[i-1], items[i]))
	}
	return out
}

// toSlice are the bounds of islice: an end, a start and an end, or those and a step.
func toSlice(bounds []Value) *Slice {
	switch len(bounds) {
	case 1:
		return &Slice{Hi: bounds[0]}
	case 2:
		return &Slice{Lo: bounds[0], Hi: bounds[1]}
	}
	return &Slice{bounds[0], bounds[1], bounds[2]}
}

// product is itertools.product.
func product(in *Interp, a *Args) Value {
	rows := [][]Value{{}}
	for _, v := range a.Pos {
		var next [][]Value
		items := in.Iterate(v)
		for _, row := range rows {
			in.step()
			for _, item := range items {
				in.spend(int64(len(row) + 1))
				next = append(next, append(append([]Value(nil), row...), item))
			}
		}
		rows = next
	}
	out := &Iterator{}
	in.spend(int64(len(rows)))
	for _, row := range rows {
		out.items = append(out.items, NewTuple(row...))
	}
	return out
}

// maxCycle is how many items of an endless iterator are made: as many as a program that zips it with layers takes.
const maxCycle = 4096

// cycled is itertools.cycle, of which so many items are there.
func cycled(in *Interp, a *Args) Value {
	items := in.Iterate(in.one(a, "cycle"))
	out := &Iterator{}
	if len(items) == 0 {
		return out
	}
	in.spend(maxCycle)
	for i := range maxCycle {
		out.items = append(out.items, items[i%len(items)])
	}
	out.items = append(out.items, in.Unknown("an endless iterator was followed to %d items", maxCycle))
	return out
}

// zipLongest is itertools.zip_longest.
func zipLongest(in *Interp, a *Args) Value {
	fill, _ := a.Get("fillvalue", -1)
	n, lists := 0, [][]Value(nil)
	for _, v := range a.Pos {
		lists = append(lists, in.Iterate(v))
		n = max(n, len(lists[len(lists)-1]))
	}
	in.spend(int64(n * len(lists)))
	out := &Iterator{}
	for i := range n {
		row := NewTuple()
		for _, l := range lists {
			v := fill
			if i < len(l) {
				v = l[i]
			}
			row.Items = append(row.Items, v)
		}
		out.items = append(out.items, row)
	}
	return out
}
