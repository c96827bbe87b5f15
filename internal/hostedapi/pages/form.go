package pages

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/graph"
)

// form is a form as it is shown: for the first time, or again with what was typed and what is wrong with it.
type form struct {
	ID      string // makes the ids of fields unique on a page
	Action  string
	Hidden  []hidden
	Whose   string // the e-mail address to a form of passwords alone, by which password managers know what to fill in
	Fields  []field
	Submit  string
	Problem string // what is wrong with no single field
}

// hidden is what a form carries along.
type hidden struct{ Name, Value string }

// field is one that somebody fills in.
type field struct {
	Name, Label, Type, Value, Hint, Error string
	Autocomplete                          string
	Options                               []string // makes it a choice
	Optional                              bool
}

// description names what describes a field to who cannot see it.
type description struct{ Error, By string }

func about(id string, f field) description {
	d := description{Error: f.Error}
	if f.Hint != "" {
		d.By = id + "-hint"
	}
	if f.Error != "" {
		d.By = strings.TrimSpace(d.By + " " + id + "-error")
	}
	return d
}

// passwordHint stands under fields under fields for new passwords.
const passwordHint = "At least 12 characters. Several words are easier to remember than signs, and harder to guess."

func passwordField(label, name, autocomplete, hint string) field {
	return field{Name: name, Label: label, Type: "password", Autocomplete: autocomplete, Hint: hint}
}

var emailField = field{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username"}

// Wrong says whether the form is shown again because something is wrong with it.
func (f form) Wrong() bool {
	if f.Problem != "" {
		return true
	}
	for _, x := range f.Fields {
		if x.Error != "" {
			return true
		}
	}
	return false
}

// again fills a form with what was typed, but for passwords, and puts an error beside its field. It returns the status of the
// page, or the error if it is not one that whoever typed can do something about.
func (c *call) again(f *form, err error) (int, error) {
	for i, x := range f.Fields {
		if x.Type != "password" {
			f.Fields[i].Value = c.field(x.Name)
		}
	}
	var wrong *graph.Error
	var busy *tooMany
	switch {
	case err == nil:
		return http.StatusOK, nil
	case errors.As(err, &wrong):
		for i, x := range f.Fields {
			if x.Name == wrong.Path {
				f.Fields[i].Error = x.Label + " " + wrong.Message + "."
				return http.StatusUnprocessableEntity, nil
			}
		}
		f.Problem = sentence(wrong)
		return http.StatusUnprocessableEntity, nil
	case errors.As(err, &busy):
		c.w.Header().Set("Retry-After", strconv.Itoa(busy.seconds()))
		f.Problem = sentence(busy)
		return http.StatusTooManyRequests, nil
	case errors.Is(err, account.ErrSignIn):
		f.Problem = sentence(account.ErrSignIn)
		return http.StatusUnprocessableEntity, nil
	}
	for _, clash := range []error{account.ErrTaken, account.ErrLastOwner} {
		if errors.Is(err, clash) {
			f.Problem = sentence(clash)
			return http.StatusConflict, nil
		}
	}
	return 0, err
}

// tooMany is returned for attempts to sign in beyond a limit.
type tooMany struct{ wait time.Duration }

func (t *tooMany) seconds() int { return max(1, int((t.wait+time.Second-1)/time.Second)) }

func (t *tooMany) Error() string {
	minutes := (t.seconds() + 59) / 60
	if minutes == 1 {
		return "too many attempts: try again in a minute"
	}
	return "too many attempts: try again in " + strconv.Itoa(minutes) + " minutes"
}
