package hostedapi_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
)

// TestNothingOfOneOrganisationReachesAnother tries every route with the keys and sessions of two organisations, each on what
// the other has: by id, by guessing, and by the fingerprint that both use.
func TestNothingOfOneOrganisationReachesAnother(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database)
		ctx := context.Background()
		type side struct {
			tenant
			mark, plan, invitation string
		}
		sides := []side{{tenant: s.tenant(t, "Alpha"), mark: "alphamark"}, {tenant: s.tenant(t, "Beta"), mark: "betamark"}}
		fingerprint := s.call(t, "POST", "/api/v1/plan", "", request("", 3)).json(t, "plan.model.fingerprint").(string)
		outcome := func(mark string) string {
			return `{"fingerprint":"` + fingerprint + `","metric":"` + mark + `","value":1,"source":"` + mark + `","at":"2026-01-01T00:00:00Z"}`
		}
		for i := range sides {
			a := &sides[i]
			if got := s.call(t, "POST", "/api/v1/history", a.key, outcome(a.mark)); !strings.Contains(got.body, "written") {
				t.Fatalf("%d %s", got.status, got.body)
			}
			a.plan = s.call(t, "POST", "/api/v1/plan", a.key, `{"share":true,"model":`+model(a.mark, 3)+`}`).json(t, "share.id").(string)
			if _, err := s.hosts.Accounts.Invite(ctx, a.org, a.person, a.mark+"@example.org", account.Member); err != nil {
				t.Fatal(err)
			}
			all, err := s.hosts.Accounts.Invitations(ctx, a.org, a.person)
			if err != nil {
				t.Fatal(err)
			}
			a.invitation = all[0].ID
			s.newKey(t, a.tenant, a.mark)
		}
		// The same outcome is new to the other organisation, and old to its own.
		for i, a := range sides {
			b := sides[1-i]
			if got := s.call(t, "POST", "/api/v1/history", b.key, outcome(a.mark+"-too")); !strings.Contains(got.body, "written") {
				t.Errorf("%s", got.body)
			}
			if got := s.call(t, "POST", "/api/v1/history", a.key, outcome(a.mark+"-too")); !strings.Contains(got.body, "written") {
				t.Errorf("what %s sent is known to have been sent: %s", b.mark, got.body)
			}
		}
		for i, a := range sides {
			b := sides[1-i]
			for _, c := range []struct{ method, path, body string }{
				{"POST", "/api/v1/check", request("", 3)}, {"POST", "/api/v1/lint", request("", 3)}, {"POST", "/api/v1/plan", request("", 3)},
				{"POST", "/api/v1/rank", `{"candidates":[{"model":` + model("", 3) + `}]}`}, {"GET", "/api/v1/history?fingerprint=" + fingerprint, ""},
				{"GET", "/api/v1/history?fingerprint=" + fingerprint + "&org=" + b.org, ""}, {"GET", "/api/v1/train?job=" + b.plan, ""}, {"GET", "/api/v1/report", ""},
				{"DELETE", "/api/v1/plans/" + b.plan, ""}, {"DELETE", "/api/v1/plans/" + b.org, ""}, {"DELETE", "/api/v1/plans/" + b.keyID, ""}, {"GET", "/p/" + a.plan, ""}, {"GET", "/p/" + a.plan + ".svg", ""},
				{"GET", "/p/" + b.org, ""}, {"GET", "/p/" + b.keyID, ""}, {"GET", "/version", ""}, {"GET", "/metrics", ""}, {"GET", "/readyz", ""},
			} {
				got := s.call(t, c.method, c.path, a.key, c.body)
				body := strings.ReplaceAll(got.body, b.mark+"-too", "") // which a itself has sent
				if strings.Contains(body, b.mark) || strings.Contains(body, b.org) && !strings.Contains(c.path, b.org) || strings.Contains(body, b.person) {
					t.Errorf("%s %s under the key of %s: %s", c.method, c.path, a.mark, got.body)
				}
				if c.method == "DELETE" && got.status != 404 {
					t.Errorf("%s: %d", c.path, got.status)
				}
			}
			cookie := []string{"Cookie", "session=" + a.session, "Origin", s.url, "Content-Type", "application/x-www-form-urlencoded"}
			for _, c := range []string{
				"GET ", "GET /api", "POST /api", "POST /api/" + b.keyID + "/revoke", "GET /plans", "POST /plans/" + b.plan + "/remove", "GET /history", "GET /people",
				"POST /people/" + b.person + "/role", "POST /people/" + b.person + "/remove", "POST /people/" + b.person + "/reset", "POST /invitations",
				"POST /invitations/" + b.invitation + "/remove", "GET /organisation", "POST /organisation", "GET /audit",
			} {
				method, rest, _ := strings.Cut(c, " ")
				form := ""
				if method == "POST" {
					form = "name=taken&email=x%40example.org&role=owner"
				}
				got := s.call(t, method, "/settings/"+b.org+rest, "", form, cookie...)
				guess := s.call(t, method, "/settings/aaaaaaaaaaaaaaaaaaaaaaaaaa"+rest, "", form, cookie...)
				if got.status != 404 || guess.status != 404 || strings.Contains(got.body, b.mark) {
					t.Errorf("%s of %s by %s: %d, of nobody %d", c, b.mark, a.mark, got.status, guess.status)
				}
				// The things of the other under the caller's own organisation.
				own := s.call(t, method, "/settings/"+a.org+rest, "", form, cookie...)
				if strings.Contains(strings.ReplaceAll(own.body, b.mark+"-too", ""), b.mark) || method == "GET" && own.status >= 400 {
					t.Errorf("%s by its own %s: %d %s", c, a.mark, own.status, own.body)
				}
			}
		}
		for _, a := range sides { // everything is still there
			if got := s.call(t, "GET", "/p/"+a.plan, "", ""); got.status != 200 {
				t.Errorf("the plan of %s: %d", a.mark, got.status)
			}
			if got := s.call(t, "POST", "/api/v1/lint", a.key, request("", 3)); got.status != 200 {
				t.Errorf("the key of %s: %d", a.mark, got.status)
			}
			invited, err := s.hosts.Accounts.Invitations(ctx, a.org, a.person)
			if err != nil || !slices.ContainsFunc(invited, func(i account.Token) bool { return i.ID == a.invitation }) {
				t.Errorf("the invitation of %s is gone, or %v", a.mark, err)
			}
			people, err := s.hosts.Accounts.Members(ctx, a.org, a.person)
			if err != nil || len(people) != 1 || people[0].Role != account.Owner {
				t.Errorf("people of %s: %v %v", a.mark, people, err)
			}
		}
	})
}
