package accounttest

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
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
)

// Issuer is an OpenID Connect provider that speaks the protocol: discovery, keys, the authorisation endpoint of a user who
// has signed in already, and a token endpoint that checks the client, the code (once) and PKCE.
type Issuer struct {
	*httptest.Server
	key   *rsa.PrivateKey
	clock func() time.Time

	mu    sync.Mutex
	user  map[string]any        // claims of whoever signs in next
	codes map[string]url.Values // what each code was given for
	flaws Flaws
}

// Flaws are what is wrong with an issuer.
type Flaws struct {
	Claims func(claims map[string]any) // changes them before they are signed
	Signer *rsa.PrivateKey             // signs instead of the key that is published
	Away   bool                        // answers 500
}

const clientID, clientSecret = "verifier", "a client secret"

// NewIssuer starts one, which ends with the test.
func NewIssuer(t testing.TB, clock func() time.Time) *Issuer {
	t.Helper()
	key := Must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	i := &Issuer{key: key, clock: clock, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.away() {
			http.Error(w, "away", http.StatusInternalServerError)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(i.Close)
	return i
}

// Provider is what a service that it sends browsers back to is told about it.
func (i *Issuer) Provider(redirect string) account.Provider {
	return account.Provider{Issuer: i.URL, ClientID: clientID, ClientSecret: clientSecret, Redirect: redirect}
}

// As sets who signs in next.
func (i *Issuer) As(subject, email string, verified any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.user = map[string]any{"sub": subject, "email": email, "email_verified": verified, "name": "From Elsewhere"}
}

// Set changes what is wrong with it.
func (i *Issuer) Set(f Flaws) { i.mu.Lock(); defer i.mu.Unlock(); i.flaws = f }

func (i *Issuer) away() bool { i.mu.Lock(); defer i.mu.Unlock(); return i.flaws.Away }

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"}, "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"code_challenge_methods_supported": []string{"S256"},
	})
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	e := big.NewInt(int64(i.key.E)).Bytes()
	answer(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1",
		"n": base64.RawURLEncoding.EncodeToString(i.key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(e)}}})
}

func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != clientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "what is this", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	code := rand.Text()
	i.codes[code] = q
	i.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	refuse := func(code string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": code})
	}
	id, pass, basic := r.BasicAuth()
	if !basic {
		id, pass = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if pass, _ = url.QueryUnescape(pass); id != clientID || pass != clientSecret {
		refuse("invalid_client")
		return
	}
	q, known := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || q.Get("redirect_uri") != r.PostFormValue("redirect_uri") || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) {
		refuse("invalid_grant")
		return
	}
	now := i.clock()
	claims := map[string]any{"iss": i.URL, "aud": clientID, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "nonce": q.Get("nonce")}
	for k, v := range i.user {
		claims[k] = v
	}
	if i.flaws.Claims != nil {
		i.flaws.Claims(claims)
	}
	answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "expires_in": 60, "id_token": i.sign(claims)})
}

// sign makes a JSON Web Token (RFC 7519) with RS256.
func (i *Issuer) sign(claims map[string]any) string {
	body, _ := json.Marshal(claims)
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT","kid":"1"}`))
	text := head + "." + base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	key := i.key
	if i.flaws.Signer != nil {
		key = i.flaws.Signer
	}
	signature, _ := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}
