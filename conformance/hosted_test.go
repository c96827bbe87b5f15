package conformance

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi"
)

// hosted runs the service on an embedded database, with a key.
func hosted(t *testing.T) (s *httptest.Server, key string) {
	t.Helper()
	h, err := hostedapi.New(hostedapi.Config{
		Build: httpapi.Build{Name: "verifier-hosted", Version: "test"}, Limits: httpapi.Defaults(), Store: accounttest.Open(t, accounttest.SQLite(t)), PublicURL: "http://localhost", KeyRate: 1_000_000, PlanRate: 1_000_000,
		Hasher: accounttest.Hasher(t), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	org, owner, _ := accounttest.Found(t, h.Accounts, "Alpha", "owner@alpha.example")
	if _, key, err = h.Accounts.CreateKey(t.Context(), org, owner.ID, "test"); err != nil {
		t.Fatal(err)
	}
	s = httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s, key
}

// TestTheServiceAnswersTheSameBytes runs every case under a key, and plans without one too.
func TestTheServiceAnswersTheSameBytes(t *testing.T) {
	s, key := hosted(t)
	for _, c := range load(t) {
		body := bodyOf(t, c)
		for _, with := range []string{key, ""} {
			if with == "" && c.Action != "plan" {
				continue
			}
			resp, got := askWith(t, s, http.MethodPost, "/api/v1/"+c.Action, "application/json", with, body)
			got = bytes.TrimSuffix(got, []byte("\n"))
			if resp.StatusCode != c.Status || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: status %d, %s, want %d: %.300s", c.Name, resp.StatusCode, resp.Header.Get("Content-Type"), c.Status, got)
				continue
			}
			if bytes.Contains(got, []byte(`"share":{"id"`)) { // asked for, and an addition
				continue
			}
			for _, d := range c.Match(got) {
				t.Errorf("%s: %s", c.Name, d)
			}
			if _, want := answer(t, c); !bytes.Equal(got, want) && !tooLarge(got) {
				t.Errorf("%s: %.300s, the action says %.300s", c.Name, got, want)
			}
		}
	}
}
