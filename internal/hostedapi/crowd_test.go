package hostedapi_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
)

// crowd opens connections of one client, each of which sends something and then nothing more.
func (s *service) crowd(t *testing.T, from string, many int, send string) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	for range many {
		c, err := d.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, send) // it may have been closed already
	}
}

// TestOneClientCannotLockTheOthersOut opens 1,100 connections from one address: idle ones, then ones whose bodies never come.
func TestOneClientCannotLockTheOthersOut(t *testing.T) {
	for name, send := range map[string]string{
		"idle":        "",
		"slow header": "POST /api/v1/plan HTTP/1.1\r\nHost: x\r\n",
		"slow body":   "POST /api/v1/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) { c.PlanRate = 1_000_000 })
			o := s.tenant(t, "Alpha")
			s.crowd(t, "127.0.0.1", 1100, send)
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.2")}}
			other := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
				DialContext: d.DialContext}}
			for range 5 {
				for _, path := range []string{"/healthz", "/readyz", "/api/v1/report"} {
					began := time.Now()
					resp, err := other.Get(s.url + path)
					if err != nil {
						t.Fatal(err)
					}
					_ = resp.Body.Close()
					if took := time.Since(began); resp.StatusCode != 200 || took > 3*time.Second {
						t.Errorf("%s: %d after %v", path, resp.StatusCode, took)
					}
				}
				r, err := http.NewRequest(http.MethodPost, s.url+"/api/v1/check", strings.NewReader(request("", 3)))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+o.key)
				resp, err := other.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if resp.StatusCode != 200 {
					t.Errorf("a check: %d", resp.StatusCode)
				}
			}
			for path, want := range map[string]string{"/healthz": `"ok"`, "/readyz": `"ready"`, "/metrics": "verifier_shed_total"} {
				if got := s.inside(t, path); got.status != 200 || !strings.Contains(got.body, want) {
					t.Errorf("inside, %s: %d %.100s", path, got.status, got.body)
				}
			}
		})
	}
}

// TestTheOperatorsListenerHasNothingElse also holds that what is counted of all organisations is not for callers.
func TestTheOperatorsListenerHasNothingElse(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	for _, path := range []string{"/", "/version", "/account/sign-in", "/p/aaaaaaaaaaaaaaaaaaaaaaaaaa", "/api/v1/report"} {
		if got := s.inside(t, path); got.status != 404 || !strings.Contains(got.body, "GET /healthz, /metrics, /readyz are served") {
			t.Errorf("%s: %d %.200s", path, got.status, got.body)
		}
	}
	for _, host := range []string{"x", "127.0.0.1", "localhost"} {
		if got := s.call(t, "GET", "/metrics", "", "", "Host", host); got.status != 404 || strings.Contains(got.body, "verifier_") {
			t.Error(fmt.Sprint(host, got.status, got.body))
		}
	}
}
