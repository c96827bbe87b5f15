// Package httpapi is the self-hosted HTTP surface: it decodes a request, calls one action and encodes what comes back.
//
// It must not know a database, an account, a provider or a disk, and it dials nothing. A submitted graph lives in memory
// until its answer is written: no log line, metric or count is made from anything that a caller sent, only from names of our
// own (routes, codes, verdicts, rule ids) and from numbers.
package httpapi

import (
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/telemetry"
)

// Build names the program, as GET /version gives it.
type Build struct {
	Name, Version, Commit string
	Executable            string // the file to digest for /version; empty leaves it out
}

// Limits are what the server takes on at once. Defaults has those of the container.
type Limits struct {
	BodyBytes   int64         // of one request
	Lines       int           // of one request that has many
	HeldBytes   int64         // of all bodies in memory
	Requests    int64         // actions being read, waiting or running
	Workers     int           // actions running
	Wait        time.Duration // for a worker
	Delay       time.Duration // that a queue which stands may have: beyond it, and two actions a worker, one more is turned away at once; 0: any up to Wait
	Burst       time.Duration // for which a queue may be longer, up to ten times
	Fair        bool          // tells callers apart (Call.For): none has more than a share of a server that is more than half full
	Connections int
	PerAddress  int                   // connections of one address, a /64 of IPv6; 0: as many as of all
	Shared      func(netip.Addr) bool // addresses of many callers, such as a proxy's, to which PerAddress does not apply
	ReadHeader  time.Duration
	Read        time.Duration // header and body
	BodyRate    int64         // bytes in a second that a body must arrive at, in the mean, behind the first BodyWait; 0: any
	BodyWait    time.Duration
	Write       time.Duration // from the end of the header: reading, waiting, running and writing
	Idle        time.Duration
	Grace       time.Duration // for requests under way at shutdown
	HTTP2       bool          // is spoken too, without TLS: a proxy in front ends that
	Streams     int           // requests at once on one connection of HTTP/2
}

// Defaults are the limits of the container. A body of 8 MiB is the contract's. Actions are arithmetic and never wait, so more
// of them at once than processors only takes memory.
func Defaults() Limits {
	return Limits{
		BodyBytes: 8 << 20, Lines: 100_000, HeldBytes: 48 << 20, Requests: 512, Workers: processors(), Wait: 2 * time.Second, Delay: 25 * time.Millisecond, Burst: 500 * time.Millisecond, Connections: 1024,
		ReadHeader: 5 * time.Second, BodyRate: 4 << 10, BodyWait: 5 * time.Second, Read: 30 * time.Second, Write: 60 * time.Second, Idle: 60 * time.Second, Grace: 20 * time.Second, Streams: 100,
	}
}

// Config is what New needs. Counts and Log must be there.
type Config struct {
	Build     Build
	Actions   []Action
	Limits    Limits
	Counts    *telemetry.Counts
	Telemetry telemetry.Config
	Log       *slog.Logger
	Edition   *Edition // nil: the container
}

// Server answers every request. It is an http.Handler; Serve runs it on a listener.
type Server struct {
	Config
	routes  map[string]route
	inside  map[string]route // for the operator's own listener
	below   []Route          // those whose path ends in a slash
	gate    *gate
	metrics *metrics
	ids     *ids
}

// route is what a path answers. Paths are matched exactly: http.ServeMux would redirect some and answer others in plain text.
type route struct {
	name    string // in logs and metrics
	methods []string
	answer  func(c *Call) Reply
	lines   bool // also takes many requests, one on each line
}

// Call is one request under way: what came, where the answer goes, and the bytes that it is encoded into.
type Call struct {
	server  *Server
	request *http.Request
	writer  http.ResponseWriter
	given   []byte // the body, where it is a line of a request of many
	id      string
	span    Span   // nil: nobody follows it
	tenant  string // on whose behalf it is
	worked  bool   // it has had a worker
	*buffer
}

// processors is how many the program was started with.
var processors = sync.OnceValue(func() int { return runtime.GOMAXPROCS(0) })

// SpareProcessor lets Go run one goroutine more at once than there are workers. Go looks at the network now and then only while it has something to run,
// so where every processor computes, a request that is turned away and an answer of the database wait for a hundred milliseconds and more.
func (l Limits) SpareProcessor() { runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), l.Workers+1)) }

// New makes a server.
func New(cfg Config) *Server {
	s := &Server{Config: cfg, gate: newGate(cfg.Limits), metrics: newMetrics(), ids: newIDs()}
	get := func(answer func() Reply) func(*Call) Reply {
		return func(*Call) Reply { return answer() }
	}
	s.routes = map[string]route{
		"/version":         {"version", reading, get(s.version()), false},
		"/healthz":         {"healthz", reading, get(s.health), false},
		"/metrics":         {"metrics", reading, get(s.prometheus), false},
		"/metrics/preview": {"metrics-preview", reading, get(s.preview), false},
		"/openapi.json":    {"openapi", reading, get(sync.OnceValue(s.openAPI)), false},
	}
	for _, a := range cfg.Actions {
		s.routes[a.Path] = route{a.Name, []string{http.MethodPost}, func(c *Call) Reply { return s.act(a, c) }, true}
	}
	s.inside = map[string]route{"/healthz": s.routes["/healthz"], "/metrics": s.routes["/metrics"]}
	if cfg.Edition != nil {
		s.edit(cfg.Edition)
	}
	return s
}

// Inside answers what is for the operator alone: probes, and what is counted of all callers.
func (s *Server) Inside() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, s.inside) })
}

// find returns the route of a request, or the reply where there is none.
func (s *Server) find(r *http.Request, inside map[string]route) (route, *Reply) {
	routes := inside
	if inside == nil {
		routes = s.routes
	}
	found, ok := routes[r.URL.Path]
	if !ok && inside == nil && s.below != nil {
		found, ok = s.findBelow(r)
	}
	if !ok {
		served := s.served()
		if inside != nil {
			served = "GET " + list(sorted(inside)) + " are served"
		}
		out := Fault(http.StatusNotFound, "not-found", "there is nothing at this path; %s", served)
		return route{name: "none"}, &out
	}
	for _, m := range found.methods {
		if m == r.Method {
			return found, nil
		}
	}
	out := Fault(http.StatusMethodNotAllowed, "method-not-allowed", "this path takes %s", list(found.methods))
	out.header = "Allow"
	out.value = list(found.methods)
	return found, &out
}

// ServeHTTP answers one request, counts it and logs it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.answer(w, r, nil) }

// answer answers with one of some routes; nil: with those for everybody.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, inside map[string]route) {
	start := time.Now()
	id := s.ids.next()
	var span Span
	if inside == nil && s.Edition != nil && s.Edition.Trace != nil {
		r, span = s.Edition.Trace(r, id)
	}
	r = s.pace(w, r, start)
	c := &Call{server: s, request: r, writer: w, id: id, span: span, buffer: buffers.Get().(*buffer)}
	defer c.release()
	if inside == nil && s.Edition != nil && s.front(c, start) {
		return
	}
	found, out := s.find(r, inside)
	if out == nil && found.lines && hasLines(r) {
		s.lines(found, c, start)
		return
	}
	if out == nil {
		out = s.guard(found, c)
	} else {
		c.encode(out)
	}
	sent := out.write(c)
	s.note(c, found.name, out, sent, start)
}
