package httpapi

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
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
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(limit(l, s.Limits.Connections)) }()
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

// limit holds back connections beyond a number: they wait in the kernel until one closes.
func limit(l net.Listener, most int) net.Listener {
	return &limited{Listener: l, free: make(chan struct{}, most), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	free   chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &counted{Conn: c, give: sync.OnceFunc(func() { <-l.free })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// counted is a connection that gives its place back when it closes.
type counted struct {
	net.Conn
	give func()
}

// CloseWrite lets net/http end its side first, so that a caller who is still sending can read why it was refused.
func (c *counted) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.give()
	return err
}
