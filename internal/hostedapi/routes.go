package hostedapi

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/hostedapi/pages"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

// prefix begins the paths of the API, weightsPath those of signed links.
const (
	// AppPath is where the app is.
	AppPath = "/app/"

	prefix      = "/api/v1/"
	weightsPath = "/weights/"
)

const served = "POST /api/v1/check, /lint, /plan, /rank, /history, /train, /fix, GET /api/v1/history, /train, /report, DELETE /api/v1/train, /api/v1/plans/<id>, " +
	"GET /p/<id>, /p/<id>/badge.svg, /version, /healthz and /readyz are served"

func (s *Server) routes() []httpapi.Route {
	post, get := []string{http.MethodPost}, []string{http.MethodGet, http.MethodHead}
	both := append(get[:2:2], http.MethodPost)
	return []httpapi.Route{
		{Name: "check", Path: prefix + "check", Methods: post, Answer: s.check(), Lines: true},
		{Name: "lint", Path: prefix + "lint", Methods: post, Answer: s.act("lint"), Lines: true},
		{Name: "rank", Path: prefix + "rank", Methods: post, Answer: s.act("rank"), Lines: true},
		{Name: "plan", Path: prefix + "plan", Methods: post, Answer: s.plan, Lines: true},
		{Name: "history", Path: prefix + "history", Methods: both, Answer: s.keyed(s.history)},
		{Name: "train", Path: prefix + "train", Methods: append(both[:3:3], http.MethodDelete), Answer: s.keyed(s.train)},
		{Name: "fix", Path: prefix + "fix", Methods: post, Answer: s.keyed(s.fix)},
		{Name: "report", Path: prefix + "report", Methods: get, Answer: s.report},
		{Name: "plans", Path: prefix + "plans/", Methods: []string{http.MethodDelete}, Answer: s.unshare},
		{Name: "shared", Path: sharedPath, Methods: get, Answer: s.shared},
		{Name: "healthz", Path: "/healthz", Methods: get, Answer: func(*httpapi.Call) httpapi.Reply { return httpapi.OK(&health{"ok"}) }},
		{Name: "readyz", Path: "/readyz", Methods: get, Answer: s.ready},
	}
}

// page finds who answers what is none of the routes.
func (s *Server) page(r *http.Request) (string, http.Handler) {
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, protocol.Prefix) && s.fleet != nil:
		return "worker", s.fleet
	case strings.HasPrefix(path, weightsPath) && s.config.Weights != nil:
		return "weights", http.HandlerFunc(s.weights)
	case strings.HasPrefix(path, "/api/") || path == "/api":
		return "", nil
	case s.config.App != nil && strings.HasPrefix(path, AppPath):
		return "app", http.StripPrefix(strings.TrimSuffix(AppPath, "/"), s.config.App)
	case s.config.App != nil && path+"/" == AppPath:
		return "app", http.RedirectHandler(AppPath, http.StatusMovedPermanently)
	case s.config.Site != nil && s.config.Site.Has(path):
		return "site", s.config.Site
	case isAccount(path):
		return "pages", s.pages
	case s.config.Site != nil:
		return "site", s.config.Site
	}
	return "", nil
}

// isAccount says whether a path is one of the account pages.
func isAccount(path string) bool {
	for _, root := range pages.Roots {
		if path == root || strings.HasSuffix(root, "/") && strings.HasPrefix(path, root) {
			return true
		}
	}
	return false
}

// headers are those of every answer. Pages replace the policy by one that lets them load their own stylesheet.
func headers(secure bool) map[string][]string {
	h := map[string][]string{
		"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
		"X-Frame-Options":         {"DENY"},
		"Referrer-Policy":         {"no-referrer"},
	}
	if secure {
		h["Strict-Transport-Security"] = []string{"max-age=31536000"}
	}
	return h
}

// before sets headers, and sends visitors of the bare host to the other one. Probes are answered under every name.
func (s *Server) before(c *httpapi.Call) *httpapi.Reply {
	h, r := c.Header(), c.Request()
	for name, value := range s.headers {
		h[name] = value
	}
	if s.config.ApexHost == "" || !sameHost(r.Host, s.config.ApexHost) {
		return nil
	}
	switch r.URL.Path {
	case "/healthz", "/readyz":
		return nil
	}
	out := httpapi.Redirect(s.www + target(r.URL))
	return &out
}

// target is the path and query of a request, always with a slash in front: a target without one, such as x:.evil.example or *,
// would else go on where the host name ends.
func target(u *url.URL) string {
	to := url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery, ForceQuery: u.ForceQuery}
	path := to.EscapedPath()
	if u.Opaque != "" || !strings.HasPrefix(path, "/") {
		return "/"
	}
	to = url.URL{Opaque: path, RawQuery: to.RawQuery, ForceQuery: to.ForceQuery}
	return to.String()
}

// sameHost compares host names. One that is configured without a port stands for all of them.
func sameHost(got, want string) bool {
	if _, _, err := net.SplitHostPort(want); err != nil {
		if host, _, err := net.SplitHostPort(got); err == nil {
			got = host
		}
	}
	return strings.EqualFold(strings.TrimSuffix(got, "."), want)
}

// health is the body of /healthz and /readyz.
type health struct {
	Status string `json:"status"`
}

const pingTimeout = time.Second

// ready says whether requests should be sent here: not while the database is away, nor behind a signal to stop.
func (s *Server) ready(c *httpapi.Call) httpapi.Reply {
	if s.draining.Load() {
		return httpapi.Fault(http.StatusServiceUnavailable, "stopping", "this process is about to stop")
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), pingTimeout)
	defer cancel()
	if err := s.store.Ping(ctx); err != nil {
		return s.away(c, err)
	}
	return httpapi.OK(&health{"ready"})
}
