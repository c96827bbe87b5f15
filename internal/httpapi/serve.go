package httpapi

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"time"
)

// maxHeaderBytes is far more than any client of ours sends.
const maxHeaderBytes = 16 << 10

// Serve answers on a listener until the context ends, then lets the requests under way finish for as long as the grace
// lasts, and closes what is left.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler:                      s,
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            s.Limits.ReadHeader,
		ReadTimeout:                  s.Limits.Read,
		WriteTimeout:                 s.Limits.Write,
		IdleTimeout:                  s.Limits.Idle,
		MaxHeaderBytes:               maxHeaderBytes,
		ErrorLog:                     log.New(serverErrors{s.Log}, "", 0),
	}
	if s.Limits.HTTP2 {
		srv.Protocols, srv.HTTP2 = new(http.Protocols), &http.HTTP2Config{MaxConcurrentStreams: s.Limits.Streams}
		srv.Protocols.SetHTTP1(true)
		srv.Protocols.SetUnencryptedHTTP2(true)
	}
	places := newPeers(l, s.Limits, s.metrics.shed)
	srv.ConnState = places.state
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(places) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.Log.Info("stopping", "underWay", s.gate.under.Load())
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Limits.Grace)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		s.Log.Warn("closed requests that did not end in time", "underWay", s.gate.under.Load())
		_ = srv.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	s.Log.Info("stopped")
	return nil
}

// The operator's own listener takes few connections: it is for a balancer, a scraper and people.
const (
	insideConnections = 64
	insideTimeout     = 10 * time.Second
)

// ServeInside answers Inside on a listener of its own until the context ends. Nothing that callers do on the other one, whose
// connections may all be in use, keeps probes from being answered here.
func (s *Server) ServeInside(ctx context.Context, l net.Listener) error {
	limits := s.Limits
	limits.Connections, limits.PerAddress = insideConnections, 0
	places := newPeers(l, limits, func(string) {})
	srv := &http.Server{Handler: s.Inside(), ReadTimeout: insideTimeout, WriteTimeout: insideTimeout, IdleTimeout: s.Limits.Idle, MaxHeaderBytes: maxHeaderBytes,
		ConnState: places.state, ErrorLog: log.New(serverErrors{s.Log}, "", 0), DisableGeneralOptionsHandler: true}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if err := srv.Serve(places); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
