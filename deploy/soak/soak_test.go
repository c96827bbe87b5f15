//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// service is what a load may meet: one that keeps everything, or one that lies in one way.
type service struct {
	sync.Mutex
	lie      string
	known    []*known
	plans    map[string]*known
	outcomes map[string]string
	owners   map[string]string // of plans
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	body, _ := io.ReadAll(r.Body)
	path := strings.TrimPrefix(r.URL.Path, "/api/v1/")
	who := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case s.lie == "away":
		w.WriteHeader(http.StatusServiceUnavailable)
	case path == "history" && r.Method == http.MethodPost:
		fingerprint := strings.Split(string(body), `"`)[3]
		if s.lie != "forgets" {
			s.outcomes[who+fingerprint] = string(body)
		}
		fmt.Fprint(w, `{"ledger":"written"}`)
	case path == "history":
		s.history(w, who, r.URL.Query().Get("fingerprint"))
	case strings.HasPrefix(path, "plans/"):
		id := strings.TrimPrefix(path, "plans/")
		if s.owners[id] != who && s.lie != "lets others remove" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		delete(s.plans, id)
	case strings.HasPrefix(r.URL.Path, "/p/"):
		k := s.plans[strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/p/"), ".json")]
		if k == nil || s.lie == "loses plans" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Write(k.want[present])
	default:
		s.act(w, path, string(body), r.Host, who)
	}
}

func (s *service) history(w io.Writer, who, fingerprint string) {
	row := s.outcomes[who+fingerprint]
	if s.lie == "shows others" {
		for key, other := range s.outcomes {
			if strings.HasSuffix(key, fingerprint) {
				row = other
			}
		}
	}
	if row != "" {
		row = "{" + row[strings.Index(row, `"metric"`):]
	}
	fmt.Fprintf(w, `{"fingerprint":%q,"rows":[%s]}`, fingerprint, row)
}

func (s *service) act(w http.ResponseWriter, action, body, host, who string) {
	shared := strings.HasPrefix(body, `{"share":true,`)
	body = strings.Replace(body, `"share":true,`, "", 1)
	for _, k := range s.known {
		if k.action != action || string(k.body) != body {
			continue
		}
		answer := string(k.want[present])
		if s.lie == "errs" {
			answer = strings.Replace(answer, "1", "2", 1)
		}
		if shared {
			id := fmt.Sprint("plan", len(s.owners))
			s.plans[id], s.owners[id] = k, who
			answer = answer[:len(answer)-1] + fmt.Sprintf(`,"share":{"id":%q,"url":"http://%s/p/%s"}}`, id, host, id)
		}
		w.WriteHeader(k.status)
		fmt.Fprintln(w, answer)
		return
	}
	w.WriteHeader(http.StatusInternalServerError)
}

// TestTheLoadNoticesEveryLie runs the callers against a service that is right, and against one that is wrong in one way.
func TestTheLoadNoticesEveryLie(t *testing.T) {
	all, err := knowledge("../..")
	if err != nil || len(all) < 50 {
		t.Fatal(len(all), err)
	}
	for lie, says := range map[string]string{"": "", "errs": "", "away": "", "forgets": "acknowledged as", "loses plans": "plan plan", "shows others": "somebody else reads outcome",
		"lets others remove": "somebody else removed plan"} {
		t.Run(lie, func(t *testing.T) {
			s := httptest.NewServer(&service{lie: lie, known: all, plans: map[string]*known{}, outcomes: map[string]string{}, owners: map[string]string{}})
			defer s.Close()
			l := newLoad(s.URL, (&net.Dialer{}).DialContext, all, 1)
			l.tenants = []*tenant{{name: "a", key: "a"}, {name: "b", key: "b"}}
			l.trainer = &tenant{name: "c", key: "c"}
			for i := range 40 {
				who := l.tenants[i%2]
				l.act(t.Context(), who)
				if l.share(t.Context(), who); lie != "away" {
					l.tell(t.Context(), who)
				}
				l.look(t.Context())
				l.spy(t.Context())
			}
			wrong := strings.Join(l.wrong, "\n")
			switch {
			case lie == "" && (wrong != "" || len(l.failures) > 0):
				t.Errorf("%s\n%v", wrong, l.failures)
			case lie == "away" && (wrong != "" || len(l.failures) < 40):
				t.Errorf("%s, %d failures", wrong, len(l.failures))
			case lie != "" && lie != "away" && (wrong == "" || !strings.Contains(wrong, says)):
				t.Errorf("nothing is noticed but %q", wrong)
			}
		})
	}
}

