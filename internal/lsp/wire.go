package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
)

// message is one of JSON-RPC 2.0: a request has Method and ID, a notification Method alone, an answer ID alone.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// The codes of errors that JSON-RPC and the protocol define.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
)

// maxMessage bounds what a client may send at once: a text document of the largest size that is read, and its quoting.
const maxMessage = 64 << 20

// readMessage reads one message: headers as of mail, an empty line, and so many bytes of JSON. io.EOF is the end of the stream.
func readMessage(r *bufio.Reader) ([]byte, error) {
	headers, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		if errors.Is(err, io.EOF) && len(headers) == 0 {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("reading the headers of a message: %w", err)
	}
	text := strings.TrimSpace(headers.Get("Content-Length"))
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxMessage {
		return nil, fmt.Errorf("Content-Length is %q but must be a number from 0 to %d", text, maxMessage)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return body, err
}

// sender writes messages one behind the other, from any goroutine.
type sender struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *sender) send(m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = fmt.Fprintf(s.w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// answer sends the result of a request. A nil result is null, which an answer must have.
func (s *sender) answer(id json.RawMessage, result any, fault *rpcError) error {
	if fault != nil {
		return s.send(message{ID: id, Error: fault})
	}
	if result == nil {
		result = json.RawMessage("null")
	}
	return s.send(message{ID: id, Result: result})
}
