package interp

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// flow says how a block ended.
type flow uint8

const (
	onward flow = iota
	returned
	broke
	continued
)

// exec runs statements.
func (in *Interp) exec(e *env, stmts []python.Stmt) (flow, Value) {
	for _, s := range stmts {
		in.step()
		in.frame.line, in.frame.stmt, in.frame.env = s.Line(), s, e
		if f, v := in.stmt(e, s); f != onward {
			return f, v
		}
	}
	return onward, nil
}

func (in *Interp) stmt(e *env, s python.Stmt) (flow, Value) {
	switch s := s.(type) {
	case *python.ExprStmt:
		in.eval(e, s.X)
	case *python.Assign:
		v := in.eval(e, s.Value)
		for _, t := range s.Targets {
			in.assign(e, t, v)
		}
	case *python.AugAssign:
		in.augment(e, s)
	case *python.AnnAssign:
		in.annotate(e, s)
	case *python.Return:
		if s.X == nil {
			return returned, nil
		}
		return returned, in.eval(e, s.X)
	case *python.If:
		if in.Truth(in.eval(e, s.Test)) {
			return in.exec(e, s.Then)
		}
		return in.exec(e, s.Else)
	case *python.For:
		return in.forLoop(e, s)
	case *python.While:
		return in.whileLoop(e, s)
	case *python.Jump:
		switch s.Op {
		case "break":
			return broke, nil
		case "continue":
			return continued, nil
		}
	case *python.With:
		return in.with(e, s)
	case *python.Try:
		return in.try(e, s)
	default:
		in.define(e, s)
	}
	return onward, nil
}

// define runs the statements that bind names, or that leave.
func (in *Interp) define(e *env, s python.Stmt) {
	switch s := s.(type) {
	case *python.FuncDef:
		f := in.makeFunc(e, s.Name, s.Params, s.Line())
		f.Body, f.Generator = s.Body, s.Generator
		in.bindName(e, s.Name, in.decorate(e, s.Decorators, f))
	case *python.ClassDef:
		c := in.classDef(e, s)
		in.bindName(e, s.Name, in.decorate(e, s.Decorators, c))
	case *python.Import:
		in.importNames(e, s)
	case *python.ImportFrom:
		in.importFrom(e, s)
	case *python.Raise:
		in.raise(e, s)
	case *python.Assert:
		in.assert(e, s)
	case *python.Delete:
		for _, t := range s.Targets {
			in.delete(e, t)
		}
	case *python.Scope:
		set := &e.globals
		if s.Op == "nonlocal" {
			set = &e.outer
		}
		if *set == nil {
			*set = map[string]bool{}
		}
		for _, n := range s.Names {
			(*set)[n] = true
		}
	case *python.Match:
		in.Fault("match statements are not followed")
	default:
		in.Fault("a statement of this kind is not followed")
	}
}

// decorate applies decorators. One that is not known is taken to return what it was given, as those that register and document
// things do; a note says so.
func (in *Interp) decorate(e *env, decorators []python.Expr, v Value) Value {
	for i := len(decorators) - 1; i >= 0; i-- {
		d := in.eval(e, decorators[i])
		in.frame.line = decorators[i].Line()
		if u, unknown := d.(*Unknown); unknown {
			in.Note("a decorator is not known and was passed over (%s)", u.Why)
			doubtful(v, u.Why)
			continue
		}
		made := in.Call(d, &Args{Pos: []Value{v}})
		if u, unknown := made.(*Unknown); unknown {
			in.Note("what a decorator makes is not known, and it was passed over (%s)", u.Why)
			doubtful(v, u.Why)
			continue
		}
		if _, symbol := made.(Symbol); !symbol {
			v = made
		}
	}
	return v
}

func (in *Interp) annotate(e *env, s *python.AnnAssign) {
	n, isName := s.Target.(*python.Name)
	if e.notes != nil && isName {
		kind := ""
		switch a := s.Annotation.(type) {
		case *python.Index:
			if x, ok := a.X.(*python.Name); ok {
				kind = x.ID
			}
		case *python.Name:
			kind = a.ID
		}
		*e.notes = append(*e.notes, field{n.ID, kind})
	}
	if s.Value != nil {
		in.assign(e, s.Target, in.eval(e, s.Value))
	}
}

