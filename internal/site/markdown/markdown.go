// Package markdown writes the notes of this repository as HTML: headings, paragraphs, lists, tables, code, links and emphasis, the
// part of Markdown that they are written in. Everything else is text, and all text is escaped: no HTML of a note reaches a page.
// It knows nothing of where the notes are published.
package markdown

import (
	"html"
	"strconv"
	"strings"
)

// renderer reads lines and writes HTML.
type renderer struct {
	strings.Builder
	lines []string
	i     int
	link  func(string) string
	ids   map[string]int // the number to try behind an anchor that is taken
	label string         // of the last heading, which names a table or code that scrolls
}

// HTML renders a note. link gives the address of what is linked to; where that is empty only the text is written.
func HTML(text string, link func(target string) string) string {
	r := &renderer{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), link: link, ids: map[string]int{}, label: "the note"}
	r.blocks()
	return r.String()
}

func (r *renderer) more() bool   { return r.i < len(r.lines) }
func (r *renderer) line() string { return r.lines[r.i] }

// blocks writes what stands in the lines, one block after another.
func (r *renderer) blocks() {
	for r.more() {
		l := r.line()
		switch {
		case strings.TrimSpace(l) == "":
			r.i++
		case strings.HasPrefix(l, "<!--"):
			r.comment()
		case strings.HasPrefix(l, "```"):
			r.fenced()
		case strings.HasPrefix(l, "    "):
			r.indented()
		case level(l) > 0:
			r.heading()
		case item(l) != "":
			r.list()
		case strings.HasPrefix(l, "|") && r.i+1 < len(r.lines) && isRule(r.lines[r.i+1]):
			r.table()
		default:
			r.paragraph()
		}
	}
}

// comment passes over a comment; one that does not end is the rest of the note.
func (r *renderer) comment() {
	for r.more() {
		l := r.line()
		r.i++
		if strings.Contains(l, "-->") {
			return
		}
	}
}

func (r *renderer) fenced() {
	var code []string
	for r.i++; r.more(); r.i++ {
		if strings.HasPrefix(r.line(), "```") {
			r.i++
			break
		}
		code = append(code, r.line())
	}
	r.code(code)
}

func (r *renderer) indented() {
	var code []string
	for ; r.more() && (strings.HasPrefix(r.line(), "    ") || strings.TrimSpace(r.line()) == ""); r.i++ {
		code = append(code, strings.TrimPrefix(r.line(), "    "))
	}
	for len(code) > 0 && strings.TrimSpace(code[len(code)-1]) == "" {
		code = code[:len(code)-1]
	}
	r.code(code)
}

func (r *renderer) code(lines []string) {
	r.WriteString(`<pre tabindex="0"><code>` + escape(strings.Join(lines, "\n")) + "</code></pre>\n")
}

// level is that of a heading, 0 for what is none.
func level(l string) int {
	n := len(l) - len(strings.TrimLeft(l, "#"))
	if n < 1 || n > 6 || n == len(l) || l[n] != ' ' {
		return 0
	}
	return n
}

func (r *renderer) heading() {
	n := level(r.line())
	text := strings.TrimSpace(r.line()[n:])
	r.i++
	tag := string(rune('0' + n))
	r.label = plain(text)
	r.WriteString("<h" + tag + ` id="` + r.id(r.label) + `">` + r.inline(text) + "</h" + tag + ">\n")
}

// id makes the anchor of a heading: its letters and digits in lower case, and a number where there is another.
func (r *renderer) id(text string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case c == ' ' || c == '-':
			b.WriteByte('-')
		}
	}
	base := strings.Trim(b.String(), "-")
	if base == "" {
		base = "section"
	}
	id := base
	for r.ids[id] > 0 {
		r.ids[base]++
		id = base + "-" + strconv.Itoa(r.ids[base])
	}
	r.ids[id] = 1
	return id
}

// item returns the marker of a list's item with the space behind it: "- ", "* " or "1. ".
func item(l string) string {
	if strings.HasPrefix(l, "- ") || strings.HasPrefix(l, "* ") {
		return l[:2]
	}
	digits := len(l) - len(strings.TrimLeft(l, "0123456789"))
	if digits > 0 && digits < 10 && strings.HasPrefix(l[digits:], ". ") {
		return l[:digits+2]
	}
	return ""
}

// list writes items until a line that neither begins one nor continues one. What is indented belongs to the item.
func (r *renderer) list() {
	tag := "ul"
	ordered := item(r.line())[0] >= '0' && item(r.line())[0] <= '9'
	if ordered {
		tag = "ol"
	}
	r.WriteString("<" + tag + ">\n")
	for r.more() {
		marker := item(r.line())
		if marker == "" || (marker[0] >= '0' && marker[0] <= '9') != ordered {
			break
		}
		text := []string{r.line()[len(marker):]}
		for r.i++; r.more() && strings.HasPrefix(r.line(), "  ") && strings.TrimSpace(r.line()) != ""; r.i++ {
			text = append(text, strings.TrimSpace(r.line()))
		}
		r.WriteString("<li>" + r.inline(strings.Join(text, "\n")) + "</li>\n")
		for r.more() && strings.TrimSpace(r.line()) == "" && r.i+1 < len(r.lines) && item(r.lines[r.i+1]) != "" {
			r.i++ // an empty line between two items
		}
	}
	r.WriteString("</" + tag + ">\n")
}

// paragraph writes the lines until something else begins.
func (r *renderer) paragraph() {
	text := []string{r.line()}
	for r.i++; r.more(); r.i++ {
		l := r.line()
		if strings.TrimSpace(l) == "" || level(l) > 0 || item(l) != "" || strings.HasPrefix(l, "```") || strings.HasPrefix(l, "<!--") || strings.HasPrefix(l, "|") {
			break
		}
		text = append(text, strings.TrimSpace(l))
	}
	r.WriteString("<p>" + r.inline(strings.Join(text, "\n")) + "</p>\n")
}

func escape(s string) string { return html.EscapeString(clean(s)) }

// clean leaves out what HTML cannot hold: control characters but tab and line feed, and what is not UTF-8.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 || c == 0xfffe || c == 0xffff {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, ""))
}
