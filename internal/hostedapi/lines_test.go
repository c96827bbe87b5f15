package hostedapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hostedapi"
)

// TestEveryLineIsACallOfItsOwn holds that a request of many lines is answered as its lines are alone, and counted by the line.
func TestEveryLineIsACallOfItsOwn(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database, func(c *hostedapi.Config) { c.KeyRate = 12 })
		o := s.tenant(t, "Acme")
		const model = `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"l","type":"linear","params":{"inFeatures":8,"outFeatures":2}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"l"},{"from":"l","to":"o"}]}}`
		alone := s.call(t, "POST", "/api/v1/check", o.key, model)
		refused := s.call(t, "POST", "/api/v1/check", o.key, `{"model":7}`)
		want := alone.body + refused.body + alone.body
		got := s.call(t, "POST", "/api/v1/check", o.key, model+"\n"+`{"model":7}`+"\n"+model, "Content-Type", "application/x-ndjson")
		if got.status != http.StatusOK || got.body != want || got.header.Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("%d %s\n%s\nalone\n%s", got.status, got.header.Get("Content-Type"), got.body, want)
		}
		if left := s.call(t, "POST", "/api/v1/check", o.key, model).header.Get("Ratelimit-Remaining"); left != "6" { // of 12: two, three and this
			t.Errorf("%s calls are left", left)
		}
		if bare := s.call(t, "POST", "/api/v1/check", "", model+"\n"+model, "Content-Type", "application/x-ndjson"); bare.status != http.StatusUnauthorized || strings.Count(bare.body, "\n") != 1 {
			t.Errorf("without a key: %d %s", bare.status, bare.body)
		}
		if none := s.call(t, "POST", "/api/v1/history", o.key, model, "Content-Type", "application/x-ndjson"); none.status != http.StatusUnsupportedMediaType {
			t.Errorf("of a route that takes none: %d %s", none.status, none.body)
		}
	})
}
