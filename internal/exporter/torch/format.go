package torch

import (
	"slices"
	"strings"
)

// maxWidth is the width of a line of emitted Python, in characters.
const maxWidth = 100

const indentStep = "    "

// expr is a line of Python cut at its brackets: text and bracketed lists, in turn.
type expr []part

type part struct {
	text string // outside every bracket, strings included; or
	list *list
}

// list is a pair of brackets and what stands between its commas.
type list struct {
	open, close byte
	items       []expr
	comma       bool // a comma stands behind the last item, as in a tuple of one
}

const openers, closers = "([{", ")]}"

// parse cuts a line at its brackets. It reports false for text whose brackets or quotes do not match.
func parse(text string) (expr, bool) {
	p := parser{rest: text}
	e, end := p.expr(true)
	return e, end == 0 && !p.broken
}

type parser struct {
	rest   string
	broken bool
}

// expr reads up to a comma or closing bracket of the surrounding list, which it returns, or 0 at the end of the text. Outside every
// list a comma is text.
func (p *parser) expr(outside bool) (expr, byte) {
	var e expr
	start := 0
	flush := func(end int) {
		if end > start {
			e = append(e, part{text: p.rest[start:end]})
		}
	}
	for i := 0; i < len(p.rest); {
		c := p.rest[i]
		switch {
		case c == '"' || c == '\'':
			n := quoted(p.rest[i:])
			p.broken = p.broken || n == 0
			i += max(n, 1)
		case strings.IndexByte(openers, c) >= 0:
			flush(i)
			p.rest = p.rest[i+1:]
			e = append(e, part{list: p.list(c)})
			i, start = 0, 0
		case c == ',' && !outside || strings.IndexByte(closers, c) >= 0:
			flush(i)
			p.rest = p.rest[i+1:]
			return e, c
		default:
			i++
		}
	}
	flush(len(p.rest))
	p.rest = ""
	return e, 0
}

func (p *parser) list(open byte) *list {
	l := &list{open: open, close: closers[strings.IndexByte(openers, open)]}
	if end := strings.IndexAny(p.rest, openers+closers+`"'`); end >= 0 && p.rest[end] == l.close && forAt(p.rest[:end]) < 0 {
		l.separate(p.rest[:end])
		p.rest = p.rest[end+1:]
		return l
	}
	for {
		e, end := p.expr(false)
		e = e.trimmed()
		if end == ',' {
			l.items, l.comma = append(l.items, e), true
			continue
		}
		if len(e) > 0 {
			l.items, l.comma = append(l.items, e), false
		}
		p.broken = p.broken || end != l.close
		l.comprehend()
		return l
	}
}

// separate cuts a text without brackets and strings at its commas: a list can have many thousand numbers.
func (l *list) separate(text string) {
	count := strings.Count(text, ",") + 1
	parts := make([]part, count)
	l.items = make([]expr, count)
	for k := range count {
		item, rest, more := strings.Cut(text, ",")
		text, l.comma = rest, more
		if item = strings.Trim(item, " \n"); item != "" {
			parts[k].text = item
			l.items[k] = parts[k : k+1 : k+1]
		}
	}
	if len(l.items[count-1]) == 0 { // nothing stands behind the last comma, which separates nothing
		l.items, l.comma = l.items[:count-1], count > 1
	}
}

// comprehend makes one item of a comprehension: the comma of "for a, b in c" separates nothing.
func (l *list) comprehend() {
	for _, e := range l.items {
		for _, p := range e {
			if p.list != nil || forAt(p.text) < 0 {
				continue
			}
			var whole expr
			for i, item := range l.items {
				if i > 0 {
					whole = append(whole, part{text: ", "})
				}
				whole = append(whole, item...)
			}
			l.items, l.comma = []expr{whole}, false
			return
		}
	}
}

// forAt returns where a text outside brackets has " for ", not counting its strings, or -1.
func forAt(text string) int {
	for i := 0; i < len(text); {
		switch {
		case text[i] == '"' || text[i] == '\'':
			i += max(quoted(text[i:]), 1)
		case strings.HasPrefix(text[i:], " for "):
			return i
		default:
			i++
		}
	}
	return -1
}

// trimmed removes the blanks around an item.
func (e expr) trimmed() expr {
	if len(e) > 0 && e[0].list == nil {
		e[0].text = strings.TrimLeft(e[0].text, " \n")
		if e[0].text == "" {
			return e[1:].trimmed()
		}
	}
	if n := len(e) - 1; n >= 0 && e[n].list == nil {
		e[n].text = strings.TrimRight(e[n].text, " \n")
		if e[n].text == "" {
			return e[:n]
		}
	}
	return e
}

// quoted returns the length of the string literal at the start of a text, 0 if it does not end.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 0
}

