package runfile

import (
	"fmt"
	"strings"
)

// parseCommand reads a command line: words behind one another, quotes and line ends with a backslash as a shell has them, and of it the
// flags: --name value, --name=value, and --name alone for true. Several words behind a flag are a list. What stands before the first
// flag comes back too.
func parseCommand(line string) (words []string, flags value, err error) {
	all, err := splitWords(line)
	if err != nil {
		return nil, flags, err
	}
	flags.kind = mapping
	for i := 0; i < len(all); {
		w := all[i]
		i++
		if !strings.HasPrefix(w.text, "--") || w.quoted {
			words = append(words, w.text)
			continue
		}
		name, given, has := strings.Cut(strings.TrimPrefix(w.text, "--"), "=")
		name = strings.ReplaceAll(name, "-", "_")
		var values []shellWord
		if has {
			values = append(values, shellWord{given, false})
		}
		for !has && i < len(all) && !strings.HasPrefix(all[i].text, "--") {
			values = append(values, all[i])
			i++
		}
		if _, err := flags.below(name, 0); err != nil {
			return nil, flags, err
		}
		if flags.member(name) != nil {
			return nil, flags, Fault{Path: name, Message: "stands on the command line twice"}
		}
		flags.add(name, flagValue(name, values))
	}
	return words, flags, nil
}

// flagValue is what stands behind a flag.
func flagValue(name string, words []shellWord) value {
	v := value{path: name}
	switch len(words) {
	case 0:
		v.kind, v.text = boolean, "true"
	case 1:
		return plain(v, words[0].text)
	default:
		v.kind = list
		for i, w := range words {
			v.list = append(v.list, plain(value{path: item(name, i)}, w.text))
		}
	}
	return v
}

type shellWord struct {
	text   string
	quoted bool
}

// splitWords cuts a line as a shell does, without running or expanding anything of it.
func splitWords(line string) (out []shellWord, err error) {
	if len(line) > maxText {
		return nil, Fault{Message: fmt.Sprintf("is a command of %d bytes but at most %d are read", len(line), maxText)}
	}
	line = strings.ReplaceAll(strings.ReplaceAll(line, "\\\r\n", " "), "\\\n", " ")
	var b strings.Builder
	inside, quoted, quote := false, false, rune(0)
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(c)
		case c == '"' || c == '\'':
			quote, inside, quoted = c, true, quoted || b.Len() == 0
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inside {
				out = append(out, shellWord{b.String(), quoted})
				b.Reset()
			}
			inside, quoted = false, false
		default:
			b.WriteRune(c)
			inside = true
		}
	}
	if quote != 0 {
		return nil, Fault{Message: "is a command with a quote that is not closed"}
	}
	if inside {
		out = append(out, shellWord{b.String(), quoted})
	}
	return out, nil
}
