package hostedapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/httpapi/load/drive"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// TestMain runs the tests, or is the empty handler that benchmarks compare with.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == emptyHandler {
		drive.ServeEmpty(os.Args[2])
		return
	}
	pgtest.Main(m)
}

// emptyHandler is the word that has this program be one.
const emptyHandler = "empty-handler"

// both runs a test on each database, given the address of an empty one.
func both(t *testing.T, f func(t *testing.T, database string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, accounttest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, accounttest.Postgres(t)) })
}

// service is the real server on a loopback address.
type service struct {
	url   string
	inner string // the operator's own listener
	hosts *hostedapi.Server
	store *store.Store
	log   *accounttest.Log
	clock *accounttest.Clock
	jobs  *jobs.Service // nil: none
	stop  func()        // ends it, once
}

// start serves on a database. change may alter the configuration.
func start(t *testing.T, database string, change ...func(*hostedapi.Config)) *service {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	st := accounttest.Open(t, database)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{url: "http://" + l.Addr().String(), store: st, log: &accounttest.Log{}, clock: accounttest.Running()}
	c := hostedapi.Config{
		Build: httpapi.Build{Name: "verifier-hosted", Version: "test"}, Limits: httpapi.Defaults(), Store: st, PublicURL: s.url, Hasher: accounttest.Hasher(t), Clock: s.clock.Now,
		Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&c)
	}
	s.jobs = c.Jobs
	if s.hosts, err = hostedapi.New(c); err != nil {
		t.Fatal(err)
	}
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.inner = "http://" + inside.Addr().String()
	ended, within := make(chan error, 1), make(chan error, 1)
	go func() { ended <- s.hosts.Serve(ctx, l) }()
	go func() { within <- s.hosts.ServeInside(ctx, inside) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, <-within); err != nil {
			t.Errorf("serve: %v", err)
		}
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

// tenant is an organisation with its owner and a key.
type tenant struct{ org, person, session, key, keyID string }

const password = accounttest.Password

// tenant makes an organisation.
func (s *service) tenant(t *testing.T, name string) tenant {
	t.Helper()
	org, owner, session := accounttest.Found(t, s.hosts.Accounts, name, "owner@"+strings.ToLower(name)+".example")
	o := tenant{org: org, person: owner.ID, session: session}
	o.keyID, o.key = s.newKey(t, o, "first")
	return o
}

func (s *service) newKey(t *testing.T, o tenant, name string) (id, key string) {
	t.Helper()
	k, key, err := s.hosts.Accounts.CreateKey(context.Background(), o.org, o.person, name)
	if err != nil {
		t.Fatal(err)
	}
	return k.ID, key
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// json reads a member of the body: names with dots between.
func (a answer) json(t *testing.T, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%v in %.300s", err, a.body)
	}
	for _, name := range strings.Split(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// client follows no redirect.
var client = &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// call sends a request; headers come as name, value, name, value.
func (s *service) call(t *testing.T, method, path, key, body string, headers ...string) answer {
	t.Helper()
	a, err := s.try(method, path, key, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// inside asks the operator's own listener.
func (s *service) inside(t *testing.T, path string) answer {
	t.Helper()
	at := &service{url: s.inner}
	return at.call(t, http.MethodGet, path, "", "")
}

func (s *service) try(method, path, key, body string, headers ...string) (answer, error) {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(headers); i += 2 {
		switch headers[i] {
		case "Host":
			r.Host = headers[i+1]
		case "Content-Type":
			r.Header.Set(headers[i], headers[i+1])
		default:
			r.Header.Add(headers[i], headers[i+1])
		}
	}
	resp, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(data)}, err
}

// model is a small graph whose names hold a mark, and whose width makes a structure of its own.
func model(mark string, width int) string {
	return fmt.Sprintf(`{"components":[{"id":"a%[1]s","type":"input","name":"in%[1]s","params":{"shape":[8]}},{"id":"b%[1]s","type":"linear","params":{"outFeatures":%[2]d}},{"id":"c%[1]s","type":"output"}],`+
		`"connections":[{"from":"a%[1]s","to":"b%[1]s"},{"from":"b%[1]s","to":"c%[1]s"}]}`, mark, width)
}

func request(mark string, width int) string { return `{"model":` + model(mark, width) + `}` }

// rows is a small graph that the tabular dataset fits.
func rows() string {
	return `{"components":[{"id":"x","type":"input","params":{"shape":[30]}},{"id":"fc","type":"linear","params":{"inFeatures":30,"outFeatures":2}},{"id":"y","type":"output"}],` +
		`"connections":[{"from":"x","to":"fc"},{"from":"fc","to":"y"}]}`
}
