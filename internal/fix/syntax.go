package fix

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
	"github.com/modelverifier/verifier/internal/patch"
)

// script is a Python file that may be changed.
type script struct {
	path, text string
	spans      python.Spans
	parent     map[any]any // of every expression and statement, the nearest node around it
	nodes      []any       // in the order of the source, the outer before the inner
	starts     []int       // of the lines
	found      memo
}

// function is a definition, with the class that it is a method of.
type function struct {
	*script
	def   *python.FuncDef
	class *python.ClassDef
}

// syntax is all scripts of a request, and what is looked up in them by name.
type syntax struct {
	scripts   []*script
	functions []*function
	classes   map[string][]*python.ClassDef
	calls     map[string][]located[*python.Call] // by the last part of what is called
	attrs     map[string][]located[python.Expr]  // what is assigned to an attribute, a field of a class or a keyword, by name
	globals   map[string][]located[python.Expr]  // what is assigned to a name of a module
	of        map[*python.FuncDef]*function
	look      lookups
}

// located is a node with its file.
type located[T any] struct {
	*script
	node T
}

// parseAll reads the scripts among files. One that Python does not read is left out: it cannot be changed with certainty.
func parseAll(files []patch.File) *syntax {
	s := &syntax{classes: map[string][]*python.ClassDef{}, calls: map[string][]located[*python.Call]{}, attrs: map[string][]located[python.Expr]{},
		globals: map[string][]located[python.Expr]{}, of: map[*python.FuncDef]*function{}}
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".py") {
			continue
		}
		file, spans, err := python.ParseSpans(f.Path, f.Text)
		if err != nil {
			continue
		}
		c := &script{path: f.Path, text: f.Text, spans: spans, parent: map[any]any{}, starts: []int{0}}
		for i := range f.Text {
			if f.Text[i] == '\n' {
				c.starts = append(c.starts, i+1)
			}
		}
		c.found = c.memo()
		c.nest(file)
		s.scripts = append(s.scripts, c)
		s.index(c)
	}
	s.look = s.lookups()
	return s
}

// nest finds what is inside what, by where it stands.
func (c *script) nest(file *python.File) {
	python.Each(file, func(node any) {
		if _, ok := c.spans[node]; ok {
			c.nodes = append(c.nodes, node)
		}
	})
	slices.SortStableFunc(c.nodes, func(a, b any) int {
		x, y := c.spans[a], c.spans[b]
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
	})
	var open []any
	for _, n := range c.nodes {
		for len(open) > 0 && c.spans[open[len(open)-1]].End < c.spans[n].End {
			open = open[:len(open)-1]
		}
		for len(open) > 0 && c.spans[open[len(open)-1]].End <= c.spans[n].Start {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			c.parent[n] = open[len(open)-1]
		}
		open = append(open, n)
	}
}

// index notes definitions, calls and assignments of a script.
func (s *syntax) index(c *script) {
	for _, node := range c.nodes {
		switch n := node.(type) {
		case *python.FuncDef:
			f := &function{c, n, nil}
			f.class, _ = c.around(n, func(x any) bool { _, ok := x.(*python.ClassDef); return ok }).(*python.ClassDef)
			s.functions, s.of[n] = append(s.functions, f), f
		case *python.ClassDef:
			s.classes[n.Name] = append(s.classes[n.Name], n)
		case *python.Call:
			if name := lastName(n.Fn); name != "" {
				s.calls[name] = append(s.calls[name], located[*python.Call]{c, n})
			}
			if name, value, ok := registered(n); ok {
				s.attrs[name] = append(s.attrs[name], located[python.Expr]{c, value})
			}
			for _, a := range n.Args {
				if a.Name != "" {
					s.attrs[a.Name] = append(s.attrs[a.Name], located[python.Expr]{c, a.Value})
				}
			}
		case *python.Assign:
			for _, t := range n.Targets {
				s.bind(c, n, t, n.Value)
			}
		case *python.AnnAssign:
			if n.Value != nil {
				s.bind(c, n, n.Target, n.Value)
			}
		case *python.AugAssign:
			s.bind(c, n, n.Target, n.Value)
		}
	}
}

