package telemetry

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

func TestTelemetryIsOffUnlessBothVariablesAreSet(t *testing.T) {
	const to = "https://counts.example/v1"
	for _, c := range []struct {
		on, url, mode string
		bad           bool
	}{
		{"", "", "off", false},
		{"on", "", "off", false},
		{"", to, "off", false},
		{"off", to, "off", false},
		{"0", to, "off", false},
		{"on", to, "on", false},
		{"1", to, "on", false},
		{"TRUE", "http://10.0.0.1:9", "on", false},
		{"maybe", to, "off", true},
		{"on", "counts.example", "off", true},
		{"on", "ftp://counts.example", "off", true},
		{"on", "https://me:secret@counts.example", "off", true},
		{"on", "http://[", "off", true},
	} {
		cfg, err := FromEnv(env(EnvSwitch, c.on, EnvURL, c.url))
		if cfg.Mode() != c.mode || (err != nil) != c.bad {
			t.Errorf("%q, %q: mode %s, error %v", c.on, c.url, cfg.Mode(), err)
		}
	}
}

func TestRunReturnsAtOnceWhereTelemetryIsOff(t *testing.T) {
	c := New("1")
	c.Add("lint", Tally{})
	c.Run(t.Context(), Config{}, time.Nanosecond, func(error) { t.Error("something was sent") })
}

// receiver is a real server that keeps what it was sent and answers with a status.
func receiver(t *testing.T, status func() int) (Config, chan string) {
	bodies := make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		w.WriteHeader(status())
	}))
	t.Cleanup(s.Close)
	return Config{URL: s.URL}, bodies
}

func TestASendContainsExactlyWhatThePreviewShows(t *testing.T) {
	cfg, bodies := receiver(t, func() int { return 204 })
	c := New("1.2.3")
	c.Add("check", Tally{Verdicts: []string{"block"}, Rules: []string{"cycle", "cycle"}})
	c.Add("lint", Tally{Verdicts: []string{"pass"}})
	preview := string(c.Unsent())
	const want = `{"version":"1.2.3","requests":{"check":1,"lint":1},"verdicts":{"check":{"block":1},"lint":{"pass":1}},"rules":{"cycle":2}}`
	if preview != want {
		t.Fatalf("the preview is %s", preview)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the last send, at shutdown
	c.Run(ctx, cfg, time.Hour, func(err error) { t.Error(err) })
	if got := <-bodies; got != preview {
		t.Errorf("sent %s\nwant %s", got, preview)
	}
	if got := string(c.Unsent()); got != `{"version":"1.2.3","requests":{},"verdicts":{},"rules":{}}` {
		t.Errorf("after the send: %s", got)
	}
	if n := c.Total().Rules["cycle"]; n != 2 {
		t.Errorf("the total of a rule is %d after a send", n)
	}
}

func TestNothingIsSentWhereNothingWasCounted(t *testing.T) {
	cfg, bodies := receiver(t, func() int { return 204 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	New("1").Run(ctx, cfg, time.Hour, func(err error) { t.Error(err) })
	if len(bodies) != 0 {
		t.Errorf("sent %s", <-bodies)
	}
}

func TestAFailedSendIsCountedAgainWithTheNext(t *testing.T) {
	status := 500
	cfg, bodies := receiver(t, func() int { return status })
	c, client := New("1"), newClient()
	defer client.CloseIdleConnections()
	c.Add("plan", Tally{})
	if err := c.send(t.Context(), client, cfg); err == nil {
		t.Fatal("a refused send is taken for a delivered one")
	}
	first := <-bodies
	status = 200
	if err := c.send(t.Context(), client, cfg); err != nil {
		t.Fatal(err)
	}
	if second := <-bodies; second != first {
		t.Errorf("the second send is %s, the first was %s", second, first)
	}
	status = 307
	c.Add("plan", Tally{})
	if err := c.send(t.Context(), client, cfg); err == nil {
		t.Error("a redirect is taken for delivery")
	}
}

func TestRunSendsEveryInterval(t *testing.T) {
	cfg, bodies := receiver(t, func() int { return 200 })
	c := New("1")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Run(ctx, cfg, time.Millisecond, func(err error) { t.Error(err) })
	}()
	for range 2 {
		c.Add("rank", Tally{})
		<-bodies
	}
	cancel()
	<-ended
}
