package hostedapi_test

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// eventually waits until something is so.
func eventually(t *testing.T, what string, within time.Duration, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, within)
		}
	}
}

// TestADatabaseThatGoesAwayGives503AndComesBack never calls a key wrong meanwhile, and loses no row of the corpus.
func TestADatabaseThatGoesAwayGives503AndComesBack(t *testing.T) {
	pg := pgtest.Start(t)
	database := pg.Database(t)
	s := start(t, database)
	o := s.tenant(t, "Alpha")
	if got := s.call(t, "POST", "/api/v1/check", o.key, request("", 3)); got.status != 200 {
		t.Fatal(got.body)
	}
	for round, stop := range []func(){pg.Stop, pg.Kill} {
		stop()
		s.clock.Pass(2 * time.Second) // what is remembered of keys is too old
		for _, c := range []struct{ method, path, key, body string }{
			{"POST", "/api/v1/check", o.key, request("", 3)}, {"POST", "/api/v1/lint", o.key, request("", 3)}, {"POST", "/api/v1/plan", o.key, request("", 3)},
			{"GET", "/api/v1/history?fingerprint=0123abcd", o.key, ""}, {"POST", "/api/v1/history", o.key, `{"fingerprint":"0123abcd","metric":"m","value":1}`},
			{"POST", "/api/v1/check", wrongKey, request("", 3)}, {"GET", "/p/aaaaaaaaaaaaaaaaaaaaaaaaaa", "", ""}, {"GET", "/readyz", "", ""},
			{"POST", "/api/v1/plan", "", request("", 3)},
		} {
			if got := s.call(t, c.method, c.path, c.key, c.body); got.status != 503 || got.header.Get("Retry-After") == "" || got.json(t, "code") != "unavailable" {
				t.Errorf("round %d: %s %s: %d %s", round, c.method, c.path, got.status, got.body)
			}
		}
		if got := s.call(t, "GET", "/healthz", "", ""); got.status != 200 {
			t.Errorf("alive: %d", got.status)
		}
		if err := pg.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "ready again", 15*time.Second, func() bool { return s.call(t, "GET", "/readyz", "", "").status == 200 })
		eventually(t, "checks again", 15*time.Second, func() bool { return s.call(t, "POST", "/api/v1/check", o.key, request("", 4+round)).status == 200 })
		if got := s.call(t, "POST", "/api/v1/plan", "", request("", 3)); got.status != 200 {
			t.Errorf("a plan: %d %s", got.status, got.body)
		}
	}
	if strings.Contains(s.log.String(), `"status":401`) {
		t.Error("a key was called wrong")
	}
}

// TestAStopLetsRequestsFinish holds a request open while the service stops.
func TestAStopLetsRequestsFinish(t *testing.T) {
	s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) { c.Drain = 300 * time.Millisecond })
	o := s.tenant(t, "Alpha")
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := request("", 3)
	head := "POST /api/v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nAuthorization: Bearer " + o.key + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	if _, err := io.WriteString(conn, head+body[:20]); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { s.stop(); close(ended) }()
	eventually(t, "not ready", 30*time.Second, func() bool {
		got, err := s.try(http.MethodGet, "/readyz", "", "")
		return err == nil && got.status == 503 && strings.Contains(got.body, "stopping")
	})
	select {
	case <-ended:
		t.Fatal("it ended with a request under way")
	case <-time.After(500 * time.Millisecond): // the listener is closed by now
	}
	if _, err := io.WriteString(conn, body[20:]); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 200") {
		t.Errorf("%v %.200s", err, all)
	}
	<-ended
}

// TestAFrozenDatabaseGives503InTime stops PostgreSQL where it stands, while many callers keep calling.
func TestAFrozenDatabaseGives503InTime(t *testing.T) {
	pg := pgtest.Start(t)
	s := start(t, pg.Database(t), func(c *hostedapi.Config) { c.Peers = 1000 })
	o := s.tenant(t, "Alpha")
	if got := s.call(t, "POST", "/api/v1/check", o.key, request("", 3)); got.status != 200 {
		t.Fatal(got.body)
	}
	pg.Freeze(t)
	defer pg.Thaw(t)
	s.clock.Pass(2 * time.Minute) // what is remembered of keys and limits is too old
	calls := []struct{ method, path, key, body string }{
		{"POST", "/api/v1/check", o.key, request("", 3)}, {"POST", "/api/v1/plan", o.key, request("", 3)}, {"POST", "/api/v1/plan", "", request("", 3)},
		{"GET", "/api/v1/history?fingerprint=0123abcd", o.key, ""}, {"GET", "/p/aaaaaaaaaaaaaaaaaaaaaaaaaa", "", ""}, {"GET", "/api/v1/report", "", ""},
		{"GET", "/readyz", "", ""}, {"DELETE", "/api/v1/plans/aaaaaaaaaaaaaaaaaaaaaaaaaa", o.key, ""},
	}
	type end struct {
		what string
		answer
		err  error
		took time.Duration
	}
	const each = 20
	ends := make(chan end)
	for _, c := range calls {
		for range each {
			go func() {
				began := time.Now()
				got, err := s.try(c.method, c.path, c.key, c.body)
				ends <- end{c.method + " " + c.path, got, err, time.Since(began)}
			}()
		}
	}
	began := time.Now()
	if got := s.call(t, "GET", "/healthz", "", ""); got.status != 200 || time.Since(began) > time.Second {
		t.Errorf("alive: %d after %v", got.status, time.Since(began))
	}
	var longest time.Duration
	for range each * len(calls) {
		e := <-ends
		longest = max(longest, e.took)
		if e.err != nil || e.status != 503 {
			t.Errorf("%s: %v %d %s after %v", e.what, e.err, e.status, e.body, e.took)
		}
	}
	if longest > 10*time.Second {
		t.Errorf("the longest took %v", longest)
	}
	t.Logf("%d calls, the longest took %v", each*len(calls), longest)
	pg.Thaw(t)
	eventually(t, "checks again", 15*time.Second, func() bool { return s.call(t, "POST", "/api/v1/check", o.key, request("", 4)).status == 200 })
}
