package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/modelverifier/verifier/internal/httpapi"
)

// network splits an address: unix:PATH is a socket in the file system, anything else TCP.
func network(addr string) (kind, at string) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return "unix", path
	}
	return "tcp", addr
}

// listen opens the address. A socket that a killed process left behind, at which nobody listens, is replaced.
func listen(addr string) (net.Listener, error) {
	kind, at := network(addr)
	l, err := net.Listen(kind, at)
	if kind == "unix" && errors.Is(err, syscall.EADDRINUSE) && removeAbandoned(at) {
		l, err = net.Listen(kind, at)
	}
	if err != nil {
		return nil, &httpapi.AddressError{Addr: addr, Err: err}
	}
	return l, nil
}

// removeAbandoned removes a socket at which nobody listens, and says whether it did.
func removeAbandoned(socket string) bool {
	c, err := net.Dial("unix", socket)
	if err == nil {
		_ = c.Close()
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED) && os.Remove(socket) == nil
}

// askHealth is the container's health check: an image made from nothing has no curl.
func askHealth(ctx context.Context, addr string) error {
	kind, at := network(addr)
	if kind == "tcp" {
		host, port, err := net.SplitHostPort(at)
		if err != nil {
			return err
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			host = "localhost"
		}
		at = net.JoinHostPort(host, port)
	}
	client := &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, kind, at)
		},
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/healthz", http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("/healthz answers %d", resp.StatusCode)
	}
	return nil
}
