package torch

import "strings"

// reflow brings source of ours within the width. It keeps statements whose lines are short enough, and those with a comment or a
// string of several lines in them, as they are.
func reflow(source string) string {
	var out []string
	lines := strings.Split(source, "\n")
	for i := 0; i < len(lines); {
		n := statementLines(lines[i:])
		own := lines[i : i+n]
		i += n
		long := false
		for _, s := range own {
			long = long || len(s) > maxWidth
		}
		text := strings.Join(own, "\n")
		indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
		if before, comment, ok := strings.Cut(text, "  # "); ok && !strings.Contains(comment, "\n") && !strings.Contains(before, "#") && long {
			out = append(out, indent+"# "+comment) // what stood behind the statement goes above it
			text = before
		}
		if !long || strings.Contains(text, "#") || strings.Contains(text, `"""`) {
			out = append(out, strings.Split(text, "\n")...)
			continue
		}
		var joined strings.Builder
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(line)
			if s := joined.String(); s != "" && !strings.ContainsAny(s[len(s)-1:], openers) && !strings.HasPrefix(line, ")") && !strings.HasPrefix(line, "]") {
				joined.WriteByte(' ')
			}
			joined.WriteString(line)
		}
		out = append(out, statement(indent, joined.String())...)
	}
	return strings.Join(out, "\n")
}

// statementLines returns how many lines the statement at the start has: as many as its brackets stay open for.
func statementLines(lines []string) int {
	depth := 0
	for n, s := range lines {
		for i := 0; i < len(s); {
			switch c := s[i]; {
			case c == '"' || c == '\'':
				i += max(quoted(s[i:]), 1)
				continue
			case c == '#':
				i = len(s)
				continue
			case strings.IndexByte(openers, c) >= 0:
				depth++
			case strings.IndexByte(closers, c) >= 0:
				depth--
			}
			i++
		}
		if depth <= 0 {
			return n + 1
		}
	}
	return len(lines)
}
