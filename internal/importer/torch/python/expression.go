package python

// exprList reads an expression, or a tuple without parentheses.
func (p *parser) exprList() Expr {
	pos, start := p.pos(), p.at
	x := p.starOrExpr()
	if !p.is(",") {
		return x
	}
	out := []Expr{x}
	for p.take(",") && p.begins() {
		out = append(out, p.starOrExpr())
	}
	return p.mark(start, &Sequence{pos, TupleKind, out})
}

// begins reports whether an expression may begin here.
func (p *parser) begins() bool {
	t := p.tok()
	switch t.kind {
	case number, text:
		return true
	case name:
		switch t.text {
		case "None", "True", "False", "not", "lambda", "await", "yield":
			return true
		}
		return !keywords[t.text]
	case op:
		switch t.text {
		case "(", "[", "{", "-", "+", "~", "*", "...":
			return true
		}
	}
	return false
}

func (p *parser) starOrExpr() Expr {
	pos, start := p.pos(), p.at
	if p.take("*") {
		return p.mark(start, &Star{pos, p.binary(bitOr)})
	}
	return p.named()
}

// named reads an expression that may be an assignment expression.
func (p *parser) named() Expr {
	pos, start := p.pos(), p.at
	x := p.expr()
	if n, ok := x.(*Name); ok && p.take(":=") {
		return p.mark(start, &Named{pos, n.ID, p.expr()})
	}
	return x
}

// expr reads one expression: a lambda, a condition or what binds more tightly.
func (p *parser) expr() Expr {
	defer p.deeper()()
	pos, start := p.pos(), p.at
	switch {
	case p.take("lambda"):
		f := &Lambda{Pos: pos, Params: p.params(":", false)}
		p.want(":")
		p.yields = append(p.yields, false)
		f.Body = p.expr()
		p.yields = p.yields[:len(p.yields)-1]
		return p.mark(start, f)
	case p.is("yield"):
		return p.mark(start, p.yield())
	}
	x := p.or()
	if p.take("if") {
		test := p.or()
		p.want("else")
		return p.mark(start, &Cond{pos, test, x, p.expr()})
	}
	return x
}

func (p *parser) yield() Expr {
	pos := p.pos()
	p.want("yield")
	if n := len(p.yields); n > 0 {
		p.yields[n-1] = true
	}
	if p.take("from") {
		return &Suspend{pos, "yield from", p.expr()}
	}
	if p.begins() {
		return &Suspend{pos, "yield", p.exprList()}
	}
	return &Suspend{pos, "yield", &Const{pos, nil}}
}

func (p *parser) or() Expr {
	start := p.at
	x := p.and()
	for n := 0; p.is("or"); n++ {
		p.chained(n)
		pos := p.pos()
		p.at++
		x = p.mark(start, &Binary{pos, "or", x, p.and()})
	}
	return x
}

func (p *parser) and() Expr {
	start := p.at
	x := p.not()
	for n := 0; p.is("and"); n++ {
		p.chained(n)
		pos := p.pos()
		p.at++
		x = p.mark(start, &Binary{pos, "and", x, p.not()})
	}
	return x
}

func (p *parser) not() Expr {
	pos, start := p.pos(), p.at
	if p.take("not") {
		defer p.deeper()()
		return p.mark(start, &Unary{pos, "not", p.not()})
	}
	return p.comparison()
}

func (p *parser) comparison() Expr {
	pos, start := p.pos(), p.at
	x := p.binary(bitOr)
	var c *Compare
	for {
		o := p.comparator()
		if o == "" {
			break
		}
		if c == nil {
			c = &Compare{Pos: pos, L: x}
		}
		c.Ops, c.Rights = append(c.Ops, o), append(c.Rights, p.binary(bitOr))
	}
	if c == nil {
		return x
	}
	return p.mark(start, c)
}

func (p *parser) comparator() string {
	switch t := p.tok(); {
	case t.kind == op:
		switch t.text {
		case "<", ">", "<=", ">=", "==", "!=":
			p.at++
			return t.text
		}
	case p.take("in"):
		return "in"
	case p.take("is"):
		if p.take("not") {
			return "is not"
		}
		return "is"
	case p.is("not") && p.toks[p.at+1].text == "in":
		p.at += 2
		return "not in"
	}
	return ""
}

