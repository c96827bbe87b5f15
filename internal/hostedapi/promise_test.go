//go:build unix

package hostedapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
	"github.com/modelverifier/verifier/internal/share"
)

// TestSmallRequestsCauseSmallWork holds the promise of docs/security.md for the service: each costly request is sent as a plan that is
// shared, without a key, and its page, its picture and its answer for programs are asked for. What the store and the client take is
// measured with it.
func TestSmallRequestsCauseSmallWork(t *testing.T) {
	s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) {
		c.PlanRate, c.ShareRate = 1<<30, 1<<40
		c.Share = share.Limits{PlanBytes: 8 << 20, TotalBytes: 1 << 40, Lasts: time.Hour} // the work is measured, not the room
	})
	get := func(path string) int {
		resp, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		n, _ := io.Copy(io.Discard, resp.Body)
		return int(n)
	}
	name, id, shown := "", "", 0 // of the plan that was shared last
	var forms []adversary.Send
	for _, form := range []string{"", ".svg", ".json"} {
		forms = append(forms, func(r adversary.Request) int {
			if name != r.Name {
				name, id = r.Name, keep(t, s, r.Body)
			}
			if id == "" {
				return 0 // refused
			}
			shown++
			return get("/p/" + id + form)
		})
	}
	set := adversary.Requests(10)
	set.Sent = func(r *adversary.Request) bool { return r.Action == "plan" }
	set.Promise(t, wire.MaxBytes+1<<10, forms...)
	if shown < 100 {
		t.Errorf("only %d plans were shown", shown)
	}
}

// keep shares a plan and returns its id, empty where it is refused.
func keep(t *testing.T, s *service, body string) string {
	t.Helper()
	if !strings.Contains(body, `"share":true`) {
		body = `{"share":true,` + body[1:]
	}
	var out struct{ Share struct{ ID string } }
	if err := json.Unmarshal([]byte(s.call(t, "POST", "/api/v1/plan", "", body).body), &out); err != nil {
		t.Fatal(err)
	}
	return out.Share.ID
}
