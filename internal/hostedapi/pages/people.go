package pages

import (
	"errors"
	"net/http"
	"time"

	"github.com/modelverifier/verifier/internal/account"
)

// roleNames are the choices of forms, from the one that may do least.
var roleNames = []string{string(account.Viewer), string(account.Member), string(account.Owner)}

// peoplePage is what People shows.
type peoplePage struct {
	People      []personRow
	Invitations []account.Token
	Form        form
	Link        *givenOut // one that was made just now
}

type personRow struct {
	account.Colleague
	Self bool
	Role form
}

// givenOut is a link to pass on. It is shown once.
type givenOut struct {
	Title, For, URL string
	Expires         time.Time
}

func (c *call) inviteForm() form {
	return form{ID: "invite", Action: c.own("invitations"), Submit: "Make an invitation", Fields: []field{
		{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "off"},
		{Name: "role", Label: "Role", Options: roleNames, Value: string(account.Member), Hint: "Viewers read. Members also create keys and remove plans. Owners also manage people and settings."},
	}}
}

func (c *call) renderPeople(status int, f form, link *givenOut, problem string) error {
	all, err := c.Accounts.Members(c.ctx(), c.place.Org, c.who.Person.ID)
	if err != nil {
		return err
	}
	p := peoplePage{Form: f, Link: link}
	for _, m := range all {
		p.People = append(p.People, personRow{m, m.Person == c.who.Person.ID, form{ID: "role-" + m.Person, Action: c.own("people/" + m.Person + "/role"), Submit: "Change",
			Fields: []field{{Name: "role", Label: "Role of " + m.Name, Options: roleNames, Value: string(m.Role)}}}})
	}
	if c.place.Role.May(account.ToManage) {
		if p.Invitations, err = c.Accounts.Invitations(c.ctx(), c.place.Org, c.who.Person.ID); err != nil {
			return err
		}
	}
	return c.render(status, "people", view{Title: "People", Section: "people", Problem: problem, Data: p})
}

func (c *call) showPeople() error { return c.renderPeople(http.StatusOK, c.inviteForm(), nil, "") }

// managed shows the people again if what an owner wanted cannot be.
func (c *call) managed(err error, done string) error {
	f := form{}
	if err != nil {
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderPeople(status, c.inviteForm(), nil, f.Problem)
	}
	return c.done(c.own("people"), done)
}

func (c *call) invite() error {
	email := c.field("email")
	link, err := c.Accounts.Invite(c.ctx(), c.place.Org, c.who.Person.ID, email, account.Role(c.field("role")))
	f := c.inviteForm()
	if err != nil {
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderPeople(status, f, nil, "")
	}
	t, _, err := c.Accounts.Link(c.ctx(), account.Invite, link)
	if err != nil {
		return err
	}
	return c.renderPeople(http.StatusOK, f, &givenOut{"Invitation for " + t.Email, t.Email, linkURL(c.base, invitationPath, link), t.Expires}, "")
}

func (c *call) uninvite() error {
	return c.managed(c.Accounts.Uninvite(c.ctx(), c.place.Org, c.who.Person.ID, c.r.PathValue("id")), "uninvited")
}

func (c *call) setRole() error {
	return c.managed(c.Accounts.SetRole(c.ctx(), c.place.Org, c.who.Person.ID, c.r.PathValue("id"), account.Role(c.field("role"))), "role")
}

func (c *call) removePerson() error {
	person := c.r.PathValue("id")
	err := c.Accounts.Remove(c.ctx(), c.place.Org, c.who.Person.ID, person)
	if err == nil && person == c.who.Person.ID {
		return c.done(accountPath, "left")
	}
	return c.managed(err, "removed")
}

// resetPerson makes a link that gives somebody a new password. Who also belongs to an organisation of others cannot be reset.
func (c *call) resetPerson() error {
	person := c.r.PathValue("id")
	link, err := c.Accounts.Reset(c.ctx(), c.place.Org, c.who.Person.ID, person)
	if errors.Is(err, account.ErrDenied) {
		return c.renderPeople(http.StatusForbidden, c.inviteForm(), nil,
			"This person also belongs to an organisation that you do not own, and a new password would open that, too. Ask the operator of the service for a link.")
	}
	if err != nil {
		return err
	}
	names, err := c.people()
	if err != nil {
		return err
	}
	t, _, err := c.Accounts.Link(c.ctx(), account.Reset, link)
	if err != nil {
		return err
	}
	return c.renderPeople(http.StatusOK, c.inviteForm(), &givenOut{"New password for " + names[person], names[person], ResetURL(c.base, link), t.Expires}, "")
}
