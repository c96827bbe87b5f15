package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// ids gives every request a name of its own: a prefix drawn once for the process, and a counter. One that the caller sends
// is not taken over, because it would carry the caller's words into the log.
type ids struct {
	prefix string
	last   atomic.Uint64
}

func newIDs() *ids {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return &ids{prefix: hex.EncodeToString(b[:]) + "-"}
}

func (i *ids) next() string {
	const digits = "0123456789abcdef"
	n := i.last.Add(1)
	b := append(make([]byte, 0, 32), i.prefix...)
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, digits[n>>shift&15])
	}
	return string(b)
}

// logRequest writes one line. Everything in it is a number or a name of our own. Probes and scrapes, which come all day, are
// there for who asks for them.
func (s *Server) logRequest(c *Call, route string, out *Reply, sent int, start time.Time, took time.Duration) {
	r := c.request
	level := slog.LevelInfo
	switch {
	case out.status == http.StatusInternalServerError:
		level = slog.LevelError
	case out.status == http.StatusServiceUnavailable:
		level = slog.LevelWarn
	case out.status == http.StatusOK && r.Method != http.MethodPost:
		level = slog.LevelDebug
	}
	ctx := context.Background() // the log must not follow the caller
	if !s.Log.Enabled(ctx, level) {
		return
	}
	line := slog.NewRecord(start.Add(took), level, "request", 0) // LogAttrs would find out where in the code we are
	line.AddAttrs(slog.String("id", c.id), slog.String("method", knownMethod(r.Method)), slog.String("route", route),
		slog.Int("status", out.status), slog.Int64("received", max(r.ContentLength, 0)), slog.Int("sent", sent), slog.Int64("us", took.Microseconds()))
	if out.code != "" {
		line.AddAttrs(slog.String("code", out.code))
	}
	if c.span != nil {
		if trace := c.span.Sampled(); trace != "" {
			line.AddAttrs(slog.String("trace", trace))
		}
	}
	_ = s.Log.Handler().Handle(ctx, line) // a log that cannot be written has nowhere to say so
}

// knownMethod keeps the caller's own words out of the log.
func knownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return m
	}
	return "other"
}

// guard answers a request and encodes the answer. A panic becomes a fault of our own; the log gets where it happened and
// not its value, in which there may be a piece of the graph.
func (s *Server) guard(found route, c *Call) (out *Reply) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.LogAttrs(context.Background(), slog.LevelError, "panic", slog.String("id", c.id), slog.String("route", found.name), slog.String("type", fmt.Sprintf("%T", p)), slog.Any("stack", stack()))
			failed := internalFault()
			out = &failed
			c.encode(out)
		}
	}()
	answer := found.answer(c)
	if !answer.encoded {
		c.encode(&answer)
	}
	return &answer
}

// stack lists the functions and lines that led here, without their arguments.
func stack() []string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var out []string
	for {
		f, more := frames.Next()
		file := f.File[strings.LastIndexByte(f.File, '/')+1:]
		out = append(out, fmt.Sprintf("%s %s:%d", f.Function, file, f.Line))
		if !more {
			return out
		}
	}
}

// serverErrors takes what net/http has to say. Its lines hold addresses, so that only their kind is logged.
type serverErrors struct{ log *slog.Logger }

func (e serverErrors) Write(line []byte) (int, error) {
	kind := "other"
	for prefix, name := range map[string]string{"http: Accept error": "accept", "http: TLS": "tls", "http: panic": "panic", "http: superfluous": "superfluous-header"} {
		if strings.HasPrefix(string(line), prefix) {
			kind = name
		}
	}
	e.log.Warn("connection", "kind", kind)
	return len(line), nil
}
