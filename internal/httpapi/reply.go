package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
)

// HostedOnly names what the container cannot do. It is the last member of every JSON response.
var HostedOnly = []string{
	"mint a shared /p/<id> plan URL",
	"attach organisation outcome history",
	"record a corpus row",
	"create a citable verification badge",
}

// Reply is what a handler decided to answer. It is written, counted and logged in one place.
type Reply struct {
	status        int
	body          any    // of a JSON response
	text          []byte // of one in plain text
	code          string // of a refusal, for the log
	header, value string // one more header
	bare          bool   // has no hosted_only
	encoded       bool   // already: an action's answer is encoded by the worker that made it
}

// OK is the reply of what has come out well.
func OK(body any) Reply { return Reply{status: http.StatusOK, body: body} }

// Fault is a refusal with a code of the surface's own.
func Fault(status int, code, format string, args ...any) Reply {
	return Reply{status: status, code: code, body: &action.ErrorBody{Error: fmt.Sprintf(format, args...), Code: code}}
}

// Refusal is the reply to a caller's fault. Any other error is a fault of our own, about which nothing is told.
func Refusal(err error) Reply {
	status := action.Status(err)
	if status == http.StatusInternalServerError {
		return internalFault()
	}
	body := action.Explain(err)
	return Reply{status: status, code: body.Code, body: &body}
}

func internalFault() Reply {
	return Fault(http.StatusInternalServerError, "internal", "a fault of our own; the request id is in the header X-Request-Id")
}

// buffer is the bytes of an answer.
type buffer struct{ data []byte }

var buffers = sync.Pool{New: func() any { return &buffer{} }}

func (b *buffer) release() {
	if cap(b.data) > keepBytes {
		return
	}
	clear(b.data)
	b.data = b.data[:0]
	buffers.Put(b)
}

// tail is the end of every JSON response: hosted_only and the brace that was taken off.
var tail = func() []byte {
	list, err := wire.Append([]byte(`"hosted_only":`), HostedOnly)
	if err != nil {
		panic(err) // a list of strings can be written
	}
	return append(list, '}')
}()

// encode writes the reply's bytes. Those of another edition have no hosted_only.
func (c *Call) encode(out *Reply) {
	out.bare = out.bare || c.server.Edition != nil
	c.buffer.encode(out)
}

// encode writes the reply's bytes. A body that cannot be written becomes a fault of our own.
func (b *buffer) encode(out *Reply) {
	out.encoded = true
	if out.body == nil {
		b.data = append(b.data[:0], out.text...)
		return
	}
	var err error
	if b.data, err = wire.Append(b.data[:0], out.body); err != nil || b.data[len(b.data)-1] != '}' {
		bare := out.bare
		*out = internalFault()
		if errors.Is(err, wire.ErrTooLarge) {
			*out = Refusal(action.AnswerTooLarge(wire.MaxBytes))
		}
		out.encoded, out.bare = true, bare
		b.data, _ = wire.Append(b.data[:0], out.body) // two strings can be written
	}
	if out.bare {
		b.data = append(b.data, '\n')
		return
	}
	b.data = b.data[:len(b.data)-1]
	if len(b.data) > 1 {
		b.data = append(b.data, ',')
	}
	b.data = append(b.data, tail...)
}

// Header values that do not change are shared between responses.
var (
	typeJSON = []string{"application/json"}
	typeText = []string{"text/plain; version=0.0.4; charset=utf-8"} // the version is that of Prometheus' text format
	noStore  = []string{"no-store"}
	noSniff  = []string{"nosniff"}
)

// write sends what was encoded and returns how many bytes went out.
func (out *Reply) write(c *Call) int {
	w, b := c.writer, c.buffer
	h := w.Header()
	h["Content-Type"] = typeJSON
	if out.body == nil {
		h["Content-Type"] = typeText
	}
	h["Cache-Control"], h["X-Content-Type-Options"] = noStore, noSniff
	data := b.data
	if len(data) >= compressFrom {
		h["Vary"] = varyEncoding
		if takesGzip(c.request) {
			packed := pack(data)
			defer packed.release()
			h["Content-Encoding"], data = typeGzip, packed.Bytes()
		}
	}
	own := []string{c.id, strconv.Itoa(len(data))} // in one allocation
	h["X-Request-Id"], h["Content-Length"] = own[:1:1], own[1:]
	if out.header != "" {
		h.Set(out.header, out.value)
	}
	w.WriteHeader(out.status)
	n, _ := w.Write(data) // an error means that the caller has gone
	return n
}
