package account_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
)

const callback = "https://www.example.com/openid/callback"

// browser follows the provider's redirect up to our callback, and returns what it brings back.
func browser(t *testing.T, address string) (state, code string) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	back, err := url.Parse(r.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), callback) {
		t.Fatalf("status %d, sent to %q", r.StatusCode, r.Header.Get("Location"))
	}
	return back.Query().Get("state"), back.Query().Get("code")
}

// through signs in through the provider, from the link to the session.
func through(t *testing.T, o *account.OpenID, invite string) (string, error) {
	t.Helper()
	address, f, err := o.Begin(t.Context(), invite)
	if err != nil {
		t.Fatal(err)
	}
	f, err = account.DecodeFlow(f.Encode())
	if err != nil {
		t.Fatal(err)
	}
	state, code := browser(t, address)
	return o.Finish(t.Context(), f, state, code)
}

func openID(t *testing.T, d desk) (*account.OpenID, *accounttest.Issuer) {
	t.Helper()
	i := accounttest.NewIssuer(t, d.clock.Now)
	return account.NewOpenID(d.Service, i.Provider(callback)), i
}

func TestOpenIDFindsPeopleByVerifiedAddressAndThenBySubject(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		o, i := openID(t, d)
		i.As("1", "ada@example.com", false)
		_, err := through(t, o, "")
		fails(t, err, account.ErrNotInvited)

		before := must[string](t)(d.SignIn(ctx, ada.Email, password))
		i.As("1", "Ada@example.com", true)
		v := must[account.Visitor](t)(d.Visitor(ctx, must[string](t)(through(t, o, ""))))
		if v.Person.ID != ada.ID || v.Role(org) != account.Owner {
			t.Errorf("got %+v", v)
		}
		// Whoever set a password under this address may not have owned it.
		_, err = d.SignIn(ctx, ada.Email, password)
		fails(t, err, account.ErrSignIn)
		_, err = d.Visitor(ctx, before)
		fails(t, err, account.ErrNotFound)

		i.As("1", "new-address@example.com", false)
		v = must[account.Visitor](t)(d.Visitor(ctx, must[string](t)(through(t, o, ""))))
		if v.Person.ID != ada.ID || v.Person.Email != "ada@example.com" {
			t.Errorf("got %+v", v.Person)
		}
		// The address now belongs to somebody else at the provider: that is not Ada.
		i.As("2", "ada@example.com", true)
		_, err = through(t, o, "")
		fails(t, err, account.ErrIdentity)
	})
}

func TestOpenIDWithAnInvitation(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		o, i := openID(t, d)
		for n, c := range []struct {
			subject, email string
			verified       any
			keeps          string
		}{
			{"7", "bob@corp.example", true, "bob@corp.example"},
			{"8", "eve@corp.example", "true", "eve@corp.example"},
			{"9", "spoofed@corp.example", false, "invited2@example.com"},
			{"10", "", nil, "invited3@example.com"},
		} {
			link := must[string](t)(d.Invite(ctx, org, ada.ID, "invited"+string(rune('0'+n))+"@example.com", account.Member))
			i.As(c.subject, c.email, c.verified)
			v := must[account.Visitor](t)(d.Visitor(ctx, must[string](t)(through(t, o, link))))
			if v.Person.Email != c.keeps || v.Role(org) != account.Member || v.Person.Name != "From Elsewhere" || v.Person.Password != "" {
				t.Errorf("got %+v", v)
			}
			_, err := through(t, o, link)
			fails(t, err, account.ErrLink)
		}
		i.As("11", "x@corp.example", true)
		_, err := through(t, o, strings.Repeat("a", 43))
		fails(t, err, account.ErrLink)
		// A person without a password cannot be signed in with one.
		_, err = d.SignIn(ctx, "bob@corp.example", "")
		fails(t, err, account.ErrSignIn)
	})
}

