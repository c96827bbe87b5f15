package pages_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/ledger"
)

// things are what an organisation has; every text in them names it.
type things struct {
	org, key, invitation, plan, person, fingerprint string
	link                                            string // of the invitation
}

const request = `{"model":{"components":[{"id":"in","type":"input","params":{"shape":[4]}},{"id":"out","type":"output"}],"connections":[{"from":"in","to":"out"}]}}`

// furnish gives an organisation one of everything.
func (s *site) furnish(org string, owner *browser, mark string) things {
	s.t.Helper()
	ctx, by := context.Background(), owner.who().Person.ID
	k, _, err := s.CreateKey(ctx, org, by, mark+" key")
	if err != nil {
		s.t.Fatal(err)
	}
	link := accounttest.Must[string](s.t)(s.Invite(ctx, org, by, mark+"-invited@example.com", account.Viewer))
	t, _, err := s.Link(ctx, account.Invite, link)
	if err != nil {
		s.t.Fatal(err)
	}
	p, _, err := s.shares.Create(ctx, org, []byte(request), s.clock.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	accounttest.Must[string](s.t)(s.ledger.Write(ctx, org, ledger.Outcome{Fingerprint: "0123abcd", Row: ledger.Row{At: s.clock.Now(), Metric: mark + "-metric", Value: .5, Epochs: new(int64(1)), Source: "test"}}))
	person := s.hire(org, owner, mark+"-spare@example.com", account.Viewer).who().Person.ID
	return things{org, k.ID, t.ID, p.ID, person, "0123abcd", link}
}

// act is something that can be done in an organisation.
type act struct {
	name, route string
	right       account.Right
	status      int // if allowed
	do          func(b *browser, path string, x things) page
}

func read(b *browser, path string, _ things) page { return b.get(path) }

func sent(pairs ...string) func(*browser, string, things) page {
	return func(b *browser, path string, _ things) page { return b.post(path, pairs...) }
}

var acts = []act{
	{"organisation", "GET /settings/{org}", account.ToRead, 303, read},
	{"keys", "GET /settings/{org}/api", account.ToRead, 200, read},
	{"create a key", "POST /settings/{org}/api", account.ToUse, 200, sent("name", "made")},
	{"plans", "GET /settings/{org}/plans", account.ToRead, 200, read},
	{"history", "GET /settings/{org}/history", account.ToRead, 200, func(b *browser, path string, x things) page { return b.get(path + "?fingerprint=" + x.fingerprint) }},
	{"people", "GET /settings/{org}/people", account.ToRead, 200, read},
	{"set a role", "POST /settings/{org}/people/{person}/role", account.ToManage, 303, sent("role", "member")},
	{"reset a password", "POST /settings/{org}/people/{person}/reset", account.ToManage, 200, sent()},
	{"invite", "POST /settings/{org}/invitations", account.ToManage, 200, sent("email", "new@example.com", "role", "viewer")},
	{"settings", "GET /settings/{org}/organisation", account.ToManage, 200, read},
	{"rename", "POST /settings/{org}/organisation", account.ToManage, 303, sent("organisation", "Renamed")},
	{"audit log", "GET /settings/{org}/audit", account.ToManage, 200, read},
	{"withdraw an invitation", "POST /settings/{org}/invitations/{invitation}/remove", account.ToManage, 303, sent()},
	{"revoke a key", "POST /settings/{org}/api/{key}/revoke", account.ToUse, 303, sent()},
	{"remove a plan", "POST /settings/{org}/plans/{plan}/remove", account.ToUse, 303, sent()},
	{"remove a person", "POST /settings/{org}/people/{person}/remove", account.ToManage, 303, sent()},
}

// path fills an act's route with things, of which the organisation may be another's.
func (a act) path(org string, x things) string {
	_, p, _ := strings.Cut(a.route, " ")
	return strings.NewReplacer("{org}", org, "{key}", x.key, "{invitation}", x.invitation, "{plan}", x.plan, "{person}", x.person).Replace(p)
}

func TestTheMatrixKnowsEveryRouteOfAnOrganisation(t *testing.T) {
	code, err := os.ReadFile("pages.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, a := range acts {
		known[regexp.MustCompile(`\{(key|invitation|plan|person)\}`).ReplaceAllString(a.route, "{id}")] = true
	}
	routes := regexp.MustCompile(`"((?:GET|POST) /settings/\{org\}[^"]*)"`).FindAllStringSubmatch(string(code), -1)
	if len(routes) != len(acts) {
		t.Errorf("%d routes, %d acts", len(routes), len(acts))
	}
	for _, r := range routes {
		if !known[r[1]] {
			t.Errorf("%s is in no test", r[1])
		}
	}
}

func TestRolesDoWhatTheyMayAndNothingElse(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		org, owner := s.found("Zebra", "ada@example.com")
		_, outsider := s.found("Other", "eve@example.com")
		x := s.furnish(org, owner, "zebra")
		people := []struct {
			role account.Role
			b    *browser
		}{ // the owner last: what they do ends things
			{"nobody", s.browser()}, {"outsider", outsider}, {account.Viewer, s.hire(org, owner, "v@example.com", account.Viewer)},
			{account.Member, s.hire(org, owner, "m@example.com", account.Member)}, {account.Owner, owner},
		}
		for _, p := range people {
			if p.role == account.Owner {
				x = s.furnish(org, owner, "again")
			}
			for _, a := range acts {
				want := a.status
				switch {
				case p.role == "nobody":
					want = 303
				case p.role == "outsider":
					want = 404
				case !p.role.May(a.right):
					want = 403
				}
				got := a.do(p.b, a.path(org, x), x)
				if got.status != want {
					t.Errorf("%s by %s: status %d, want %d", a.name, p.role, got.status, want)
				}
				if p.role == "nobody" && !strings.HasPrefix(got.header.Get("Location"), "/account/sign-in") {
					t.Errorf("%s by nobody leads to %q", a.name, got.header.Get("Location"))
				}
				if (p.role == "nobody" || p.role == "outsider") && strings.Contains(strings.ToLower(got.body), "zebra") {
					t.Errorf("%s by %s shows something:\n%s", a.name, p.role, got.body)
				}
			}
		}
	})
}

