// Package pages is what people see of their accounts: signing in, organisations, people, keys, shared plans and the audit log.
//
// Every page is made on the server from a template and works without scripts. The package decodes forms, calls the account
// service and renders; rules about accounts are not made here. It knows no SQL, and whoever is not in an organisation gets
// the answer for things that do not exist.
package pages

import (
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/rate"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/site"
)

// Deps is what the pages are made from. OpenID may be nil: people then sign in with passwords only.
type Deps struct {
	Accounts  *account.Service
	OpenID    *account.OpenID
	Shares    share.Shares
	Ledger    ledger.Ledger
	Windows   rate.Store                       // counts attempts to sign in, for all replicas
	Address   func(r *http.Request) netip.Addr // the caller's, behind proxies that are trusted
	PublicURL string                           // under which browsers and curl reach the service, such as https://www.example.com
	Log       *slog.Logger
	Runs      Runs   // nil: this service runs no jobs
	App       string // the path of the app; empty: there is none
}

// Roots are the patterns of all pages. Whatever else the handler of New is asked for, it says that nothing is there.
var Roots = []string{"/account", "/account/", "/settings", "/settings/"}

// CallbackPath is where an OpenID Connect provider sends browsers back to.
const CallbackPath = "/account/openid/callback"

// SettingsPath leads to the settings of an organisation of whoever asks, or to signing in.
const SettingsPath = "/settings"

const (
	accountPath    = "/account"
	runsPath       = "/account/runs" // leads to the runs in the app, once signed in
	signInPath     = "/account/sign-in"
	startPath      = "/account/start"
	resetPath      = "/account/reset"
	invitationPath = "/account/invitation"
)

// StartURL is the address that makes an organisation and its owner, given the secret of an administrator's link.
func StartURL(publicURL, link string) string { return linkURL(publicURL, startPath, link) }

// ResetURL is the address that gives somebody a new password, given the secret of a link.
func ResetURL(publicURL, link string) string { return linkURL(publicURL, resetPath, link) }

// linkURL has the secret in the query, which logs of proxies leave out more often than the path.
func linkURL(publicURL, path, link string) string {
	return strings.TrimSuffix(publicURL, "/") + path + "?" + url.Values{"link": {link}}.Encode()
}

//go:embed static/account.css
var additions []byte

//go:embed templates/*.html
var templateFiles embed.FS

// handler answers for all pages.
type handler struct {
	Deps
	base     string // PublicURL without a slash at its end
	secure   bool   // browsers come over TLS
	attempts attempts
}

// New returns the handler for the patterns in Roots.
func New(d Deps) (http.Handler, error) {
	u, err := url.Parse(d.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("pages: the public address must be one such as https://www.example.com, without a path, got %q", d.PublicURL)
	}
	if strings.ContainsAny(u.Host, "'\"\\$`&;|<>() ") { // it is printed inside commands for a shell
		return nil, fmt.Errorf("pages: the public address %q holds characters that a host name cannot have", d.PublicURL)
	}
	if d.Accounts == nil || d.Windows == nil || d.Address == nil || d.Log == nil || d.Shares.Store == nil || d.Ledger.Store == nil {
		return nil, errors.New("pages: something that they are made from is missing")
	}
	h := &handler{Deps: d, base: u.Scheme + "://" + u.Host, secure: u.Scheme == "https"}
	h.attempts = newAttempts(d.Windows, d.Accounts.Clock)
	cross := http.NewCrossOriginProtection()
	// A proxy may call us by another name than the one that browsers know.
	if err := cross.AddTrustedOrigin(h.base); err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	cross.SetDenyHandler(h.open(func(c *call) error {
		return c.message(http.StatusForbidden, "Sent from another site", "This form was sent by a page that is not ours, so nothing was changed. Go back, load the page again and repeat what you did.")
	}))
	return h.headers(cross.Handler(h.routes())), nil
}

// routes says which address does what. A Right is needed wherever an organisation is in the address.
func (h *handler) routes() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, f http.HandlerFunc) { mux.HandleFunc(pattern, f) }
	in := func(pattern string, right account.Right, f func(*call) error) {
		mux.HandleFunc(pattern, h.inside(right, f))
	}

	on("GET /account/style.css", serveStyle)
	on("GET /account/sign-in", h.open((*call).showSignIn))
	on("POST /account/sign-in", h.open((*call).signIn))
	on("GET /account/forgot", h.open((*call).showForgot))
	on("POST /account/sign-out", h.open((*call).signOut))
	on("GET /account/openid", h.open((*call).beginOpenID))
	on("GET "+CallbackPath, h.open((*call).finishOpenID))
	on("GET /account/start", h.open((*call).showStart))
	on("POST /account/start", h.open((*call).start))
	on("GET /account/reset", h.open((*call).showReset))
	on("POST /account/reset", h.open((*call).reset))
	on("GET /account/invitation", h.open((*call).showInvitation))
	on("POST /account/invitation", h.open((*call).signUp))
	on("POST /account/invitation/accept", h.signed((*call).accept))

	on("GET /account", h.signed((*call).showSelf))
	on("POST /account/password", h.signed((*call).changePassword))
	on("POST /account/sign-out-everywhere", h.signed((*call).signOutEverywhere))

	on("GET /settings", h.signed((*call).settings))
	in("GET /settings/{org}", account.ToRead, (*call).toKeys)
	in("GET /settings/{org}/api", account.ToRead, (*call).showKeys)
	in("POST /settings/{org}/api", account.ToUse, (*call).createKey)
	in("POST /settings/{org}/api/{id}/revoke", account.ToUse, (*call).revokeKey)
	in("GET /settings/{org}/plans", account.ToRead, (*call).showPlans)
	in("POST /settings/{org}/plans/{id}/remove", account.ToUse, (*call).removePlan)
	in("GET /settings/{org}/history", account.ToRead, (*call).showHistory)
	in("GET /settings/{org}/people", account.ToRead, (*call).showPeople)
	in("POST /settings/{org}/people/{id}/role", account.ToManage, (*call).setRole)
	in("POST /settings/{org}/people/{id}/remove", account.ToRead, (*call).removePerson) // everybody may leave
	in("POST /settings/{org}/people/{id}/reset", account.ToManage, (*call).resetPerson)
	in("POST /settings/{org}/invitations", account.ToManage, (*call).invite)
	in("POST /settings/{org}/invitations/{id}/remove", account.ToManage, (*call).uninvite)
	in("GET /settings/{org}/organisation", account.ToManage, (*call).showOrganisation)
	in("POST /settings/{org}/organisation", account.ToManage, (*call).rename)
	in("GET /settings/{org}/audit", account.ToManage, (*call).showAudit)
	h.appRoutes(mux)
	on("GET /", h.open(func(*call) error { return account.ErrNotFound }))
	return mux
}

// policy lets a page load our stylesheet and pictures and send forms to us, and nothing else.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// headers are on every answer. With no-referrer, browsers would not say where a form comes from either.
func (h *handler) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("Cache-Control", "no-store")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("X-Robots-Tag", "noindex")
		next.ServeHTTP(w, r)
	})
}

// serveStyle answers with the look of the published pages and what ours have beyond it.
func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(slices.Concat(site.Stylesheet(), additions)) // an error means that the caller has gone
}

// day and moment write times for people, in UTC.
func day(t time.Time) string    { return t.UTC().Format("2 January 2006") }
func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }
