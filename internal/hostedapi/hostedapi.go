// Package hostedapi is the HTTP surface of the service: /api/v1 with keys, limits, history, the corpus and shared plans, and
// the mount point of the site and of the account pages.
//
// It shares with package httpapi how requests are read, bounded and answered, so that bodies are the container's without
// hosted_only. It knows no SQL: what is kept lies behind the stores of the domain packages. Nothing that a caller sent, no key
// and no address gets into a log line, a metric or a count.
package hostedapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/hostedapi/pages"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/rate"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/telemetry"
)

// Site is what is published for everybody.
type Site interface {
	http.Handler
	Has(path string) bool
}

// Config is what New needs. Store, PublicURL and Log must be there.
type Config struct {
	Build     httpapi.Build
	Limits    httpapi.Limits
	Store     *store.Store
	PublicURL string // scheme and host, of which shared plans have their addresses
	ApexHost  string // sends its visitors to WWWHost; empty: there is none
	WWWHost   string // empty: that of PublicURL
	Proxies   Proxies
	Peers     int   // connections of one address that is no proxy's
	KeyRate   int64 // calls for each key and minute
	PlanRate  int64 // plans without a key, for each address and hour
	ShareRate int64 // bytes of plans that are shared without a key, for each address and day
	Share     share.Limits
	FixWithin time.Duration // for reading the files of a fix, and again for proving its changes
	Corpus    int64         // days that lines of the corpus are kept; 0: for ever
	Drain     time.Duration
	Clock     func() time.Time
	Log       *slog.Logger

	// Trace begins to follow a request; above is whether the trace that the request names is believed. nil: nothing is followed.
	Trace func(r *http.Request, id string, above bool) (*http.Request, httpapi.Span)

	Agent    *llm.Client       // the language model that fix asks; nil: none, and fix answers with our own changes alone
	Jobs     *jobs.Service     // runs training jobs; nil: there are none
	Weights  http.Handler      // answers signed links at /weights/; nil: they lead elsewhere
	Site     Site              // nil: nothing is published
	App      http.Handler      // answers below AppPath; nil: there is no app
	Provider *account.Provider // signs people in; nil: they have passwords only. Its Redirect is filled in
	Hasher   *account.Hasher   // of passwords; nil: one of the cost that accounts recommend

	// CheckDiff validates the diffs of fix once more; nil: they have been by then. Tests have it fail.
	CheckDiff func(diff string) error
}

// The limits where nothing else is configured.
const (
	DefaultKeyRate         = 600
	DefaultPlanRate        = 60
	DefaultPeerConnections = 128
	DefaultShareRate       = 8 << 20
)

// Server is the service. Serve runs it on a listener.
type Server struct {
	config   Config
	http     *httpapi.Server
	store    *store.Store
	Accounts *account.Service
	shares   share.Shares
	keys     *account.Keys
	ledger   ledger.Ledger
	corpus   *corpus.Writer
	reports  *corpus.Reporter
	perKey   *rate.Limiter
	perHost  *rate.Limiter
	windows  rate.Store
	jobs     *jobs.Service // nil: none
	trained  trained
	agents   jobs.Agents   // counts agent messages
	fixing   chan struct{} // those who mend now
	fixTime  time.Duration // for reading, and again for proving
	fleet    http.Handler  // answers workers; nil: there are none
	actions  map[string]httpapi.Action
	pages    http.Handler
	headers  map[string][]string
	www      string // scheme and host that the apex sends to
	salt     atomic.Pointer[[]byte]
	counts   counts
	draining atomic.Bool
}

// New makes a service on a store whose schema is there.
func New(c Config) (*Server, error) {
	if c.Clock == nil {
		c.Clock = time.Now
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("hostedapi: the public address is %q but takes a scheme and a host alone, such as https://www.example.org", c.PublicURL)
	}
	if c.WWWHost == "" {
		c.WWWHost = u.Host
	}
	s := &Server{config: c, store: c.Store, jobs: c.Jobs, www: u.Scheme + "://" + c.WWWHost, headers: headers(u.Scheme == "https")}
	hasher := c.Hasher
	if hasher == nil {
		if hasher, err = account.NewHasher(account.Cost, passwordsAtOnce); err != nil {
			return nil, err
		}
	}
	s.Accounts = &account.Service{Store: c.Store.Accounts(), Clock: c.Clock, Hasher: hasher}
	s.join()
	if s.pages, err = s.people(); err != nil {
		return nil, err
	}
	if s.jobs != nil {
		s.fleet = s.workers()
	}
	s.serve()
	return s, nil
}

// passwordsAtOnce bounds the memory that passwords take while they are hashed.
const passwordsAtOnce = 2

