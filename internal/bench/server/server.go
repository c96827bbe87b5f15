// Package server is the benchmark's environment over HTTP: tasks, grades and episodes as JSON. A handler decodes a request, calls
// package env and encodes what comes back.
//
// It knows no account and keeps nothing but the open episodes: whoever reaches it can use it, so that it belongs on a loopback address
// or behind something that knows who asks. What it takes on at once is bounded.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/env"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
)

// maxRequests are under way at once, each with a body of at most bench.Limits.Bytes.
const maxRequests = 32

// Server answers requests. It is an http.Handler; Serve runs it on a listener.
type Server struct {
	pool    *env.Pool
	mux     *http.ServeMux
	places  chan struct{} // requests under way
	workers chan struct{} // those that compute: more of them than processors would only take memory
}

// New makes a server with a pool of its own.
func New(limits env.Limits) *Server {
	s := &Server{pool: env.New(limits, time.Now), mux: http.NewServeMux(), places: make(chan struct{}, maxRequests),
		workers: make(chan struct{}, runtime.GOMAXPROCS(0))}
	for pattern, answer := range routes {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, answer) })
	}
	return s
}

// routes are what is served: from method and path to what answers it.
var routes = map[string]func(s *Server, r *http.Request, body []byte) (any, error){
	"GET /tasks":                      listTasks,
	"GET /tasks/{family}/{split}/{n}": oneTask,
	"POST /grade":                     grade,
	"POST /episodes":                  open,
	"POST /episodes/{id}/steps":       step,
	"DELETE /episodes/{id}":           closeEpisode,
	"GET /{$}":                        about,
}

// served is the list for people who find nothing.
const served = "GET /tasks, GET /tasks/{id}, POST /grade, POST /episodes, POST /episodes/{id}/steps and DELETE /episodes/{id} are served"

func about(*Server, *http.Request, []byte) (any, error) {
	return map[string]any{"name": "Model Verifier benchmark environment", "served": served, "families": bench.Families(), "splits": bench.Splits}, nil
}

func listTasks(_ *Server, r *http.Request, _ []byte) (any, error) {
	const unless = 5 // of each family and split
	values := r.URL.Query()
	q := env.Query{Family: values.Get("family"), Split: values.Get("split"), N: unless}
	for name, to := range map[string]*int{"from": &q.From, "n": &q.N} {
		if !values.Has(name) {
			continue
		}
		n, err := strconv.Atoi(values.Get(name))
		if err != nil {
			return nil, action.Errorf(graph.CodeType, name, "is %q but must be a whole number", clip(values.Get(name)))
		}
		*to = n
	}
	return q.List()
}

func oneTask(_ *Server, r *http.Request, _ []byte) (any, error) {
	p, err := bench.Find(r.PathValue("family") + "/" + r.PathValue("split") + "/" + r.PathValue("n"))
	if err != nil {
		return nil, err
	}
	return p.Task, nil
}

func grade(_ *Server, _ *http.Request, body []byte) (any, error) {
	g, err := env.DecodeGraded(body)
	if err != nil {
		return nil, err
	}
	return g.Score()
}

func open(s *Server, _ *http.Request, body []byte) (any, error) {
	id, err := env.DecodeTask(body)
	if err != nil {
		return nil, err
	}
	return s.pool.Open(id)
}

func step(s *Server, r *http.Request, body []byte) (any, error) {
	return s.pool.Step(r.PathValue("id"), body)
}

func closeEpisode(s *Server, r *http.Request, _ []byte) (any, error) {
	return map[string]bool{"closed": true}, s.pool.Close(r.PathValue("id"))
}

// ServeHTTP answers one request. What has no route is told in JSON, too.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "busy", fmt.Sprintf("%d requests are under way; call again", maxRequests))
		return
	}
	if _, pattern := s.mux.Handler(r); pattern == "" {
		s.lost(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// lost answers a request that has no route.
func (s *Server) lost(w http.ResponseWriter, r *http.Request) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "" {
			w.Header().Set("Allow", method)
			refuse(w, http.StatusMethodNotAllowed, "method-not-allowed", "this path takes "+method)
			return
		}
	}
	refuse(w, http.StatusNotFound, "not-found", "there is nothing at this path; "+served)
}

// answer reads a body, computes when a processor is free, and writes.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, of func(*Server, *http.Request, []byte) (any, error)) {
	var body []byte
	if r.Method == http.MethodPost {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			refuse(w, http.StatusUnsupportedMediaType, "unsupported-media-type", "the body must be JSON, sent as Content-Type: application/json")
			return
		}
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, int64(bench.Limits.Bytes))); err != nil {
			unread(w, err)
			return
		}
	}
	select {
	case s.workers <- struct{}{}:
		defer func() { <-s.workers }()
	case <-r.Context().Done():
		return
	}
	v, err := of(s, r, body)
	if err != nil {
		fail(w, err)
		return
	}
	write(w, http.StatusOK, v)
}

// unread answers a body that did not arrive.
func unread(w http.ResponseWriter, err error) {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		fail(w, &graph.Error{Code: graph.CodeBytes, Message: fmt.Sprintf("the body is larger than %d MiB", large.Limit>>20), Limit: large.Limit})
		return
	}
	refuse(w, http.StatusBadRequest, "incomplete-body", "the body ended before it was complete, or did not arrive in time")
}

// fail writes an error: its code, path and allowed values. Of a fault of our own nothing is told.
func fail(w http.ResponseWriter, err error) {
	status, body := env.Explain(err)
	write(w, status, body)
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	write(w, status, action.ErrorBody{Error: message, Code: code})
}

func write(w http.ResponseWriter, status int, v any) {
	data, err := wire.Append(nil, v)
	if err != nil {
		status = http.StatusUnprocessableEntity
		data, _ = wire.Append(nil, action.Explain(action.AnswerTooLarge(wire.MaxBytes))) // strings and numbers can be written
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // an error means that the caller has gone
}

func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// Serve answers on a listener until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	const header, body, answer, idle, headerBytes = 5 * time.Second, 30 * time.Second, 60 * time.Second, 2 * time.Minute, 16 << 10
	h := &http.Server{Handler: s, ReadHeaderTimeout: header, ReadTimeout: body, WriteTimeout: answer, IdleTimeout: idle, MaxHeaderBytes: headerBytes}
	stop := context.AfterFunc(ctx, func() { _ = h.Close() })
	defer stop()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