func TestNothingOfOneOrganisationIsReachedThroughAnother(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		org, owner := s.found("Zebra", "ada@example.com")
		other, eve := s.found("Other", "eve@example.com")
		x := s.furnish(org, owner, "zebra")
		for _, a := range acts {
			got := a.do(eve, a.path(other, x), x) // her organisation, their things
			if strings.Contains(a.route, "{key}") || strings.Contains(a.route, "{invitation}") || strings.Contains(a.route, "{plan}") || strings.Contains(a.route, "{person}") {
				got.want(404)
			}
			if strings.Contains(strings.ToLower(got.body), "zebra") {
				t.Errorf("%s shows something of the other organisation:\n%s", a.name, got.body)
			}
		}
		owner.get("/settings/"+org+"/api").want(200, "zebra key", "Revoke")
		owner.get("/settings/"+org+"/plans").want(200, x.plan)
		owner.get("/settings/"+org+"/people").want(200, "zebra-invited@example.com", "zebra-spare@example.com")
		owner.get("/settings/"+org+"/history?fingerprint=0123abcd").want(200, "zebra-metric")
		eve.get("/settings/"+other+"/history?fingerprint=0123abcd").want(200, "Nothing was measured")
		eve.get("/settings/"+other+"/history?fingerprint=xyz").want(422, "Fingerprint must be 8 lower-case hexadecimal digits", `value="xyz"`)
		// Nor is a plan that has no owner.
		nobodys, _, err := s.shares.Create(t.Context(), "", []byte(request), s.clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		eve.post("/settings/" + other + "/plans/" + nobodys.ID + "/remove").want(404)
		if _, err := s.shares.Get(t.Context(), nobodys.ID); err != nil {
			t.Error(err)
		}
		events := accounttest.Must[[]account.Event](t)(s.Events(t.Context(), other, eve.who().Person.ID, "", 100))
		for _, e := range events {
			if e.Action == "remove-plan" || e.Action == "revoke-key" {
				t.Errorf("the log tells of something that did not happen: %+v", e)
			}
		}
	})
}

func TestKeysAreShownOnceAndRevoked(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		org, ada := s.found("Lab", "ada@example.com")
		ada.post("/settings/"+org+"/api", "name", "").want(422, "Name is empty.", `aria-invalid="true"`)
		p := ada.post("/settings/"+org+"/api", "name", "CI <b>").want(200, "CI &lt;b&gt;", "Copy it now")
		key := p.key()
		keys := account.NewKeys(s.store.Accounts(), s.clock.Now)
		defer keys.Close()
		caller := accounttest.Must[account.Caller](t)(keys.Authenticate(t.Context(), key))
		ada.get("/settings/"+org+"/api").want(200, "CI &lt;b&gt;", key[:8]+"…", "!"+key, "$VERIFIER_KEY")
		s.clock.Pass(1e9)
		ada.post("/settings/" + org + "/api/" + caller.KeyID + "/revoke").leads("/settings/" + org + "/api?done=revoked")
		ada.get("/settings/"+org+"/api?done=revoked").want(200, "The key was revoked.", "revoked 1 March 2026")
		if _, err := keys.Authenticate(t.Context(), key); err != account.ErrUnauthorised {
			t.Errorf("after revoking: %v", err)
		}
		ada.get("/settings/"+org+"/audit").want(200, "created the key <strong>CI &lt;b&gt;</strong>", "revoked the key <strong>CI &lt;b&gt;</strong>", "Owner of Lab", "created the organisation", "!"+key)
		if strings.Contains(s.log.String(), key) || strings.Contains(s.log.String(), password) {
			t.Error("a secret in the log")
		}
	})
}