func TestOpenIDRefusesWhatItCannotTrust(t *testing.T) {
	d := newDesk(t, accounttest.SQLite(t))
	d.found("Lab", "ada@example.com")
	o, i := openID(t, d)
	i.As("1", "ada@example.com", true)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, flaws := range map[string]accounttest.Flaws{
		"nonce":    {Claims: func(c map[string]any) { c["nonce"] = "of another browser" }},
		"no nonce": {Claims: func(c map[string]any) { delete(c, "nonce") }},
		"audience": {Claims: func(c map[string]any) { c["aud"] = "another client" }},
		"issuer":   {Claims: func(c map[string]any) { c["iss"] = "https://elsewhere.example" }},
		"expired":  {Claims: func(c map[string]any) { c["exp"] = d.clock.Now().Add(-time.Hour).Unix() }},
		"subject":  {Claims: func(c map[string]any) { delete(c, "sub") }},
		"signer":   {Signer: other},
	} {
		i.Set(flaws)
		if _, err := through(t, o, ""); err == nil {
			t.Errorf("%s: let in", name)
		} else {
			fails(t, err, account.ErrIdentity)
		}
	}
	i.Set(accounttest.Flaws{})

	address, f, err := o.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	state, code := browser(t, address)
	for name, c := range map[string]struct {
		flow        account.Flow
		state, code string
	}{
		"another state":       {f, "x", code},
		"no state":            {f, "", code},
		"an empty flow":       {account.Flow{}, "", code},
		"a code never given":  {f, state, "x"},
		"another's verifier":  {account.Flow{State: f.State, Nonce: f.Nonce, Verifier: strings.Repeat("v", 43)}, state, code},
		"a code that is used": {f, state, code}, // by the line before, in some order: each use ends it
	} {
		if name == "a code that is used" {
			_, _ = o.Finish(context.Background(), c.flow, c.state, c.code)
		}
		_, err := o.Finish(t.Context(), c.flow, c.state, c.code)
		if err == nil {
			t.Errorf("%s: let in", name)
		} else {
			fails(t, err, account.ErrIdentity)
		}
	}
	if _, err := through(t, o, ""); err != nil {
		t.Errorf("the honest way: %v", err)
	}
}

func TestAProviderThatIsAwayIsSaidToBe(t *testing.T) {
	d := newDesk(t, accounttest.SQLite(t))
	d.found("Lab", "ada@example.com")
	o, i := openID(t, d)
	i.As("1", "ada@example.com", true)
	i.Set(accounttest.Flaws{Away: true})
	_, _, err := o.Begin(t.Context(), "")
	fails(t, err, account.ErrProvider)
	i.Set(accounttest.Flaws{})
	address, f, err := o.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	state, code := browser(t, address)
	i.Set(accounttest.Flaws{Away: true})
	_, err = o.Finish(t.Context(), f, state, code)
	fails(t, err, account.ErrProvider)
	i.Set(accounttest.Flaws{})
	if _, err := o.Finish(t.Context(), f, state, code); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	i.Close()
	_, err = o.Finish(t.Context(), f, state, code)
	fails(t, err, account.ErrProvider)
}

func FuzzDecodeFlow(f *testing.F) {
	f.Add(account.Flow{State: "a", Nonce: "b", Verifier: "c", Invite: "d"}.Encode())
	f.Add("")
	f.Add("e30")
	f.Fuzz(func(t *testing.T, s string) {
		flow, err := account.DecodeFlow(s)
		if err != nil {
			return
		}
		again, err := account.DecodeFlow(flow.Encode())
		if err != nil && len(flow.Encode()) <= 1<<10 || err == nil && again != flow {
			t.Errorf("%q: %+v became %+v, %v", s, flow, again, err)
		}
	})
}

func FuzzEmail(f *testing.F) {
	for _, s := range []string{"ada@example.com", "Ada <ada@example.com>", "\"a b\"@example.com", "a@b", "ﬀ@example.com", "İ@example.com", "a@[127.0.0.1]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := account.Email(s)
		if err != nil {
			return
		}
		if again, err := account.Email(a); err != nil || again != a {
			t.Errorf("%q became %q, then %q, %v", s, a, again, err)
		}
		if len(a) > 254 || strings.ContainsAny(a, " \x00\r\n\"") || strings.Count(a, "@") != 1 {
			t.Errorf("%q was taken as %q", s, a)
		}
	})
}
