package python

import "strings"

// simpleLine reads the statements of one line.
func (p *parser) simpleLine() []Stmt {
	var out []Stmt
	for {
		start := p.at
		s := p.simple()
		p.mark(start, s)
		out = append(out, s)
		if p.take(";") {
			if p.kind(newline) {
				return out
			}
			continue
		}
		if p.tok().kind == eof {
			return out
		}
		if !p.kind(newline) {
			p.unexpected()
		}
		return out
	}
}

func (p *parser) simple() Stmt {
	pos := p.pos()
	if t := p.tok(); t.kind == name {
		switch t.text {
		case "pass", "break", "continue":
			p.at++
			return &Jump{pos, t.text}
		case "return":
			p.at++
			return &Return{pos, p.optional()}
		case "raise":
			p.at++
			x := p.optional()
			if p.take("from") {
				p.expr()
			}
			return &Raise{pos, x}
		case "import":
			p.at++
			return &Import{pos, p.aliases()}
		case "from":
			return p.importFrom()
		case "assert":
			p.at++
			s := &Assert{Pos: pos, Test: p.expr()}
			if p.take(",") {
				s.Message = p.expr()
			}
			return s
		case "del":
			p.at++
			return &Delete{pos, items(p.targets())}
		case "global", "nonlocal":
			p.at++
			s := &Scope{pos, t.text, []string{p.identifier()}}
			for p.take(",") {
				s.Names = append(s.Names, p.identifier())
			}
			return s
		}
	}
	if s := p.typeAlias(); s != nil {
		return s
	}
	return p.assignment()
}

// typeAlias reads "type Name[T] = …" of Python 3.12, where type is a name everywhere else. What it stands for is not evaluated before
// somebody asks, and only type checkers do: the name is bound to something of typing's.
func (p *parser) typeAlias() Stmt {
	next := p.toks[min(p.at+1, len(p.toks)-1)]
	if !p.is("type") || next.kind != name || keywords[next.text] {
		return nil
	}
	s := &ImportFrom{Pos: p.pos(), Module: "typing"}
	p.at++
	s.Names = []Alias{{Name: "TypeAliasType", As: p.identifier()}}
	p.typeParams()
	p.want("=")
	p.exprList()
	return s
}

// optional reads an expression unless the statement ends.
func (p *parser) optional() Expr {
	if t := p.tok(); t.kind == newline || t.kind == eof || p.is(";") {
		return nil
	}
	return p.exprList()
}

func items(e Expr) []Expr {
	if t, ok := e.(*Sequence); ok && t.Kind == TupleKind {
		return t.Items
	}
	return []Expr{e}
}

func (p *parser) dotted() string {
	parts := []string{p.identifier()}
	for p.take(".") {
		p.chained(len(parts))
		parts = append(parts, p.identifier())
	}
	return strings.Join(parts, ".")
}

func (p *parser) aliases() []Alias {
	var out []Alias
	for {
		a := Alias{Name: p.dotted()}
		if p.take("as") {
			a.As = p.identifier()
		}
		out = append(out, a)
		if !p.take(",") || p.is(")") {
			return out
		}
	}
}

func (p *parser) importFrom() Stmt {
	s := &ImportFrom{Pos: p.pos()}
	p.want("from")
	for {
		if p.take("...") {
			s.Level += 3
		} else if p.take(".") {
			s.Level++
		} else {
			break
		}
	}
	if !p.is("import") {
		s.Module = p.dotted()
	}
	p.want("import")
	switch {
	case p.take("*"):
		s.Names = []Alias{{Name: "*"}}
	case p.take("("):
		s.Names = p.aliases()
		p.want(")")
	default:
		s.Names = p.aliases()
	}
	return s
}

var augmented = map[string]string{
	"+=": "+", "-=": "-", "*=": "*", "/=": "/", "//=": "//", "%=": "%", "**=": "**", "@=": "@", "&=": "&", "|=": "|", "^=": "^", ">>=": ">>", "<<=": "<<",
}

// assignment reads an expression statement or any of the assignments.
func (p *parser) assignment() Stmt {
	pos := p.pos()
	x := p.exprList()
	if t := p.tok(); t.kind == op {
		if o, ok := augmented[t.text]; ok {
			p.assignable(x)
			p.at++
			return &AugAssign{pos, x, o, p.exprList()}
		}
	}
	switch {
	case p.take(":"):
		p.assignable(x)
		s := &AnnAssign{Pos: pos, Target: x, Annotation: p.expr()}
		if p.take("=") {
			s.Value = p.exprList()
		}
		return s
	case p.is("="):
		s := &Assign{Pos: pos}
		for n := 0; p.take("="); n++ {
			p.chained(n)
			p.assignable(x)
			s.Targets = append(s.Targets, x)
			x = p.exprList()
		}
		s.Value = x
		return s
	}
	return &ExprStmt{pos, x}
}

// assignable refuses what nothing can be assigned to.
func (p *parser) assignable(x Expr) {
	switch t := x.(type) {
	case *Name, *Attr, *Index:
		return
	case *Star:
		p.assignable(t.X)
		return
	case *Sequence:
		if t.Kind != SetKind {
			for _, item := range t.Items {
				p.assignable(item)
			}
			return
		}
	}
	p.fail("nothing can be assigned to this expression")
}

// target reads one target of for or with: no comparison, so that "in" ends it.
func (p *parser) target() Expr {
	pos := p.pos()
	if p.take("*") {
		defer p.deeper()()
		return &Star{pos, p.target()}
	}
	x := p.binary(bitOr)
	p.assignable(x)
	return x
}

func (p *parser) targets() Expr {
	pos := p.pos()
	x := p.target()
	if !p.is(",") {
		return x
	}
	out := []Expr{x}
	for p.take(",") && !p.is("in") && !p.is("=") && p.tok().kind != newline {
		out = append(out, p.target())
	}
	return &Sequence{pos, TupleKind, out}
}
