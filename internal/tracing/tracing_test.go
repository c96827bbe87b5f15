package tracing

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestNothingIsTracedUnlessAnEndpointIsNamed(t *testing.T) {
	const to = "http://127.0.0.1:4318"
	for _, c := range []struct {
		getenv  func(string) string
		on, bad bool
	}{
		{env(), false, false},
		{env(envEndpoint, to), true, false},
		{env(envTracesEndpoint, to+"/v1/traces"), true, false},
		{env(envEndpoint, to, envDisabled, "true"), false, false},
		{env(envEndpoint, to, envExporter, "none"), false, false},
		{env(envEndpoint, to, envExporter, "otlp", envProtocol, protocol), true, false},
		{env(envEndpoint, to, envExporter, "zipkin"), false, true},
		{env(envEndpoint, to, envProtocol, "grpc"), false, true},
		{env(envEndpoint, to, envTracesProtocol, "http/json"), false, true},
		{env(envExporter, "otlp"), false, false},
	} {
		if on, err := On(c.getenv); on != c.on || (err != nil) != c.bad {
			t.Errorf("%v, error %v", on, err)
		}
	}
	if tracer, err := Start(t.Context(), env(), "verifier-hosted", "1", nil); tracer != nil || err != nil {
		t.Errorf("%v %v", tracer, err)
	}
	if err := (*Tracer)(nil).Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestACollectorThatIsAwayIsToldWithoutItsAddress has spans refused.
func TestACollectorThatIsAwayIsToldWithoutItsAddress(t *testing.T) {
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer away.Close()
	t.Setenv(envEndpoint, away.URL)
	var told []error
	tracer, err := Start(t.Context(), os.Getenv, "verifier-hosted", "1", func(err error) { told = append(told, err) })
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	_, span := tracer.Begin(r, "id", false)
	span.Part("work")()
	span.End(http.MethodPost, "check", http.StatusOK)
	err = tracer.Close(context.WithoutCancel(t.Context()))
	if len(told) == 0 && err == nil {
		t.Error("nobody was told")
	}
	for _, e := range told {
		if e != ErrSend {
			t.Errorf("said %v", e)
		}
	}
}
