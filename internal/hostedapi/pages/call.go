package pages

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store"
)

// call is one request under way.
type call struct {
	*handler
	w       http.ResponseWriter
	r       *http.Request
	who     *account.Visitor // nil: has not signed in
	session string           // the secret of who's session
	place   account.Place    // the organisation in the address
}

// view is what every page has around its content.
type view struct {
	Title   string
	Section string // the entry of the navigation that is current
	Notice  string // what was done
	Problem string // what went wrong
	Failed  bool   // what was sent was not done
	Who     *account.Visitor
	Place   account.Place
	Base    string
	App     string // the path of the app, or empty
	Data    any
}

// May says whether the visitor's role in the organisation allows something.
func (v view) May(what string) bool {
	return v.Place.Role.May(map[string]account.Right{"read": account.ToRead, "use": account.ToUse, "manage": account.ToManage}[what])
}

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"day": day, "moment": moment, "machine": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"tab": newTab, "about": about,
}).ParseFS(templateFiles, "templates/*.html"))

// tab is an entry of an organisation's navigation.
type tab struct {
	Org, Name, Label string
	Current          bool
}

func newTab(v view, name, label string) tab { return tab{v.Place.Org, name, label, v.Section == name} }

// errBody is returned for a form that cannot be read.
var errBody = errors.New("the form could not be read")

// formBytes is how large a form may be: the longest fields of the longest form take a tenth of it.
const formBytes = 32 << 10

// patience is how long a page may take. Passwords are hashed a few at a time, and whoever is behind many others is told so.
const patience = 20 * time.Second

func (c *call) ctx() context.Context { return c.r.Context() }

// open wraps a page that anybody may ask for.
func (h *handler) open(f func(*call) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		c := &call{handler: h, w: w, r: r.WithContext(ctx)}
		if err := c.read(); err != nil {
			c.fail(err)
			return
		}
		if err := f(c); err != nil {
			c.fail(err)
		}
	}
}

// read finds out who calls, and reads the form.
func (c *call) read() error {
	cookie, err := c.r.Cookie(c.cookieName())
	if err == nil {
		switch v, err := c.Accounts.Visitor(c.ctx(), cookie.Value); {
		case err == nil:
			c.who, c.session = &v, cookie.Value
		case !errors.Is(err, account.ErrNotFound):
			return err
		}
	}
	if c.r.Method != http.MethodPost {
		return nil
	}
	if kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return errBody
	}
	c.r.Body = http.MaxBytesReader(c.w, c.r.Body, formBytes)
	if err := c.r.ParseForm(); err != nil {
		return errBody
	}
	return nil
}

// signed wraps a page for those who have signed in. Others do so first.
func (h *handler) signed(f func(*call) error) http.HandlerFunc {
	return h.open(func(c *call) error {
		if c.who == nil {
			to := url.Values{}
			if c.r.Method == http.MethodGet && c.r.URL.Path != SettingsPath {
				to.Set("next", c.r.URL.RequestURI())
			}
			c.redirect(signInPath, to)
			return nil
		}
		return f(c)
	})
}

// inside wraps a page of an organisation. To those outside, it does not exist.
func (h *handler) inside(right account.Right, f func(*call) error) http.HandlerFunc {
	return h.signed(func(c *call) error {
		for _, p := range c.who.Places {
			if p.Org == c.r.PathValue("org") {
				c.place = p
			}
		}
		switch {
		case c.place.Org == "":
			return account.ErrNotFound
		case !c.place.Role.May(right):
			return account.ErrDenied
		}
		return f(c)
	})
}

// field reads what was typed into a field. It reads the body only: what is in an address may have been put there by others.
func (c *call) field(name string) string { return c.r.PostForm.Get(name) }

// redirect goes to a page of ours after something was done.
func (c *call) redirect(path string, query url.Values) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	http.Redirect(c.w, c.r, path, http.StatusSeeOther)
}

