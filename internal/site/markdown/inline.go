package markdown

import "strings"

// maxDepth is how deep emphasis and links may lie in each other; what is deeper is text.
const maxDepth = 8

// inline writes the text of a block.
func (r *renderer) inline(text string) string {
	var b strings.Builder
	r.span(&b, text, 0, false)
	return b.String()
}

// plain is the text without its marks.
func plain(text string) string {
	return strings.NewReplacer("`", "", "**", "", "*", "", "[", "", "]", "").Replace(clean(text))
}

// span writes text with code, links, strong text and emphasis. Inside a link there is no other.
func (r *renderer) span(b *strings.Builder, text string, depth int, inLink bool) {
	from := 0 // of the text that is not written yet
	flush := func(to int) { b.WriteString(escape(text[from:to])) }
	for i := 0; i < len(text); {
		n := 0 // how many bytes a construct takes
		var write func()
		switch {
		case text[i] == '`':
			n, write = r.codeSpan(b, text[i:])
		case depth < maxDepth && text[i] == '[' && !inLink:
			n, write = r.linkSpan(b, text[i:], depth)
		case depth < maxDepth && strings.HasPrefix(text[i:], "**"):
			n, write = r.emphasis(b, text[i:], "**", "strong", depth, inLink)
		case depth < maxDepth && text[i] == '*':
			n, write = r.emphasis(b, text[i:], "*", "em", depth, inLink)
		}
		if n == 0 {
			i++
			continue
		}
		flush(i)
		write()
		i += n
		from = i
	}
	flush(len(text))
}

func (r *renderer) codeSpan(b *strings.Builder, text string) (int, func()) {
	mark := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	end := strings.Index(text[len(mark):], mark)
	if end < 0 {
		return 0, nil
	}
	inside := text[len(mark) : len(mark)+end]
	if len(mark) > 1 {
		inside = strings.TrimSpace(inside)
	}
	return 2*len(mark) + end, func() { b.WriteString("<code>" + escape(inside) + "</code>") }
}

// linkSpan reads [text](target). A target has no spaces, and a text no brackets.
func (r *renderer) linkSpan(b *strings.Builder, text string, depth int) (int, func()) {
	middle := strings.Index(text, "](")
	if middle < 2 || strings.ContainsAny(text[1:middle], "[]") {
		return 0, nil
	}
	end := strings.IndexByte(text[middle:], ')')
	if end < 0 {
		return 0, nil
	}
	target := text[middle+2 : middle+end]
	if target == "" || strings.ContainsAny(target, " \n\t<>\"") {
		return 0, nil
	}
	return middle + end + 1, func() {
		address := r.link(target)
		if address != "" {
			b.WriteString(`<a href="` + escape(address) + `">`)
		}
		r.span(b, text[1:middle], depth+1, true)
		if address != "" {
			b.WriteString("</a>")
		}
	}
}

// emphasis reads text between two marks that stand close to it.
func (r *renderer) emphasis(b *strings.Builder, text, mark, tag string, depth int, inLink bool) (int, func()) {
	rest := text[len(mark):]
	if rest == "" || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '*' {
		return 0, nil
	}
	end := strings.Index(rest, mark)
	if end < 1 || rest[end-1] == ' ' || rest[end-1] == '\n' {
		return 0, nil
	}
	return 2*len(mark) + end, func() {
		b.WriteString("<" + tag + ">")
		r.span(b, rest[:end], depth+1, inLink)
		b.WriteString("</" + tag + ">")
	}
}