func (in *Interp) augment(e *env, s *python.AugAssign) {
	switch t := s.Target.(type) {
	case *python.Name:
		old := in.eval(e, t)
		in.bindName(e, t.ID, in.inPlace(s.Op, old, in.eval(e, s.Value)))
	case *python.Attr:
		x := in.eval(e, t.X)
		in.SetAttr(x, t.Name, in.inPlace(s.Op, in.Attr(x, t.Name), in.eval(e, s.Value)))
	case *python.Index:
		x, i := in.eval(e, t.X), in.eval(e, t.I)
		in.SetItem(x, i, in.inPlace(s.Op, in.Item(x, i), in.eval(e, s.Value)))
	default:
		in.Fault("this target is not followed")
	}
}

// inPlace is a op= b: lists grow where they are.
func (in *Interp) inPlace(op string, a, b Value) Value {
	if l, ok := a.(*List); ok && op == "+" {
		items := in.Iterate(b)
		in.spend(int64(len(items)))
		l.Items = append(l.Items, items...)
		return l
	}
	if d, ok := a.(*Dict); ok && op == "|" {
		in.update(d, b)
		return d
	}
	if x, ok := a.(*Instance); ok {
		for name, o := range inPlaceMethods {
			if o == op {
				if m, ok := in.method(x, name); ok {
					return in.Call(m, &Args{Pos: []Value{b}})
				}
			}
		}
	}
	return in.Binary(op, a, b)
}

var inPlaceMethods = map[string]string{"__iadd__": "+", "__imul__": "*", "__isub__": "-", "__ior__": "|"}

// assign binds a target.
func (in *Interp) assign(e *env, target python.Expr, v Value) {
	switch t := target.(type) {
	case *python.Name:
		in.bindName(e, t.ID, v)
	case *python.Attr:
		in.SetAttr(in.eval(e, t.X), t.Name, v)
	case *python.Index:
		in.SetItem(in.eval(e, t.X), in.eval(e, t.I), v)
	case *python.Sequence:
		in.unpack(e, t.Items, v)
	default:
		in.Fault("this target is not followed")
	}
}

func (in *Interp) unpack(e *env, targets []python.Expr, v Value) {
	if u, ok := v.(*Unknown); ok {
		for _, t := range targets {
			if s, star := t.(*python.Star); star {
				t = s.X
			}
			in.assign(e, t, u)
		}
		return
	}
	items := in.Iterate(v)
	star := slices.IndexFunc(targets, func(t python.Expr) bool { _, ok := t.(*python.Star); return ok })
	if star < 0 {
		if len(items) != len(targets) {
			in.unpackable(v, "%s for %s", valuesOf(items), plural(len(targets), "name"))
		}
		for i, t := range targets {
			in.assign(e, t, items[i])
		}
		return
	}
	behind := len(targets) - star - 1
	if len(items) < len(targets)-1 {
		in.unpackable(v, "%s for at least %s", valuesOf(items), plural(len(targets)-1, "name"))
	}
	for i := range star {
		in.assign(e, targets[i], items[i])
	}
	in.spend(int64(len(items) - len(targets) + 1))
	in.assign(e, targets[star].(*python.Star).X, NewList(append([]Value(nil), items[star:len(items)-behind]...)...))
	for i := range behind {
		in.assign(e, targets[star+1+i], items[len(items)-behind+i])
	}
}

func (in *Interp) delete(e *env, t python.Expr) {
	switch t := t.(type) {
	case *python.Name:
		delete(e.vars, t.ID)
	case *python.Attr:
		in.delAttr(in.eval(e, t.X), t.Name)
	case *python.Index:
		x, i := in.eval(e, t.X), in.eval(e, t.I)
		switch c := x.(type) {
		case *Dict:
			in.hash(i)
			in.work(c.Len())
			if _, ok := c.Delete(i); !ok {
				in.Raise("KeyError", "%s", Repr(i))
			}
		case *List:
			in.work(len(c.Items))
			at := in.position(i, len(c.Items), "list")
			c.Items = slices.Delete(slices.Clone(c.Items), at, at+1)
		case *Instance:
			m, ok := in.method(c, "__delitem__")
			if !ok {
				in.Fault("an item of a %s is deleted", TypeName(x))
			}
			in.Call(m, &Args{Pos: []Value{i}})
		default:
			in.Fault("an item of a %s is deleted", TypeName(x))
		}
	}
}
