package pages_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi/pages"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

func TestTheFirstLinkMakesAnOrganisationAndSignsItsOwnerIn(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		link := accounttest.Must[string](t)(s.FirstAdmin(t.Context()))
		address := strings.TrimPrefix(pages.StartURL(s.url, link), s.url)
		b := s.browser()
		b.get("/account/start?link="+strings.Repeat("a", 43)).want(404, "This link does not work")
		b.get(address).want(200, `name="organisation"`, "At least 12 characters.", `autocomplete="new-password"`, `value="`+link+`"`)
		// What is wrong stands beside its field, and what was typed stays, but for the password.
		b.post("/account/start", "link", link, "organisation", "Lab", "name", `A "quoted" <b>`, "email", "ada@example.com", "password", "only11chars").
			want(422, `value="Lab"`, `value="A &#34;quoted&#34; &lt;b&gt;"`, `value="ada@example.com"`, "Password has 11 characters, at least 12 are needed.",
				`aria-describedby="start-password-hint start-password-error"`, "<title>Error:", "!only11chars")
		b.post("/account/start", "link", link, "organisation", " ", "name", "Ada", "email", "ada@example.com", "password", password).want(422, "Organisation is empty.", "!"+password)
		b.post("/account/start", "link", link, "organisation", "Lab", "name", "Ada", "email", "nowhere", "password", password).want(422, "E-mail address is no e-mail address")
		b.post("/account/start", "link", link, "organisation", "Lab", "name", "Ada", "email", "ada@example.com", "password", "exactly12chr").leads("/settings")
		org := b.who().Places[0].Org
		b.get("/settings").leads("/settings/" + org + "/api")
		b.get("/settings/"+org+"/api").want(200, "Developer API", "There are none yet.", s.url+"/api/v1/check")
		s.browser().get(address).want(404, "This link does not work")
		s.browser().post("/account/start", "link", link, "organisation", "Lab", "name", "Eve", "email", "eve@example.com", "password", password).want(404)
	})
}

func TestSigningInTellsNobodyWhoHasAnAccount(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.found("Lab", "ada@example.com")
		known := s.browser().post("/account/sign-in", "email", "ada@example.com", "password", "wrong password!").want(422, "The e-mail address or the password is wrong.", "!wrong password!")
		unknown := s.browser().post("/account/sign-in", "email", "eve@example.com", "password", "wrong password!").want(422)
		if strings.ReplaceAll(known.body, "ada@", "eve@") != unknown.body {
			t.Error("the answers differ")
		}
	})
}

func TestSigningInGivesANewSessionAndSigningOutEndsIt(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		org, b := s.found("Lab", "ada@example.com")
		before := b.session()
		b.get("/account/sign-in").leads("/settings")
		b.post("/account/sign-in", "email", "Ada@Example.com ", "password", password).leads("/settings")
		if b.session() == before || b.session() == "" {
			t.Error("the session is the same as before")
		}
		if _, err := s.Visitor(t.Context(), before); err == nil {
			t.Error("the session before still works")
		}
		other := s.browser()
		other.get("/settings/" + org + "/people").leads("/account/sign-in?next=%2Fsettings%2F" + org + "%2Fpeople")
		other.post("/account/sign-in", "email", "ada@example.com", "password", password, "next", "/settings/"+org+"/people").leads("/settings/" + org + "/people")
		last := b.session()
		b.post("/account/sign-out").leads("/account/sign-in?done=signed-out")
		if b.session() != "" {
			t.Error("the cookie stayed")
		}
		if _, err := s.Visitor(t.Context(), last); err == nil {
			t.Error("the session still works")
		}
		b.get("/account/sign-in?done=signed-out").want(200, "You have signed out.")
		other.get("/account").want(200, "signed in")
		third := s.browser()
		third.post("/account/sign-in", "email", "ada@example.com", "password", password).leads("/settings")
		third.post("/account/sign-out-everywhere").leads("/account/sign-in?done=everywhere")
		other.get("/account").leads("/account/sign-in?next=%2Faccount")
		other.post("/account/password", "was", password, "password", "another long one").leads("/account/sign-in")
	})
}

