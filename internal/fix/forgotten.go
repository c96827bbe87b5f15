package fix

import (
	"slices"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// renames give the name that an exception misses to what is assigned under another one: an attribute that nothing reads, or that is
// assigned twice.
func (x *fault) renames() {
	missing := word(noAttr, x.message)
	if missing == "" {
		return
	}
	for _, c := range x.scripts {
		for _, node := range c.nodes {
			s, ok := node.(*python.Assign)
			if !ok || !x.spend(1) {
				continue
			}
			made := sync.OnceValue(func() string { return strings.ToLower(c.source(s.Value)) })
			for _, t := range s.Targets {
				a, isAttr := t.(*python.Attr)
				if !isAttr || lastNameOf(a.X) != "self" || a.Name == missing {
					continue
				}
				class, _ := c.around(t, isClass).(*python.ClassDef)
				if of := attrUses(c, class, a.Name); of.read == 0 || of.made > 1 {
					cost := costSpelling + 3
					if strings.Contains(made(), strings.ToLower(strings.Trim(missing, "_0123456789"))) {
						cost -= 2 // self.drop of nn.Dropout(drop)
					}
					x.offer(cost, func() candidate {
						r := c.replace(t, "self."+missing, cost)
						r.respells, r.several = true, of.made > 1
						return r
					})
				}
			}
		}
	}
}

// attrUses counts how often an attribute is read in a class, and assigned.
func attrUses(c *script, class *python.ClassDef, name string) use {
	return once(&c.found.uses, class, func() map[string]use {
		out := map[string]use{}
		python.Each(class, func(node any) {
			if a, ok := node.(*python.Attr); ok {
				of := out[a.Name]
				if isTarget(c, a) {
					of.made++
				} else {
					of.read++
				}
				out[a.Name] = of
			}
		})
		return out
	})[name]
}

func isTarget(c *script, x python.Expr) bool {
	switch s := c.parent[x].(type) {
	case *python.Assign:
		return slices.Contains(s.Targets, x)
	case *python.AnnAssign:
		return s.Target == x
	}
	return false
}

// forgotten are layers that the constructor makes and nothing calls, called before each statement of the forward.
func (x *fault) forgotten() {
	for _, f := range x.functions {
		if f.def.Name != "forward" || f.class == nil || len(f.def.Params) < 2 {
			continue
		}
		previous := ""
		for _, name := range ownAttrs(f.script, f.def) {
			before := previous
			previous = name
			if of := attrUses(f.script, f.class, name); of.read > 0 || of.made != 1 {
				continue
			}
			for i, stmt := range f.def.Body {
				if !x.spend(1) {
					return
				}
				x.calledBefore(f, i, stmt, name, before)
			}
		}
	}
}

// calledBefore calls a layer that nothing calls before a statement of a forward. The constructor makes another layer before it.
func (x *fault) calledBefore(f *function, i int, stmt python.Stmt, name, before string) {
	at := f.spans[stmt].Start
	indent := f.text[f.starts[f.line(at)-1]:at]
	if i == 0 && isDoc(stmt) || strings.TrimSpace(indent) != "" {
		return
	}
	for _, v := range variables(f.script, f.def, stmt) {
		cost := costUnused
		if before == "" || !strings.Contains(f.source(previousOf(f.def.Body, i)), "self."+before+"(") {
			cost += 3 // not behind the one that the constructor makes before it
		}
		x.offer(cost, func() candidate {
			line := v + " = self." + name + "(" + v + ")"
			return f.insert(at, line+f.lineEnd()+indent, cost, line+": the constructor makes it and nothing calls it")
		})
	}
}

// previousOf is the statement before another one that does something, nil where there is none.
func previousOf(body []python.Stmt, i int) python.Stmt {
	for i--; i >= 0; i-- {
		if k, ok := body[i].(*python.Jump); !ok || k.Op != "pass" {
			return body[i]
		}
	}
	return nil
}

func isDoc(s python.Stmt) bool {
	e, ok := s.(*python.ExprStmt)
	if !ok {
		return false
	}
	_, ok = e.X.(*python.Const)
	return ok
}

// variables lists the variables of a function that a statement reads.
func variables(c *script, def *python.FuncDef, stmt python.Stmt) []string {
	known := inScope(c, def)
	var out []string
	for _, e := range python.Reads(stmt) {
		if n := lastNameOf(e); n != "" && slices.Contains(known, n) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// reshapes put a change of shape behind a value at the fault, where such a call stands elsewhere in the same file, or is a common one.
func (x *fault) reshapes() {
	for _, s := range x.steps {
		if s.far > 2 || s.function(s.node) == nil {
			continue
		}
		written := s.found.shapings()
		common := []string{".unsqueeze(1)", ".unsqueeze(-1)", ".unsqueeze(2)", ".squeeze(1)", ".squeeze(-1)", ".transpose(1, 2)", ".flatten(1)", ".flatten(2)"}
		x.inside(s, func(node any) {
			if !isValue(s.script, node) {
				return
			}
			for _, call := range written {
				x.offer(costShape+costFar*s.far, func() candidate { return s.after(node, call, costShape+costFar*s.far) })
			}
			for i, call := range common {
				if !slices.Contains(written, call) {
					x.offer(costNeighbour+costFar*s.far+i, func() candidate { return s.after(node, call, costNeighbour+costFar*s.far+i) })
				}
			}
		})
	}
}

func (s step) after(node any, call string, cost int) candidate {
	at := s.spans[node].End
	return s.insert(at, call, cost, call+" behind "+clip(s.source(node)))
}

// isValue reports whether a node is one that may be a tensor: a variable that is read or the result of a call, and no part of its name.
func isValue(c *script, node any) bool {
	switch n := node.(type) {
	case *python.Call:
		if a, ok := c.parent[node].(*python.Attr); ok && a.X == python.Expr(n) {
			return false // another method follows
		}
		return true
	case *python.Name:
		switch p := c.parent[node].(type) {
		case *python.Attr:
			return false
		case *python.Call:
			return p.Fn != python.Expr(n)
		case *python.Assign, *python.For, *python.AugAssign:
			return false
		}
		def := c.function(node)
		return def != nil && slices.Contains(inScope(c, def), n.ID)
	}
	return false
}

// changesShape are the methods that only change a shape.
var changesShape = map[string]bool{"transpose": true, "permute": true, "flatten": true, "unsqueeze": true, "squeeze": true, "view": true, "reshape": true,
	"contiguous": true, "t": true}

// shapings lists the calls that change a shape in a file, each once, as they are written.
func shapings(c *script) []string {
	var out []string
	for _, node := range c.nodes {
		call, ok := node.(*python.Call)
		if !ok {
			continue
		}
		a, ok := call.Fn.(*python.Attr)
		if !ok || !changesShape[a.Name] || lastNameOf(a.X) == "torch" || lastNameOf(a.X) == "nn" {
			continue
		}
		if text := c.text[c.spans[a.X].End:c.spans[node].End]; strings.HasPrefix(text, ".") && !strings.Contains(text, "\n") && !slices.Contains(out, text) && len(out) < 12 {
			out = append(out, text)
		}
	}
	return out
}
