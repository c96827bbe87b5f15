package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Edition is what another program serves than the container: it has routes and pages of its own and no hosted_only. It shares
// how requests are read, bounded, answered, counted and logged.
type Edition struct {
	Routes []Route  // in the place of the container's, but for /version
	Probes []string // paths of those that the operator's own listener answers too, beside /metrics, which only it has
	Served string   // what there is, for who asks for something else
	// Before sees every request first. It may set headers of the answer, and answer itself.
	Before func(c *Call) *Reply
	// Page returns the handler of a path that no route has, and its name in logs and metrics; nil: there is none.
	Page func(r *http.Request) (name string, h http.Handler)
	// Long says of a request that its body may take as long as it takes: whoever answers it bounds the time. nil: of none.
	Long func(r *http.Request) bool
	// Trace begins to follow a request, which it returns with what carries the trace to whoever is asked below; nil: nobody does.
	Trace func(r *http.Request, id string) (*http.Request, Span)
	// Metrics adds samples to /metrics.
	Metrics func(e *Exposition)
}

// Route is what a path answers. One that ends in a slash stands for everything below it.
type Route struct {
	Name, Path string
	Methods    []string
	Answer     func(c *Call) Reply
	Lines      bool // also takes many requests, one on each line
}

// reading are the methods of what is only read.
var reading = []string{http.MethodGet, http.MethodHead}

// edit replaces the container's routes.
func (s *Server) edit(e *Edition) {
	s.routes = map[string]route{"/version": s.routes["/version"]}
	for _, r := range e.Routes {
		if strings.HasSuffix(r.Path, "/") {
			s.below = append(s.below, r)
		} else {
			s.routes[r.Path] = route{r.Name, r.Methods, r.Answer, r.Lines}
		}
	}
	for _, path := range e.Probes {
		s.inside[path] = s.routes[path]
	}
}

func (s *Server) findBelow(r *http.Request) (route, bool) {
	for _, b := range s.below {
		if rest, ok := strings.CutPrefix(r.URL.Path, b.Path); ok && rest != "" {
			return route{b.Name, b.Methods, b.Answer, b.Lines}, true
		}
	}
	return route{}, false
}

// front answers what is none of the routes: what the edition answers first, and its pages. It reports whether it did.
func (s *Server) front(c *Call, start time.Time) bool {
	w, r := c.writer, c.request
	if out := s.Edition.Before(c); out != nil {
		c.encode(out)
		sent := out.write(c)
		s.note(c, "front", out, sent, start)
		return true
	}
	if _, ok := s.routes[r.URL.Path]; ok {
		return false
	}
	if _, ok := s.findBelow(r); ok {
		return false
	}
	name, page := s.Edition.Page(r)
	if page == nil {
		return false
	}
	w.Header()["X-Request-Id"] = []string{c.id}
	rec := &recorder{ResponseWriter: w}
	s.guardPage(name, page, rec, c)
	s.note(c, name, &Reply{status: rec.status}, rec.sent, start)
	return true
}

// note counts and logs an answer, and ends its trace.
func (s *Server) note(c *Call, name string, out *Reply, sent int, start time.Time) {
	took := time.Since(start)
	s.metrics.add(name, out.status, took)
	s.logRequest(c, name, out, sent, start, took)
	if c.span != nil {
		c.span.End(knownMethod(c.request.Method), name, out.status)
	}
}

// guardPage serves a page. A panic becomes a fault of our own, as with an action.
func (s *Server) guardPage(name string, page http.Handler, w *recorder, c *Call) {
	defer func() {
		p := recover()
		if p == nil {
			w.finish()
			return
		}
		s.Log.Error("panic", "id", c.id, "route", name, "type", fmt.Sprintf("%T", p), slog.Any("stack", stack()))
		if w.status == 0 {
			http.Error(w, "a fault of our own; the request id is in the header X-Request-Id", http.StatusInternalServerError)
		}
	}()
	page.ServeHTTP(w, c.request)
}

// recorder notes what a page answered.
type recorder struct {
	http.ResponseWriter
	status, sent int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.finish()
	n, err := r.ResponseWriter.Write(b)
	r.sent += n
	return n, err
}

// finish is the status of an answer that names none.
func (r *recorder) finish() {
	if r.status == 0 {
		r.status = http.StatusOK
	}
}

// Unwrap lets http.ResponseController reach what the server itself gave.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// ID names the request, in the header of its answer and in the log.
func (c *Call) ID() string { return c.id }

// Request is what came.
func (c *Call) Request() *http.Request { return c.request }

// Header is that of the answer.
func (c *Call) Header() http.Header { return c.writer.Header() }

// Extend gives an answer that waits for somebody else as much time as it may take, where the server's own limits are shorter.
func (c *Call) Extend(d time.Duration) {
	control, end := http.NewResponseController(c.writer), time.Now().Add(d)
	// While the answer is made, net/http listens for a caller who leaves: it must not take the deadline of the body for that.
	_ = control.SetReadDeadline(end) // what cannot set one, as in tests of handlers, has none
	_ = control.SetWriteDeadline(end)
}

// Count adds an answer to the counts.
func (c *Call) Count(a Action, result any) { c.server.Counts.Add(a.Name, a.Tally(result)) }

// Redirect is the reply that sends a caller, with method and body, to another address.
func Redirect(to string) Reply {
	return Reply{status: http.StatusTemporaryRedirect, body: struct{}{}, header: "Location", value: to}
}

// Explained is a refusal whose body is not the usual one.
func Explained(status int, code string, body any) Reply {
	return Reply{status: status, code: code, body: body}
}

// Document is an answer that is no JSON.
func Document(status int, mime string, content []byte) Reply {
	return Reply{status: status, text: content, header: "Content-Type", value: mime}
}
