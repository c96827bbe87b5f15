package serve

import (
	"fmt"
	"strings"
)

// Limits of what is read as a command. No launch of a person comes near them.
const (
	maxCommandBytes = 1 << 20
	maxWords        = 20_000
)

// word is one word of a shell command, with quotes taken off.
type word struct {
	text string
	raw  string   // as it was written, for printing where text is not all of it
	vars []string // variables and substitutions in it whose value is not known
	bare bool     // is nothing but such a variable outside quotes, or a list of them, which may stand for any number of words
}

func (w word) known() bool { return len(w.vars) == 0 }

// setting is a variable with its value.
type setting struct {
	name  string
	value word
}

// simple is one command between operators.
type simple struct {
	sets  []setting
	words []word
	op    string // the operator behind it: "", "|", "&", "&&", "||", ";"
	loose bool   // see reader
}

// shellError is a text that no shell runs, or one that is too much to be read here.
type shellError struct {
	message string
	unread  bool
}

func (e *shellError) Error() string { return e.message }

// reader splits a text as a POSIX shell does: quotes, escapes, continued lines, comments, redirections and variables. It runs
// nothing: a substitution stays unknown.
type reader struct {
	text     string
	at       int
	vars     map[string]word
	commands []simple
	current  simple
	words    int
	expanded int      // bytes that variables have written
	loose    bool     // a backslash stands before a comment, and continues no line in a real shell
	heres    []string // the last lines of here-documents that begin on the next line
}

// split reads a text into its commands.
func split(text string) ([]simple, error) {
	if len(text) > maxCommandBytes {
		return nil, &shellError{fmt.Sprintf("the command has %d bytes; at most %d are read", len(text), maxCommandBytes), true}
	}
	r := &reader{text: strings.ReplaceAll(text, "\r\n", "\n"), vars: map[string]word{}}
	for r.at < len(r.text) {
		if err := r.step(); err != nil {
			return nil, err
		}
	}
	r.end("")
	for i := range r.commands {
		r.commands[i].loose = r.loose
	}
	return r.commands, nil
}

// step reads a blank, a comment, an operator, a redirection or a word.
func (r *reader) step() error {
	switch c := r.text[r.at]; {
	case c == ' ' || c == '\t':
		r.at++
	case c == '\\' && r.at+1 < len(r.text) && r.text[r.at+1] == '\n':
		r.at += 2
	case c == '\\' && commented(r.text[r.at+1:]) > 0: // meant as a continued line with a comment, as documentation writes it
		r.at += 1 + commented(r.text[r.at+1:])
		r.loose = true
	case c == '\n':
		r.at++
		r.end(";")
		r.hereDocuments()
	case c == '#':
		for r.at < len(r.text) && r.text[r.at] != '\n' {
			r.at++
		}
	case strings.IndexByte("|&;", c) >= 0 && !strings.HasPrefix(r.text[r.at:], "&>"):
		op := string(c)
		if r.at++; r.at < len(r.text) && r.text[r.at] == c && c != ';' {
			op += op
			r.at++
		} else if c == '|' && r.at < len(r.text) && r.text[r.at] == '&' {
			r.at++
		}
		r.end(op)
	case c == '<' || c == '>' || c == '&':
		return r.redirection()
	case c == '(' || c == ')': // a sub-shell is read as if it were none
		r.at++
		r.end(";")
	default:
		return r.word()
	}
	return nil
}

// commented is the length of blanks and a comment up to the end of a line, 0 where something else follows.
func commented(s string) int {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	if i == 0 || i == len(s) || s[i] != '#' {
		return 0
	}
	if end := strings.IndexByte(s, '\n'); end >= 0 {
		return end + 1
	}
	return len(s)
}

