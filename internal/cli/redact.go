package cli

import (
	"regexp"
	"slices"
	"strings"
)

// redacted stands in a record in place of a secret.
const redacted = "REDACTED"

// Secrets by what they look like: tokens of well-known services, and passwords in addresses.
var (
	looksSecret = regexp.MustCompile(`\b(hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|` +
		`AKIA[0-9A-Z]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)`)
	inAddress = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^/\s:@]*:)[^/\s@]+@`)
	bearer    = regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{8,}`)
	shellWord = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
	isNumber  = regexp.MustCompile(`^[0-9.]+$`).MatchString
)

// redact takes secrets out of a command line that is recorded: values of flags and variables that are named after one, and words that look
// like one. A verdict depends on none of them. What is a secret and looks like nothing it cannot know.
func redact(argv []string) (out []string, found bool) {
	var r redactor
	for _, word := range argv {
		if strings.ContainsAny(word, " \t\n") { // a whole command
			word, r.next = r.command(word), false
		} else if word != "" {
			word = r.word(word)
		}
		out = append(out, r.values(word))
	}
	return out, r.found
}

type redactor struct {
	next  bool // the word behind is the value of a flag that was named
	found bool
}

func (r *redactor) command(text string) string {
	inner := redactor{}
	text = shellWord.ReplaceAllStringFunc(text, inner.word)
	r.found = r.found || inner.found
	return text
}

func (r *redactor) word(word string) string {
	if r.next {
		r.next = false
		if !strings.HasPrefix(word, "--") && !isNumber(word) && word != redacted {
			r.found = true
			return redacted
		}
	}
	if q := word[0]; (q == '"' || q == '\'') && len(word) > 1 && word[len(word)-1] == q { // a command in a command
		return string(q) + r.command(word[1:len(word)-1]) + string(q)
	}
	name, value, valued := strings.Cut(word, "=")
	if !isSecret(name) {
		return word
	}
	if !valued {
		r.next = strings.HasPrefix(word, "-")
		return word
	}
	if value == "" || isNumber(value) || strings.Trim(value, "'\"") == redacted || strings.HasPrefix(value, "$") {
		return word
	}
	r.found = true
	if q := value[0]; (q == '"' || q == '\'') && len(value) > 1 && value[len(value)-1] == q {
		return name + "=" + string(q) + redacted + string(q)
	}
	return name + "=" + redacted
}

func (r *redactor) values(word string) string {
	out := looksSecret.ReplaceAllString(word, redacted)
	out = inAddress.ReplaceAllString(out, "${1}"+redacted+"@")
	out = bearer.ReplaceAllString(out, "${1}${2}"+redacted)
	if out != word && strings.ReplaceAll(word, redacted, "") != strings.ReplaceAll(out, redacted, "") {
		r.found = true
	}
	return out
}

// Words of names. A token counts only where it lets someone in: models have tokens of another kind.
var (
	always    = []string{"password", "passwd", "passphrase", "secret", "credential", "credentials", "authtoken", "apikey"}
	tokensOf  = []string{"hf", "hub", "api", "auth", "access", "bearer", "huggingface", "github", "gitlab", "session", "refresh", "admin", "wandb"}
	keysOf    = []string{"api", "access", "private", "secret", "signing", "encryption", "auth", "admin", "account"}
	notSecret = []string{"file", "path", "id", "name", "keyfile"}
)

// isSecret reports whether a flag or variable is named after a secret.
func isSecret(name string) bool {
	bare := strings.TrimLeft(name, "-\"'")
	parts := strings.FieldsFunc(strings.ToLower(bare), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	if len(parts) == 0 || slices.Contains(notSecret, parts[len(parts)-1]) {
		return false
	}
	last, before := parts[len(parts)-1], parts[:len(parts)-1]
	among := func(words []string) bool {
		return slices.ContainsFunc(before, func(p string) bool { return slices.Contains(words, p) })
	}
	switch {
	case slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(always, p) }):
		return true
	case last == "token":
		return len(before) == 0 || among(tokensOf) || bare == strings.ToUpper(bare) // a variable
	case last == "key":
		return among(keysOf)
	}
	return false
}