// TestABoundThatIsNotHeldFailsTheRun has a fault behind which requests fail for too long, and one that must not fail any.
func TestABoundThatIsNotHeldFailsTheRun(t *testing.T) {
	l := newLoad("", nil, nil, 1)
	s := &soak{load: l, rows: map[string]*row{}, print: func(string, ...any) {}}
	at := func(after time.Duration, k kind) {
		l.failures = append(l.failures, failure{time.Now().Add(-quiet).Add(after), k, "x"})
	}
	for _, c := range []struct {
		fault fault
		fails []time.Duration
		bad   int
	}{
		{fault{name: "a", bound: time.Second}, nil, 0},
		{fault{name: "b", bound: time.Second}, []time.Duration{-time.Minute}, 0},
		{fault{name: "c", bound: 10 * time.Millisecond}, []time.Duration{50 * time.Millisecond}, 1},
		{fault{name: "d", bound: time.Second, spares: []kind{acting}}, []time.Duration{5 * time.Millisecond}, 1},
		{fault{name: "e", bound: time.Second, spares: []kind{telling}}, []time.Duration{5 * time.Millisecond}, 0},
		{fault{name: "f", all: true, bound: time.Second}, []time.Duration{5 * time.Millisecond}, 1},
	} {
		s.bad = nil
		c.fault.run = func(context.Context, *soak) (time.Time, error) {
			began := time.Now()
			for _, after := range c.fails {
				at(after+quiet, acting)
			}
			return began, nil
		}
		if err := s.inflict(t.Context(), &c.fault); err != nil || len(s.bad) != c.bad {
			t.Errorf("%s: %v %q", c.fault.name, err, s.bad)
		}
	}
	if text := s.table(); !strings.Contains(text, "worst recovery") {
		t.Error(text)
	}
}

// TestEveryFaultIsDefined finds each by a word of each.
func TestEveryFaultIsDefined(t *testing.T) {
	var names []string
	for _, f := range append(slices.Clone(faults), upgrade) {
		names = append(names, f.name)
		if f.run == nil || !f.all && f.bound == 0 {
			t.Errorf("%s has no bound", f.name)
		}
	}
	for _, word := range []string{"kill -9", "rolling restart", "upgrade", "failover", "partition", "slow disk", "full disk", "clock", "S3 away", "wrong configuration"} {
		if !strings.Contains(strings.Join(names, "\n"), word) {
			t.Errorf("no fault is called %s: %q", word, names)
		}
	}
}

// TestTheNetworkStandsAndFalls builds it, where that is allowed, and sees that nothing stays.
func TestTheNetworkStandsAndFalls(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("namespaces are made as root")
	}
	base := t.TempDir()
	ethernet, err := newHost("switch", "", base)
	if err != nil {
		t.Skip(err)
	}
	a, errA := newHost("a", "10.77.1.1", base)
	b, errB := newHost("b", "10.77.1.2", base)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if err := plug(ethernet, a, b); err != nil {
		t.Skip(err) // a kernel without bridges
	}
	var l net.Listener
	if err := b.on(func() (err error) { l, err = net.Listen("tcp", "10.77.1.2:80"); return err }); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	reach := func() bool {
		c, err := a.dial(t.Context(), "tcp", "10.77.1.2:80")
		if err == nil {
			c.Close()
		}
		return err == nil
	}
	if !reach() {
		t.Fatal("hosts do not reach each other")
	}
	for name, pair := range map[string][2]func() error{"cut": {func() error { return b.cut(a) }, func() error { return b.mend(a) }},
		"unplugged": {func() error { return b.unplug(ethernet) }, func() error { return b.replug(ethernet) }}} {
		if err := pair[0](); err != nil {
			t.Fatal(err)
		}
		if reach() {
			t.Errorf("%s, and it is reached", name)
		}
		if err := pair[1](); err != nil {
			t.Fatal(err)
		}
		if err := wait(5*time.Second, name, func() error {
			if !reach() {
				return fmt.Errorf("it is not reached again")
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	p, err := a.start(nil, nil, "sleep", "600")
	if err != nil {
		t.Fatal(err)
	}
	a.end()
	b.end()
	ethernet.end()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
		t.Error("a process outlives its host")
		_ = p.stop(9, time.Second)
	}
}
