package hostedapi_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/nodetest"
	"github.com/modelverifier/verifier/internal/site"
	"github.com/modelverifier/verifier/web"
)

// TestRunsInABrowser signs in, looks at a run that has ended and at one that waits, compares their curves, downloads
// weights and cancels, with the app as it is served, and has axe look at it; and at a shared plan with its badge.
// RUNS_PICTURES is a folder for pictures.
func TestRunsInABrowser(t *testing.T) {
	_, chromium := nodetest.Browser(t)
	node := nodetest.Packages(t, "web", "axe-core")
	published, err := site.New(site.Config{BaseURL: "http://www.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, accounttest.SQLite(t), training(t), func(c *hostedapi.Config) { c.Site, c.App = published, web.Handler() })
	o := s.tenant(t, "Alpha")
	w := s.trainer(t, "one", `"cpu":true`)
	good(t, s.call(t, "POST", "/api/v1/train", o.key, submission("")))
	w.take(t, `"cpu":true`).complete(t, "0.5")
	good(t, s.call(t, "GET", "/api/v1/train?job="+s.onlyJob(t, o), o.key, ""))
	good(t, s.call(t, "POST", "/api/v1/train", o.key, submission("")))

	shared := good(t, s.call(t, "POST", "/api/v1/plan", "", `{"share":true,"model":`+model("shared", 3)+`}`)).json(t, "share.id").(string)

	out, err := exec.Command(node, "runs.mjs", chromium, s.url, o.session, shared, os.Getenv("RUNS_PICTURES")).Output()
	var faults []string
	if err == nil {
		err = json.Unmarshal(out, &faults)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// onlyJob is the id of an organisation's one job.
func (s *service) onlyJob(t *testing.T, o tenant) string {
	t.Helper()
	var page struct {
		Jobs []struct {
			ID string `json:"job_id"`
		}
	}
	if err := json.Unmarshal([]byte(good(t, s.call(t, "GET", "/api/v1/train", o.key, "")).body), &page); err != nil || len(page.Jobs) != 1 {
		t.Fatalf("%v: %+v", err, page)
	}
	return page.Jobs[0].ID
}