func TestSigningInLeadsNowhereElse(t *testing.T) {
	s := onSQLite(t, nil)
	s.found("Lab", "ada@example.com")
	for i, next := range []string{"https://evil.example/settings/x", "//evil.example/settings/x", `/\evil.example`, `/settings/\evil`, "javascript:alert(1)", "settings/x", "/p/x", "/settings/%0d%0ax: y\r\n", "",
		"http:/settings/x", "/account/sign-out", "///settings/x", "/settings", "/settings/../p/x", "/settings/%2e%2e/p/x", "/settings//evil.example"} {
		b := s.browser()
		b.header.Set(caller, fmt.Sprintf("192.0.2.%d", i))
		b.post("/account/sign-in", "email", "ada@example.com", "password", password, "next", next).leads("/settings")
	}
	s.browser().get("/account/sign-in?next=%22%3E%3Cscript%3E").want(200, "!<script")
	s.browser().get("/account/sign-in?done=Send+money").want(200, "!Send money")
}

func TestAttemptsAreLimitedByAccountAndAddress(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.found("Lab", "ada@example.com")
		try := func(from, email, pass string) page {
			b := s.browser()
			b.header.Set(caller, from)
			return b.post("/account/sign-in", "email", email, "password", pass)
		}
		for _, email := range []string{"ada@example.com", "nobody@example.com"} { // known or not
			for range 10 {
				try("198.51.100.1", email, "wrong password!").want(422)
			}
			p := try("198.51.100.1", strings.ToUpper(email), password).want(429, "Too many attempts: try again in 15 minutes.")
			if n, err := strconv.Atoi(p.header.Get("Retry-After")); err != nil || n < 800 || n > 900 {
				t.Errorf("Retry-After is %q", p.header.Get("Retry-After"))
			}
		}
		try("198.51.100.2", "ada@example.com", password).leads("/settings")
		s.clock.Pass(16 * time.Minute)
		try("198.51.100.1", "ada@example.com", password).leads("/settings")
		// One address with many accounts, an IPv6 network counting as one.
		for i := range 60 {
			try(fmt.Sprintf("2001:db8::%x", i), fmt.Sprintf("p%d@example.com", i), "x").want(422)
		}
		try("2001:db8::ffff:1", "ada@example.com", password).want(429)
		try("2001:db8:0:1::1", "ada@example.com", password).leads("/settings")
	})
}

func TestManyAddressesCannotTryOneAccountForEver(t *testing.T) {
	s := onSQLite(t, nil)
	s.found("Lab", "ada@example.com")
	b := s.browser()
	refused := 0
	for i := range 120 {
		b.header.Set(caller, fmt.Sprintf("198.51.100.%d", i))
		if b.post("/account/sign-in", "email", "ada@example.com", "password", "wrong password!").status == 429 {
			refused++
		}
	}
	if refused < 20 || refused > 21 { // founding took one
		t.Errorf("%d of 120 were refused", refused)
	}
}

func TestPasswordsAreChangedAndReset(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		org, ada := s.found("Lab", "ada@example.com")
		bob := s.hire(org, ada, "bob@example.com", account.Member)
		bob.post("/account/password", "was", "not it at all", "password", "another long one").want(422, "Present password is not the present password.")
		bob.post("/account/password", "was", password, "password", "short").want(422, "New password has 5 characters")
		bob.post("/account/password", "was", password, "password", "another long one").leads("/account?done=password")
		bob.get("/account").want(200)
		person := bob.who().Person.ID
		link := ada.post("/settings/"+org+"/people/"+person+"/reset").want(200, "New password for member", "until").link()
		forgetful := s.browser()
		forgetful.get("/account/forgot").want(200, "Ask an owner")
		forgetful.get("/account/reset?link="+link).want(200, "Set a new password")
		forgetful.post("/account/reset", "link", link, "password", "x").want(422, "New password has 1 characters")
		forgetful.post("/account/reset", "link", link, "password", "yet another one").leads("/account?done=password")
		bob.get("/account").leads("/account/sign-in?next=%2Faccount")
		s.browser().post("/account/reset", "link", link, "password", "yet another one").want(404, "This link does not work")
		s.browser().post("/account/sign-in", "email", "bob@example.com", "password", "yet another one").leads("/settings")
		// A link would open the other organisation, too.
		other, eve := s.found("Other", "eve@example.com")
		invited := eve.post("/settings/"+other+"/invitations", "email", "bob@example.com", "role", "viewer").link()
		forgetful.get("/account/invitation?link="+invited).want(200, "Join as member (bob@example.com)")
		forgetful.post("/account/invitation/accept", "link", invited).leads("/settings/" + other + "/api?done=joined")
		ada.post("/settings/"+org+"/people/"+person+"/reset").want(403, "also belongs to an organisation that you do not own")
	})
}

