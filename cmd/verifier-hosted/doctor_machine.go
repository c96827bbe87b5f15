package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// examineConfig looks at options that are legal each and unwise together.
func examineConfig(_ context.Context, d *doctor) []finding {
	h := &d.hosted
	out := []finding{fine("the options are understood; the version is %s", version)}
	open := !isLoopback(d.addr)
	public, err := url.Parse(h.PublicURL)
	switch {
	case h.PublicURL == "" && open:
		out = append(out, warn("set --public-url to the https address that people use", "--addr %s is open to others and --public-url is not set: links lead to this machine", d.addr))
	case h.PublicURL != "" && (err != nil || public.Host == "" || public.Path != "" || public.Scheme != "http" && public.Scheme != "https"):
		out = append(out, fail("give a scheme and a host alone, such as https://www.example.org", "--public-url is no such address"))
	case h.PublicURL != "" && public.Scheme != "https" && !isLoopback(public.Host):
		out = append(out, warn("let a proxy end TLS, and name the https address", "--public-url has no TLS: cookies and keys can be read on the way"))
	}
	if d.internal == "" {
		out = append(out, warn("set --internal-addr, such as 127.0.0.1:9090, and have Prometheus scrape it", "--internal-addr is not set: there is no /metrics, and probes share the callers' connections"))
	} else if host, _, err := net.SplitHostPort(d.internal); err == nil && (host == "" || host == "0.0.0.0" || host == "::") {
		out = append(out, warn("bind it to an address that only Prometheus and the balancer reach", "--internal-addr %s is open on every interface", d.internal))
	}
	if open && d.data != "" {
		out = append(out, warn("set --database-url where there is to be more than one replica", "the embedded database is for one process"))
	}
	return out
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// examineAddress sees whether the addresses can be listened on, or are this service's already.
func examineAddress(ctx context.Context, d *doctor) (out []finding) {
	for _, option := range []struct{ flag, addr string }{{"--addr", d.addr}, {"--internal-addr", d.internal}} {
		if option.addr == "" {
			continue
		}
		l, err := net.Listen("tcp", option.addr)
		switch {
		case err == nil:
			_ = l.Close()
			out = append(out, fine("%s %s is free", option.flag, option.addr))
		case errors.Is(err, syscall.EADDRINUSE) && healthy(ctx, option.addr):
			out = append(out, fine("%s %s is in use, and a service answers /healthz there", option.flag, option.addr))
		case errors.Is(err, syscall.EADDRINUSE):
			out = append(out, fail("end that program or choose another address", "%s %s is in use by another program", option.flag, option.addr))
		default:
			out = append(out, fail("choose an address of this machine, and a port that its user may open", "%s: %v", option.flag, err))
		}
	}
	return out
}

// healthy asks whoever listens on an address.
func healthy(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK && resp.Header.Get("X-Request-Id") != ""
}

// examinePermissions sees that nobody else reads what is secret.
func examinePermissions(_ context.Context, d *doctor) (out []finding) {
	secrets := map[string]string{}
	if d.data != "" {
		secrets[d.data] = "chmod 700"
		for _, name := range []string{"verifier.db", "verifier.db-wal", "verifier.db-shm"} {
			secrets[filepath.Join(d.data, name)] = "chmod 600"
		}
	}
	for _, path := range d.secretFiles {
		secrets[path] = "chmod 600"
	}
	wrong, seen := 0, 0
	for _, path := range sortedKeys(secrets) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) && (path == d.data || filepath.Dir(path) == d.data) {
			continue // serve makes it
		}
		seen++
		switch {
		case err != nil:
			out = append(out, fail("name a file that this user can read", "%v", err))
		case info.Mode().Perm()&0o077 != 0:
			out = append(out, fail(fmt.Sprintf("%s %s", secrets[path], path), "%s is open to other users (%v), and holds secrets", path, info.Mode().Perm()))
		default:
			continue
		}
		wrong++
	}
	if wrong == 0 {
		out = append(out, fine("what is secret is open to its owner alone (%d looked at)", seen))
	}
	return out
}
