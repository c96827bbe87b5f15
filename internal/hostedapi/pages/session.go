package pages

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/account"
)

// How long a browser keeps cookies; the server decides by itself how long they work.
const (
	sessionAge = 30 * 24 * time.Hour
	flowAge    = 10 * time.Minute
)

// cookieName is that of the session. With the prefix, browsers take it only over TLS, from this host and for all of it.
func (h *handler) cookieName() string { return h.prefixed("session") }

func (h *handler) prefixed(name string) string {
	if h.secure {
		return "__Host-" + name
	}
	return name
}

// cookie sets a cookie that scripts cannot read and other sites' forms do not send. No value removes it.
func (c *call) cookie(name, value string, age time.Duration) {
	seconds := int(age / time.Second)
	if value == "" {
		seconds = -1
	}
	http.SetCookie(c.w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteLaxMode})
}

// enter gives the browser a new session. One that it had before ends: what somebody may have planted there is worth nothing.
func (c *call) enter(session string) error {
	if c.session != "" {
		if err := c.Accounts.SignOut(c.ctx(), c.session); err != nil {
			return err
		}
	}
	c.cookie(c.cookieName(), session, sessionAge)
	return nil
}

// within returns an address of ours that signing in leads to, or that of the settings: nobody can have people sent elsewhere.
func within(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.ContainsAny(u.Path, "\\") || path.Clean(u.Path) != u.Path ||
		u.Path != accountPath && u.Path != runsPath && !strings.HasPrefix(u.Path, SettingsPath+"/") {
		return SettingsPath
	}
	return (&url.URL{Path: u.Path, RawQuery: u.Query().Encode()}).RequestURI()
}

type signInPage struct {
	Form   form
	OpenID bool
}

func signInForm(next string) form {
	f := form{ID: "sign-in", Action: signInPath, Submit: "Sign in",
		Fields: []field{emailField, passwordField("Password", "password", "current-password", "")}}
	if next != "" {
		f.Hidden = []hidden{{"next", next}}
	}
	return f
}

func (c *call) renderSignIn(status int, f form, problem string) error {
	return c.render(status, "sign-in", view{Title: "Sign in", Problem: problem, Data: signInPage{f, c.OpenID != nil}})
}

func (c *call) showSignIn() error {
	next := c.r.URL.Query().Get("next")
	if c.who != nil {
		c.redirect(within(next), nil)
		return nil
	}
	return c.renderSignIn(http.StatusOK, signInForm(next), "")
}

func (c *call) signIn() error {
	f := signInForm(c.field("next"))
	err := c.attempt(c.field("email"))
	var session string
	if err == nil {
		session, err = c.Accounts.SignIn(c.ctx(), c.field("email"), c.field("password"))
	}
	if err != nil {
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderSignIn(status, f, "")
	}
	if err := c.enter(session); err != nil {
		return err
	}
	c.redirect(within(c.field("next")), nil)
	return nil
}

// showForgot says whom to ask: links go through people, since the service sends no mail. It asks for nothing and tells nothing.
func (c *call) showForgot() error {
	return c.render(http.StatusOK, "forgot", view{Title: "Forgotten password"})
}

func (c *call) signOut() error {
	if c.session != "" {
		if err := c.Accounts.SignOut(c.ctx(), c.session); err != nil {
			return err
		}
	}
	c.cookie(c.cookieName(), "", 0)
	return c.done(signInPath, "signed-out")
}

func (c *call) signOutEverywhere() error {
	if err := c.Accounts.SignOutEverywhere(c.ctx(), c.who.Person.ID); err != nil {
		return err
	}
	c.cookie(c.cookieName(), "", 0)
	return c.done(signInPath, "everywhere")
}

// beginOpenID sends the browser to the provider. It is a link and not a form because the policy on forms would hold for where
// the provider sends people, too; so it looks for itself whether one of our pages was left for it.
func (c *call) beginOpenID() error {
	if c.OpenID == nil {
		return account.ErrNotFound
	}
	if from := c.r.Header.Get("Sec-Fetch-Site"); from != "" && from != "same-origin" && from != "none" {
		c.redirect(signInPath, nil)
		return nil
	}
	address, flow, err := c.OpenID.Begin(c.ctx(), c.r.URL.Query().Get("link"))
	if err != nil {
		return err
	}
	c.cookie(c.prefixed("flow"), flow.Encode(), flowAge)
	http.Redirect(c.w, c.r, address, http.StatusSeeOther)
	return nil
}

// finishOpenID takes what the provider sent back with the browser.
func (c *call) finishOpenID() error {
	if c.OpenID == nil {
		return account.ErrNotFound
	}
	session, err := c.returned()
	c.cookie(c.prefixed("flow"), "", 0)
	var busy *tooMany
	switch {
	case err == nil:
	case errors.Is(err, account.ErrIdentity), errors.Is(err, account.ErrNotInvited), errors.Is(err, account.ErrTaken):
		for _, known := range []error{account.ErrIdentity, account.ErrNotInvited, account.ErrTaken} {
			if errors.Is(err, known) {
				return c.renderSignIn(http.StatusForbidden, signInForm(""), sentence(known))
			}
		}
	case errors.As(err, &busy):
		f := signInForm("")
		status, _ := c.again(&f, err)
		return c.renderSignIn(status, f, "")
	default:
		return err
	}
	if err := c.enter(session); err != nil {
		return err
	}
	c.redirect(SettingsPath, nil)
	return nil
}

// returned checks that this browser began the flow before anything is asked of the provider.
func (c *call) returned() (session string, err error) {
	cookie, err := c.r.Cookie(c.prefixed("flow"))
	if err != nil {
		return "", account.ErrIdentity
	}
	flow, err := account.DecodeFlow(cookie.Value)
	if err != nil {
		return "", err
	}
	if err := c.attempt(""); err != nil {
		return "", err
	}
	q := c.r.URL.Query()
	if q.Get("error") != "" { // the person declined, or the provider did
		return "", account.ErrIdentity
	}
	return c.OpenID.Finish(c.ctx(), flow, q.Get("state"), q.Get("code"))
}
