package python

import "strings"

// statement reads one line or one compound statement.
func (p *parser) statement() []Stmt {
	defer p.deeper()()
	t, start := p.tok(), p.at
	if t.kind == newline {
		p.at++
		return nil
	}
	if t.kind == op && t.text == "@" {
		s := p.decorated()
		p.mark(start, s)
		return []Stmt{s}
	}
	if t.kind == name {
		if s := p.compound(t.text); s != nil {
			p.mark(start, s)
			return []Stmt{s}
		}
	}
	return p.simpleLine()
}

func (p *parser) compound(word string) Stmt {
	switch word {
	case "if":
		p.at++
		return p.ifRest(Pos(p.toks[p.at-1].line))
	case "for":
		return p.forStmt(false)
	case "while":
		return p.whileStmt()
	case "def":
		return p.function(nil, false)
	case "class":
		return p.class(nil)
	case "with":
		return p.with()
	case "try":
		return p.try()
	case "async":
		return p.async(nil)
	case "match":
		return p.match()
	}
	return nil
}

func (p *parser) async(decorators []Expr) Stmt {
	p.want("async")
	switch {
	case p.is("def"):
		return p.function(decorators, true)
	case p.is("for"):
		return p.forStmt(true)
	case p.is("with"):
		return p.with()
	}
	p.unexpected()
	return nil
}

// match passes over a match statement, if that is what the soft keyword begins.
func (p *parser) match() Stmt {
	start, pos := p.at, p.pos()
	p.at++
	if t := p.tok(); t.kind == op && t.text != "(" && t.text != "[" && t.text != "{" && t.text != "-" && t.text != "*" || t.kind == newline || p.is("in") || p.is("is") {
		p.at = start
		return nil
	}
	for i, open := p.at, 0; ; i++ {
		t := p.toks[i]
		if t.kind == newline || t.kind == eof {
			p.at = start
			return nil
		}
		if t.kind == op {
			open += strings.Count("([{", t.text) - strings.Count(")]}", t.text)
		}
		if t.kind == op && t.text == ":" && open == 0 {
			if p.toks[i+1].kind != newline {
				p.at = start
				return nil
			}
			break
		}
	}
	subject := p.exprList()
	p.want(":")
	p.kind(newline)
	if !p.kind(indent) {
		p.unexpected()
	}
	for level := 1; level > 0; p.at++ {
		switch p.tok().kind {
		case indent:
			level++
		case dedent:
			level--
		case eof:
			p.unexpected()
		}
	}
	return &Match{pos, subject}
}

func (p *parser) block() []Stmt {
	p.want(":")
	if !p.kind(newline) {
		return p.simpleLine()
	}
	if !p.kind(indent) {
		p.fail("an indented block is missing")
	}
	var out []Stmt
	for !p.kind(dedent) {
		if p.tok().kind == eof {
			p.unexpected()
		}
		out = append(out, p.statement()...)
	}
	return out
}

func (p *parser) ifRest(pos Pos) Stmt {
	defer p.deeper()()
	s := &If{Pos: pos, Test: p.named()}
	s.Then = p.block()
	switch {
	case p.is("elif"):
		at := p.pos()
		p.at++
		s.Else = []Stmt{p.ifRest(at)}
	case p.take("else"):
		s.Else = p.block()
	}
	return s
}

func (p *parser) orElse() []Stmt {
	if p.take("else") {
		return p.block()
	}
	return nil
}

func (p *parser) forStmt(async bool) Stmt {
	s := &For{Pos: p.pos(), Async: async}
	p.want("for")
	s.Target = p.targets()
	p.want("in")
	s.Iter = p.exprList()
	s.Body = p.block()
	s.Else = p.orElse()
	return s
}

func (p *parser) whileStmt() Stmt {
	s := &While{Pos: p.pos()}
	p.want("while")
	s.Test = p.named()
	s.Body = p.block()
	s.Else = p.orElse()
	return s
}

func (p *parser) decorated() Stmt {
	var decorators []Expr
	for p.take("@") {
		decorators = append(decorators, p.named())
		if !p.kind(newline) {
			p.unexpected()
		}
	}
	switch {
	case p.is("def"):
		return p.function(decorators, false)
	case p.is("class"):
		return p.class(decorators)
	case p.is("async"):
		return p.async(decorators)
	}
	p.unexpected()
	return nil
}

