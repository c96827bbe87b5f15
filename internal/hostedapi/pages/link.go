package pages

import (
	"net/http"

	"github.com/modelverifier/verifier/internal/account"
)

// givenLink is the secret of the one-time link that a page was opened with: from the address, then from the form.
func (c *call) givenLink() string {
	if c.r.Method == http.MethodPost {
		return c.field("link")
	}
	return c.r.URL.Query().Get("link")
}

func (c *call) startForm() form {
	return form{ID: "start", Action: startPath, Submit: "Create the organisation", Hidden: []hidden{{"link", c.givenLink()}}, Fields: []field{
		{Name: "organisation", Label: "Organisation", Type: "text", Autocomplete: "organization", Hint: "Whatever owns keys, history and plans: a company, a team, a lab."},
		{Name: "name", Label: "Your name", Type: "text", Autocomplete: "name"},
		emailField,
		passwordField("Password", "password", "new-password", passwordHint),
	}}
}

func (c *call) renderStart(status int, f form) error {
	return c.render(status, "start", view{Title: "Create an organisation", Data: f})
}

func (c *call) showStart() error {
	if _, _, err := c.Accounts.Link(c.ctx(), account.Admin, c.givenLink()); err != nil {
		return err
	}
	return c.renderStart(http.StatusOK, c.startForm())
}

func (c *call) start() error {
	err := c.attempt(c.field("email"))
	var session string
	if err == nil {
		session, err = c.Accounts.Start(c.ctx(), c.givenLink(), c.field("organisation"), c.field("name"), c.field("email"), c.field("password"))
	}
	if err != nil {
		f := c.startForm()
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderStart(status, f)
	}
	if err := c.enter(session); err != nil {
		return err
	}
	c.redirect(SettingsPath, nil)
	return nil
}

func (c *call) resetForm() form {
	return form{ID: "reset", Action: resetPath, Submit: "Set the password", Hidden: []hidden{{"link", c.givenLink()}},
		Fields: []field{passwordField("New password", "password", "new-password", passwordHint)}}
}

func (c *call) renderReset(status int, f form) error {
	return c.render(status, "reset", view{Title: "Set a new password", Data: f})
}

func (c *call) showReset() error {
	if _, _, err := c.Accounts.Link(c.ctx(), account.Reset, c.givenLink()); err != nil {
		return err
	}
	return c.renderReset(http.StatusOK, c.resetForm())
}

func (c *call) reset() error {
	session, err := c.Accounts.SetPassword(c.ctx(), c.givenLink(), c.field("password"))
	if err != nil {
		f := c.resetForm()
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderReset(status, f)
	}
	if err := c.enter(session); err != nil {
		return err
	}
	return c.done(accountPath, "password")
}

// invitation is what an invitation's page shows.
type invitation struct {
	Token        account.Token
	Organisation account.Organisation
	Form         form
	OpenID       bool
	Link         string
}

func (c *call) invitationForm() form {
	return form{ID: "sign-up", Action: invitationPath, Submit: "Join", Hidden: []hidden{{"link", c.givenLink()}}, Fields: []field{
		{Name: "name", Label: "Your name", Type: "text", Autocomplete: "name"},
		passwordField("Password", "password", "new-password", passwordHint+" If this address has an account already, its password."),
	}}
}

func (c *call) renderInvitation(status int, f form) error {
	t, o, err := c.Accounts.Link(c.ctx(), account.Invite, c.givenLink())
	if err != nil {
		return err
	}
	return c.render(status, "invitation", view{Title: "Join " + o.Name, Data: invitation{t, o, f, c.OpenID != nil, c.givenLink()}})
}

func (c *call) showInvitation() error { return c.renderInvitation(http.StatusOK, c.invitationForm()) }

func (c *call) signUp() error {
	t, _, err := c.Accounts.Link(c.ctx(), account.Invite, c.givenLink())
	if err == nil {
		err = c.attempt(t.Email)
	}
	var session string
	if err == nil {
		session, err = c.Accounts.SignUp(c.ctx(), c.givenLink(), c.field("name"), c.field("password"))
	}
	if err != nil {
		f := c.invitationForm()
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderInvitation(status, f)
	}
	if err := c.enter(session); err != nil {
		return err
	}
	return c.done(SettingsPath+"/"+t.Org+"/api", "joined")
}

func (c *call) accept() error {
	t, _, err := c.Accounts.Link(c.ctx(), account.Invite, c.givenLink())
	if err != nil {
		return err
	}
	if err := c.Accounts.Accept(c.ctx(), c.who.Person.ID, c.givenLink()); err != nil {
		return err
	}
	return c.done(SettingsPath+"/"+t.Org+"/api", "joined")
}