// registered is the name and the value of self.register_buffer("name", value) and its kin.
func registered(call *python.Call) (string, python.Expr, bool) {
	if f := lastName(call.Fn); f != "register_buffer" && f != "register_parameter" && f != "add_module" && f != "setattr" || len(call.Args) < 2 {
		return "", nil, false
	}
	at := len(call.Args) - 2
	if lastName(call.Fn) != "setattr" {
		at = 0
	}
	k, ok := call.Args[at].Value.(*python.Const)
	if !ok {
		return "", nil, false
	}
	name, isText := k.Value.(string)
	return name, call.Args[at+1].Value, isText
}

// bind notes an assignment to an attribute, a field of a class, or a name of a module.
func (s *syntax) bind(c *script, at any, target, value python.Expr) {
	switch t := target.(type) {
	case *python.Attr:
		s.attrs[t.Name] = append(s.attrs[t.Name], located[python.Expr]{c, value})
	case *python.Sequence:
		for i, item := range t.Items {
			if v, ok := value.(*python.Sequence); ok && len(v.Items) == len(t.Items) {
				s.bind(c, at, item, v.Items[i])
			} else {
				s.bind(c, at, item, value)
			}
		}
	case *python.Name:
		if c.function(at) != nil {
			return
		}
		if _, ok := c.around(at, isClass).(*python.ClassDef); ok {
			s.attrs[t.ID] = append(s.attrs[t.ID], located[python.Expr]{c, value})
			return
		}
		s.globals[t.ID] = append(s.globals[t.ID], located[python.Expr]{c, value})
	}
}

func isClass(x any) bool { _, ok := x.(*python.ClassDef); return ok }

// around is the nearest node around one that is as asked, nil where there is none.
func (c *script) around(node any, is func(any) bool) any {
	for n := c.parent[node]; n != nil; n = c.parent[n] {
		if is(n) {
			return n
		}
	}
	return nil
}

// function is the definition around a node.
func (c *script) function(node any) *python.FuncDef {
	f, _ := c.around(node, func(x any) bool { _, ok := x.(*python.FuncDef); return ok }).(*python.FuncDef)
	return f
}

// source is the text of a node.
func (c *script) source(node any) string {
	at := c.spans[node]
	return c.text[at.Start:at.End]
}

// line is that of a byte, counted from 1.
func (c *script) line(offset int) int {
	return sort.Search(len(c.starts), func(i int) bool { return c.starts[i] > offset })
}

// statement is the innermost statement that a line belongs to, without the blocks in it.
func (c *script) statement(line int) any {
	var found any
	for _, n := range c.nodes {
		if _, isExpr := n.(interface{ Line() int }); !isExpr || !isStatement(n) {
			continue
		}
		at := c.spans[n]
		if c.line(at.Start) <= line && line <= c.line(max(at.End-1, at.Start)) {
			found = n
		}
	}
	return found
}

func isStatement(n any) bool {
	switch n.(type) {
	case *python.ExprStmt, *python.Assign, *python.AugAssign, *python.AnnAssign, *python.If, *python.For, *python.While, *python.FuncDef, *python.ClassDef,
		*python.Return, *python.Import, *python.ImportFrom, *python.With, *python.Try, *python.Raise, *python.Assert, *python.Delete:
		return true
	}
	return false
}

// heads are the expressions of a statement itself, without those of the statements in it.
func heads(stmt any) []python.Expr {
	var out []python.Expr
	add := func(list ...python.Expr) {
		for _, x := range list {
			if x != nil {
				out = append(out, x)
			}
		}
	}
	switch s := stmt.(type) {
	case *python.ExprStmt:
		add(s.X)
	case *python.Assign:
		add(s.Value)
		add(s.Targets...)
	case *python.AugAssign:
		add(s.Value, s.Target)
	case *python.AnnAssign:
		add(s.Value)
	case *python.If:
		add(s.Test)
	case *python.For:
		add(s.Iter)
	case *python.While:
		add(s.Test)
	case *python.Return:
		add(s.X)
	case *python.Assert:
		add(s.Test)
	case *python.FuncDef:
		for _, p := range s.Params {
			add(p.Default)
		}
	case *python.With:
		for _, i := range s.Items {
			add(i.Context)
		}
	}
	return out
}

// lastName is the last part of a dotted name, "" of anything else.
func lastName(x python.Expr) string {
	switch n := x.(type) {
	case *python.Name:
		return n.ID
	case *python.Attr:
		return n.Name
	}
	return ""
}
