package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/graph"
)

// body is the bytes of a request. They are booked at the gate while they are held; small ones are used again.
type body struct {
	data   []byte
	gate   *gate
	who    string // whose it is
	booked int64
}

const (
	firstBytes = 4 << 10
	keepBytes  = 64 << 10 // larger ones are left to the collector
)

var bodies = sync.Pool{New: func() any { return &body{} }}

func takeBody(g *gate, who string) *body {
	b := bodies.Get().(*body)
	b.gate, b.who = g, who
	return b
}

func (b *body) release() {
	b.gate.drop(b.who, b.booked)
	b.gate, b.who, b.booked = nil, "", 0
	if cap(b.data) > keepBytes {
		b.data = nil
	}
	clear(b.data) // what one caller sent is not kept for the next
	b.data = b.data[:0]
	bodies.Put(b)
}

// grow makes room for at least one more byte, or reports that the server holds enough already. It doubles, so that nobody has memory held by a
// length that is only announced; from a quarter of that length on it takes the whole, so that less is left to the collector.
func (b *body) grow(announced, most int64) bool {
	held := int64(cap(b.data))
	size := max(2*held, firstBytes)
	if held <= announced && announced <= 4*held {
		size = announced + 1 // one more, to find the end with
	}
	size = min(size, most+1)
	if !b.book(size) {
		return false
	}
	b.data = append(make([]byte, 0, size), b.data...)
	return true
}

func (b *body) book(size int64) bool {
	if more := size - b.booked; more > 0 {
		if !b.gate.hold(b.who, more) {
			return false
		}
		b.booked = size
	}
	return true
}

var errFull = errors.New("httpapi: the bodies under way take all the memory there is for them")

// fill reads to the end, which is where it was announced, or -1.
func (b *body) fill(r io.Reader, announced, most int64) error {
	if !b.book(int64(cap(b.data))) {
		return errFull
	}
	for {
		if len(b.data) == cap(b.data) && !b.grow(announced, most) {
			return errFull
		}
		n, err := r.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		if err == io.EOF { // and not one that wraps it
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// read takes the body in, and returns the reply where that fails.
func (s *Server) read(b *body, c *Call) *Reply {
	most := s.Limits.BodyBytes
	err := error(&http.MaxBytesError{Limit: most})
	if c.request.ContentLength <= most {
		err = b.fill(http.MaxBytesReader(c.writer, c.request.Body, most), c.request.ContentLength, most)
	}
	if err == nil {
		return nil
	}
	var out Reply
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		out = Refusal(&graph.Error{Code: graph.CodeBytes, Message: "the body is larger than 8 MiB", Limit: most})
	case errors.Is(err, errFull):
		out = s.busy("bytes")
	case errors.Is(err, os.ErrDeadlineExceeded):
		out = Fault(http.StatusRequestTimeout, "timeout", "the body did not arrive in time")
	default:
		out = Fault(http.StatusBadRequest, "incomplete-body", "the body ended before it was complete")
	}
	return &out
}

// checkType lets plain JSON in UTF-8 through.
func checkType(r *http.Request) *Reply {
	if value := r.Header["Content-Type"]; len(value) == 1 && value[0] == "application/json" && r.Header["Content-Encoding"] == nil {
		return nil
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	var out Reply
	switch {
	case err != nil || kind != "application/json":
		out = Fault(http.StatusUnsupportedMediaType, "unsupported-media-type", "the body must be JSON, sent as Content-Type: application/json")
	case charset != "" && !strings.EqualFold(charset, "utf-8"):
		out = Fault(http.StatusUnsupportedMediaType, "unsupported-media-type", "JSON is read in UTF-8 only")
	case r.Header.Get("Content-Encoding") != "" && !strings.EqualFold(r.Header.Get("Content-Encoding"), "identity"):
		out = Fault(http.StatusUnsupportedMediaType, "unsupported-media-type", "the body must not be compressed")
	default:
		return nil
	}
	return &out
}
