package httpapi

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/ndjson"
)

// lineType is the media type of a request that has many of its kind, one on each line.
const lineType = "application/x-ndjson"

// lineWait is how long a line waits for a limit on calls or for a worker, before it is answered with the refusal.
const lineWait = time.Minute

var typeLines = []string{lineType}

// hasLines reports whether a request has many of its kind.
func hasLines(r *http.Request) bool {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	return err == nil && kind == lineType && (charset == "" || charset == "utf-8")
}

// bulk answers a request of many lines. Each is a call of its own, with the key, the limits and the row of the corpus that it would have alone,
// and its line of the answer has the same bytes. What would be refused because of load or of a limit on calls waits, which makes the caller wait.
type bulk struct {
	*Call
	route   route
	control *http.ResponseController
	in      *ndjson.Reader
	held    atomic.Int64 // bytes of lines that are not answered
	out     *bufio.Writer
	header  http.Header // of each line
	reads   time.Time   // when the deadlines were last moved
	writes  time.Time
	sent    int
	status  int
}

// lines answers a request of many lines, counts it and logs it.
func (s *Server) lines(found route, c *Call, start time.Time) {
	b := &bulk{Call: c, route: found, control: http.NewResponseController(c.writer), out: bufio.NewWriterSize(c.writer, 32<<10), header: c.request.Header.Clone()}
	b.header["Content-Type"] = typeJSON
	_ = b.control.EnableFullDuplex() // answers go out while lines come in; HTTP/2 always does
	b.in = ndjson.NewReader(b, int(s.Limits.BodyBytes))
	b.in.Hold = b.hold
	stream := ndjson.Stream[lineAnswer]{Next: b.next, Answer: b.line, Write: b.write, Most: s.Limits.Lines, Ahead: s.Limits.Workers}
	_, err := stream.Run()
	s.gate.drop(b.tenant, b.held.Load())
	if err != nil {
		b.end(err)
	}
	out := Reply{status: b.status}
	if b.status != 0 {
		_ = b.flush() // an error means that the caller has gone
	} else { // there was no line
		out = Fault(http.StatusBadRequest, "syntax", "the body has no line")
		c.encode(&out)
		b.sent = out.write(c)
	}
	s.note(c, "lines", &out, b.sent, start)
}

// next reads a line, which must be there within the time of a request.
func (b *bulk) next() ([]byte, error) {
	if now := time.Now(); now.Sub(b.reads) > time.Second { // moving a deadline costs something
		b.reads = now
		_ = b.control.SetReadDeadline(now.Add(b.server.Limits.Read)) // what cannot set one, as in tests of handlers, has none
	}
	line, held, err := b.in.Next()
	if waste := int64(held - len(line)); waste > 0 { // blanks, ends, and what was too long
		b.drop(waste)
	}
	return line, err
}

// Read reads the body.
func (b *bulk) Read(p []byte) (int, error) {
	n, err := b.request.Body.Read(p)
	if err == io.EOF {
		// While the last lines are answered, net/http listens for a caller who leaves: it must not take our deadline for that.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// hold books bytes of lines at the gate, as those of bodies are, and waits where there is no room.
func (b *bulk) hold(n int) error {
	for !b.server.gate.hold(b.tenant, int64(n)) {
		if !sleep(b.request, 10*time.Millisecond) {
			return b.request.Context().Err()
		}
	}
	b.held.Add(int64(n))
	return nil
}

func (b *bulk) drop(n int64) {
	b.held.Add(-n)
	b.server.gate.drop(b.tenant, n)
}

// lineAnswer is what came of a line.
type lineAnswer struct {
	status int
	body   []byte
}

// line answers one line, and asks again where the answer is to come again later.
func (b *bulk) line(text []byte, long bool) lineAnswer {
	defer b.drop(int64(len(text)))
	length := int64(len(text))
	if long {
		length = b.server.Limits.BodyBytes + 1
	}
	for patience := lineWait; ; {
		request := *b.request
		request.Header, request.ContentLength, request.Body = b.header, length, http.NoBody
		start, w := time.Now(), &unsent{http.Header{}}
		c := &Call{server: b.server, request: &request, writer: w, given: text, id: b.id, span: b.span, buffer: &buffer{}}
		out := b.server.guard(b.route, c)
		b.server.metrics.add(b.route.name, out.status, time.Since(start))
		after, err := strconv.Atoi(w.header.Get("Retry-After"))
		if out.header == "Retry-After" {
			after, err = strconv.Atoi(out.value)
		}
		wait := time.Duration(after) * time.Second
		if err != nil || wait > patience || !sleep(b.request, max(wait, time.Second)) {
			return lineAnswer{out.status, bytes.TrimSuffix(c.data, []byte{'\n'})}
		}
		patience -= max(wait, time.Second)
	}
}

// sleep waits as long as somebody is there for the answer, and reports whether that was to the end.
func sleep(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// unsent is the answer of one line, of which only the header is looked at.
type unsent struct{ header http.Header }

func (u *unsent) Header() http.Header         { return u.header }
func (u *unsent) WriteHeader(int)             {}
func (u *unsent) Write(b []byte) (int, error) { return len(b), nil }

var errRefused = errors.New("httpapi: the first line is refused for all of them")

// write sends the answer of a line. Where the first may not be asked at all, its refusal is that of the request.
func (b *bulk) write(answer lineAnswer, last bool) error {
	if b.status == 0 {
		h := b.writer.Header()
		h["Cache-Control"], h["X-Content-Type-Options"], h["X-Request-Id"] = noStore, noSniff, []string{b.id}
		if status := answer.status; status == http.StatusUnauthorized || status == http.StatusForbidden {
			h["Content-Type"], b.status = typeJSON, status
			h["Connection"] = []string{"close"} // behind what is not read
			b.writer.WriteHeader(status)
			b.put(answer.body)
			b.stop()
			return errRefused
		}
		h["Content-Type"], b.status = typeLines, http.StatusOK
		b.writer.WriteHeader(http.StatusOK)
	}
	b.put(answer.body)
	if last {
		return b.flush()
	}
	return nil
}

// put writes a line.
func (b *bulk) put(body []byte) {
	n, _ := b.out.Write(body) // an error is that of the flush
	b.sent += n + 1
	_ = b.out.WriteByte('\n')
}

func (b *bulk) flush() error {
	if now := time.Now(); now.Sub(b.writes) > time.Second {
		b.writes = now
		_ = b.control.SetWriteDeadline(now.Add(b.server.Limits.Write))
	}
	if err := b.out.Flush(); err != nil {
		b.stop()
		return err
	}
	return b.control.Flush()
}

// stop ends a read that waits for a line.
func (b *bulk) stop() { _ = b.control.SetReadDeadline(time.Now()) }

// end says in a last line why not all were answered.
func (b *bulk) end(err error) {
	if b.status != http.StatusOK {
		return
	}
	out := Fault(http.StatusBadRequest, "incomplete-body", "the body ended before it was complete")
	switch {
	case errors.Is(err, ndjson.ErrTooMany):
		out = Fault(http.StatusRequestEntityTooLarge, "lines", "a request has at most %d lines; what is behind them was not read", b.server.Limits.Lines)
	case errors.Is(err, os.ErrDeadlineExceeded):
		out = Fault(http.StatusRequestTimeout, "timeout", "a line did not arrive in time")
	}
	c := &Call{server: b.server, request: b.request, writer: b.writer, buffer: &buffer{}}
	c.encode(&out)
	b.put(bytes.TrimSuffix(c.data, []byte{'\n'}))
}
