package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/hostedapi/pages"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/site"
	"github.com/modelverifier/verifier/web"
)

// serve answers requests until the context ends. It listens first: where another program has the address, nothing is made.
func serve(ctx context.Context, p *program, _ []string) (err error) {
	l, inside, err := p.listen()
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	s, err := p.ready(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	executable, _ := os.Executable() // where it is not known, /version leaves its digest out
	h := p.hosted
	h.Build = httpapi.Build{Name: "verifier-hosted", Version: version, Commit: commit, Executable: executable}
	h.Limits = p.limits()
	h.Store, h.Log, h.Clock = s, p.log, clock
	if h.PublicURL == "" {
		h.PublicURL = local(l.Addr())
	}
	t, err := p.training(ctx, s, h.PublicURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.objects.Close()) }()
	beside, closing, err := p.backends(t.Service, l.Addr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closing()) }()
	h.Jobs, h.Weights = t.Service, t.objects.Handler()
	h.App = web.Handler()
	if h.Site, err = site.New(p.site(h.PublicURL)); err != nil {
		return err
	}
	endTraces, err := p.traces(ctx, &h)
	if err != nil {
		return err
	}
	defer endTraces()
	server, err := hostedapi.New(h)
	if err != nil {
		return err
	}
	if err := p.greet(ctx, server, h.PublicURL); err != nil {
		return err
	}
	port := 0
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		port = a.Port
	}
	defer t.begin(ctx, s, p.log)()
	p.log.Info("listening", "port", port, "version", version, "database", s.Kind())
	if inside != nil {
		// It answers until the very end: while requests under way are let finish, too.
		probes, stop := context.WithCancel(context.WithoutCancel(ctx))
		ended := make(chan error, 1)
		go func() { ended <- server.ServeInside(probes, inside) }()
		defer func() { stop(); err = errors.Join(err, <-ended) }()
	}
	return accompanied(ctx, beside, func(ctx context.Context) error { return server.Serve(ctx, l) })
}

// limits are the container's, with what the options say; Go gets the processor that they ask for.
func (p *program) limits() httpapi.Limits {
	l := httpapi.Defaults()
	l.HTTP2 = p.http2
	if p.workers > 0 {
		l.Workers = p.workers
	}
	l.SpareProcessor()
	return l
}

// listen opens the addresses; inside is nil where there is none. Who started the program with make is told make's word for it.
func (p *program) listen() (l, inside net.Listener, err error) {
	if l, err = net.Listen("tcp", p.addr); err != nil {
		address := &httpapi.AddressError{Addr: p.addr, Err: err}
		return nil, nil, usageError{fmt.Errorf("%w, or make run RUN_ADDR=%s", address, address.Instead())}
	}
	if p.internal == "" {
		return l, nil, nil
	}
	if inside, err = net.Listen("tcp", p.internal); err != nil {
		_ = l.Close()
		return nil, nil, usageError{fmt.Errorf("--internal-addr: cannot listen on %s: %w", p.internal, err)}
	}
	return l, inside, nil
}

// site is what is published beside the catalogues.
func (p *program) site(url string) site.Config {
	return site.Config{BaseURL: url, Version: version, App: "/", Front: &site.Front{Head: web.Head(hostedapi.AppPath), Policy: web.Policy},
		Settings: pages.SettingsPath, OpenAPI: hostedapi.Document(url, version), Schema: attest.SchemaJSON()}
}

// local is how a browser on this machine reaches an address.
func local(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return "http://localhost"
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// greet says where to look, and how to begin where nobody has an account. The link goes to the terminal and not into the log.
func (p *program) greet(ctx context.Context, s *hostedapi.Server, url string) error {
	link, err := s.Accounts.FirstAdmin(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "\nModel Verifier is at %s\n", url)
	if link != "" {
		fmt.Fprintf(p.stdout, "\nNobody has an account yet. Make the first one here; the link works once, within 24 hours:\n\n  %s\n", pages.StartURL(url, link))
	}
	fmt.Fprint(p.stdout, "\nCtrl-C stops it.\n\n")
	return nil
}
