package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of what a client can make us hold. A message can carry a model and its base, each of which is held to the limit of the
// service again; maxHeld is of all requests that are not answered yet.
const (
	maxMessage = 16<<20 + 64<<10
	maxHeld    = 64 << 20
	keptTail   = 512              // of a message that is too long, to find its id in
	drainTime  = 30 * time.Second // how long answers are waited for once the client has said all
)

// transport reads one message from each line. Unlike the SDK's, it answers what is no message and goes on, is not ended by a long line,
// reads no further while too much is unanswered, and lets what was asked be answered before the end of input ends the session.
type transport struct {
	in  *bufio.Reader
	out io.Writer

	lines  chan line
	closed chan struct{}
	once   sync.Once
	write  sync.Mutex

	held     sync.Mutex
	requests map[jsonrpc.ID]int // bytes of those that are not answered
	bytes    int
	change   chan struct{} // closed when an answer went out
}

// line is a message, or why there is none.
type line struct {
	text []byte
	size int // of a line that is too long; text is its beginning and its end
	err  error
}

func newTransport(in io.Reader, out io.Writer) *transport {
	return &transport{in: bufio.NewReaderSize(in, 64<<10), out: out, lines: make(chan line), closed: make(chan struct{}), requests: map[jsonrpc.ID]int{}, change: make(chan struct{})}
}

// Connect starts reading.
func (t *transport) Connect(context.Context) (sdk.Connection, error) {
	go func() {
		for {
			l := t.next()
			select {
			case t.lines <- l:
			case <-t.closed:
				return
			}
			if l.err != nil {
				return
			}
		}
	}()
	return t, nil
}

// SessionID is empty: there is one session.
func (t *transport) SessionID() string { return "" }

// Close ends reading.
func (t *transport) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}

// next reads a line, and of one that is too long only the beginning and the end.
func (t *transport) next() line {
	var text []byte
	size := 0
	for {
		part, err := t.in.ReadSlice('\n')
		size += len(part)
		if size <= maxMessage {
			text = append(text, part...)
		} else {
			text = append(text[:min(len(text), keptTail)], tail(text[min(len(text), keptTail):], part)...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && size == 0:
			return line{err: err}
		case size > maxMessage:
			return line{text: text, size: size}
		}
		return line{text: text} // a last line without an end is a line
	}
}

func tail(before, part []byte) []byte {
	all := append(bytes.Clone(before[max(0, len(before)-keptTail):]), part...)
	return all[max(0, len(all)-keptTail):]
}

// Read returns the next message that is one.
func (t *transport) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if err := t.wait(ctx, maxHeld, nil); err != nil {
			return nil, err
		}
		var l line
		select {
		case l = <-t.lines:
		case <-t.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if l.err != nil {
			timer := time.NewTimer(drainTime)
			defer timer.Stop()
			_ = t.wait(ctx, 0, timer.C) // whatever comes of it, there is no more to read
			return nil, l.err
		}
		if len(bytes.TrimSpace(l.text)) == 0 {
			continue
		}
		msg, err := t.decode(l)
		if err != nil {
			return nil, err
		}
		if msg != nil {
			return msg, nil
		}
	}
}

// decode reads a message. What is none is answered, and nil returned.
func (t *transport) decode(l line) (jsonrpc.Message, error) {
	if l.size > 0 {
		return nil, t.refuse(l.text, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message has %d bytes, more than %d: write the model to a file inside the root and give its path", l.size, maxMessage))
	}
	if bytes.HasPrefix(bytes.TrimSpace(l.text), []byte("[")) {
		return nil, t.refuse(l.text, jsonrpc.CodeInvalidRequest, "batches are not served: send one message on each line")
	}
	if !json.Valid(l.text) {
		return nil, t.refuse(l.text, jsonrpc.CodeParseError, "this line is not JSON: send one JSON-RPC message on each line, without line breaks inside")
	}
	msg, err := jsonrpc.DecodeMessage(l.text)
	if err != nil {
		return nil, t.refuse(l.text, jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC 2.0 message: "+err.Error())
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.ID.IsValid() && !strings.HasPrefix(r.Method, "subscriptions/") { // those stay open
		t.held.Lock()
		t.bytes += len(l.text) - t.requests[r.ID]
		t.requests[r.ID] = len(l.text)
		t.held.Unlock()
	}
	return msg, nil
}

// Write sends a message.
func (t *transport) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	err = t.send(data)
	if r, ok := msg.(*jsonrpc.Response); ok {
		t.held.Lock()
		t.bytes -= t.requests[r.ID]
		delete(t.requests, r.ID)
		close(t.change)
		t.change = make(chan struct{})
		t.held.Unlock()
	}
	return err
}

func (t *transport) send(data []byte) error {
	t.write.Lock()
	defer t.write.Unlock()
	_, err := t.out.Write(append(data, '\n'))
	return err
}

// wait returns when no more than so many bytes are unanswered.
func (t *transport) wait(ctx context.Context, most int, late <-chan time.Time) error {
	for {
		t.held.Lock()
		held, change := t.bytes, t.change
		t.held.Unlock()
		if held <= most {
			return nil
		}
		select {
		case <-change:
		case <-late:
			return nil
		case <-t.closed:
			return io.EOF
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// refuse answers what is no message, under its id where that can be found, so that no client waits for ever.
func (t *transport) refuse(text []byte, code int64, message string) error {
	answer := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{"2.0", idOf(text), jsonrpc.Error{Code: code, Message: message}}
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return t.send(data)
}

// idOf finds the id of a message that cannot be read: where its last member is the id, as some clients write it, or in front of what is
// broken. It is null where neither is.
func idOf(text []byte) json.RawMessage {
	text = bytes.TrimSpace(text)
	if i := bytes.LastIndex(text, []byte(`"id"`)); i >= 0 {
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(text[i+len(`"id"`):]), []byte(":"))
		value, closed := bytes.CutSuffix(rest, []byte("}"))
		if value = bytes.TrimSpace(value); ok && closed && isID(value) {
			return value
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return json.RawMessage("null")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			break
		}
		if name == "id" && isID(value) {
			return value
		}
	}
	return json.RawMessage("null")
}

// isID reports whether a value is a string or a whole number, and short.
func isID(value []byte) bool {
	if len(value) == 0 || len(value) > 256 || !json.Valid(value) {
		return false
	}
	return value[0] == '"' || !bytes.ContainsAny(value, ".eE{[tfn")
}
