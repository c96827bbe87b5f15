package pages_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/hostedapi/pages"
)

// provider is an OpenID Connect provider whose user has signed in already. What it must check itself is tested with package
// account; here it is what browsers are sent to and come back from.
type provider struct {
	*httptest.Server
	key    *rsa.PrivateKey
	mu     sync.Mutex
	claims map[string]any
	nonces map[string]string // by code
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key, nonces: map[string]string{}}
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		text := base64.RawURLEncoding.EncodeToString
		answer(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "kid": "1", "n": text(key.N.Bytes()), "e": text(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q, code := r.URL.Query(), rand.Text()
		p.mu.Lock()
		p.nonces[code] = q.Get("nonce")
		p.mu.Unlock()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) { answer(w, p.token(r.FormValue("code"))) })
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) token(code string) map[string]any {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	claims := map[string]any{"iss": p.URL, "aud": "verifier", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "nonce": p.nonces[code]}
	for k, v := range p.claims {
		claims[k] = v
	}
	body, _ := json.Marshal(claims)
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	signature, _ := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	return map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": text + "." + base64.RawURLEncoding.EncodeToString(signature)}
}

func (p *provider) as(subject, email string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = map[string]any{"sub": subject, "email": email, "email_verified": true, "name": "From Elsewhere"}
}

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
	p := newProvider(t)
	s := onSQLite(t, func(d *pages.Deps) {
		d.OpenID = account.NewOpenID(d.Accounts, account.Provider{Issuer: p.URL, ClientID: "verifier", ClientSecret: "x", Redirect: d.PublicURL + pages.CallbackPath})
	})
	org, ada := s.found("Lab", "ada@example.com")
	s.browser().get("/account/sign-in").want(200, `href="/account/openid"`)

	// Somebody whom nobody invited.
	p.as("1", "eve@example.com")
	eve := s.browser()
	eve.get(eve.through("/account/openid")).want(403, "There is no account for you yet")

	// With an invitation, and later without.
	link := ada.post("/settings/"+org+"/invitations", "email", "bob@example.com", "role", "member").link()
	p.as("2", "bob@example.com")
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
		d.OpenID = account.NewOpenID(d.Accounts, account.Provider{Issuer: p.URL, ClientID: "verifier"})
	})
	fresh.browser().get("/account/openid").want(503, "The identity provider does not answer")
	without := onSQLite(t, nil)
	without.browser().get("/account/openid").want(404)
	without.browser().get("/account/sign-in").want(200, "!openid")
}
