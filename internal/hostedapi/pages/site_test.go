package pages_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi/pages"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const password = accounttest.Password

// site is the pages on a real store, behind a real server.
type site struct {
	*account.Service
	t      testing.TB
	clock  *accounttest.Clock
	store  *store.Store
	mux    *http.ServeMux
	url    string
	log    *accounttest.Log
	shares share.Shares
	ledger ledger.Ledger
}

// caller is a header with which tests say where they call from.
const caller = "Test-Address"

func newSite(t testing.TB, address string, change func(*pages.Deps)) *site {
	t.Helper()
	s, c, log, mux := accounttest.Open(t, address), accounttest.Standing(), &accounttest.Log{}, http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	d := pages.Deps{
		Accounts: &account.Service{Store: s.Accounts(), Clock: c.Now, Hasher: accounttest.Hasher(t)}, Shares: share.Shares{Store: s.Plans()}, Ledger: ledger.Ledger{Store: s.Outcomes()},
		Windows: s.Windows(), PublicURL: server.URL, Log: slog.New(slog.NewTextHandler(log, nil)),
		Address: func(r *http.Request) netip.Addr {
			if a, err := netip.ParseAddr(r.Header.Get(caller)); err == nil {
				return a
			}
			return netip.MustParseAddr("192.0.2.1")
		},
	}
	if change != nil {
		change(&d)
	}
	h, err := pages.New(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range pages.Roots {
		mux.Handle(root, h)
	}
	return &site{d.Accounts, t, c, s, mux, server.URL, log, d.Shares, d.Ledger}
}

// sites runs a test on both databases.
func sites(t *testing.T, f func(t *testing.T, s *site)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, onSQLite(t, nil)) })
	t.Run("postgres", func(t *testing.T) { f(t, newSite(t, accounttest.Postgres(t), nil)) })
}

func onSQLite(t testing.TB, change func(*pages.Deps)) *site {
	t.Helper()
	return newSite(t, accounttest.SQLite(t), change)
}

// browser keeps cookies and does not follow redirects.
type browser struct {
	s      *site
	client *http.Client
	header http.Header // sent with every request
}

func (s *site) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{}}
}

// page is an answer.
type page struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (b *browser) do(method, path string, body io.Reader, kind string) page {
	b.s.t.Helper()
	r, err := http.NewRequest(method, b.s.url+path, body)
	if err != nil {
		b.s.t.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for k, v := range b.header {
		r.Header[k] = v
	}
	got, err := b.client.Do(r)
	if err != nil {
		b.s.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		b.s.t.Fatal(err)
	}
	return page{b.s.t, got.StatusCode, got.Header, string(text)}
}

func (b *browser) get(path string) page { b.s.t.Helper(); return b.do("GET", path, nil, "") }

// post sends a form of names and values.
func (b *browser) post(path string, pairs ...string) page {
	b.s.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.do("POST", path, strings.NewReader(form.Encode()), "application/x-www-form-urlencoded")
}

// main is the part of a page that differs, for messages.
func (p page) main() string {
	_, after, _ := strings.Cut(p.body, "<main")
	return after
}

// want checks a status and texts that the page must show, or must not if they begin with an exclamation mark.
func (p page) want(status int, texts ...string) page {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("status %d, want %d\n%s", p.status, status, p.main())
	}
	for _, x := range texts {
		text, absent := strings.CutPrefix(x, "!")
		if strings.Contains(p.body, text) == absent {
			p.t.Errorf("must it show %q? %v, but:\n%s", text, !absent, p.main())
		}
	}
	return p
}

// leads checks where an answer sends the browser.
func (p page) leads(to string) {
	p.t.Helper()
	if got := p.header.Get("Location"); p.status != http.StatusSeeOther || got != to {
		p.t.Fatalf("status %d to %q, want 303 to %q\n%s", p.status, got, to, p.main())
	}
}

// found makes an organisation and returns its id and a browser of its owner.
func (s *site) found(organisation, email string) (org string, b *browser) {
	s.t.Helper()
	link := accounttest.Must[string](s.t)(s.AdminLink(context.Background()))
	b = s.browser()
	b.post("/account/start", "link", link, "organisation", organisation, "name", "Owner of "+organisation, "email", email, "password", password).leads("/settings")
	for _, p := range b.who().Places {
		if p.Name == organisation {
			return p.Org, b
		}
	}
	s.t.Fatal("no organisation")
	return "", nil
}

// who is the visitor that the service sees in a browser.
func (b *browser) who() account.Visitor {
	b.s.t.Helper()
	return accounttest.Must[account.Visitor](b.s.t)(b.s.Visitor(context.Background(), b.session()))
}

// session is the secret in the browser's cookie.
func (b *browser) session() string {
	u, _ := url.Parse(b.s.url)
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == "session" {
			return c.Value
		}
	}
	return ""
}

// hire adds somebody with a role, through the pages.
func (s *site) hire(org string, owner *browser, email string, role account.Role) *browser {
	s.t.Helper()
	link := owner.post("/settings/"+org+"/invitations", "email", email, "role", string(role)).want(200).link()
	b := s.browser()
	b.post("/account/invitation", "link", link, "name", string(role), "password", password).leads("/settings/" + org + "/api?done=joined")
	return b
}

var linkIn = regexp.MustCompile(`\?link=([A-Za-z0-9_-]{43})<`)

// link is the secret of the link that a page shows.
func (p page) link() string {
	p.t.Helper()
	m := linkIn.FindStringSubmatch(p.body)
	if m == nil {
		p.t.Fatalf("no link on the page:\n%s", p.body)
	}
	return m[1]
}

var secretIn = regexp.MustCompile(`id="secret" class="copy">(mv_[A-Za-z0-9_-]{43})<`)

// key is the secret of the key that a page shows.
func (p page) key() string {
	p.t.Helper()
	m := secretIn.FindStringSubmatch(p.body)
	if m == nil {
		p.t.Fatalf("no key on the page:\n%s", p.body)
	}
	return m[1]
}
