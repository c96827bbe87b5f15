package interp

import (
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// eval evaluates an expression.
func (in *Interp) eval(e *env, x python.Expr) Value {
	in.step()
	switch x := x.(type) {
	case *python.Name:
		v, ok := in.lookup(e, x.ID)
		if !ok {
			in.frame.line = x.Line()
			in.undefined(e, x.ID)
		}
		return v
	case *python.Const:
		return in.constant(x)
	case *python.Attr:
		v := in.eval(e, x.X)
		in.frame.line = x.Line()
		return in.Attr(v, x.Name)
	case *python.Call:
		return in.callExpr(e, x)
	case *python.Binary:
		return in.binaryExpr(e, x)
	case *python.Index:
		v, i := in.eval(e, x.X), in.eval(e, x.I)
		in.frame.line = x.Line()
		return in.Item(v, i)
	case *python.Compare:
		return in.compareExpr(e, x)
	case *python.Sequence:
		return in.sequence(e, x)
	case *python.Unary:
		return in.Unary(x.Op, in.eval(e, x.X))
	case *python.Cond:
		return in.cond(e, x)
	}
	return in.evalMore(e, x)
}

func (in *Interp) evalMore(e *env, x python.Expr) Value {
	switch x := x.(type) {
	case *python.Dict:
		return in.dict(e, x)
	case *python.Slice:
		bound := func(b python.Expr) Value {
			if b == nil {
				return nil
			}
			return in.eval(e, b)
		}
		return &Slice{bound(x.Lo), bound(x.Hi), bound(x.Step)}
	case *python.FString:
		return in.format(e, x)
	case *python.Lambda:
		f := in.makeFunc(e, "<lambda>", x.Params, x.Line())
		f.Expr = x.Body
		return f
	case *python.Comp:
		return in.comprehend(e, x)
	case *python.Named:
		v := in.eval(e, x.X)
		in.bindName(e, x.ID, v)
		return v
	case *python.Suspend:
		return in.suspend(e, x)
	}
	in.Fault("an expression of this kind is not followed")
	return nil
}

func (in *Interp) constant(x *python.Const) Value {
	switch v := x.Value.(type) {
	case python.Big:
		return in.Unknown("the integer %s does not fit in 64 bits", clip(string(v)))
	case python.Bytes, python.Complex:
		return in.Unknown("bytes and complex numbers are not followed")
	}
	return x.Value
}

func clip(s string) string {
	if len(s) > 30 {
		return s[:30] + "…"
	}
	return s
}

// pure reports whether an expression only compares names, attributes and constants, so that it may be looked at where Python may not come to it.
func (in *Interp) pure(x python.Expr) bool {
	return kept(&in.seen.pure, x, func() bool {
		ok := true
		python.Each(x, func(node any) {
			in.step()
			switch node.(type) {
			case *python.Name, *python.Attr, *python.Const, *python.Compare, *python.Unary:
			default:
				ok = false
			}
		})
		return ok
	})
}

func (in *Interp) binaryExpr(e *env, x *python.Binary) Value {
	l := in.eval(e, x.L)
	switch x.Op {
	case "and":
		if u, ok := l.(*Unknown); ok {
			// False and anything is false: if the right side is certainly false, so is the whole.
			if r := in.maybe(e, x.R); r == false || r == nil {
				return r
			}
			return u
		}
		if a, ok := l.(Assumed); ok && in.pure(x.R) {
			if r := in.maybe(e, x.R); r == false { // whatever the machine has
				return r
			} else if a.Value && r == true {
				return a
			}
		}
		if !in.Truth(l) {
			return l
		}
		return in.eval(e, x.R)
	case "or":
		if u, ok := l.(*Unknown); ok {
			if r := in.maybe(e, x.R); r == true {
				return r
			}
			return u
		}
		if _, ok := l.(Assumed); ok && in.pure(x.R) {
			if r := in.maybe(e, x.R); r == true {
				return r
			}
		}
		if in.Truth(l) {
			return l
		}
		return in.eval(e, x.R)
	}
	r := in.eval(e, x.R)
	in.frame.line = x.Line()
	return in.Binary(x.Op, l, r)
}

func (in *Interp) compareExpr(e *env, x *python.Compare) Value {
	l := in.eval(e, x.L)
	for i, op := range x.Ops {
		r := in.eval(e, x.Rights[i])
		in.frame.line = x.Line()
		v := in.Compare(op, l, r)
		if i == len(x.Ops)-1 {
			return v
		}
		if u, ok := v.(*Unknown); ok {
			return u
		}
		if !in.Truth(v) {
			return v
		}
		l = r
	}
	return nil
}

func (in *Interp) sequence(e *env, x *python.Sequence) Value {
	in.spend(int64(len(x.Items)))
	items := make([]Value, 0, len(x.Items))
	for _, item := range x.Items {
		if s, ok := item.(*python.Star); ok {
			more := in.Iterate(in.eval(e, s.X))
			in.spend(int64(len(more)))
			items = append(items, more...)
			continue
		}
		items = append(items, in.eval(e, item))
	}
	switch x.Kind {
	case python.ListKind:
		return NewList(items...)
	case python.SetKind:
		return in.newSet(items)
	}
	return NewTuple(items...)
}

func (in *Interp) newSet(items []Value) *Set {
	s := &Set{}
	in.spend(int64(len(items)))
	for _, v := range items {
		in.hash(v)
		if !s.d.Set(v, true) {
			in.Fault("a set holds a %s", TypeName(v))
		}
	}
	return s
}

func (in *Interp) dict(e *env, x *python.Dict) Value {
	d := NewDict()
	for i, k := range x.Keys {
		v := in.eval(e, x.Values[i])
		if k == nil {
			in.update(d, v)
			continue
		}
		key := in.eval(e, k)
		if u, unknown := key.(*Unknown); unknown {
			key = Symbol{"unknown:" + u.Why}
		}
		in.SetItem(d, key, v)
	}
	return d
}

// update takes over the items of another mapping.
func (in *Interp) update(d *Dict, v Value) {
	switch o := v.(type) {
	case *Dict:
		in.spend(int64(o.Len()))
		for i, k := range o.keys {
			in.hash(k)
			d.Set(k, o.vals[i])
		}
	case *Unknown:
		in.Fault("a dictionary takes items of a value that is not known: %s", o.reason())
	default:
		if items, ok := in.FindAttr(v, "items"); ok {
			v = in.Call(items, &Args{})
		}
		for _, pair := range in.Iterate(v) {
			kv := in.Iterate(pair)
			if len(kv) != 2 {
				in.Doubt("ValueError", "dictionary update needs pairs")
			}
			in.SetItem(d, kv[0], kv[1])
		}
	}
}

func (in *Interp) format(e *env, x *python.FString) Value {
	var b strings.Builder
	for _, p := range x.Parts {
		if c, ok := p.(*python.Const); ok {
			b.WriteString(in.text(Str(c.Value)))
			continue
		}
		v := in.eval(e, p)
		if u, ok := v.(*Unknown); ok {
			return u
		}
		b.WriteString(in.text(in.str(v)))
	}
	return b.String()
}

// comprehend evaluates a comprehension in a scope of its own.
func (in *Interp) comprehend(e *env, x *python.Comp) Value {
	scope := e.child()
	scope.class = false
	var items, keys []Value
	if x.Kind == python.GeneratorKind { // Python may not run it to its end
		in.doubt++
		defer func() { in.doubt-- }()
	}
	in.clauses(scope, e, x, 0, func() {
		in.spend(1)
		if x.Key != nil {
			keys = append(keys, in.eval(scope, x.Key))
		}
		items = append(items, in.eval(scope, x.Item))
	})
	switch x.Kind {
	case python.ListKind:
		return NewList(items...)
	case python.SetKind:
		return in.newSet(items)
	case python.DictKind:
		d := NewDict()
		for i := range items {
			in.SetItem(d, keys[i], items[i])
		}
		return d
	}
	return &Iterator{items: items}
}

func (in *Interp) clauses(scope, outer *env, x *python.Comp, n int, body func()) {
	if n == len(x.Clauses) {
		body()
		return
	}
	c := x.Clauses[n]
	at := scope
	if n == 0 {
		at = outer
	}
	iter := in.eval(at, c.Iter)
	each := func(item Value) {
		in.step()
		in.assign(scope, c.Target, item)
		for _, test := range c.Ifs {
			if !in.Truth(in.eval(scope, test)) {
				return
			}
		}
		in.clauses(scope, outer, x, n+1, body)
	}
	if r, ok := iter.(*Range); ok {
		for i := range r.Len() {
			each(r.Start + i*r.Step)
		}
		return
	}
	for _, item := range in.Iterate(iter) {
		each(item)
	}
}

// suspend is yield: generators run to their end, and what they give is kept.
func (in *Interp) suspend(e *env, x *python.Suspend) Value {
	v := in.eval(e, x.X)
	out := in.frame.yielded
	if x.Op == "await" || out == nil {
		in.Fault("%s is not followed here", x.Op)
	}
	items := []Value{v}
	if x.Op == "yield from" {
		items = in.Iterate(v)
	}
	in.spend(int64(len(items)))
	out.Items = append(out.Items, items...)
	return nil
}

func sortedNames(m map[string]Value) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
