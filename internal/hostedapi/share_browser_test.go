package hostedapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/nodetest"
	"github.com/modelverifier/verifier/internal/site"
	"github.com/modelverifier/verifier/web"
)

// appWithEngine is the app with the engine for the browser, which is built where it is not embedded.
func appWithEngine(t *testing.T) http.Handler {
	t.Helper()
	if web.HasEngine() {
		return web.Handler()
	}
	mux := http.NewServeMux()
	mux.Handle("/engine/", http.StripPrefix("/engine/", nodetest.Engine(t)))
	mux.Handle("/", web.Handler())
	return mux
}

// TestSharesFromTheAppInABrowser mends the broken example on the first page of the service, shares its plan without an account, opens
// the shared page and its badge, and removes both; axe looks at the shared page and at an address that has none. SHARE_PICTURES is a
// folder for pictures.
func TestSharesFromTheAppInABrowser(t *testing.T) {
	_, chromium := nodetest.Browser(t)
	node := nodetest.Packages(t, "web", "axe-core")
	app := appWithEngine(t)
	s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) {
		published, err := site.New(site.Config{BaseURL: c.PublicURL, App: "/", Front: &site.Front{Head: web.Head(hostedapi.AppPath), Policy: web.Policy}})
		if err != nil {
			t.Fatal(err)
		}
		c.Site, c.App = published, app
	})
	out, err := exec.Command(node, "share.mjs", chromium, s.url, os.Getenv("SHARE_PICTURES")).Output()
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
