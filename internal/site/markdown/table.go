package markdown

import "strings"

// isRule reports whether a line is the one below the head of a table: |---|:-:|.
func isRule(l string) bool {
	l = strings.TrimSpace(l)
	return strings.HasPrefix(l, "|") && strings.Contains(l, "-") && strings.Trim(l, "|-: ") == ""
}

// table writes a table that scrolls sideways where it is too wide. A row has as many cells as the head: others are left out, and
// missing ones are empty.
func (r *renderer) table() {
	head := cells(r.line())
	r.i += 2
	r.WriteString(`<div class="wide" role="region" tabindex="0" aria-label="Table: ` + escape(r.label) + "\"><table>\n<thead><tr>")
	for _, c := range head {
		if c == "" {
			r.WriteString("<td></td>") // the corner above the names of rows
			continue
		}
		r.WriteString(`<th scope="col">` + r.inline(c) + "</th>")
	}
	r.WriteString("</tr></thead>\n<tbody>\n")
	for ; r.more() && strings.HasPrefix(r.line(), "|"); r.i++ {
		row := cells(r.line())
		r.WriteString("<tr>")
		for i := range head {
			c := ""
			if i < len(row) {
				c = row[i]
			}
			if i == 0 && c != "" {
				r.WriteString(`<th scope="row">` + r.inline(c) + "</th>")
				continue
			}
			r.WriteString("<td>" + r.inline(c) + "</td>")
		}
		r.WriteString("</tr>\n")
	}
	r.WriteString("</tbody>\n</table></div>\n")
}

// cells splits a row. A bar behind a backslash is text, and so is one inside code.
func cells(l string) []string {
	l = strings.TrimPrefix(strings.TrimSpace(l), "|")
	var out []string
	var b strings.Builder
	code := false
	for i := 0; i < len(l); i++ {
		switch c := l[i]; {
		case c == '\\' && i+1 < len(l) && l[i+1] == '|':
			b.WriteByte('|')
			i++
		case c == '|' && !code:
			out = append(out, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			if c == '`' {
				code = !code && strings.Contains(l[i+1:], "`")
			}
			b.WriteByte(c)
		}
	}
	if rest := strings.TrimSpace(b.String()); rest != "" {
		out = append(out, rest)
	}
	return out
}
