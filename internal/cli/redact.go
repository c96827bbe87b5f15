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
	shellWord = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"';&|()<>])+|[;&|()<>]+`) // or what ends a command
	isNumber  = regexp.MustCompile(`^[0-9.]{1,6}$`).MatchString
	isFlag    = regexp.MustCompile(`^-+[A-Za-z]|^[;&|()<>]`).MatchString

	inQuery  = regexp.MustCompile(`([?&;])([A-Za-z0-9_.-]+)=([^&#;\s"'\\]+)`)
	inJSON   = regexp.MustCompile(`\\?"([A-Za-z0-9_.-]+)\\?"\s*:\s*(?:\\?"(?:[^"\\]|\\[^"])*\\?"|-?[0-9][0-9.eE+-]*|\[[^\][{}]*\])`)
	jsonText = regexp.MustCompile(`(\\?")((?:[^"\\]|\\[^"])*)(\\?")`)
	inHeader = regexp.MustCompile(`(^|[\s"'])([A-Za-z][A-Za-z0-9-]*)(:\s*)((?i:(?:bearer|basic|token|digest)\s+)?)([^\s"'][^"']*)`)
	camel    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// redact takes secrets out of a command line that is recorded: values of flags, variables, JSON members, headers and parts of addresses that
// are named after one, and words that look like one. Every word stays a word, so the command means what it did; a verdict depends on
// none of the values. What is a secret and looks like nothing it cannot know.
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
	next  bool   // the words behind are values of a flag that was named
	name  string // of that flag
	found bool
}

func (r *redactor) command(text string) string {
	inner := redactor{}
	text = shellWord.ReplaceAllStringFunc(text, inner.word)
	r.found = r.found || inner.found
	return text
}

func (r *redactor) word(word string) string {
	if r.next && (isFlag(word) || strings.HasPrefix(word, "--")) {
		r.next = false
	}
	if r.next { // a flag may take several values
		if strings.Trim(word, "'\"") == redacted || strings.HasPrefix(word, "$") || isCount(r.name, word) {
			return word
		}
		r.found = true
		return redacted
	}
	if q := word[0]; (q == '"' || q == '\'') && len(word) > 1 && word[len(word)-1] == q { // a command in a command
		return string(q) + r.command(word[1:len(word)-1]) + string(q)
	}
	name, value, valued := strings.Cut(word, "=")
	if !isSecret(name) {
		return word
	}
	if !valued {
		r.next, r.name = strings.HasPrefix(word, "-"), word
		return word
	}
	if value == "" || isCount(name, value) || strings.Trim(value, "'\"") == redacted || strings.HasPrefix(value, "$") {
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
	out = inQuery.ReplaceAllStringFunc(out, func(s string) string {
		m := inQuery.FindStringSubmatch(s)
		if !isSecret(m[2]) && !slices.Contains(querySecrets, strings.ToLower(m[2])) || strings.HasPrefix(m[3], "$") {
			return s
		}
		return m[1] + m[2] + "=" + redacted
	})
	out = inJSON.ReplaceAllStringFunc(out, redactJSON)
	out = inHeader.ReplaceAllStringFunc(out, func(s string) string {
		m := inHeader.FindStringSubmatch(s)
		if !isSecret(m[2]) && !slices.Contains(headerSecrets, strings.ToLower(m[2])) || strings.HasPrefix(m[5], "$") {
			return s
		}
		return m[1] + m[2] + m[3] + m[4] + redacted
	})
	if out != word && strings.ReplaceAll(word, redacted, "") != strings.ReplaceAll(out, redacted, "") {
		r.found = true
	}
	return out
}

// isCount reports whether a value is a number of tokens and not one that lets someone in.
func isCount(name, value string) bool {
	return isNumber(value) && strings.HasSuffix(strings.ToLower(name), "token")
}

// redactJSON takes the value out of a member that is named after a secret: a string, a number, or a list of them.
func redactJSON(member string) string {
	m := inJSON.FindStringSubmatch(member)
	if !isSecret(m[1]) {
		return member
	}
	at := strings.IndexByte(member, ':') + 1
	value := member[at:]
	if texts := jsonText.MatchString(value); texts {
		return member[:at] + jsonText.ReplaceAllString(value, "${1}"+redacted+"${3}")
	}
	blank := value[:len(value)-len(strings.TrimLeft(value, " \t\n"))]
	quote := `"`
	if strings.HasPrefix(member, `\`) {
		quote = `\"`
	}
	return member[:at] + blank + quote + redacted + quote
}

// Names that let someone in where they stand in an address or a header, and mean something else elsewhere.
var (
	querySecrets  = []string{"key", "sig", "signature", "x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature", "code"}
	headerSecrets = []string{"authorization", "proxy-authorization", "cookie", "set-cookie"}
)

// Words of names. A token counts only where it lets someone in: models have tokens of another kind.
var (
	always    = []string{"password", "passwd", "passphrase", "secret", "credential", "credentials", "authtoken", "apikey"}
	tokensOf  = []string{"hf", "hub", "api", "auth", "access", "bearer", "huggingface", "github", "gitlab", "session", "refresh", "admin", "wandb"}
	keysOf    = []string{"api", "access", "private", "secret", "signing", "encryption", "auth", "admin", "account"}
	notSecret = []string{"file", "path", "id", "name", "keyfile"}
)

// isSecret reports whether a flag or variable is named after a secret.
func isSecret(name string) bool {
	bare := camel.ReplaceAllString(strings.TrimLeft(name, "-\"'"), "$1-$2")
	parts := strings.FieldsFunc(strings.ToLower(bare), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	if len(parts) == 0 || slices.Contains(notSecret, parts[len(parts)-1]) {
		return false
	}
	last, before := strings.TrimSuffix(parts[len(parts)-1], "s"), parts[:len(parts)-1]
	plural := last != parts[len(parts)-1]
	among := func(words []string) bool {
		return slices.ContainsFunc(before, func(p string) bool { return slices.Contains(words, p) })
	}
	switch {
	case slices.ContainsFunc(parts, func(p string) bool {
		return slices.Contains(always, strings.TrimSuffix(p, "s")) || slices.Contains(always, p)
	}):
		return true
	case last == "token" && plural:
		return among(tokensOf) // a model has many of another kind
	case last == "token":
		return len(before) == 0 || among(tokensOf) || bare == strings.ToUpper(bare) // a variable
	case last == "key":
		return among(keysOf)
	}
	return false
}
