package hostedapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

// Bounds of what workers send. They have places of their own: callers who fill the service keep no heartbeat out, and uploads of
// large models keep no caller out.
const (
	workCalls   = 512     // at once
	workUploads = 64      // at once, downloads of checkpoints too
	workBytes   = 1 << 20 // of a JSON body
	uploadBytes = 4 << 30 // of a checkpoint or a model
	workWait    = 30 * time.Second
	uploadWait  = time.Minute      // for the next bytes of an upload, or until the next are taken
	answerWait  = 10 * time.Minute // until an upload is kept, behind its last byte
	nothingWait = 5                // seconds, until a worker asks again
)

// isWork says whether a request is a worker's, whose bodies may be long.
func isWork(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, protocol.Prefix) }

// workCall is one call of a worker.
type workCall struct {
	*http.Request
	ctx    context.Context
	writer http.ResponseWriter
	worker jobs.Worker
	job    string // that the path names
}

// workers answers /api/worker/v1.
func (s *Server) workers() http.Handler {
	mux, calls, uploads := http.NewServeMux(), make(chan struct{}, workCalls), make(chan struct{}, workUploads)
	for path, answer := range map[string]func(*workCall) (any, error){
		"POST lease": s.lease, "POST jobs/{id}/heartbeat": s.heartbeat, "POST jobs/{id}/epochs": s.epochs, "POST jobs/{id}/finish": s.finish,
		"POST jobs/{id}/release": s.release,
	} {
		mux.Handle(workPath(path), s.work(calls, workWait, answer))
	}
	for path, answer := range map[string]func(*workCall) (any, error){
		"PUT jobs/{id}/checkpoint": s.putCheckpoint, "GET jobs/{id}/checkpoint": s.getCheckpoint, "PUT jobs/{id}/model": s.putModel,
	} {
		mux.Handle(workPath(path), s.work(uploads, uploadWait, answer))
	}
	mux.HandleFunc(protocol.Prefix, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, &action.ErrorBody{Error: "there is nothing at this path for workers", Code: "not-found"})
	})
	return mux
}

func workPath(path string) string {
	method, rest, _ := strings.Cut(path, " ")
	return method + " " + protocol.Prefix + rest
}

// work lets a worker in, and answers it.
func (s *Server) work(places chan struct{}, wait time.Duration, answer func(*workCall) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			w.Header().Set("Retry-After", "1")
			writeJSON(w, http.StatusServiceUnavailable, &action.ErrorBody{Error: "the service has all the calls of workers that it can hold; try again shortly", Code: "overloaded"})
			return
		}
		with := r.WithContext(r.Context()) // net/http looks into its own request when it decides what to do with the rest of a body
		with.Body = &steady{ReadCloser: r.Body, control: http.NewResponseController(w), wait: wait}
		c := &workCall{Request: with, ctx: r.Context(), writer: w, job: r.PathValue("id")}
		token, _ := bearer(r)
		var err error
		var body any
		if c.worker, err = s.jobs.Worker(c.ctx, token); err == nil {
			body, err = answer(c)
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(workWait))
		if err != nil {
			s.refuseWorker(c, err)
		} else if body != nil {
			writeJSON(w, http.StatusOK, body)
		}
	})
}

// steady is a body of any length whose next bytes must come within some time.
type steady struct {
	io.ReadCloser
	control *http.ResponseController
	wait    time.Duration
}

func (b *steady) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.wait)) // what cannot set one, as in tests of handlers, has none
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// While the answer is made, net/http listens for a worker that leaves: it must not take our deadline for that.
		_ = b.control.SetReadDeadline(time.Now().Add(answerWait))
	}
	return n, err
}

// read takes a JSON body in. Numbers that are none, as NaN, are not JSON.
func (c *workCall) read(into any) error {
	body, err := io.ReadAll(http.MaxBytesReader(c.writer, c.Body, workBytes))
	if err != nil {
		return err
	}
	err = json.Unmarshal(body, into)
	if t := (*json.UnmarshalTypeError)(nil); errors.As(err, &t) {
		return action.Errorf(action.CodeForm, t.Field, "must be %s, not %s", t.Type.Kind(), t.Value)
	}
	if err != nil {
		return action.Errorf(graph.CodeSyntax, "", "the body is not what this call takes: %s", err)
	}
	return nil
}

// lease gives a worker a job, or nothing to do.
func (s *Server) lease(c *workCall) (any, error) {
	var o protocol.Offer
	if err := c.read(&o); err != nil {
		return nil, err
	}
	a, err := s.jobs.Lease(c.ctx, c.worker, o)
	if err != nil || a != nil {
		return a, err
	}
	c.writer.Header().Set("Retry-After", strconv.Itoa(nothingWait))
	c.writer.WriteHeader(http.StatusNoContent)
	return nil, nil
}

// heartbeat renews a lease.
func (s *Server) heartbeat(c *workCall) (any, error) {
	var held protocol.Held
	if err := c.read(&held); err != nil {
		return nil, err
	}
	return s.jobs.Beat(c.ctx, c.worker, c.job, held.Lease)
}

// release takes a job back that its worker will not finish, because it is being stopped.
func (s *Server) release(c *workCall) (any, error) {
	var held protocol.Held
	if err := c.read(&held); err != nil {
		return nil, err
	}
	return struct{}{}, s.jobs.Release(c.ctx, c.worker, c.job, held.Lease)
}

// accepted is the answer to epochs.
type accepted struct {
	Accepted int `json:"accepted"`
}

// epochs adds rows. A loss that is no number is null or a string in JSON, and refused.
func (s *Server) epochs(c *workCall) (any, error) {
	var rows struct {
		Lease  string     `json:"lease"`
		Epochs []epochRow `json:"epochs"`
	}
	if err := c.read(&rows); err != nil {
		return nil, err
	}
	measured, err := whole(rows.Epochs)
	if err != nil {
		return nil, err
	}
	return &accepted{len(measured)}, s.jobs.Push(c.ctx, c.worker, c.job, rows.Lease, measured)
}

// finish ends a run.
func (s *Server) finish(c *workCall) (any, error) {
	var end protocol.End
	if err := c.read(&end); err != nil {
		return nil, err
	}
	status, err := s.jobs.Finish(c.ctx, c.worker, c.job, end.Lease, end)
	return &health{string(status)}, err
}
