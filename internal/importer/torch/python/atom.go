package python

import (
	"math"
	"strconv"
	"strings"
)

func (p *parser) atom() Expr {
	t := p.tok()
	pos := Pos(t.line)
	switch t.kind {
	case number:
		p.at++
		return &Const{pos, p.number(t.text)}
	case text:
		return p.strings()
	case name:
		p.at++
		switch t.text {
		case "None":
			return &Const{pos, nil}
		case "True", "False":
			return &Const{pos, t.text == "True"}
		}
		if keywords[t.text] {
			p.at--
			p.unexpected()
		}
		return &Name{pos, t.text}
	case op:
		p.at++
		switch t.text {
		case "...":
			return &Const{pos, Dots{}}
		case "(":
			return p.parenthesis(pos)
		case "[":
			return p.display(pos, ListKind, "]")
		case "{":
			return p.braces(pos)
		}
		p.at--
	}
	p.unexpected()
	return nil
}

func (p *parser) parenthesis(pos Pos) Expr {
	if p.take(")") {
		return &Sequence{pos, TupleKind, nil}
	}
	x := p.starOrExpr()
	switch {
	case p.is("for") || p.is("async"):
		x = p.comprehension(&Comp{Pos: pos, Kind: GeneratorKind, Item: x})
	case p.is(","):
		items := []Expr{x}
		for p.take(",") && !p.is(")") {
			items = append(items, p.starOrExpr())
		}
		x = &Sequence{pos, TupleKind, items}
	}
	p.want(")")
	return x
}

// display reads a list or set behind its opening bracket.
func (p *parser) display(pos Pos, k Kind, end string) Expr {
	if p.take(end) {
		return &Sequence{Pos: pos, Kind: k}
	}
	return p.displayFrom(pos, k, end, p.starOrExpr())
}

// displayFrom reads a list or set behind its first item.
func (p *parser) displayFrom(pos Pos, k Kind, end string, first Expr) Expr {
	if p.is("for") || p.is("async") {
		c := p.comprehension(&Comp{Pos: pos, Kind: k, Item: first})
		p.want(end)
		return c
	}
	s := &Sequence{Pos: pos, Kind: k, Items: []Expr{first}}
	for {
		if !p.take(",") && !p.is(end) {
			p.unexpected()
		}
		if p.take(end) {
			return s
		}
		s.Items = append(s.Items, p.starOrExpr())
	}
}

// braces reads a dictionary or a set.
func (p *parser) braces(pos Pos) Expr {
	d := &Dict{Pos: pos}
	for first := true; !p.take("}"); first = false {
		if p.take("**") {
			d.Keys, d.Values = append(d.Keys, nil), append(d.Values, p.binary(bitOr))
		} else {
			key := p.starOrExpr()
			if !p.is(":") {
				if !first {
					p.unexpected()
				}
				return p.displayFrom(pos, SetKind, "}", key)
			}
			p.want(":")
			value := p.expr()
			if first && (p.is("for") || p.is("async")) {
				c := p.comprehension(&Comp{Pos: pos, Kind: DictKind, Key: key, Item: value})
				p.want("}")
				return c
			}
			d.Keys, d.Values = append(d.Keys, key), append(d.Values, value)
		}
		if !p.take(",") && !p.is("}") {
			p.unexpected()
		}
	}
	return d
}

func (p *parser) comprehension(c *Comp) Expr {
	for p.is("for") || p.is("async") {
		p.take("async")
		p.want("for")
		clause := Clause{Target: p.targets()}
		p.want("in")
		clause.Iter = p.or()
		for p.take("if") {
			clause.Ifs = append(clause.Ifs, p.noCondition())
		}
		c.Clauses = append(c.Clauses, clause)
	}
	return c
}

// noCondition reads an expression without "if … else", which would take the next filter.
func (p *parser) noCondition() Expr {
	pos := p.pos()
	x := p.or()
	if n, ok := x.(*Name); ok && p.take(":=") {
		return &Named{pos, n.ID, p.or()}
	}
	return x
}

func (p *parser) number(s string) any {
	clean := strings.ToLower(strings.ReplaceAll(s, "_", ""))
	if strings.HasSuffix(clean, "j") {
		return Complex(clean)
	}
	if n, err := strconv.ParseInt(clean, 0, 64); err == nil && (clean == "0" || clean[0] != '0' || len(clean) > 1 && !isDigit(clean[1])) {
		return n
	}
	if strings.Trim(clean, "0123456789") == "" {
		if n, err := strconv.ParseInt(strings.TrimLeft(clean, "0")+"", 10, 64); err == nil {
			return n
		}
		if strings.Trim(clean, "0") == "" {
			return int64(0)
		}
		return Big(clean)
	}
	if f, err := strconv.ParseFloat(clean, 64); err == nil || math.IsInf(f, 0) {
		if !strings.HasPrefix(clean, "0x") {
			return f
		}
	}
	if strings.HasPrefix(clean, "0x") || strings.HasPrefix(clean, "0b") || strings.HasPrefix(clean, "0o") {
		return Big(clean)
	}
	p.at--
	p.fail("%q is no number", clip(s))
	return nil
}

// strings joins adjacent literals.
func (p *parser) strings() Expr {
	pos := p.pos()
	var plain strings.Builder
	var parts []Expr
	formatted, bytes := false, false
	flush := func() {
		if plain.Len() > 0 {
			parts = append(parts, &Const{pos, plain.String()})
			plain.Reset()
		}
	}
	for p.tok().kind == text {
		t := p.tok()
		prefix, body := literal(t.text)
		bytes = bytes || strings.Contains(prefix, "b")
		if strings.Contains(prefix, "f") {
			formatted = true
			flush()
			parts = append(parts, p.formatted(t.line, body, strings.Contains(prefix, "r"))...)
		} else {
			plain.WriteString(unescape(body, strings.Contains(prefix, "r")))
		}
		p.at++
	}
	if bytes {
		return &Const{pos, Bytes(plain.String())}
	}
	if !formatted {
		return &Const{pos, plain.String()}
	}
	flush()
	return &FString{pos, parts}
}

// literal cuts a string token into its lower-case prefix and what is between the quotes.
func literal(s string) (prefix, body string) {
	i := strings.IndexAny(s, `"'`)
	prefix, s = strings.ToLower(s[:i]), s[i:]
	n := 1
	if len(s) >= 6 && s[0] == s[1] && s[1] == s[2] {
		n = 3
	}
	return prefix, s[n : len(s)-n]
}
