package pages

import (
	"net/http"

	"github.com/modelverifier/verifier/internal/account"
)

// ownEvents is how many lines of their own log people see.
const ownEvents = 20

// self is what somebody's own page shows.
type self struct {
	Form   form
	Events []line
}

func (c *call) passwordForm() form {
	return form{ID: "password", Whose: c.who.Person.Email, Action: "/account/password", Submit: "Change the password", Fields: []field{
		passwordField("Present password", "was", "current-password", ""),
		passwordField("New password", "password", "new-password", passwordHint),
	}}
}

func (c *call) renderSelf(status int, f form) error {
	all, err := c.Accounts.OwnEvents(c.ctx(), c.who.Person.ID, "", ownEvents)
	if err != nil {
		return err
	}
	return c.render(status, "self", view{Title: "Your account", Section: "self", Data: self{f, lines(all, nil)}})
}

func (c *call) showSelf() error { return c.renderSelf(http.StatusOK, c.passwordForm()) }

func (c *call) changePassword() error {
	err := c.attempt(c.who.Person.Email)
	var session string
	if err == nil {
		session, err = c.Accounts.ChangePassword(c.ctx(), c.who.Person.ID, c.field("was"), c.field("password"))
	}
	if err != nil {
		f := c.passwordForm()
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderSelf(status, f)
	}
	c.cookie(c.cookieName(), session, sessionAge) // the one before has ended with the password
	return c.done(accountPath, "password")
}

// settings goes to an organisation of whoever asks.
func (c *call) settings() error {
	if len(c.who.Places) == 0 {
		c.redirect(accountPath, nil)
		return nil
	}
	c.place = c.who.Places[0]
	return c.toKeys()
}

func (c *call) toKeys() error {
	c.redirect(c.own("api"), nil)
	return nil
}

// line is a line of an audit log in words.
type line struct {
	account.Event
	By, What, On string
}

// actions says in words what events are.
var actions = map[string]string{
	"sign-in": "signed in", "sign-in-openid": "signed in through the identity provider", "sign-out-everywhere": "signed out everywhere",
	"set-password": "set a new password", "link-openid": "was linked to the identity provider", "admin-link": "an administrator's link was made",
	"reset-link": "made a link to reset the password of", "create-organisation": "created the organisation", "rename-organisation": "renamed the organisation to",
	"join": "joined as", "leave": "left", "invite": "invited", "uninvite": "withdrew the invitation", "remove-person": "removed",
	"set-role-owner": "made owner:", "set-role-member": "made member:", "set-role-viewer": "made viewer:",
	"create-key": "created the key", "revoke-key": "revoked the key", removePlanAction: "removed the shared plan",
}

// lines puts events in words; names says what ids stand for.
func lines(all []account.Event, names map[string]string) []line {
	out := make([]line, 0, len(all))
	named := func(id string) string {
		if n := names[id]; n != "" {
			return n
		}
		return id
	}
	for _, e := range all {
		l := line{Event: e, By: named(e.Person), What: actions[e.Action], On: named(e.Target)}
		if l.What == "" {
			l.What = e.Action
		}
		switch e.Action {
		case "leave", "create-organisation": // said already by who did it and where
			l.On = ""
		}
		out = append(out, l)
	}
	return out
}
