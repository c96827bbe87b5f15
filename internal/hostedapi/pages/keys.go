package pages

import (
	"net/http"

	"github.com/modelverifier/verifier/internal/account"
)

// sample is a small image classifier that runs: what the printed commands send.
const sample = `{"model":{"components":[{"id":"in","type":"input","params":{"shape":[1,28,28]}},{"id":"flat","type":"flatten"},` +
	`{"id":"fc","type":"linear","params":{"inFeatures":784,"outFeatures":10}},{"id":"out","type":"output"}],` +
	`"connections":[{"from":"in","to":"flat"},{"from":"flat","to":"fc"},{"from":"fc","to":"out"}]}}`

// keysPage is what Developer API shows.
type keysPage struct {
	Keys     []keyRow
	Form     form
	New      *account.Key // one that was created just now
	Secret   string       // of the new one, this once
	Commands []command
}

type keyRow struct {
	account.Key
	By string
}

// command is one to copy into a terminal.
type command struct{ Title, Line string }

// commands are those that try a key against this server, as they are printed.
func (c *call) commands(key string) []command {
	post := func(action string) string {
		return "curl -sS " + c.base + "/api/v1/" + action + " -H 'Content-Type: application/json' -H \"Authorization: Bearer " + key + "\" -d '" + sample + "'"
	}
	return []command{
		{"Will it run? The whole verdict:", post("check")},
		{"What it costs, and how this structure did before:", post("plan")},
	}
}

func (c *call) keyForm() form {
	return form{ID: "key", Action: c.own("api"), Submit: "Create a key", Fields: []field{
		{Name: "name", Label: "Name", Type: "text", Autocomplete: "off", Hint: "What will use it, for example: CI of the vision team."}}}
}

// people names the people of the organisation by their ids.
func (c *call) people() (map[string]string, error) {
	all, err := c.Accounts.Members(c.ctx(), c.place.Org, c.who.Person.ID)
	names := make(map[string]string, len(all))
	for _, m := range all {
		names[m.Person] = m.Name
	}
	return names, err
}

func (c *call) renderKeys(status int, p keysPage) error {
	all, err := c.Accounts.Keys(c.ctx(), c.place.Org, c.who.Person.ID)
	if err != nil {
		return err
	}
	names, err := c.people()
	if err != nil {
		return err
	}
	for _, k := range all {
		by := names[k.CreatedBy]
		if by == "" {
			by = "somebody who left"
		}
		p.Keys = append(p.Keys, keyRow{k, by})
	}
	return c.render(status, "keys", view{Title: "Developer API", Section: "api", Data: p})
}

func (c *call) showKeys() error {
	return c.renderKeys(http.StatusOK, keysPage{Form: c.keyForm(), Commands: c.commands("$VERIFIER_KEY")})
}

// createKey answers with the page itself: the secret is in no address, cookie or database.
func (c *call) createKey() error {
	k, secret, err := c.Accounts.CreateKey(c.ctx(), c.place.Org, c.who.Person.ID, c.field("name"))
	f := c.keyForm()
	if err != nil {
		status, err := c.again(&f, err)
		if err != nil {
			return err
		}
		return c.renderKeys(status, keysPage{Form: f, Commands: c.commands("$VERIFIER_KEY")})
	}
	return c.renderKeys(http.StatusOK, keysPage{Form: f, New: &k, Secret: secret, Commands: c.commands(secret)})
}

func (c *call) revokeKey() error {
	if err := c.Accounts.RevokeKey(c.ctx(), c.place.Org, c.who.Person.ID, c.r.PathValue("id")); err != nil {
		return err
	}
	return c.done(c.own("api"), "revoked")
}
