package account

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// How long what people type may be, in characters unless said.
const (
	nameMost     = 100
	emailMost    = 254 // RFC 5321, section 4.5.3.1.3, less the brackets
	passwordLess = 12
	passwordMost = 256
)

// invalid is a fault of the one who typed; the path names the field.
func invalid(field, format string, args ...any) error {
	return &graph.Error{Code: action.CodeForm, Path: field, Message: fmt.Sprintf(format, args...)}
}

// line checks a name: one line that both databases can keep.
func line(field, s string) (string, error) {
	s = strings.TrimSpace(s)
	n := utf8.RuneCountInString(s)
	switch {
	case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }):
		return "", invalid(field, "holds characters that cannot be shown")
	case n == 0:
		return "", invalid(field, "is empty")
	case n > nameMost:
		return "", invalid(field, "has %d characters, at most %d are kept", n, nameMost)
	}
	return s, nil
}

// Email checks an e-mail address and returns it in lower case, under which it is kept and found.
func Email(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if len(s) > emailMost {
		return "", invalid("email", "has %d bytes, an e-mail address has at most %d", len(s), emailMost)
	}
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || a.Name != "" || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) ||
		strings.Contains(s, `"`) || !utf8.ValidString(s) {
		return "", invalid("email", "is no e-mail address such as name@example.com")
	}
	return s, nil
}

// newPassword checks a password that somebody chose. What it is made of is theirs to decide: length is what helps.
func newPassword(s, email string) error {
	n := utf8.RuneCountInString(s)
	switch {
	case n < passwordLess:
		return invalid("password", "has %d characters, at least %d are needed", n, passwordLess)
	case n > passwordMost:
		return invalid("password", "has %d characters, at most %d are taken", n, passwordMost)
	case strings.EqualFold(s, email) || strings.Count(s, s[:1]) == len(s):
		return invalid("password", "is the e-mail address or one character over and over")
	}
	return nil
}
