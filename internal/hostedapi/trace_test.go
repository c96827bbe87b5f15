package hostedapi_test

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/tracing"
)

// collected is a real receiver of OTLP over HTTP.
type collected struct {
	mu    sync.Mutex
	spans []*spans.Span
	text  string // of all that came
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := &collector.ExportTraceServiceRequest{}
	if err == nil {
		err = proto.Unmarshal(body, request)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text += request.String()
	for _, resource := range request.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// traced starts a service that is followed; the function that it returns ends it and gives what was collected.
func traced(t *testing.T, database string, change ...func(*hostedapi.Config)) (*service, func() *collected) {
	t.Helper()
	c := &collected{}
	receiver := httptest.NewServer(c)
	t.Cleanup(receiver.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	tracer, err := tracing.Start(t.Context(), os.Getenv, "verifier-hosted", "test", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, database, append(change, func(h *hostedapi.Config) { h.Trace = tracer.Begin })...)
	return s, func() *collected {
		s.stop()
		if err := tracer.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		return c
	}
}

func (c *collected) named(name string) *spans.Span {
	for _, s := range c.spans {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// TestARequestIsFollowedIntoTheDatabase looks at a plan with a key: the request is the root, and what it waited for lies below it.
func TestARequestIsFollowedIntoTheDatabase(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s, ended := traced(t, database)
		o := s.tenant(t, "Alpha")
		const mark = "zqxmark7"
		got := s.call(t, http.MethodPost, "/api/v1/plan?q="+mark, o.key, request(mark, 3), "User-Agent", mark, "Traceparent", "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")
		if got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
		id := got.header.Get("X-Request-Id")
		c := ended()
		root := c.named("POST plan")
		if root == nil {
			t.Fatalf("no span of the request in %s", c.text)
		}
		if hex.EncodeToString(root.TraceId) == "0123456789abcdef0123456789abcdef" {
			t.Error("a stranger said which trace this is")
		}
		if !strings.Contains(root.String(), id) {
			t.Errorf("the request id %s is not in %v", id, root)
		}
		for _, part := range []string{"read", "wait", "work", "SELECT"} {
			found := false
			for _, span := range c.spans {
				found = found || span.Name == part && string(span.TraceId) == string(root.TraceId)
			}
			if !found {
				t.Errorf("%s is not a part of the trace", part)
			}
		}
		if strings.Contains(c.text, mark) || strings.Contains(c.text, o.key) || strings.Contains(c.text, "127.0.0.1") {
			t.Errorf("the caller's words, key or address are in %s", c.text)
		}
		if !strings.Contains(s.log.String(), `"trace":"`+hex.EncodeToString(root.TraceId)+`"`) {
			t.Error("the log does not name the trace")
		}
	})
}

// TestATrustedProxyNamesTheTrace has the connection come from a proxy of ours.
func TestATrustedProxyNamesTheTrace(t *testing.T) {
	proxies, err := hostedapi.ParseProxies("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	s, ended := traced(t, accounttest.SQLite(t), func(c *hostedapi.Config) { c.Proxies = proxies })
	s.call(t, http.MethodGet, "/healthz", "", "", "Traceparent", "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")
	root := ended().named("GET healthz")
	if root == nil || hex.EncodeToString(root.TraceId) != "0123456789abcdef0123456789abcdef" || hex.EncodeToString(root.ParentSpanId) != "0123456789abcdef" {
		t.Errorf("the trace is %v", root)
	}
}
