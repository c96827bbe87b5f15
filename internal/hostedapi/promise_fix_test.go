//go:build unix

package hostedapi_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/llm/llmtest"
)

// TestFixesCauseNoMoreWorkThanTheirTime holds the promise of docs/security.md for fix, which searches for as long as it is given:
// beside that time, a request and what the language model answers take no more than any other request does. The model is played by a
// server of this process, and what it and the client take is measured with the rest.
func TestFixesCauseNoMoreWorkThanTheirTime(t *testing.T) {
	const within = 100 * time.Millisecond // of reading, and of proving
	answer := []byte("{}")
	provider := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(answer) }
	s := start(t, accounttest.SQLite(t), providing(t, provider, func(c *llm.Config) { c.Attempts = 1 }), func(c *hostedapi.Config) { c.KeyRate, c.FixWithin = 1<<40, within })
	o := s.tenant(t, "Alpha")
	limits := jobs.DefaultLimits
	limits.AgentMessages = 1 << 40
	if err := s.store.Jobs().Write(t.Context(), func(tx jobs.Tx) error { return tx.PutLimits(o.org, limits) }); err != nil {
		t.Fatal(err)
	}
	statuses := map[int]int{}
	set := adversary.Set{Fixed: slices.Values(adversary.FixedFixes()), Random: adversary.RandomFix, Draws: 30, Bar: func(*adversary.Request) adversary.Cost {
		return adversary.Cost{Seconds: adversary.MaxSeconds + 2*within.Seconds(), Bytes: adversary.MaxBytes}
	}}
	set.Promise(t, wire.MaxBytes+1<<10, func(r adversary.Request) int {
		if answer = []byte(r.Answer); !r.Wire {
			answer = llmtest.Said("messages", r.Answer)
		}
		got := s.call(t, "POST", "/api/v1/fix", o.key, r.Body)
		statuses[got.status]++
		if got.status == http.StatusInternalServerError || got.status == http.StatusTooManyRequests {
			t.Errorf("%s: %d %.300s", r.Name, got.status, got.body)
		}
		return len(got.body)
	})
	t.Logf("answers by status: %v", statuses)
}
