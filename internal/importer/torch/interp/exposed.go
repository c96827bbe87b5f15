package interp

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// A call that is not followed may change what it is given, and a statement that was not followed to its end may have changed a part of
// what it names. What it may have changed is not known from then on.

// expose notes the objects that a call which is not followed was given.
func (in *Interp) expose(why *Unknown, args *Args) {
	if why.Harmless {
		return
	}
	for _, v := range args.Pos {
		in.exposeValue(why, v, 0)
	}
	for _, kw := range args.Kw {
		in.exposeValue(why, kw.Value, 0)
	}
}

func (in *Interp) exposeValue(why *Unknown, v Value, depth int) {
	if depth > 3 {
		return
	}
	switch x := v.(type) {
	case *Instance:
		if in.exposed == nil {
			in.exposed = map[*Instance]*Unknown{}
		}
		if in.exposed[x] == nil {
			in.exposed[x] = &Unknown{Why: "a call that is not followed may change it: " + why.Why, File: in.Spot().File, Line: in.Spot().Line}
		}
	case *List, *Tuple:
		list, _ := items(x)
		for _, item := range list {
			in.step()
			in.exposeValue(why, item, depth+1)
		}
	case *Dict:
		for _, item := range x.vals {
			in.step()
			in.exposeValue(why, item, depth+1)
		}
	case *Bound:
		in.exposeValue(why, x.Self, depth+1)
	}
}

// Exposed is the call that is not followed and was given an object, nil where there is none.
func (in *Interp) Exposed(x *Instance) *Unknown { return in.exposed[x] }

// initialises reports whether the name of a function says that it sets values, reads them from a file or writes about them: it adds no
// parts to what it is given.
func initialises(fn python.Expr) bool {
	name := ""
	switch x := fn.(type) {
	case *python.Name:
		name = x.ID
	case *python.Attr:
		name = x.Name
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"init", "fill", "load", "restore", "trunc_normal", "xavier", "kaiming", "print", "log", "warn", "debug", "info", "summary"},
		func(part string) bool { return strings.Contains(name, part) })
}

// touched lists the names whose values a statement may change in place: those with a method called, an item or an attribute set, and, where
// a call stands alone, its arguments.
func touched(s python.Stmt) []string {
	var out []string
	add := func(e python.Expr) {
		for {
			switch x := e.(type) {
			case *python.Name:
				out = append(out, x.ID)
				return
			case *python.Attr:
				e = x.X
			case *python.Index:
				e = x.X
			default:
				return
			}
		}
	}
	switch s.(type) {
	case *python.FuncDef, *python.ClassDef, *python.Import, *python.ImportFrom:
		return nil
	}
	python.Each(s, func(node any) {
		switch x := node.(type) {
		case *python.Assign:
			for _, t := range x.Targets {
				if !isName(t) {
					add(t)
				}
			}
		case *python.AugAssign:
			add(x.Target)
		case *python.ExprStmt:
			if c, ok := x.X.(*python.Call); ok {
				if m, method := c.Fn.(*python.Attr); method {
					add(m.X)
				}
				if !initialises(c.Fn) {
					for _, a := range c.Args {
						add(a.Value)
					}
				}
			}
		}
	})
	return out
}

// changeable reports whether a value can be changed in place.
func changeable(v Value) bool {
	switch v.(type) {
	case *List, *Dict, *Set, *Instance:
		return true
	}
	return false
}
