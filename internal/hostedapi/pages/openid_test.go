package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi/pages"
)

// through goes from a link of ours to the provider and comes back, and returns where that leads.
func (b *browser) through(path string) string {
	b.s.t.Helper()
	out := b.get(path)
	if out.status != http.StatusSeeOther {
		b.s.t.Fatalf("status %d\n%s", out.status, out.main())
	}
	r, err := b.client.Get(out.header.Get("Location"))
	if err != nil {
		b.s.t.Fatal(err)
	}
	_ = r.Body.Close()
	return strings.TrimPrefix(r.Header.Get("Location"), b.s.url)
}

func TestSigningInThroughAProvider(t *testing.T) {
	var p *accounttest.Issuer
	s := onSQLite(t, func(d *pages.Deps) {
		p = accounttest.NewIssuer(t, d.Accounts.Clock)
		d.OpenID = account.NewOpenID(d.Accounts, p.Provider(d.PublicURL+pages.CallbackPath))
	})
	org, ada := s.found("Lab", "ada@example.com")
	s.browser().get("/account/sign-in").want(200, `href="/account/openid"`)

	// Somebody whom nobody invited.
	p.As("1", "eve@example.com", true)
	eve := s.browser()
	eve.get(eve.through("/account/openid")).want(403, "There is no account for you yet")

	// With an invitation, and later without.
	link := ada.post("/settings/"+org+"/invitations", "email", "bob@example.com", "role", "member").link()
	p.As("2", "bob@example.com", true)
	bob := s.browser()
	bob.get("/account/invitation?link="+link).want(200, `href="/account/openid?link=`+link)
	bob.get(bob.through("/account/openid?link=" + link)).leads("/settings")
	if v := bob.who(); v.Role(org) != account.Member || v.Person.Name != "From Elsewhere" {
		t.Errorf("got %+v", v)
	}
	bob.get("/account").want(200, p.URL, "!Change your password", "signed in through the identity provider")
	again := s.browser()
	back := again.through("/account/openid")
	// What comes back to another browser, twice, or with another state opens nothing.
	s.browser().get(back).want(403, "begin again")
	again.get(strings.Replace(back, "state=", "state=x", 1)).want(403, "begin again")
	again.get(back).want(403) // the flow ended with the wrong state
	if again.session() != "" {
		t.Error("a session all the same")
	}
	again.get(again.through("/account/openid")).leads("/settings")
	again.get(pages.CallbackPath + "?error=access_denied").want(403)

	// Nobody is sent to the provider by another site.
	again.header.Set("Sec-Fetch-Site", "cross-site")
	again.get("/account/openid?link=" + link).leads("/account/sign-in")
	again.header.Del("Sec-Fetch-Site")

	p.Close()
	fresh := onSQLite(t, func(d *pages.Deps) {
		d.OpenID = account.NewOpenID(d.Accounts, p.Provider(d.PublicURL+pages.CallbackPath))
	})
	fresh.browser().get("/account/openid").want(503, "The identity provider does not answer")
	without := onSQLite(t, nil)
	without.browser().get("/account/openid").want(404)
	without.browser().get("/account/sign-in").want(200, "!openid")
}
