package hostedapi_test

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
)

func proxies(t *testing.T, list string) hostedapi.Proxies {
	t.Helper()
	p, err := hostedapi.ParseProxies(list)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlansWithoutAKeyAreLimitedByAddress also shows whose word about an address is taken.
func TestPlansWithoutAKeyAreLimitedByAddress(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, func(c *hostedapi.Config) { c.Proxies = proxies(t, "127.0.0.1, 10.0.0.0/8") })
		plan := func(from string) answer {
			return s.call(t, "POST", "/api/v1/plan", "", request("", 3), "X-Forwarded-For", from)
		}
		for i := range 60 {
			got := plan("203.0.113.7")
			if got.status != 200 || got.header.Get("RateLimit-Limit") != "60" || got.header.Get("RateLimit-Remaining") != strconv.Itoa(59-i) {
				t.Fatalf("call %d: %d %v", i, got.status, got.header)
			}
		}
		got := plan("203.0.113.7")
		retry, _ := strconv.Atoi(got.header.Get("Retry-After"))
		if got.status != 429 || retry < 3500 || retry > 3600 || got.header.Get("RateLimit-Reset") != got.header.Get("Retry-After") || got.json(t, "code") != "rate-limited" || got.json(t, "limit") != 60.0 {
			t.Errorf("call 61: %d %v %s", got.status, got.header, got.body)
		}
		for from, want := range map[string]int{
			"203.0.113.8":                        200, // another address
			"203.0.113.7, 10.1.2.3":              429, // through a second proxy of ours
			"198.51.100.1, 203.0.113.7":          429, // the caller's own word
			"203.0.113.7, 198.51.100.2":          200, // somebody's proxy, which is not trusted
			"garbage, 203.0.113.7":               429,
			"::ffff:203.0.113.7":                 429, // the same address in other clothes
			"203.0.113.7:1234":                   429,
			"198.51.100.3, garbage, 10.1.2.3":    200, // a proxy of ours wrote the end: that proxy's own address counts
			"2001:db8:1:2::1":                    200,
			"198.51.100.9, [2001:db8:1:2::2]:80": 200,
		} {
			if got := plan(from); got.status != want {
				t.Errorf("from %s: %d, want %d", from, got.status, want)
			}
		}
		o := s.tenant(t, "Alpha")
		if got := s.call(t, "POST", "/api/v1/plan", o.key, request("", 3), "X-Forwarded-For", "203.0.113.7"); got.status != 200 || got.header.Get("RateLimit-Limit") != "600" {
			t.Errorf("with a key: %d %v", got.status, got.header)
		}
		s.clock.Pass(time.Hour + time.Second)
		if got := plan("203.0.113.7"); got.status != 200 {
			t.Errorf("an hour later: %d", got.status)
		}
	})
}

func TestIPv6IsCountedByItsNetwork(t *testing.T) {
	s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) { c.PlanRate, c.Proxies = 3, proxies(t, "127.0.0.0/8") })
	for i := range 4 {
		from := fmt.Sprintf("2001:db8:0:1:%x::%x", i, i+7)
		if got := s.call(t, "POST", "/api/v1/plan", "", request("", 3), "X-Forwarded-For", from); (got.status == 200) != (i < 3) {
			t.Errorf("%s: %d", from, got.status)
		}
	}
	if got := s.call(t, "POST", "/api/v1/plan", "", request("", 3), "X-Forwarded-For", "2001:db8:0:2::7"); got.status != 200 {
		t.Errorf("another network: %d", got.status)
	}
}

func TestNobodyIsBelievedWhoIsNotTrusted(t *testing.T) {
	s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) { c.PlanRate = 2 })
	for i := range 3 {
		if got := s.call(t, "POST", "/api/v1/plan", "", request("", 3), "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i)); (got.status == 200) != (i < 2) {
			t.Errorf("call %d: %d", i, got.status)
		}
	}
}

func TestEachKeyHasItsLimit(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, func(c *hostedapi.Config) { c.KeyRate = 40 })
		o := s.tenant(t, "Alpha")
		_, second := s.newKey(t, o, "second")
		var allowed atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 10 {
					got, err := s.try("POST", "/api/v1/lint", o.key, request("", 3))
					if err != nil {
						t.Error(err)
					}
					if got.status == 200 {
						allowed.Add(1)
					} else if got.status != 429 || got.header.Get("Retry-After") == "" {
						t.Errorf("status %d %v", got.status, got.header)
					}
				}
			})
		}
		all.Wait()
		if n := allowed.Load(); n != 40 {
			t.Errorf("%d of 80 calls were let through, want 40", n)
		}
		for _, path := range []string{"/api/v1/history?fingerprint=0123abcd", "/api/v1/train?job=1"} {
			if got := s.call(t, "GET", path, o.key, ""); got.status != 429 {
				t.Errorf("%s: %d", path, got.status)
			}
		}
		if got := s.call(t, "POST", "/api/v1/lint", second, request("", 3)); got.status != 200 {
			t.Errorf("another key: %d", got.status)
		}
		s.clock.Pass(time.Minute + time.Second)
		if got := s.call(t, "POST", "/api/v1/lint", o.key, request("", 3)); got.status != 200 || got.header.Get("RateLimit-Remaining") != "39" {
			t.Errorf("a minute later: %d %v", got.status, got.header)
		}
	})
}
