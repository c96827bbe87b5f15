package interp

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// called is the line that a person would change to give a class that is being constructed other sizes: that of the call, or, where the call is
// in a helper function that only hands on what it was given, that of the helper's call.
func (in *Interp) called(class string) Place {
	place, name := in.Place(), class
	for f := in.frame; f != nil; f = f.up {
		if f.file == "" || f.file[0] == '<' {
			continue
		}
		place = Place{f.file, f.line}
		if f.fn == nil || f.fn.Class != nil || f.stmt == nil || !in.handsOn(f.stmt, name, f.line, f.fn) {
			return place
		}
		up := f.up
		for up != nil && (up.file == "" || up.file[0] == '<') {
			up = up.up
		}
		if up == nil || up.stmt == nil {
			return place
		}
		name = f.fn.Name
		if in.callOf(up.stmt, name, up.line) == nil { // called under another name, or from the top
			return place
		}
	}
	return place
}

// calls are those of a statement: the first of each name, and the last of each name on a line.
type calls struct {
	first map[string]*python.Call
	last  map[callAt]*python.Call
}

type callAt struct {
	name string
	line int
}

// callOf finds the call of a name in a statement: the one on the line that is being evaluated, where there are several.
func (in *Interp) callOf(s python.Stmt, name string, line int) *python.Call {
	switch s.(type) {
	case *python.FuncDef, *python.ClassDef:
		return nil
	}
	found := kept(&in.seen.calls, s, func() calls {
		out := calls{map[string]*python.Call{}, map[callAt]*python.Call{}}
		python.Each(s, func(node any) {
			in.step()
			if c, ok := node.(*python.Call); ok {
				name := lastName(c.Fn)
				out.last[callAt{name, c.Line()}] = c
				if out.first[name] == nil {
					out.first[name] = c
				}
			}
		})
		return out
	})
	if c := found.last[callAt{name, line}]; c != nil {
		return c
	}
	return found.first[name]
}

func lastName(e python.Expr) string {
	switch x := e.(type) {
	case *python.Name:
		return x.ID
	case *python.Attr:
		return x.Name
	}
	return ""
}

// handsOn reports whether the first two arguments of a call are nothing but arguments of the function that it is in.
func (in *Interp) handsOn(s python.Stmt, name string, line int, fn *Func) bool {
	c := in.callOf(s, name, line)
	if c == nil || len(c.Args) == 0 {
		return false
	}
	in.work(len(fn.Params))
	own := 0
	for _, a := range c.Args[:min(2, len(c.Args))] {
		n, ok := a.Value.(*python.Name)
		if !ok || !slices.ContainsFunc(fn.Params, func(p python.Param) bool { return p.Name == n.ID }) {
			return false
		}
		own++
	}
	return own > 0
}