func TestPeopleAreInvitedAndManaged(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		org, ada := s.found("Lab", "ada@example.com")
		people := "/settings/" + org + "/people"
		ada.post("/settings/"+org+"/invitations", "email", "nobody", "role", "viewer").want(422, "E-mail address is no e-mail address", `value="nobody"`, `<option selected="">viewer`)
		ada.post("/settings/"+org+"/invitations", "email", "b@example.com", "role", "king").want(422, "Role is &#34;king&#34;, not owner, member or viewer.")
		link := ada.post("/settings/"+org+"/invitations", "email", "Bob@example.com", "role", "member").want(200, "Invitation for bob@example.com").link()
		bob := s.browser()
		bob.get("/account/invitation?link="+link).want(200, "Join Lab", "as member", "bob@example.com")
		bob.post("/account/invitation", "link", link, "name", "", "password", password).want(422, "Your name is empty.")
		bob.post("/account/invitation", "link", link, "name", "Bob", "password", "bob").want(422, `value="Bob"`, "Password has 3 characters")
		bob.post("/account/invitation", "link", link, "name", "Bob", "password", password).leads("/settings/" + org + "/api?done=joined")
		s.browser().get("/account/invitation?link=" + link).want(404)
		id := bob.who().Person.ID
		bob.get(people).want(200, "Leave Lab", "!New password", "!Invite somebody", "!>Change<")
		// The last owner stays.
		me := ada.who().Person.ID
		ada.post(people+"/"+me+"/role", "role", "viewer").want(409, "An organisation keeps at least one owner")
		ada.post(people + "/" + me + "/remove").want(409)
		ada.post(people+"/"+id+"/role", "role", "owner").leads(people + "?done=role")
		ada.post(people+"/"+me+"/role", "role", "viewer").leads(people + "?done=role")
		ada.post(people+"/"+id+"/role", "role", "viewer").want(403)
		// A viewer may leave, but removes nobody.
		ada.post(people + "/" + id + "/remove").want(403)
		ada.post(people + "/" + me + "/remove").leads("/account?done=left")
		ada.get("/settings").leads("/account")
		ada.get("/account").want(200, "You belong to no organisation")
		ada.get(people).want(404)
		// Somebody with an account joins with its password, without it not.
		again := bob.post("/settings/"+org+"/invitations", "email", "ada@example.com", "role", "viewer").link()
		fresh := s.browser()
		fresh.post("/account/invitation", "link", again, "name", "Ada", "password", "not hers at all").want(422, "The e-mail address or the password is wrong.")
		fresh.post("/account/invitation", "link", again, "name", "Ada", "password", password).leads("/settings/" + org + "/api?done=joined")
		bob.post("/settings/"+org+"/organisation", "organisation", "").want(422, "Name is empty.")
		bob.post("/settings/"+org+"/organisation", "organisation", "Lab 2").leads("/settings/" + org + "/organisation?done=renamed")
		fresh.get("/account").want(200, "Lab 2")
	})
}

func TestTheAuditLogHasPages(t *testing.T) {
	s := onSQLite(t, nil)
	org, ada := s.found("Lab", "ada@example.com")
	for range 60 {
		if err := s.Note(t.Context(), org, ada.who().Person.ID, account.ToUse, "remove-plan", "x"); err != nil {
			t.Fatal(err)
		}
		s.clock.Pass(1e9)
	}
	first := ada.get("/settings/"+org+"/audit").want(200, ">Older<", "!created the organisation")
	older := regexp.MustCompile(`href="([^"]*)">Older<`).FindStringSubmatch(first.body)[1]
	second := ada.get(older).want(200, "created the organisation", "!>Older<")
	if n, m := strings.Count(first.body, "<time"), strings.Count(second.body, "<time"); n != 50 || m != 11 {
		t.Errorf("%d and %d lines", n, m)
	}
}

func TestWhatPeopleTypeIsNeverMarkup(t *testing.T) {
	s := onSQLite(t, nil)
	const evil = `"><script>alert(1)</script><a b='`
	org, ada := s.found(evil, "ada@example.com")
	accounttest.Must[string](t)(s.Invite(t.Context(), org, ada.who().Person.ID, "x'y@example.com", account.Viewer))
	ada.post("/settings/"+org+"/api", "name", evil)
	for _, path := range []string{"/account", "/settings/" + org + "/api", "/settings/" + org + "/people", "/settings/" + org + "/plans", "/settings/" + org + "/audit", "/settings/" + org + "/organisation",
		"/settings/" + org + "/history?fingerprint=" + "%22%3E%3Cscript%3E", "/account/sign-in", "/account/forgot"} {
		body := ada.get(path).body
		if strings.Contains(body, "<script") || strings.Contains(body, "style=") || regexp.MustCompile(`<[^>]* on[a-z]+=`).MatchString(body) {
			t.Errorf("%s:\n%s", path, body)
		}
	}
}
