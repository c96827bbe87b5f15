package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelverifier/verifier/internal/action"
)

// HostedOnly names what the container cannot do. It is the last member of every JSON response.
var HostedOnly = []string{
	"mint a shared /p/<id> plan URL",
	"attach organisation outcome history",
	"record a corpus row",
	"create a citable verification badge",
}

// reply is what a handler decided to answer. It is written, counted and logged in one place.
type reply struct {
	status        int
	body          any    // of a JSON response
	text          []byte // of one in plain text
	code          string // of a refusal, for the log
	header, value string // one more header
	bare          bool   // has no hosted_only
	encoded       bool   // already: an action's answer is encoded by the worker that made it
}

func fault(status int, code, format string, args ...any) reply {
	return reply{status: status, code: code, body: &action.ErrorBody{Error: fmt.Sprintf(format, args...), Code: code}}
}

// refusal is the reply to a caller's fault. Any other error is a fault of our own, about which nothing is told.
func refusal(err error) reply {
	status := action.Status(err)
	if status == http.StatusInternalServerError {
		return internalFault()
	}
	body := action.Explain(err)
	return reply{status: status, code: body.Code, body: &body}
}

func internalFault() reply {
	return fault(http.StatusInternalServerError, "internal", "a fault of our own; the request id is in the header X-Request-Id")
}

// buffer is an encoder and the bytes that it has written.
type buffer struct {
	bytes.Buffer
	encoder *json.Encoder
}

var buffers = sync.Pool{New: func() any {
	b := &buffer{}
	b.encoder = json.NewEncoder(&b.Buffer)
	b.encoder.SetEscapeHTML(false)
	return b
}}

func (b *buffer) release() {
	if b.Cap() > keepBytes {
		return
	}
	clear(b.Bytes())
	b.Reset()
	buffers.Put(b)
}

// tail is the end of every JSON response: hosted_only and the brace that was taken off.
var tail = func() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(HostedOnly); err != nil {
		panic(err) // a list of strings can be written
	}
	return append([]byte(`"hosted_only":`), append(bytes.TrimSpace(b.Bytes()), '}')...)
}()

// encode writes the reply's bytes. A body that cannot be written becomes a fault of our own.
func (b *buffer) encode(out *reply) {
	out.encoded = true
	b.Reset()
	if out.body == nil {
		b.Write(out.text)
		return
	}
	if err := b.encoder.Encode(out.body); err != nil || !bytes.HasSuffix(b.Bytes(), []byte("}\n")) {
		*out = internalFault()
		out.encoded = true
		b.Reset()
		_ = b.encoder.Encode(out.body) // two strings can be written
	}
	if out.bare {
		return
	}
	b.Truncate(b.Len() - len("}\n"))
	if b.Len() > 1 {
		b.WriteByte(',')
	}
	b.Write(tail)
}

// Header values that do not change are shared between responses.
var (
	typeJSON = []string{"application/json"}
	typeText = []string{"text/plain; version=0.0.4; charset=utf-8"} // the version is that of Prometheus' text format
	noStore  = []string{"no-store"}
	noSniff  = []string{"nosniff"}
)

// write sends what was encoded and returns how many bytes went out.
func (out *reply) write(w http.ResponseWriter, id string, b *buffer) int {
	h := w.Header()
	h["Content-Type"] = typeJSON
	if out.body == nil {
		h["Content-Type"] = typeText
	}
	h["Cache-Control"], h["X-Content-Type-Options"] = noStore, noSniff
	h["X-Request-Id"] = []string{id}
	h["Content-Length"] = []string{strconv.Itoa(b.Len())}
	if out.header != "" {
		h.Set(out.header, out.value)
	}
	w.WriteHeader(out.status)
	n, _ := w.Write(b.Bytes()) // an error means that the caller has gone
	return n
}
