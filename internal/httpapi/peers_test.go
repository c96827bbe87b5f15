package httpapi

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// from opens a connection from one of this machine's own addresses, and sends something.
func (s *running) from(address, send string) net.Conn {
	s.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	c, err := d.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, send); err != nil {
		s.t.Fatal(err)
	}
	return c
}

const probe = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

// alive wants an answer on a connection of an address.
func (s *running) alive(address string) net.Conn {
	s.t.Helper()
	c := s.from(address, probe)
	if r, text := readResponse(s.t, c); r.StatusCode != 200 {
		s.t.Errorf("%s gets %d %s", address, r.StatusCode, text)
	}
	return c
}

// TestIdleConnectionsKeepNobodyOut opens more connections than there is room for, which then do nothing.
func TestIdleConnectionsKeepNobodyOut(t *testing.T) {
	for name, send := range map[string]string{"nothing was sent": "", "a request was answered": probe, "half a header": "GET /heal"} {
		t.Run(name, func(t *testing.T) {
			s := start(t, func(c *Config) { c.Limits.Connections, c.Limits.ReadHeader = 8, time.Minute })
			for range 30 {
				c := s.from("127.0.0.1", send)
				if send == probe {
					readResponse(t, c)
				}
			}
			for range 3 {
				s.alive("127.0.0.2")
				s.alive("127.0.0.1")
			}
		})
	}
}

// TestTheConnectionThatIsIdleForLongestIsClosed also holds that it is one of the address that has the most.
func TestTheConnectionThatIsIdleForLongestIsClosed(t *testing.T) {
	l := newPeers(nil, Limits{Connections: 4, PerAddress: 3}, func(string) {})
	join := func(address string) *peer {
		c, _ := net.Pipe()
		t.Cleanup(func() { c.Close() })
		p := &peer{Conn: c, list: l, from: netip.MustParseAddr(address), idle: true, at: time.Now()}
		if in, err := l.admit(p); !in || err != nil {
			t.Fatalf("%s is not let in: %v", address, err)
		}
		return p
	}
	other, first, second, third := join("127.0.0.2"), join("127.0.0.1"), join("127.0.0.1"), join("127.0.0.1")
	l.state(first, http.StateActive)
	l.state(first, http.StateIdle) // now second is the idlest
	join("127.0.0.3")
	if first.gone || !second.gone || third.gone || other.gone {
		t.Error("another one than the idlest of the address with the most was closed")
	}
}

// TestOneAddressCannotTakeEveryPlace has an address whose connections are all under way.
func TestOneAddressCannotTakeEveryPlace(t *testing.T) {
	s := start(t, func(c *Config) {
		c.Limits.Connections, c.Limits.PerAddress = 12, 4
		c.Limits.Shared = func(a netip.Addr) bool { return a == netip.MustParseAddr("127.0.0.9") }
	})
	for i := range 4 {
		s.from("127.0.0.1", head(100)+"{")
		waitFor(t, "a request", func() bool { return s.gate.under.Load() == int64(i+1) })
	}
	if data, _ := io.ReadAll(s.from("127.0.0.1", "")); len(data) > 0 {
		t.Errorf("one too many got %q", data)
	}
	s.alive("127.0.0.2")
	for i := range 6 { // a proxy has many callers
		s.from("127.0.0.9", head(100)+"{")
		waitFor(t, "a request", func() bool { return s.gate.under.Load() == int64(i+5) })
	}
	if _, m := readResponse(t, s.from("127.0.0.2", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")); !strings.Contains(m, `verifier_shed_total{reason="address"} 1`) {
		t.Errorf("metrics: %s", m)
	}
}

func TestIPv6IsCountedByItsPrefix(t *testing.T) {
	l := newPeers(nil, Limits{PerAddress: 1}, nil)
	at := func(a string) netip.Addr { return l.address(&spoken{at: a}) }
	if at("[2001:db8::1]:5") != at("[2001:db8::ffff:1]:6") || at("[2001:db8:0:1::1]:5") == at("[2001:db8::1]:5") || at("[::ffff:192.0.2.1]:5") != at("192.0.2.1:7") || at("@").IsValid() {
		t.Error("a /64 is one address, and a mapped one is the IPv4 address")
	}
}

type spoken struct {
	net.Conn
	at string
}

func (s *spoken) RemoteAddr() net.Addr { return s }
func (s *spoken) Network() string      { return "tcp" }
func (s *spoken) String() string       { return s.at }

// TestABodyMustArriveAtALeastRate sends a few bytes now and then, long before the body as a whole would be late.
func TestABodyMustArriveAtALeastRate(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.BodyRate, c.Limits.BodyWait = 10_000, 200*time.Millisecond })
	c := s.raw(head(100_000) + "{")
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for range 200 {
			if _, err := io.WriteString(c, " "); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	began := time.Now()
	if r, text := readResponse(t, c); r.StatusCode != 408 || !strings.Contains(text, `"code":"timeout"`) {
		t.Errorf("%d %s", r.StatusCode, text)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("it was given up after %v", took)
	}
	c.Close()
	<-stop
	s.nothingHeld()
	// Twice the rate is enough, however long it takes: 50,000 bytes in 2.5 s. A busy machine may stop us for the first two of them.
	s = start(t, func(c *Config) { c.Limits.BodyRate, c.Limits.BodyWait = 10_000, 2*time.Second })
	body := small + strings.Repeat(" ", 50_000-len(small))
	slow := s.raw(head(len(body)))
	for i := range 50 {
		if _, err := io.WriteString(slow, body[i*1000:(i+1)*1000]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if r, text := readResponse(t, slow); r.StatusCode != 200 {
		t.Errorf("a body at twice the rate: %d %s", r.StatusCode, text)
	}
}

// TestAnAnswerMayTakeLongerThanItsBodyWaits holds that the deadline of a body ends with the body.
func TestAnAnswerMayTakeLongerThanItsBodyWaits(t *testing.T) {
	a, running, release := blocking()
	s := start(t, func(c *Config) {
		c.Actions, c.Limits.BodyRate, c.Limits.BodyWait, c.Limits.Wait = []Action{a}, 1000, 50*time.Millisecond, 10*time.Second
		c.Limits.Workers = 1
	})
	first := s.raw(head(2) + "{}")
	<-running
	second := s.raw(head(2) + "{}") // waits for the worker, and is forgotten where its caller seems to have left
	waitFor(t, "a queue", func() bool { return s.gate.under.Load() == 2 })
	time.Sleep(200 * time.Millisecond)
	release()
	for i, c := range []net.Conn{first, second} {
		if r, text := readResponse(t, c); r.StatusCode != 200 {
			t.Errorf("request %d: %d %s", i, r.StatusCode, text)
		}
	}
}

// TestTheOperatorsListenerAnswersWhenThePublicOneIsFull is for probes, which must not find a busy process dead.
func TestTheOperatorsListenerAnswersWhenThePublicOneIsFull(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.Connections = 2 })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.ServeInside(t.Context(), l) }()
	for range 2 {
		s.raw(head(100) + "{")
	}
	waitFor(t, "all places", func() bool { return s.gate.under.Load() == 2 })
	inside := running{Server: s.Server, addr: l.Addr().String(), t: t}
	for path, status := range map[string]int{"/healthz": 200, "/metrics": 200, "/v1/lint": 404, "/version": 404} {
		c := inside.raw(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path))
		if r, text := readResponse(t, c); r.StatusCode != status {
			t.Errorf("%s: %d %.200s", path, r.StatusCode, text)
		}
	}
}
