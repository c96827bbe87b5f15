// Package lsp serves the verifier to editors over the Language Server Protocol: findings on their lines as one types, tensor shapes behind
// the statements of forward, what a line costs, and the changes that mend a finding.
//
// It decides no verdict: files are read by the importers and judged by the rules, as everywhere else. Nothing is written, run or fetched,
// and nothing outside the root of a document's repository is read.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelverifier/verifier/internal/policy"
)

// Config is what a server is told at its start.
type Config struct {
	Version string
	Policy  policy.Names // what a policy file can name
	Log     io.Writer    // what goes wrong beside the protocol; nil for nowhere
}

// Server speaks with one editor.
type Server struct {
	config Config
	out    *sender
	space  *workspace

	mu      sync.Mutex
	running map[string]context.CancelFunc // requests by their ids
	began   bool                          // initialize was answered
	ended   bool                          // shutdown was asked for
	work    sync.WaitGroup
}

// New makes a server.
func New(config Config) *Server {
	if config.Log == nil {
		config.Log = io.Discard
	}
	return &Server{config: config, running: map[string]context.CancelFunc{}}
}

// errExit ends the loop: the client has said exit.
var errExit = errors.New("exit")

// Run serves until the client says exit or its stream ends. An exit without a shutdown before it is an error, as the protocol says.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	s.out = &sender{w: out}
	s.space = newWorkspace(ctx, s.config.Policy, s.publish)
	defer func() {
		stop()
		s.work.Wait()
		s.space.close()
	}()
	r := bufio.NewReader(in)
	for {
		body, err := readMessage(r)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.take(ctx, body); err != nil {
			if errors.Is(err, errExit) {
				return s.left()
			}
			return err
		}
	}
}

func (s *Server) left() error {
	if s.ended {
		return nil
	}
	return errors.New("the editor left without asking for a shutdown")
}

// take handles one message. Notifications are handled in their order; requests run beside each other.
func (s *Server) take(ctx context.Context, body []byte) error {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return s.out.answer(json.RawMessage("null"), nil, &rpcError{codeParse, "the message is no JSON: " + err.Error()})
	}
	switch {
	case m.Method == "" && m.ID != nil:
		return nil // an answer, and nothing is asked of the client
	case m.Method == "":
		return s.out.answer(json.RawMessage("null"), nil, &rpcError{codeInvalidRequest, "the message has no method"})
	case m.Method == "exit":
		return errExit
	case m.ID == nil:
		s.note(m)
		return nil
	case m.Method == "initialize":
		s.began = true
		return s.out.answer(m.ID, s.initialize(), nil)
	case !s.began:
		return s.out.answer(m.ID, nil, &rpcError{codeNotInitialized, "initialize comes first"})
	case m.Method == "shutdown":
		s.ended = true
		return s.out.answer(m.ID, nil, nil)
	case s.ended:
		return s.out.answer(m.ID, nil, &rpcError{codeInvalidRequest, "the server was shut down"})
	}
	handle, ok := requests[m.Method]
	if !ok {
		return s.out.answer(m.ID, nil, &rpcError{codeNoMethod, m.Method + " is not served here"})
	}
	s.start(ctx, m, handle)
	return nil
}

// request answers one method.
type request func(ctx context.Context, w *workspace, p *documentParams) (any, error)

// requests are the methods that are answered.
var requests = map[string]request{
	"textDocument/hover":      onHover,
	"textDocument/inlayHint":  onInlayHint,
	"textDocument/codeAction": onCodeAction,
}

// start answers a request beside the loop, until it is cancelled.
func (s *Server) start(ctx context.Context, m message, handle request) {
	ctx, cancel := context.WithCancel(ctx)
	id := string(m.ID)
	s.mu.Lock()
	s.running[id] = cancel
	s.mu.Unlock()
	s.work.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.running, id)
			s.mu.Unlock()
			cancel()
		}()
		var p documentParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			s.logged(s.out.answer(m.ID, nil, &rpcError{codeInvalidParams, err.Error()}))
			return
		}
		result, err := handle(ctx, s.space, &p)
		var fault *rpcError
		switch {
		case ctx.Err() != nil:
			fault = &rpcError{codeCancelled, "cancelled"}
		case err != nil && !errors.As(err, &fault):
			fault = &rpcError{codeInternal, err.Error()}
		}
		s.logged(s.out.answer(m.ID, result, fault))
	})
}

// note handles a notification. One that is wrong has no answer, so it is logged.
func (s *Server) note(m message) {
	var err error
	switch m.Method {
	case "textDocument/didOpen":
		var p didOpenParams
		if err = json.Unmarshal(m.Params, &p); err == nil {
			s.space.open(p.TextDocument)
		}
	case "textDocument/didChange":
		var p didChangeParams
		if err = json.Unmarshal(m.Params, &p); err == nil {
			err = s.space.change(&p)
		}
	case "textDocument/didClose":
		var p didOpenParams
		if err = json.Unmarshal(m.Params, &p); err == nil {
			s.space.shut(p.TextDocument.URI)
		}
	case "$/cancelRequest":
		var p struct {
			ID json.RawMessage `json:"id"`
		}
		if err = json.Unmarshal(m.Params, &p); err == nil {
			s.mu.Lock()
			if cancel := s.running[string(p.ID)]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		}
	}
	s.logged(err)
}

func (s *Server) logged(err error) {
	if err != nil {
		_, _ = fmt.Fprintln(s.config.Log, "verifier lsp:", err) // nobody else can be told
	}
}

func (s *Server) publish(p publishDiagnosticsParams) {
	body, err := json.Marshal(p)
	if err == nil {
		err = s.out.send(message{Method: "textDocument/publishDiagnostics", Params: body})
	}
	s.logged(err)
}

func (s *Server) initialize() initializeResult {
	return initializeResult{
		Capabilities: capabilities{
			PositionEncoding:   "utf-16",
			TextDocumentSync:   syncOptions{OpenClose: true, Change: incremental},
			HoverProvider:      true,
			InlayHintProvider:  true,
			CodeActionProvider: codeActionProvider{CodeActionKinds: []string{quickFix}},
		},
		ServerInfo: serverInfo{Name: "verifier", Version: s.config.Version},
	}
}
