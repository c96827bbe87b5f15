package fix

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// maxNames bounds the names that are tried in one place.
const maxNames = 32

// names are other names of the same scope in the places of those at the fault, and other attributes of self.
func (x *fault) names() {
	for _, s := range x.steps {
		if s.far > 1 {
			continue
		}
		x.inside(s, func(node any) {
			switch n := node.(type) {
			case *python.Name:
				if called, ok := s.parent[node].(*python.Call); ok && called.Fn == python.Expr(n) || n.ID == "self" {
					return
				}
				if a, ok := s.parent[node].(*python.Attr); ok && a.X == python.Expr(n) {
					if def := s.function(n); def == nil || !slices.Contains(inScope(s.script, def), n.ID) {
						return // a module
					}
				}
				def := s.function(n)
				if def == nil {
					return
				}
				cost := costName
				if def.Name != "__init__" {
					cost = costTensor
				}
				for _, other := range inScope(s.script, def) {
					if other != n.ID {
						x.offer(cost+costFar*s.far, func() candidate { return s.replace(node, other, cost+costFar*s.far) })
					}
				}
			case *python.Attr:
				if base, ok := n.X.(*python.Name); ok && base.ID == "self" {
					for _, other := range ownAttrs(s.script, node) {
						if other != n.Name {
							x.offer(costName+costFar*s.far, func() candidate { return s.replace(node, "self."+other, costName+costFar*s.far) })
						}
					}
				}
			}
		})
	}
}

// unbound are the names of the scope in the place of one that is not bound there.
func (x *fault) unbound() {
	missing := word(noName, x.message)
	for _, s := range x.at {
		x.inside(s, func(node any) {
			n, ok := node.(*python.Name)
			if !ok || n.ID != missing || missing == "" {
				return
			}
			for _, other := range x.visible(s, n) {
				if other != missing {
					x.offer(costUnbound, func() candidate { return s.replace(node, other, costUnbound) })
				}
			}
		})
	}
}

// supers put the class that a method is in as the first argument of super().
func (x *fault) supers() {
	for _, s := range x.at {
		x.inside(s, func(node any) {
			call, ok := node.(*python.Call)
			if !ok || lastNameOf(call.Fn) != "super" || len(call.Args) != 2 {
				return
			}
			class, _ := s.around(node, isClass).(*python.ClassDef)
			if _, known := s.spans[call.Args[0].Value]; class != nil && known && s.source(call.Args[0].Value) != class.Name {
				x.offer(costSpelling, func() candidate { return s.replace(call.Args[0].Value, class.Name, costSpelling) })
			}
		})
	}
}

// inScope lists the parameters and the variables of a function, and those of the ones around it.
func inScope(c *script, def *python.FuncDef) []string {
	return once(&c.found.scope, def, func() []string {
		var out []string
		for ; def != nil && len(out) < maxNames; def = c.function(def) {
			for _, name := range ownNames(c, def) {
				if !slices.Contains(out, name) && len(out) < maxNames {
					out = append(out, name)
				}
			}
		}
		return slices.Clip(out)
	})
}

// ownNames lists the parameters and the variables of a function.
func ownNames(c *script, def *python.FuncDef) []string {
	return once(&c.found.own, def, func() []string {
		var out []string
		add := func(name string) {
			if name != "" && name != "self" && len(out) < 2*maxNames && !slices.Contains(out, name) { // half may be those of a function in it
				out = append(out, name)
			}
		}
		for _, p := range def.Params {
			if p.Stars == 0 {
				add(p.Name)
			}
		}
		python.Each(def.Body, func(node any) {
			var targets []python.Expr
			switch s := node.(type) {
			case *python.Assign:
				targets = s.Targets
			case *python.For:
				targets = []python.Expr{s.Target}
			}
			for _, t := range targets {
				switch n := t.(type) {
				case *python.Name:
					add(n.ID)
				case *python.Sequence:
					for _, item := range n.Items {
						add(lastNameOf(item))
					}
				}
			}
		})
		return out
	})
}

func lastNameOf(x python.Expr) string {
	if n, ok := x.(*python.Name); ok {
		return n.ID
	}
	return ""
}

// ownAttrs lists the attributes that the methods of the class around a node give to self.
func ownAttrs(c *script, node any) []string {
	class, _ := c.around(node, isClass).(*python.ClassDef)
	if class == nil {
		return nil
	}
	return once(&c.found.attrs, class, func() []string {
		var out []string
		python.Each(class, func(node any) {
			s, ok := node.(*python.Assign)
			if !ok {
				return
			}
			for _, t := range s.Targets {
				if a, ok := t.(*python.Attr); ok && lastNameOf(a.X) == "self" && len(out) < maxNames && !slices.Contains(out, a.Name) {
					out = append(out, a.Name)
				}
			}
		})
		return slices.Clip(out)
	})
}

// swaps are two neighbouring arguments of a call near the fault, exchanged.
func (x *fault) swaps() {
	for _, s := range x.steps {
		if s.far > 2 {
			continue
		}
		x.inside(s, func(node any) {
			call, ok := node.(*python.Call)
			if !ok {
				return
			}
			for i := 1; i < len(call.Args); i++ {
				a, b := call.Args[i-1], call.Args[i]
				if a.Stars+b.Stars > 0 || s.source(a.Value) == s.source(b.Value) {
					continue
				}
				x.offer(costSwap+costFar*s.far, func() candidate {
					first, second := s.replace(a.Value, s.source(b.Value), 0), s.replace(b.Value, s.source(a.Value), 0)
					return candidate{edits: append(first.edits, second.edits...), cost: costSwap + costFar*s.far,
						what: clip(s.source(a.Value)) + " and " + clip(s.source(b.Value)) + " exchanged"}
				})
			}
		})
	}
}