// typeParams passes over the [T] of generic functions and classes.
func (p *parser) typeParams() {
	if !p.is("[") {
		return
	}
	for level := 0; ; p.at++ {
		switch {
		case p.is("["):
			level++
		case p.is("]"):
			level--
		case p.tok().kind == eof:
			p.unexpected()
		}
		if level == 0 {
			p.at++
			return
		}
	}
}

func (p *parser) function(decorators []Expr, async bool) Stmt {
	s := &FuncDef{Pos: p.pos(), Decorators: decorators, Async: async}
	p.want("def")
	s.Name = p.identifier()
	p.typeParams()
	p.want("(")
	s.Params = p.params(")", true)
	p.want(")")
	if p.take("->") {
		p.exprList()
	}
	p.yields = append(p.yields, false)
	s.Body = p.block()
	s.Generator = p.yields[len(p.yields)-1]
	p.yields = p.yields[:len(p.yields)-1]
	return s
}

// params reads parameters up to, and without, the closing token.
func (p *parser) params(end string, annotated bool) []Param {
	var out []Param
	keyword := false
	for !p.is(end) {
		q := Param{KeywordOnly: keyword}
		switch {
		case p.take("/"):
			if !p.take(",") && !p.is(end) {
				p.unexpected()
			}
			continue
		case p.take("**"):
			q.Stars = 2
		case p.take("*"):
			keyword = true
			if p.take(",") {
				continue
			}
			q.Stars = 1
		}
		q.Name = p.identifier()
		if annotated && p.take(":") {
			q.Annotation = p.starOrExpr()
		}
		if p.take("=") {
			q.Default = p.expr()
		}
		out = append(out, q)
		if !p.take(",") && !p.is(end) {
			p.unexpected()
		}
	}
	return out
}

func (p *parser) class(decorators []Expr) Stmt {
	s := &ClassDef{Pos: p.pos(), Decorators: decorators}
	p.want("class")
	s.Name = p.identifier()
	p.typeParams()
	if p.take("(") {
		s.Bases = p.args()
	}
	s.Body = p.block()
	return s
}

func (p *parser) with() Stmt {
	s := &With{Pos: p.pos()}
	p.want("with")
	// A parenthesis may hold all items; if what follows it is not ":", it was part of an expression.
	if p.is("(") {
		start := p.at
		if items, ok := p.parenthesised(); ok {
			s.Items = items
			s.Body = p.block()
			return s
		}
		p.at = start
	}
	for {
		s.Items = append(s.Items, p.withItem())
		if !p.take(",") {
			break
		}
	}
	s.Body = p.block()
	return s
}

func (p *parser) withItem() WithItem {
	item := WithItem{Context: p.expr()}
	if p.take("as") {
		item.Target = p.target()
	}
	return item
}

func (p *parser) parenthesised() (items []WithItem, ok bool) {
	end := p.at
	for level := 0; ; end++ {
		if t := p.toks[end]; t.kind == op {
			level += strings.Count("([{", t.text) - strings.Count(")]}", t.text)
		}
		if level == 0 {
			break
		}
	}
	if next := p.toks[end+1]; next.text != ":" {
		return nil, false
	}
	p.want("(")
	for !p.is(")") {
		items = append(items, p.withItem())
		if !p.take(",") && !p.is(")") {
			return nil, false
		}
	}
	p.want(")")
	return items, true
}

func (p *parser) try() Stmt {
	s := &Try{Pos: p.pos()}
	p.want("try")
	s.Body = p.block()
	for p.is("except") {
		h := Handler{Line: p.tok().line}
		p.at++
		p.take("*")
		if !p.is(":") {
			h.Type = p.exprList()
			if p.take("as") {
				h.Name = p.identifier()
			}
		}
		h.Body = p.block()
		s.Handlers = append(s.Handlers, h)
	}
	s.Else = p.orElse()
	if p.take("finally") {
		s.Finally = p.block()
	}
	if len(s.Handlers) == 0 && s.Finally == nil {
		p.fail("try needs except or finally")
	}
	return s
}
