// Package mcp is the surface for agents: a Model Context Protocol server over standard input and output, or over HTTP with a token, without
// account unless it was given a hosted service to train on. A tool decodes its arguments, calls one action and encodes; its structured
// answer is the body of the HTTP service.
//
// One file is one tool; it defines itself. No tool decides a verdict. No tool reads outside the root that the server was started
// with, and none writes but edit, which is there only where the one who started the server allowed it.
package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelverifier/verifier/internal/bench/env"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/graph"
)

// Config is how a server is started.
type Config struct {
	Root    string         // the folder that references stay inside
	File    string         // the model that is meant where none is named, and which is watched; may be empty
	Write   bool           // whether edit is served
	Remote  *client.Client // the hosted service; nil: there is none, and no connection is opened
	Bench   bool           // whether the benchmark's tasks and episodes are served
	HTTP    bool           // whether it is for Serve, whose clients come and go and are told of no change
	Version string
	Log     io.Writer // faults of our own, one line each
}

// limits are those of the HTTP service.
var limits = graph.ServiceLimits

// Server answers one client over standard input and output, or many over HTTP.
type Server struct {
	config Config
	root   *os.Root
	real   string // the root without links
	file   string // Config.File within the root, or ""
	log    *slog.Logger
	slots  chan struct{} // as many tools run at once
	watch  watcher
	pool   *env.Pool // the episodes of the benchmark
	sdk    *sdk.Server
}

// New prepares a server. An error says what is wrong with the root or the file.
func New(c Config) (*Server, error) {
	real, err := realPath(c.Root)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, root: root, real: real, log: slog.New(slog.NewTextHandler(c.Log, &slog.HandlerOptions{Level: slog.LevelError})), slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	if c.File != "" {
		s.file, err = s.locate(c.File)
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	s.watch.server, s.pool = s, env.New(env.Defaults, time.Now)
	options := &sdk.ServerOptions{Instructions: instructions, Logger: s.log, Capabilities: &sdk.ServerCapabilities{}, PageSize: 500}
	if !c.HTTP {
		options.SubscribeHandler, options.UnsubscribeHandler = s.subscribe, s.unsubscribe
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "verifier", Title: "Model Verifier", Version: c.Version}, options)
	for _, t := range tools {
		if s.serves(t) {
			s.sdk.AddTool(t.declaration(), s.handler(t))
		}
	}
	s.addResources()
	s.addPrompts()
	return s, nil
}

// serves reports whether a tool is there: some are only where who started the server asked for them.
func (s *Server) serves(t *tool) bool {
	switch {
	case t.bench:
		return s.config.Bench
	case t.remote:
		return s.config.Remote != nil
	}
	return !t.writes || s.config.Write
}

const instructions = `Says whether a neural network runs in PyTorch, what it costs, and what to fix. Call check first. A finding with "edit" is repaired by exactly that
change; make it, check again, and go on until nothing blocks. A refused model is an answer, not an error.`

// Run serves until the client goes away or the context ends.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.watch.run(ctx)
	}()
	err := s.sdk.Run(ctx, newTransport(in, out))
	stop()
	<-done
	if closed := s.root.Close(); err == nil {
		err = closed
	}
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// realPath is the path without links.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
