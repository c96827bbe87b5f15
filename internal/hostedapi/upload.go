package hostedapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/training"
)

// epochRow is an epoch as a worker sends it: with pointers, so that a figure that is missing or null is not taken for zero.
type epochRow struct {
	Epoch     *int64   `json:"epoch"`
	TrainLoss *float64 `json:"trainLoss"`
	ValLoss   *float64 `json:"valLoss"`
	ValAcc    *float64 `json:"valAcc"`
}

// whole takes rows that have every figure.
func whole(rows []epochRow) ([]training.Epoch, error) {
	out := make([]training.Epoch, 0, len(rows))
	for i, r := range rows {
		if r.Epoch == nil || r.TrainLoss == nil || r.ValLoss == nil || r.ValAcc == nil {
			return nil, action.Errorf(action.CodeRange, fmt.Sprintf("epochs[%d]", i), "must have epoch, trainLoss, valLoss and valAcc, and each must be a finite number")
		}
		out = append(out, training.Epoch{Epoch: *r.Epoch, TrainLoss: *r.TrainLoss, ValLoss: *r.ValLoss, ValAcc: *r.ValAcc})
	}
	return out, nil
}

// upload is the body of a PUT and the digest that it announces.
func (c *workCall) upload() (sha string, body io.Reader, err error) {
	if c.ContentLength > uploadBytes {
		return "", nil, &blob.SizeError{Most: uploadBytes}
	}
	sha, ok := strings.CutPrefix(c.Header.Get("Digest"), "sha-256=")
	if !ok {
		return "", nil, action.Errorf(graph.CodeMissing, "Digest", "must be a header such as sha-256=9f86d0…, in 64 lower-case hexadecimal digits")
	}
	return sha, http.MaxBytesReader(c.writer, c.Body, uploadBytes), nil
}

// putCheckpoint streams a checkpoint to where objects are kept.
func (s *Server) putCheckpoint(c *workCall) (any, error) {
	epoch, err := strconv.ParseInt(c.URL.Query().Get("epoch"), 10, 64)
	if err != nil {
		return nil, action.Errorf(action.CodeForm, "epoch", "must be the number of the epoch, as in ?epoch=3")
	}
	sha, body, err := c.upload()
	if err != nil {
		return nil, err
	}
	return struct{}{}, s.jobs.PutCheckpoint(c.ctx, c.worker, c.job, c.URL.Query().Get("lease"), epoch, sha, body)
}

// putModel streams weights to where objects are kept.
func (s *Server) putModel(c *workCall) (any, error) {
	sha, body, err := c.upload()
	if err != nil {
		return nil, err
	}
	_, err = s.jobs.PutModel(c.ctx, c.worker, c.job, c.URL.Query().Get("lease"), sha, body)
	return struct{}{}, err
}

// getCheckpoint streams a checkpoint to a worker that goes on from it.
func (s *Server) getCheckpoint(c *workCall) (any, error) {
	r, o, err := s.jobs.GetCheckpoint(c.ctx, c.worker, c.job, c.URL.Query().Get("lease"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	h := c.writer.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Digest", "sha-256="+o.SHA256)
	h.Set("Content-Length", strconv.FormatInt(o.Bytes, 10))
	_, err = io.Copy(&patient{c.writer, http.NewResponseController(c.writer)}, r)
	if err != nil {
		s.fault("checkpoint", err, "id", c.writer.Header().Get("X-Request-Id")) // the worker sees by the length that it is not whole
	}
	return nil, nil
}

// patient writes an answer of any length whose bytes must be taken within some time.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *patient) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(uploadWait))
	return w.ResponseWriter.Write(p)
}

// weights answers a signed link, however long the file is.
func (s *Server) weights(w http.ResponseWriter, r *http.Request) {
	s.config.Weights.ServeHTTP(&patient{w, http.NewResponseController(w)}, r)
}

// refused is how a fault of a worker's call is answered: a status and a word that programs read.
func refused(err error) (status int, code string) {
	var digest *blob.DigestError
	var size *blob.SizeError
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, store.ErrFull), errors.Is(err, blob.ErrFull):
		return http.StatusServiceUnavailable, "storage-full"
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, blob.ErrUnavailable): // whatever ended its connection, which is none of the caller's
		return http.StatusServiceUnavailable, "unavailable"
	case errors.Is(err, jobs.ErrUnauthorised):
		return http.StatusUnauthorized, "unauthorized"
	case errors.Is(err, jobs.ErrLeaseLost), errors.Is(err, jobs.ErrTransition):
		return http.StatusConflict, "lease_lost"
	case errors.Is(err, jobs.ErrSimulated):
		return http.StatusForbidden, "simulation_not_allowed"
	case errors.Is(err, jobs.ErrNotFound), errors.Is(err, blob.ErrNotFound):
		return http.StatusNotFound, "not-found"
	case errors.As(err, &digest):
		return http.StatusUnprocessableEntity, "digest_mismatch"
	case errors.As(err, &size), errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, "too-large"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout, "timeout"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return http.StatusBadRequest, "incomplete-body"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, "unavailable"
	}
	return http.StatusInternalServerError, "internal"
}

// refuseWorker answers a call that failed. Nothing is told of a fault of our own.
func (s *Server) refuseWorker(c *workCall, err error) {
	if own := (*graph.Error)(nil); errors.As(err, &own) {
		body := action.Explain(err)
		writeJSON(c.writer, action.Status(err), &body)
		return
	}
	status, code := refused(err)
	text := err.Error()
	switch {
	case status == http.StatusUnauthorized:
		s.counts.unauthorised.Add(1)
		c.writer.Header().Set("WWW-Authenticate", `Bearer realm="verifier-worker"`)
	case status >= http.StatusInternalServerError:
		if c.ctx.Err() == nil {
			s.fault("worker", err, "id", c.writer.Header().Get("X-Request-Id"))
		}
		c.writer.Header().Set("Retry-After", "1")
		text = "the service cannot do this now; try again shortly"
	}
	writeJSON(c.writer, status, &action.ErrorBody{Error: text, Code: code})
}

// writeJSON sends an answer.
func writeJSON(w http.ResponseWriter, status int, body any) {
	data, err := wire.Append(nil, body)
	if err != nil {
		data, err = json.Marshal(body)
	}
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"a fault of our own","code":"internal"}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // an error means that the worker has gone
}
