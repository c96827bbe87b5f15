package pages

import (
	"net/http"
	"net/url"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/share"
)

// removePlanAction names the removal of a shared plan in the audit log.
const removePlanAction = "remove-plan"

func (c *call) organisationForm() form {
	return form{ID: "organisation", Action: c.own("organisation"), Submit: "Rename", Fields: []field{
		{Name: "organisation", Label: "Name", Type: "text", Autocomplete: "organization", Value: c.place.Name}}}
}

func (c *call) renderOrganisation(status int, f form) error {
	return c.render(status, "organisation", view{Title: "Organisation", Section: "organisation", Data: f})
}

func (c *call) showOrganisation() error {
	return c.renderOrganisation(http.StatusOK, c.organisationForm())
}

func (c *call) rename() error {
	if err := c.Accounts.Rename(c.ctx(), c.place.Org, c.who.Person.ID, c.field("organisation")); err != nil {
		f := c.organisationForm()
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderOrganisation(status, f)
	}
	return c.done(c.own("organisation"), "renamed")
}

// auditPage is as many lines as a page shows, and where the next page begins.
type auditPage struct {
	Lines []line
	Older string
}

const auditLines = 50

func (c *call) showAudit() error {
	all, err := c.Accounts.Events(c.ctx(), c.place.Org, c.who.Person.ID, c.r.URL.Query().Get("after"), auditLines+1)
	if err != nil {
		return err
	}
	names, err := c.people()
	if err != nil {
		return err
	}
	keys, err := c.Accounts.Keys(c.ctx(), c.place.Org, c.who.Person.ID)
	if err != nil {
		return err
	}
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	p := auditPage{}
	if len(all) > auditLines {
		all = all[:auditLines]
		p.Older = c.own("audit") + "?" + url.Values{"after": {all[auditLines-1].ID}}.Encode()
	}
	p.Lines = lines(all, names)
	return c.render(http.StatusOK, "audit", view{Title: "Audit log", Section: "audit", Data: p})
}

func (c *call) showPlans() error {
	all, err := c.Shares.List(c.ctx(), c.place.Org)
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, "plans", view{Title: "Shared plans", Section: "plans", Data: struct {
		Plans []share.Plan
		Most  int
	}{all, share.Most}})
}

// removePlan notes what it is about to do, so that nothing is removed which the log does not tell.
func (c *call) removePlan() error {
	plan, err := c.Shares.Get(c.ctx(), c.r.PathValue("id"))
	if err != nil {
		return err
	}
	if plan.Org != c.place.Org {
		return share.ErrNotFound
	}
	if err := c.Accounts.Note(c.ctx(), c.place.Org, c.who.Person.ID, account.ToUse, removePlanAction, plan.ID); err != nil {
		return err
	}
	if err := c.Shares.Remove(c.ctx(), c.place.Org, plan.ID); err != nil {
		return err
	}
	return c.done(c.own("plans"), "plan-removed")
}

// historyPage is what was measured of one structure.
type historyPage struct {
	Form  form
	Asked string
	Rows  []ledger.Row
}

// showHistory looks a fingerprint up, as GET /api/v1/history does.
func (c *call) showHistory() error {
	p := historyPage{Asked: c.r.URL.Query().Get("fingerprint"), Form: form{ID: "history", Action: c.own("history"), Submit: "Look up", Fields: []field{
		{Name: "fingerprint", Label: "Fingerprint", Type: "text", Autocomplete: "off", Hint: "Eight hexadecimal digits: model.fingerprint of a plan."}}}}
	if p.Asked == "" {
		return c.renderHistory(http.StatusOK, p)
	}
	rows, err := c.Ledger.List(c.ctx(), c.place.Org, p.Asked)
	status, err := c.again(&p.Form, err)
	if err != nil {
		return err
	}
	p.Form.Fields[0].Value, p.Rows = p.Asked, rows
	return c.renderHistory(status, p)
}

func (c *call) renderHistory(status int, p historyPage) error {
	return c.render(status, "history", view{Title: "History", Section: "history", Data: p})
}
