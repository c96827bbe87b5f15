package store

import (
	"context"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// several is the address of a database on several servers; each is host and port.
func several(t *testing.T, address string, before, behind []string) string {
	t.Helper()
	u, err := url.Parse(address)
	ok(t, err)
	q := u.Query()
	list := append(append(before[:len(before):len(before)], q.Get("host")+" 5432"), behind...)
	var names, ports []string
	for _, one := range list {
		name, port, _ := strings.Cut(one, " ")
		names, ports = append(names, name), append(ports, port)
	}
	q.Set("host", strings.Join(names, ","))
	q.Set("port", strings.Join(ports, ","))
	q.Set("target_session_attrs", "read-write")
	u.RawQuery = q.Encode()
	return u.String()
}

// silent is a server that takes connections and never says anything, as one behind a cable that was cut.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	t.Cleanup(func() { l.Close() })
	host, port, err := net.SplitHostPort(l.Addr().String())
	ok(t, err)
	return host + " " + port
}

// TestASilentServerDoesNotHideTheOneBehindIt has a caller with one second, as the breaker lets through: the attempt behind one that ran out of
// time begins with the other server.
func TestASilentServerDoesNotHideTheOneBehindIt(t *testing.T) {
	s, err := openPostgres(several(t, pgtest.New(t), []string{silent(t)}, nil))
	ok(t, err)
	defer s.Close()
	try := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), probeMost)
		defer cancel()
		return s.write.PingContext(ctx)
	}
	if err := try(); err == nil {
		t.Fatal("the first attempt did not meet the silent server")
	}
	ok(t, try())
	began := time.Now()
	for range 5 { // new connections know where the primary is
		s.write.SetMaxIdleConns(0)
		ok(t, try())
	}
	if took := time.Since(began); took > probeMost {
		t.Errorf("five connections took %v", took)
	}
}

// TestAServerThatFallsSilentIsLeft freezes the server that all connections lead to, and has another take over.
func TestAServerThatFallsSilentIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	old, promoted := pgtest.Start(t), pgtest.Start(t)
	address := old.Database(t)
	name := promoted.Database(t)
	u, err := url.Parse(name)
	ok(t, err)
	s := open(t, several(t, address, nil, []string{u.Query().Get("host") + " 5432"}))
	held := make(chan struct{})
	for range connections { // a pool that is full
		go func() {
			_, _ = s.reading(t.Context()).exec("SELECT pg_sleep(0.2)")
			held <- struct{}{}
		}()
	}
	for range connections {
		<-held
	}
	if n := s.write.Stats().OpenConnections; n < connections/2 {
		t.Fatalf("only %d connections are open", n)
	}
	old.Freeze(t)
	defer old.Thaw(t)
	began := time.Now()
	for {
		if _, err := s.reading(t.Context()).exec("SELECT 1"); err == nil {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the other server is not found")
		}
		time.Sleep(20 * time.Millisecond)
	}
	// Three calls of 5 s that are not answered, one after the other; then idle connections are closed, and two attempts follow.
	if took := time.Since(began); took > 3*callMost+5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestEachServerOfAnAddressIsTried(t *testing.T) {
	for address, want := range map[string][]string{
		"postgres://u@a/d":                            {"a"},
		"postgres://u@a,b:2,c/d":                      {"a", "b", "c"},
		"postgres://u@a,b/d?sslmode=prefer":           {"a", "b"},
		"postgres://u@a,b/d?sslmode=disable":          {"a", "b"},
		"postgres:///d?host=/x,/y&user=u":             {"/x", "/y"},
		"postgres://u@a:1,a:2/d?sslmode=allow":        {"a", "a"},
		"postgres://u@a,b/d?target_session_attrs=any": {"a", "b"},
	} {
		config, err := pgx.ParseConfig(address)
		ok(t, err)
		var got []string
		for _, c := range apart(config) {
			got = append(got, c.Host)
			for _, f := range c.Fallbacks {
				if f.Host != c.Host || f.Port != c.Port {
					t.Errorf("%s: %s:%d is tried with %s:%d", address, f.Host, f.Port, c.Host, c.Port)
				}
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v", address, got)
		}
	}
}