func TestCookiesAndHeadersAreStrict(t *testing.T) {
	for _, c := range []struct {
		public string
		attrs  []string
		not    string
	}{
		{"https://www.example.com/", []string{"__Host-session=", "Path=/", "HttpOnly", "SameSite=Lax", "Secure", "Max-Age=2592000"}, "Domain"},
		{"http://localhost:8080", []string{"session=", "Path=/", "HttpOnly", "SameSite=Lax"}, "Secure"},
	} {
		s := onSQLite(t, func(d *pages.Deps) { d.PublicURL = c.public })
		p := s.browser().post("/account/start", "link", accounttest.Must[string](t)(s.FirstAdmin(t.Context())), "organisation", "Lab", "name", "Ada", "email", "a@example.com", "password", password)
		p.leads("/settings")
		cookie := p.header.Get("Set-Cookie")
		for _, a := range c.attrs {
			if !strings.Contains(cookie, a) {
				t.Errorf("%s: no %s in %s", c.public, a, cookie[:10]+cookie[50:])
			}
		}
		if strings.Contains(cookie, c.not) {
			t.Errorf("%s: %s in the cookie", c.public, c.not)
		}
		for name, value := range map[string]string{"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"Cache-Control": "no-store", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
			for _, path := range []string{"/account/sign-in", "/account/nothing", "/settings"} {
				if got := s.browser().get(path).header.Get(name); got != value {
					t.Errorf("%s of %s is %q", name, path, got)
				}
			}
		}
	}
}

func TestWrongAddressesOfTheServiceAreRefused(t *testing.T) {
	s := onSQLite(t, nil)
	for _, bad := range []string{"", "localhost:8080", "ftp://x", "https://x/path", "https://", "https://u:p@x", "https://x'y", "https://$(id)", "https://x?y"} {
		_, err := pages.New(pages.Deps{Accounts: s.Service, Shares: s.shares, Ledger: s.ledger, Windows: s.store.Windows(), PublicURL: bad})
		if err == nil || !strings.Contains(err.Error(), "public address") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := pages.New(pages.Deps{PublicURL: "https://x"}); err == nil {
		t.Error("made of nothing")
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	s := onSQLite(t, nil)
	org, ada := s.found("Lab", "ada@example.com")
	evil := func(name, value string) {
		t.Helper()
		ada.header = http.Header{name: {value}}
		ada.post("/settings/"+org+"/api", "name", "planted").want(403, "Sent from another site")
		ada.post("/account/sign-out").want(403)
		ada.post("/account/sign-in", "email", "eve@example.com", "password", password).want(403)
		ada.header = http.Header{}
	}
	evil("Sec-Fetch-Site", "cross-site")
	evil("Sec-Fetch-Site", "same-site")
	evil("Origin", "https://evil.example")
	evil("Origin", "null")
	ada.header.Set("Sec-Fetch-Site", "same-origin")
	ada.post("/settings/"+org+"/api", "name", "mine").want(200, "mine", "!planted")
	ada.header = http.Header{"Origin": {s.url}}
	ada.post("/settings/"+org+"/api", "name", "mine too").want(200, "!planted")
	ada.header = http.Header{}
	// Only forms are read, and only their bodies.
	ada.do("POST", "/settings/"+org+"/api", strings.NewReader(`{"name":"json"}`), "application/json").want(400, "The form could not be read")
	ada.do("POST", "/settings/"+org+"/api", strings.NewReader("name="+strings.Repeat("x", 40<<10)), "application/x-www-form-urlencoded").want(400)
	ada.do("POST", "/settings/"+org+"/api?name=from-the-address", strings.NewReader(""), "application/x-www-form-urlencoded").want(422, "Name is empty.")
	for _, path := range []string{"/account/sign-out", "/settings/" + org + "/invitations"} {
		ada.get(path).want(404)
	}
}

func TestADatabaseThatIsAwayGives503AndRecovers(t *testing.T) {
	server := pgtest.Start(t)
	s := newSite(t, server.Database(t), nil)
	org, ada := s.found("Lab", "ada@example.com")
	server.Stop()
	for _, p := range []page{ada.get("/settings/" + org + "/api"), s.browser().post("/account/sign-in", "email", "ada@example.com", "password", password)} {
		p.want(503, "Not available at the moment")
		if p.header.Get("Retry-After") == "" || p.header.Get("Set-Cookie") != "" {
			t.Errorf("headers %v", p.header)
		}
	}
	s.browser().get("/account/sign-in").want(200) // needs no database
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ada.get("/settings/" + org + "/api").want(200)
	if !strings.Contains(s.log.String(), "status=503") {
		t.Error("it was not logged")
	}
}
