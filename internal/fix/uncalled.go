package fix

import (
	"regexp"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

var notCalled = regexp.MustCompile(`object is not callable|missing \d+ required`)

// uncalled are the methods without arguments that nothing in their class calls, in the place of an attribute that cannot be called so.
func (x *fault) uncalled() {
	if !notCalled.MatchString(x.message) {
		return
	}
	for _, s := range x.at {
		x.inside(s, func(node any) {
			call, ok := node.(*python.Call)
			if !ok || len(call.Args) > 0 {
				return
			}
			a, ok := call.Fn.(*python.Attr)
			class, inClass := s.around(node, isClass).(*python.ClassDef)
			if !ok || !inClass || lastNameOf(a.X) != "self" {
				return
			}
			for _, method := range once(&s.found.idle, class, func() []string { return idle(class) }) {
				x.offer(costUnbound, func() candidate { return s.replace(a, "self."+method, costUnbound) })
			}
		})
	}
}

// idle lists the methods of a class that take no argument and that the class does not call. Python calls those that begin with an
// underscore itself, and PyTorch calls forward.
func idle(class *python.ClassDef) []string {
	used := map[string]bool{}
	var out []string
	python.Each(class, func(node any) {
		if a, ok := node.(*python.Attr); ok && lastNameOf(a.X) == "self" {
			used[a.Name] = true
		}
	})
	for _, stmt := range class.Body {
		def, ok := stmt.(*python.FuncDef)
		if ok && def.Name[0] != '_' && def.Name != "forward" && takesNothing(def) && !used[def.Name] {
			out = append(out, def.Name)
		}
	}
	return out
}

// takesNothing reports whether a method can be called without arguments.
func takesNothing(def *python.FuncDef) bool {
	return len(def.Params) > 0 && !slices.ContainsFunc(def.Params[1:], func(p python.Param) bool { return p.Default == nil && p.Stars == 0 })
}