// done goes to a page that then says what was done.
func (c *call) done(path, what string) error {
	c.redirect(path, url.Values{"done": {what}})
	return nil
}

// own is the address of a page of the organisation.
func (c *call) own(section string) string { return SettingsPath + "/" + c.place.Org + "/" + section }

// notices are what pages say was done: addresses carry only their names, so that nobody can make us say anything else.
var notices = map[string]string{
	"signed-out":   "You have signed out.",
	"everywhere":   "You have signed out on all devices.",
	"password":     "Your password was changed. All other devices were signed out.",
	"revoked":      "The key was revoked. It stops working everywhere within a second.",
	"plan-removed": "The plan was removed. Its address no longer shows anything.",
	"role":         "The role was changed.",
	"removed":      "The person was removed. Keys stay with the organisation.",
	"left":         "You have left the organisation.",
	"uninvited":    "The invitation was withdrawn. Its link no longer works.",
	"renamed":      "The organisation was renamed.",
	"joined":       "You have joined the organisation.",
}

// render writes a page.
func (c *call) render(status int, name string, v view) error {
	v.Who, v.Place, v.Base, v.App, v.Failed = c.who, c.place, c.base, c.App, status >= http.StatusBadRequest
	if !v.Failed {
		v.Notice = notices[c.r.URL.Query().Get("done")]
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name+".html", v); err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(b.Bytes()) // an error means that the caller has gone
	}
	return nil
}

// message writes a page that says one thing.
func (c *call) message(status int, title, text string) error {
	return c.render(status, "message", view{Title: title, Data: text})
}

// fail writes the page for an error that no form could show.
func (c *call) fail(err error) {
	if errors.Is(c.ctx().Err(), context.Canceled) {
		return // nobody reads it
	}
	status, title, text := http.StatusInternalServerError, "Something went wrong here", "It is our fault and was logged. Try again; nothing was changed half-way."
	switch {
	case errors.Is(err, account.ErrNotFound), errors.Is(err, share.ErrNotFound):
		status, title, text = http.StatusNotFound, "Nothing is here", "The address has no page, or what it named was removed or is not yours to see."
	case errors.Is(err, account.ErrDenied):
		status, title, text = http.StatusForbidden, "Your role does not allow this", "Members create keys and remove plans; owners manage people and settings. An owner of your organisation can change your role."
	case errors.Is(err, account.ErrLink):
		status, title, text = http.StatusNotFound, "This link does not work", sentence(account.ErrLink)
	case errors.Is(err, errBody):
		status, title, text = http.StatusBadRequest, "The form could not be read", "It was too large or not a form. Go back and send it again."
	case errors.Is(err, account.ErrProvider):
		status, title, text = http.StatusServiceUnavailable, "The identity provider does not answer", "Signing in through it does not work at the moment. Try again in a minute."
	case errors.Is(err, store.ErrFull):
		status, title, text = http.StatusServiceUnavailable, "Our disk is full", "Nothing was kept of what you sent. Whoever runs this service has to make room first."
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		status, title, text = http.StatusServiceUnavailable, "Not available at the moment", "Our database does not answer, or too much is asked of us at once. It works again by itself: try again in a minute."
	}
	if status >= http.StatusInternalServerError {
		if status == http.StatusServiceUnavailable {
			c.w.Header().Set("Retry-After", "10")
		}
		c.Log.Error("page", "id", c.w.Header().Get("X-Request-Id"), "route", c.r.Pattern, "status", status, "error", err.Error())
		c.who, c.place = nil, account.Place{} // the page must not need what just failed
	}
	if err := c.message(status, title, text); err != nil {
		c.Log.Error("page", "id", c.w.Header().Get("X-Request-Id"), "route", c.r.Pattern, "error", err.Error())
		http.Error(c.w, title, http.StatusInternalServerError)
	}
}

// sentence writes an error as one.
func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