// The levels of arithmetic, loosest first.
const (
	bitOr = iota
	bitXor
	bitAnd
	shift
	sum
	product
	unary
)

// levelOf returns the level of an operator with two sides, or -1.
func levelOf(operator string) int {
	switch operator {
	case "|":
		return bitOr
	case "^":
		return bitXor
	case "&":
		return bitAnd
	case "<<", ">>":
		return shift
	case "+", "-":
		return sum
	case "*", "/", "//", "%", "@":
		return product
	}
	return -1
}

func (p *parser) binary(level int) Expr {
	if level == unary {
		return p.unary()
	}
	start := p.at
	x := p.binary(level + 1)
	for n := 0; ; n++ {
		p.chained(n)
		t := p.tok()
		if t.kind != op || levelOf(t.text) != level {
			return x
		}
		p.at++
		x = p.mark(start, &Binary{Pos(t.line), t.text, x, p.binary(level + 1)})
	}
}

func (p *parser) unary() Expr {
	t, start := p.tok(), p.at
	if t.kind == op && (t.text == "-" || t.text == "+" || t.text == "~") {
		defer p.deeper()()
		p.at++
		return p.mark(start, &Unary{Pos(t.line), t.text, p.unary()})
	}
	x := p.primary()
	if p.is("**") {
		defer p.deeper()()
		pos := p.pos()
		p.at++
		return p.mark(start, &Binary{pos, "**", x, p.unary()})
	}
	return x
}

// primary reads an atom and what is called, indexed or read of it.
func (p *parser) primary() Expr {
	pos, start := p.pos(), p.at
	if p.take("await") {
		defer p.deeper()()
		return p.mark(start, &Suspend{pos, "await", p.primary()})
	}
	x := p.mark(start, p.atom())
	for n := 0; ; n++ {
		p.chained(n)
		pos := p.pos()
		switch {
		case p.take("."):
			x = &Attr{pos, x, p.identifier()}
		case p.take("("):
			x = &Call{pos, x, p.args()}
		case p.take("["):
			x = &Index{pos, x, p.subscript()}
			p.want("]")
		default:
			return x
		}
		p.mark(start, x)
	}
}

// args reads the arguments of a call behind its opening parenthesis.
func (p *parser) args() []Arg {
	var out []Arg
	for !p.take(")") {
		switch pos, start := p.pos(), p.at; {
		case p.take("**"):
			out = append(out, Arg{Stars: 2, Value: p.expr()})
		case p.take("*"):
			out = append(out, Arg{Stars: 1, Value: p.expr()})
		case p.tok().kind == name && p.toks[p.at+1].kind == op && p.toks[p.at+1].text == "=":
			n := p.identifier()
			p.at++
			out = append(out, Arg{Name: n, Value: p.expr()})
		default:
			x := p.named()
			if p.is("for") || p.is("async") {
				x = p.mark(start, p.comprehension(&Comp{Pos: pos, Kind: GeneratorKind, Item: x}))
			}
			out = append(out, Arg{Value: x})
		}
		if !p.take(",") && !p.is(")") {
			p.unexpected()
		}
	}
	return out
}

func (p *parser) subscript() Expr {
	pos, start := p.pos(), p.at
	x := p.slice()
	if !p.is(",") {
		return x
	}
	out := []Expr{x}
	for p.take(",") && !p.is("]") {
		out = append(out, p.slice())
	}
	return p.mark(start, &Sequence{pos, TupleKind, out})
}

func (p *parser) slice() Expr {
	s := &Slice{Pos: p.pos()}
	if !p.is(":") {
		x := p.starOrExpr()
		if !p.is(":") {
			return x
		}
		s.Lo = x
	}
	p.want(":")
	bound := func() Expr {
		if p.is(":") || p.is(",") || p.is("]") {
			return nil
		}
		return p.expr()
	}
	s.Hi = bound()
	if p.take(":") {
		s.Step = bound()
	}
	return s
}
