package torch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Usage is a place where a program makes a model, and calls it: a test, a script, an example of a README. Arguments that are no literals
// leave a usage out.
type Usage struct {
	Name   string     // of the class or function
	Args   []UsageArg // as they are given
	Inputs []Input    // of the first call whose tensors have known sizes, nil where there is none
	Line   int        // of that call, else of where the model is made
}

// UsageArg is an argument as Python writes it; Name is "" where it is given by its position.
type UsageArg struct{ Name, Value string }

// Usages finds where a source makes one of the named classes or functions.
func Usages(src string, names []string) []Usage {
	file, err := python.Parse("", src)
	if err != nil {
		return nil
	}
	u := &using{names: names}
	u.statements(file.Body, &scope{})
	return slices.Collect(func(yield func(Usage) bool) {
		for _, f := range u.found {
			if !yield(*f) {
				return
			}
		}
	})
}

// using goes through a source.
type using struct {
	names []string
	found []*Usage
}

// scope is what a block has bound: tensors and numbers, and models with where they were made.
type scope struct {
	bound
	made table[*Usage]
}

// inside goes through a block, as that of bound does.
func (s *scope) inside(block func()) {
	made := len(s.made.was)
	s.bound.inside(block)
	s.made.back(made)
}

// statements goes through a block; functions and methods see what the blocks around them have bound.
func (u *using) statements(body []python.Stmt, s *scope) {
	var inner []python.Stmt
	for _, stmt := range body {
		switch x := stmt.(type) {
		case *python.FuncDef, *python.ClassDef:
			inner = append(inner, x)
		case *python.If:
			u.statements(x.Then, s)
			u.statements(x.Else, s)
		case *python.With:
			u.statements(x.Body, s)
		case *python.For:
			u.statements(x.Body, s)
		case *python.Try:
			u.statements(x.Body, s)
		default:
			u.statement(stmt, s)
		}
	}
	for _, stmt := range inner {
		switch x := stmt.(type) {
		case *python.FuncDef:
			s.inside(func() { u.statements(x.Body, s) })
		case *python.ClassDef:
			s.inside(func() { u.statements(x.Body, s) })
		}
	}
}

func (u *using) statement(stmt python.Stmt, s *scope) {
	python.Each(stmt, func(node any) {
		if c, ok := node.(*python.Call); ok {
			u.call(c, s)
		}
	})
	a, ok := stmt.(*python.Assign)
	if !ok || len(a.Targets) != 1 {
		return
	}
	if target, ok := a.Targets[0].(*python.Sequence); ok {
		s.unpack(target, a.Value)
		return
	}
	name := dotted(a.Targets[0])
	if name == "" {
		return
	}
	s.made.drop(name)
	s.tensors.drop(name)
	s.numbers.drop(name)
	if c, ok := plainModel(a.Value).(*python.Call); ok && u.makes(c) != "" {
		s.made.set(name, u.usage(c, s))
	} else if in, ok := s.tensor(a.Value); ok {
		s.tensors.set(name, in)
	} else if n, ok := s.number(a.Value); ok {
		s.numbers.set(name, n)
	}
}

// unpack binds the numbers of B, C = 2, 3.
func (s *scope) unpack(target *python.Sequence, value python.Expr) {
	values, ok := value.(*python.Sequence)
	if !ok || len(values.Items) != len(target.Items) {
		return
	}
	for i, t := range target.Items {
		name := dotted(t)
		s.numbers.drop(name)
		if n, ok := s.number(values.Items[i]); ok && name != "" {
			s.numbers.set(name, n)
		}
	}
}

// dotted is a name such as net or self.net.
func dotted(x python.Expr) string {
	switch x := x.(type) {
	case *python.Name:
		return x.ID
	case *python.Attr:
		if of, ok := x.X.(*python.Name); ok {
			return of.ID + "." + x.Name
		}
	}
	return ""
}

// plainModel takes .to(…), .eval() and the like off a model.
func plainModel(x python.Expr) python.Expr {
	for {
		c, ok := x.(*python.Call)
		if !ok {
			return x
		}
		fn, ok := c.Fn.(*python.Attr)
		if !ok || !slices.Contains([]string{"to", "eval", "train", "cuda", "cpu", "float", "half", "double", "requires_grad_"}, fn.Name) {
			return x
		}
		x = fn.X
	}
}

// makes is the name that a call makes a model of, or "".
func (u *using) makes(c *python.Call) string {
	name := ""
	switch fn := c.Fn.(type) {
	case *python.Name:
		name = fn.ID
	case *python.Attr:
		name = fn.Name
	}
	if slices.Contains(u.names, name) {
		return name
	}
	return ""
}

// call looks at a call of what was made: net(x), or Net()(x).
func (u *using) call(c *python.Call, s *scope) {
	var usage *Usage
	if made, ok := plainModel(c.Fn).(*python.Call); ok && u.makes(made) != "" {
		usage = u.usage(made, s)
	} else if usage = s.made.of[dotted(c.Fn)]; usage == nil {
		return
	}
	if usage == nil || usage.Inputs != nil {
		return
	}
	var inputs []Input
	for _, a := range c.Args {
		in, ok := s.tensor(a.Value)
		if !ok || a.Name != "" || a.Stars > 0 {
			return
		}
		inputs = append(inputs, in)
	}
	if len(inputs) > 0 {
		usage.Inputs, usage.Line = inputs, c.Line()
	}
}

// usage notes where a model is made; nil where an argument is no literal.
func (u *using) usage(c *python.Call, s *scope) *Usage {
	out := &Usage{Name: u.makes(c), Line: c.Line()}
	for _, a := range c.Args {
		text, ok := s.literal(a.Value)
		if !ok || a.Stars > 0 {
			return nil
		}
		out.Args = append(out.Args, UsageArg{a.Name, text})
	}
	u.found = append(u.found, out)
	return out
}

// literal writes a value of numbers and strings as Python does.
func (s *scope) literal(x python.Expr) (string, bool) {
	switch x := x.(type) {
	case *python.Const:
		return constant(x.Value)
	case *python.Name:
		n, ok := s.numbers.of[x.ID]
		return strconv.FormatInt(n, 10), ok
	case *python.Unary:
		text, ok := s.literal(x.X)
		return x.Op + text, ok && x.Op == "-"
	case *python.Sequence:
		return s.display(x)
	}
	return "", false
}

func (s *scope) display(x *python.Sequence) (string, bool) {
	var parts []string
	for _, item := range x.Items {
		text, ok := s.literal(item)
		if !ok {
			return "", false
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, ", ")
	switch {
	case x.Kind == python.ListKind:
		return "[" + text + "]", true
	case x.Kind == python.TupleKind && len(parts) == 1:
		return "(" + text + ",)", true
	case x.Kind == python.TupleKind:
		return "(" + text + ")", true
	}
	return "", false
}

func constant(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "None", true
	case bool:
		return map[bool]string{true: "True", false: "False"}[v], true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".eIN") {
			text += ".0"
		}
		return text, !strings.ContainsAny(text, "IN")
	case string:
		return strconv.QuoteToASCII(v), true // which Python reads alike, but for characters beyond 16 bits
	}
	return "", false
}
