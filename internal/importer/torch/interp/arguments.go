package interp

import "slices"

// ArgumentsOf is a dictionary of the arguments of the innermost call of a function of a name, without self; those that are taken by ** are
// among them.
func (in *Interp) ArgumentsOf(name string) *Dict {
	d := NewDict()
	for f := in.frame; f != nil; f = f.up {
		if f.fn == nil || f.fn.Name != name || f.env == nil {
			continue
		}
		scope := f.env
		in.spend(int64(len(f.fn.Params)))
		for i, p := range f.fn.Params {
			v, ok := scope.vars[p.Name]
			switch {
			case !ok || i == 0 || p.Stars == 1:
			case p.Stars == 2:
				in.update(d, v)
			default:
				d.Set(p.Name, v)
			}
		}
		break
	}
	return d
}

// argumentPlaces says where arguments stand by their names, nil where there are so few that they are gone over. Of two of one name it is
// the first.
func argumentPlaces(kw []KV) map[string]int {
	if len(kw) <= fewParams {
		return nil
	}
	out := make(map[string]int, len(kw))
	for i := len(kw) - 1; i >= 0; i-- {
		out[kw[i].Name] = i
	}
	return out
}

// argumentAt finds an argument by its name.
func argumentAt(kw []KV, named map[string]int, name string) (int, bool) {
	if named != nil {
		i, ok := named[name]
		return i, ok
	}
	i := slices.IndexFunc(kw, func(a KV) bool { return a.Name == name })
	return i, i >= 0
}

// Bind gives native functions their arguments by name: one value for each of names, Missing where it was not given. Names that
// begin with * are ignored if they are given.
func (a *Args) Bind(in *Interp, fn string, names ...string) []Value {
	in.takes(len(names))
	out := make([]Value, len(names))
	for i := range out {
		out[i] = Missing{}
	}
	if len(a.Pos) > len(names) {
		in.native("TypeError", "%s() takes %d positional arguments but %d were given", fn, len(names), len(a.Pos))
	}
	copy(out, a.Pos)
	var places map[string]int
	if len(names) > fewParams && len(a.Kw) > fewParams {
		places = make(map[string]int, len(names))
		for i, n := range slices.Backward(names) {
			places[n] = i
		}
	}
	for _, kw := range a.Kw {
		i, ok := places[kw.Name]
		if places == nil {
			i = slices.Index(names, kw.Name)
			ok = i >= 0
		}
		if !ok {
			in.native("TypeError", "%s() got an unexpected keyword argument '%s'", fn, kw.Name)
		}
		out[i] = kw.Value
	}
	return out
}

// BindAll is Bind for functions whose names are all of PyTorch's own: what does not fit certainly raises.
func (a *Args) BindAll(in *Interp, fn string, names ...string) []Value {
	in.exact = true
	defer func() { in.exact = false }()
	return a.Bind(in, fn, names...)
}

// native raises for a native function, whose real one may take more than is known here.
func (in *Interp) native(class, format string, args ...any) {
	if !in.exact {
		in.Doubt(class, format, args...)
	}
	in.Raise(class, format, args...)
}

// Get returns an argument by its name or, if it has one, its position.
func (a *Args) Get(name string, pos int) (Value, bool) {
	if pos >= 0 && pos < len(a.Pos) {
		return a.Pos[pos], true
	}
	for _, kw := range a.Kw {
		if kw.Name == name {
			return kw.Value, true
		}
	}
	return nil, false
}

// Or returns the value, or another where it is missing.
func Or(v, other Value) Value {
	if _, missing := v.(Missing); missing {
		return other
	}
	return v
}