// join makes what stands between requests and the store.
func (s *Server) join() {
	c := &s.config
	// On a full disk calls are counted in memory: they need no disk, and people must be able to sign in and make room.
	s.windows = &rate.Spare{Store: c.Store.Windows(), When: func(err error) bool { return errors.Is(err, store.ErrFull) }}
	if c.Share == (share.Limits{}) {
		c.Share = share.Defaults
	}
	s.shares, s.ledger = share.Shares{Store: c.Store.Plans(), Limits: c.Share, Clock: c.Clock}, ledger.Ledger{Store: c.Store.Outcomes()}
	s.keys = account.NewKeys(c.Store.Accounts(), c.Clock)
	s.corpus = corpus.NewWriter(c.Store.Corpus(), func(err error) { s.fault("corpus", err) })
	s.reports = corpus.NewReporter(c.Store.Corpus(), c.Clock)
	s.perKey = rate.New(s.windows, or(c.KeyRate, DefaultKeyRate), time.Minute, c.Clock)
	s.perHost = rate.New(s.windows, or(c.PlanRate, DefaultPlanRate), time.Hour, c.Clock)
	s.agents, s.fixing = jobs.Agents{Store: c.Store.Jobs(), Clock: c.Clock}, make(chan struct{}, fixesAtOnce)
	s.fixTime = cmp.Or(c.FixWithin, DefaultFixWithin)
}

// people makes the pages of accounts.
func (s *Server) people() (http.Handler, error) {
	d := pages.Deps{Accounts: s.Accounts, Shares: s.shares, Ledger: s.ledger, Windows: s.windows, Address: s.address, PublicURL: s.config.PublicURL, Log: s.config.Log}
	if s.jobs != nil {
		d.Runs = runs{s}
	}
	if s.config.App != nil {
		d.App = AppPath
	}
	if p := s.config.Provider; p != nil {
		with := *p
		with.Redirect = s.config.PublicURL + pages.CallbackPath
		d.OpenID = account.NewOpenID(s.Accounts, with)
	}
	return pages.New(d)
}

func or(n, otherwise int64) int64 {
	if n > 0 {
		return n
	}
	return otherwise
}

// serve makes the routes.
func (s *Server) serve() {
	s.actions = map[string]httpapi.Action{}
	var actions []httpapi.Action
	for _, a := range httpapi.Actions() {
		a.Path = prefix + a.Name
		s.actions[a.Name] = a
		actions = append(actions, a)
	}
	limits := s.config.Limits
	limits.PerAddress, limits.Shared, limits.Fair = int(or(int64(s.config.Peers), DefaultPeerConnections)), s.config.Proxies.Trust, true
	s.http = httpapi.New(httpapi.Config{Build: s.config.Build, Actions: actions, Limits: limits, Counts: telemetry.New(s.config.Build.Version),
		Log: s.config.Log, Edition: &httpapi.Edition{Routes: s.routes(), Probes: []string{"/healthz", "/readyz"}, Served: served, Before: s.before, Page: s.page, Long: isWork, Trace: s.trace(), Metrics: s.metrics}})
}

// trace follows requests. Only a proxy that is trusted may say which trace they are a part of: others could have theirs kept.
func (s *Server) trace() func(*http.Request, string) (*http.Request, httpapi.Span) {
	begin := s.config.Trace
	if begin == nil {
		return nil
	}
	return func(r *http.Request, id string) (*http.Request, httpapi.Span) {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		return begin(r, id, err == nil && s.config.Proxies.Trust(peer.Addr().Unmap().WithZone("")))
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.http.ServeHTTP(w, r) }

// address is that of whoever sent a request.
func (s *Server) address(r *http.Request) netip.Addr { return s.config.Proxies.Client(r) }

// bucket names an address by a digest under a secret that replicas share. It is read once.
func (s *Server) bucket(ctx context.Context, a netip.Addr) (string, error) {
	salt := s.salt.Load()
	if salt == nil {
		secret, err := s.windows.Secret(ctx)
		if err != nil {
			return "", err
		}
		salt = &secret
		s.salt.Store(salt)
	}
	if !a.IsValid() {
		return "address:local", nil // a connection that has none
	}
	return rate.Address(*salt, a), nil
}

const sweepEvery = time.Hour

// Serve answers on a listener until the context ends. It says first that it is about to, so that a balancer sends nobody here
// any more, lets the requests under way finish, and writes what waits to be written.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var background sync.WaitGroup
	var lost error
	background.Go(func() { lost = s.corpus.Run(work) })
	background.Go(func() { s.sweep(work) })
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	background.Go(func() {
		select {
		case <-ctx.Done():
			s.draining.Store(true)
			s.wait(work, s.config.Drain)
			end()
		case <-work.Done():
		}
	})
	err := s.http.Serve(serving, l)
	stop()
	background.Wait()
	s.keys.Close()
	return errors.Join(err, lost)
}

// ServeInside answers probes and /metrics on a listener of the operator's own until the context ends.
func (s *Server) ServeInside(ctx context.Context, l net.Listener) error {
	return s.http.ServeInside(ctx, l)
}

func (s *Server) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// sweep removes what has expired, every hour.
func (s *Server) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		err := errors.Join(s.Accounts.Sweep(ctx), s.windows.Forget(ctx, s.config.Clock()), s.shares.Sweep(ctx), s.pruneCorpus(ctx), s.store.Reserve(ctx))
		if err != nil && ctx.Err() == nil {
			s.fault("sweep", err)
		}
		s.wait(ctx, sweepEvery)
	}
}

// pruneCorpus removes lines of the corpus that are older than they are kept.
func (s *Server) pruneCorpus(ctx context.Context) error {
	if s.config.Corpus == 0 {
		return nil
	}
	_, err := s.store.Corpus().Prune(ctx, corpus.Day(s.config.Clock())-s.config.Corpus)
	return err
}
