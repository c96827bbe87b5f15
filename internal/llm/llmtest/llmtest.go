// Package llmtest is a provider for tests that answers from transcripts: files of requests and answers, in the order in which
// they go over the wire. A request that differs from the recorded one fails the test.
package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelverifier/verifier/internal/llm"
)

// Key is the key of the provider, and Model the model that its client asks for.
const (
	Key   = "test-key-0123456789"
	Model = "test-model"
)

// Exchange is one request and its answer.
type Exchange struct {
	Request  Request  `json:"request"`
	Response Response `json:"response"`
}

// Request is what must come.
type Request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"` // that must be there; others may be
	Body    json.RawMessage   `json:"body"`
}

// Response is what is answered. Repeat writes the body's text so many times over, for answers that are too large to keep. Never
// has no answer come.
type Response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body"`
	Repeat  int               `json:"repeat,omitempty"`
	Never   bool              `json:"never,omitempty"`
}

// Provider answers from transcripts.
type Provider struct {
	URL    string
	t      testing.TB
	update bool
	mu     sync.Mutex
	file   string
	left   []Exchange
	seen   []Exchange
	closed chan struct{}
}

// New starts a provider without a transcript. With update, requests are written into the files instead of compared.
func New(t testing.TB, update bool) *Provider {
	t.Helper()
	p := &Provider{t: t, update: update, closed: make(chan struct{})}
	s := httptest.NewServer(p)
	p.URL = s.URL
	t.Cleanup(func() { close(p.closed); s.Close() })
	return p
}

// Config is how a client reaches the provider in a format.
func (p *Provider) Config(format string) llm.Config {
	base := p.URL
	if format == "chat" {
		base += "/v1"
	}
	return llm.Config{Format: format, URL: base, Model: Model, Key: llm.NewKey(Key)}
}

// Load takes the exchanges of a file. Those of the file before must all have happened.
func (p *Provider) Load(file string) {
	p.t.Helper()
	p.Done()
	data, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file, p.left, p.seen = file, nil, nil
	if err := json.Unmarshal(data, &p.left); err != nil {
		p.t.Fatalf("%s: %v", file, err)
	}
}

// Done sees that every exchange of the file has happened, and keeps the requests where that was asked for.
func (p *Provider) Done() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.left) > 0 {
		p.t.Errorf("%s: %d requests did not come", p.file, len(p.left))
	}
	if p.update && p.file != "" {
		p.write()
	}
	p.file, p.left, p.seen = "", nil, nil
}

func (p *Provider) write() {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(p.seen); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.file, out.Bytes(), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Errorf("transcript: %v", err)
	}
	next, err := p.next(r, body)
	if err != nil {
		p.t.Errorf("transcript: %v", err)
		http.Error(w, "the request is not the recorded one", http.StatusTeapot)
		return
	}
	a := next.Response
	if a.Never {
		select {
		case <-r.Context().Done():
		case <-p.closed:
		}
		return
	}
	for name, value := range a.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.text())
}

// text is the body of an answer: JSON, or what a string says where it is a string.
func (a *Response) text() []byte {
	var plain string
	if json.Unmarshal(a.Body, &plain) != nil {
		return a.Body
	}
	return bytes.Repeat([]byte(plain), max(1, a.Repeat))
}

// next takes the exchange of a request, or says how the request differs from it.
func (p *Provider) next(r *http.Request, body []byte) (Exchange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.left) == 0 {
		return Exchange{}, fmt.Errorf("%s: a request that was not recorded: %s %s", filepath.Base(p.file), r.Method, r.URL.Path)
	}
	x := p.left[0]
	p.left = p.left[1:]
	if p.update {
		x.Request = record(r, body)
		p.seen = append(p.seen, x)
		return x, nil
	}
	return x, x.Request.differs(r, body)
}

// kept are the headers that a format fixes.
var kept = []string{"Content-Type", "Anthropic-Version", "X-Api-Key", "Authorization"}

func record(r *http.Request, body []byte) Request {
	out := Request{Method: r.Method, Path: r.URL.Path, Headers: map[string]string{}, Body: body}
	for _, name := range kept {
		if value := r.Header.Get(name); value != "" {
			out.Headers[name] = value
		}
	}
	return out
}

// differs says where a request is another one than the recorded.
func (q *Request) differs(r *http.Request, body []byte) error {
	if got := r.Method + " " + r.URL.Path; got != q.Method+" "+q.Path {
		return fmt.Errorf("%s instead of %s %s", got, q.Method, q.Path)
	}
	got := record(r, body)
	if !reflect.DeepEqual(got.Headers, q.Headers) {
		return fmt.Errorf("the headers are %v instead of %v", got.Headers, q.Headers)
	}
	var want, have any
	if err := json.Unmarshal(q.Body, &want); err != nil {
		return err
	}
	if err := json.Unmarshal(body, &have); err != nil {
		return err
	}
	if !reflect.DeepEqual(want, have) {
		return fmt.Errorf("the body differs:\n%s\ninstead of\n%s", body, q.Body)
	}
	return nil
}

// Said is the answer of a provider with a text, in a format.
func Said(format, text string) json.RawMessage {
	quoted := strconv.Quote("")
	if data, err := json.Marshal(text); err == nil {
		quoted = string(data)
	}
	if format == "chat" {
		return json.RawMessage(`{"id":"c1","object":"chat.completion","created":1760000000,"model":"` + Model + `-0101","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":` + quoted + `}}]}`)
	}
	return json.RawMessage(strings.Join([]string{`{"id":"m1","type":"message","role":"assistant","model":"` + Model + `-0101","stop_reason":"end_turn","content":[{"type":"text","text":`, quoted, `}],"usage":{"input_tokens":1,"output_tokens":1}}`}, ""))
}