func (e expr) String() string {
	if len(e) == 1 && e[0].list == nil {
		return e[0].text
	}
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e expr) write(b *strings.Builder) {
	for _, p := range e {
		if p.list == nil {
			b.WriteString(p.text)
			continue
		}
		b.WriteByte(p.list.open)
		p.list.write(b)
		if p.list.comma && len(p.list.items) == 1 && p.list.open != '{' {
			b.WriteByte(',')
		}
		b.WriteByte(p.list.close)
	}
}

// write writes what stands inside the brackets.
func (l *list) write(b *strings.Builder) {
	for i, e := range l.items {
		if i > 0 {
			b.WriteString(", ")
		}
		e.write(b)
	}
}

func (l *list) inside() string {
	var b strings.Builder
	l.write(&b)
	return b.String()
}

// wrap appends the lines of a statement within the width, the way black does: what stands in the last brackets that help goes to a
// line of its own, or each item to one. The last line ends with tail, for which it may be too wide.
func wrap(out []string, indent string, e expr, tail string) []string {
	flat := e.String()
	k := -1
	if len(indent)+len(flat) > maxWidth {
		k = e.splitAt(indent)
	}
	if k < 0 {
		return append(out, indent+flat+tail)
	}
	l, deeper := e[k].list, indent+indentStep
	out = append(out, indent+e[:k].String()+string(l.open))
	if inside := l.inside(); len(deeper)+len(inside) <= maxWidth && (!l.comma || len(l.items) > 1) {
		out = append(out, deeper+inside)
	} else {
		out = l.wrap(slices.Grow(out, len(l.items)+1), deeper)
	}
	return append(out, indent+string(l.close)+e[k+1:].String()+tail)
}

// wrap appends the lines of the items.
func (l *list) wrap(out []string, indent string) []string {
	comma := ""
	if len(l.items) > 1 || l.comma {
		comma = ","
	}
	for _, item := range l.items {
		if head, rest, ok := clauses(item); ok {
			out = wrap(wrap(out, indent, head, ""), indent, rest, comma)
		} else {
			out = wrap(out, indent, item, comma)
		}
	}
	return out
}

// clauses cuts a comprehension before its "for".
func clauses(e expr) (head, rest expr, ok bool) {
	for k, p := range e {
		if at := forAt(p.text); p.list == nil && at >= 0 {
			return append(e[:k:k], part{text: p.text[:at]}).trimmed(), append(expr{{text: p.text[at+1:]}}, e[k+1:]...), true
		}
	}
	return nil, nil, false
}

// splitAt returns the brackets at which a line is split: the last with something in them before which the line is short enough, and
// only if there are none an index; else the last of all, or -1.
func (e expr) splitAt(indent string) int {
	last := -1
	for _, indexToo := range []bool{false, true} {
		for k := len(e) - 1; k >= 0; k-- {
			if e[k].list == nil || len(e[k].list.items) == 0 || e.isIndex(k) && !indexToo {
				continue
			}
			if len(indent)+len(e[:k].String()) < maxWidth {
				return k
			}
			last = max(last, k)
		}
	}
	return last
}

// isIndex reports whether brackets stand directly behind what they index.
func (e expr) isIndex(k int) bool {
	if k == 0 || e[k].list.open != '[' {
		return false
	}
	before := e[k-1].text
	return e[k-1].list != nil || before != "" && isWord(before[len(before)-1])
}

// statement writes one statement of emitted code.
func statement(indent, text string) []string {
	if pairs := assignments(text); len(indent)+len(text) > maxWidth && pairs != nil {
		var out []string
		for _, s := range pairs {
			out = append(out, statement(indent, s)...)
		}
		return out
	}
	if e, ok := parse(text); ok {
		return wrap(nil, indent, e, "")
	}
	return []string{indent + text}
}

// assignments takes "a, b = c, d" apart, where that means the same: no value reads what was assigned before it. Else it returns nil.
func assignments(text string) []string {
	left, right, found := strings.Cut(text, " = ")
	if !found || !strings.Contains(left, ",") {
		return nil
	}
	targets, values := commas(left), commas(right)
	if len(targets) < 2 || len(targets) != len(values) {
		return nil
	}
	out := make([]string, len(targets))
	for i := range targets {
		for _, v := range values[i+1:] {
			if strings.Contains(v, targets[i]) {
				return nil
			}
		}
		out[i] = targets[i] + " = " + values[i]
	}
	return out
}

// commas cuts a text at the commas outside its brackets.
func commas(text string) []string {
	e, ok := parse("(" + text + ")")
	if !ok || len(e) != 1 {
		return nil
	}
	out := make([]string, len(e[0].list.items))
	for i, item := range e[0].list.items {
		out[i] = item.String()
	}
	return out
}