// redirection steps over an operator such as 2>&1 or > file, with its file.
func (r *reader) redirection() error {
	for r.at < len(r.text) && strings.IndexByte("<>&|", r.text[r.at]) >= 0 {
		r.at++
	}
	here := strings.HasSuffix(r.text[:r.at], "<<") && !strings.HasSuffix(r.text[:r.at], "<<<")
	if here && r.at < len(r.text) && r.text[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
	if r.at == len(r.text) || strings.IndexByte("\n;|&", r.text[r.at]) >= 0 {
		return &shellError{message: "a redirection has no file"}
	}
	w, err := r.scan()
	if here && err == nil {
		r.heres = append(r.heres, w.text)
	}
	return err
}

// hereDocuments steps over the lines that are the input of a command.
func (r *reader) hereDocuments() {
	for _, last := range r.heres {
		for r.at < len(r.text) {
			line, _, _ := strings.Cut(r.text[r.at:], "\n")
			r.at = min(r.at+len(line)+1, len(r.text))
			if strings.TrimLeft(line, "\t") == last {
				break
			}
		}
	}
	r.heres = nil
}

// end closes a command. Assignments that stand alone hold for what follows.
func (r *reader) end(op string) {
	c := r.current
	r.current = simple{}
	if len(c.words) > 0 && c.words[0].text == "export" && c.words[0].known() {
		for _, w := range c.words[1:] {
			if name, value, ok := strings.Cut(w.text, "="); ok && isName(name) {
				c.sets = append(c.sets, setting{name, word{text: value, raw: quote(value), vars: w.vars}})
			}
		}
		c.words = nil
	}
	if len(c.words) == 0 {
		for _, s := range c.sets {
			r.vars[s.name] = s.value
		}
		if len(c.sets) == 0 {
			if n := len(r.commands); n > 0 && op != ";" && op != "" {
				r.commands[n-1].op = op
			}
			return
		}
	}
	c.op = op
	r.commands = append(r.commands, c)
}

// word reads a word and puts it where it belongs.
func (r *reader) word() error {
	start := r.at
	w, err := r.scan()
	if err != nil {
		return err
	}
	if r.at < len(r.text) && (r.text[r.at] == '<' || r.text[r.at] == '>') && isDigits(r.text[start:r.at]) {
		return r.redirection() // 2>&1: the number is part of it
	}
	if r.words++; r.words > maxWords {
		return &shellError{fmt.Sprintf("the command has more than %d words, which are not read", maxWords), true}
	}
	if len(r.current.words) == 0 {
		if name, _, ok := strings.Cut(w.raw, "="); ok && isName(name) {
			_, value, _ := strings.Cut(w.text, "=")
			_, raw, _ := strings.Cut(w.raw, "=")
			r.current.sets = append(r.current.sets, setting{name, word{text: value, raw: raw, vars: w.vars}})
			return nil
		}
	}
	r.current.words = append(r.current.words, w)
	return nil
}

// scan reads one word up to a blank or an operator.
func (r *reader) scan() (word, error) {
	start := r.at
	var b strings.Builder
	var w word
	quoted := false
	for r.at < len(r.text) && strings.IndexByte(" \t\n|&;<>()", r.text[r.at]) < 0 {
		switch c := r.text[r.at]; c {
		case '\\':
			if r.at++; r.at == len(r.text) {
				return w, &shellError{message: "the command ends in a backslash: a line is missing behind it"}
			}
			if r.text[r.at] != '\n' {
				b.WriteByte(r.text[r.at])
			}
			r.at++
			quoted = true
		case '\'':
			end := strings.IndexByte(r.text[r.at+1:], '\'')
			if end < 0 {
				return w, &shellError{message: "a single quote is not closed"}
			}
			b.WriteString(r.text[r.at+1 : r.at+1+end])
			r.at += end + 2
			quoted = true
		case '"':
			if err := r.doubleQuoted(&b, &w); err != nil {
				return w, err
			}
			quoted = true
		case '$', '`':
			if err := r.variable(&b, &w); err != nil {
				return w, err
			}
		default:
			b.WriteByte(c)
			r.at++
		}
	}
	w.text, w.raw = b.String(), r.text[start:r.at]
	w.bare = len(w.vars) > 0 && w.text == "" && (!quoted || w.vars[0] == "$@" || strings.HasSuffix(w.vars[0], "[@]"))
	return w, nil
}

// doubleQuoted reads from a double quote to the next.
func (r *reader) doubleQuoted(b *strings.Builder, w *word) error {
	for r.at++; r.at < len(r.text); {
		switch c := r.text[r.at]; c {
		case '"':
			r.at++
			return nil
		case '\\':
			if r.at+1 < len(r.text) && strings.IndexByte("\"\\$`\n", r.text[r.at+1]) >= 0 {
				r.at++
				if r.text[r.at] != '\n' {
					b.WriteByte(r.text[r.at])
				}
			} else {
				b.WriteByte(c)
			}
			r.at++
		case '$', '`':
			if err := r.variable(b, w); err != nil {
				return err
			}
		default:
			b.WriteByte(c)
			r.at++
		}
	}
	return &shellError{message: "a double quote is not closed"}
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isName reports whether a text can be the name of a variable.
func isName(s string) bool {
	for i := range len(s) {
		if !isNameLetter(s[i], i == 0) {
			return false
		}
	}
	return s != ""
}

func isNameLetter(c byte, first bool) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || !first && c >= '0' && c <= '9'
}

// quote writes a text so that a shell reads it as one word.
func quote(s string) string {
	bare := s != ""
	for i := 0; i < len(s) && bare; i++ {
		bare = plainBytes[s[i]]
	}
	if bare {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plainBytes are those that need no quotes anywhere in a word. Words of a megabyte are quoted, so each byte is looked up.
var plainBytes = func() (out [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%^") {
		out[c] = true
	}
	return out
}()

// shown is a word as it can be printed and read again.
func (w word) shown() string {
	if w.known() {
		return quote(w.text)
	}
	return w.raw
}
