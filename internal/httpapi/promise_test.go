//go:build unix

package httpapi

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
)

// discard is a response that nobody reads.
type discard struct {
	header http.Header
	sent   int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { d.sent += len(b); return len(b), nil }

// TestSmallRequestsCauseSmallWork holds the promise of docs/security.md: 200 ms of processor time and 100 MB for any request of up to
// 8 MiB, whatever is in it, and an answer that is no larger than its limit.
func TestSmallRequestsCauseSmallWork(t *testing.T) {
	s := New(testConfig(io.Discard))
	adversary.Requests(60).Promise(t, wire.MaxBytes+1<<10, func(r adversary.Request) int {
		req, err := http.NewRequest("POST", "/v1/"+r.Action, strings.NewReader(r.Body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		w := &discard{header: http.Header{}}
		s.ServeHTTP(w, req)
		return w.sent
	})
}
