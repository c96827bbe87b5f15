package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// ask sends one request to the handler over a connection, without the client's own handling of gzip.
func ask(t *testing.T, server *httptest.Server, method, path string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

func TestConditionalRequestsAndCompression(t *testing.T) {
	s := newSite(t)
	server := httptest.NewServer(s)
	defer server.Close()
	const path = "/rules.html"
	res, whole := ask(t, server, "GET", path)
	plain := res.Header.Get("ETag")
	if res.StatusCode != 200 || len(plain) < 10 || res.Header.Get("Content-Encoding") != "" || res.Header.Get("Vary") != "Accept-Encoding" || res.Header.Get("Cache-Control") != maxAge {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	res, zipped := ask(t, server, "GET", path, "Accept-Encoding", "br;q=1, gzip;q=0.5")
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(z); err != nil || !bytes.Equal(body, whole) || len(zipped) >= len(whole) {
		t.Errorf("the compressed page is another: %v", err)
	}
	packed := res.Header.Get("ETag")
	if packed == plain || res.ContentLength != int64(len(zipped)) || res.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%v", res.Header)
	}
	for _, c := range []struct {
		method, tag, coding string
		status, bytes       int
	}{
		{"GET", plain, "", 304, 0},
		{"GET", `"other", W/` + plain, "", 304, 0},
		{"GET", "*", "", 304, 0},
		{"GET", `"other"`, "", 200, len(whole)},
		{"GET", packed, "gzip", 304, 0},
		{"GET", plain, "gzip", 200, len(zipped)},
		{"GET", "", "gzip;q=0", 200, len(whole)},
		{"GET", "", "*", 200, len(zipped)},
		{"GET", "", "*;q=0", 200, len(whole)},
		{"GET", "", "identity", 200, len(whole)},
		{"GET", "", "gzip;q=x", 200, len(whole)},
		{"HEAD", "", "", 200, 0},
		{"HEAD", plain, "", 304, 0},
	} {
		res, body := ask(t, server, c.method, path, "If-None-Match", c.tag, "Accept-Encoding", c.coding)
		if res.StatusCode != c.status || len(body) != c.bytes {
			t.Errorf("%+v: %d and %d bytes", c, res.StatusCode, len(body))
		}
	}
	if res, _ := ask(t, server, "HEAD", path); res.ContentLength != int64(len(whole)) || res.Header.Get("ETag") != plain {
		t.Errorf("HEAD says %d bytes and %s", res.ContentLength, res.Header.Get("ETag"))
	}
	if res, part := ask(t, server, "GET", "/d/checks.jsonl", "Range", "bytes=0-9"); res.StatusCode != 206 || len(part) != 10 {
		t.Errorf("a range answers %d with %d bytes", res.StatusCode, len(part))
	}
}

func TestWhatIsNotThere(t *testing.T) {
	server := httptest.NewServer(newSite(t))
	defer server.Close()
	for _, path := range []string{"/nothing", "/r/nothing", "/r/nothing.html", "/r/.html", "/.html", "/r/cycle.json", "/a/../r/cycle.html", "/%2e%2e/etc/passwd", "/r/cycle.html/", "//", "/r/<script>alert(1)</script>.html"} {
		res, body := ask(t, server, "GET", path)
		if res.StatusCode != 404 || !strings.Contains(string(body), "<h1>Nothing is published here</h1>") || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s answers %d", path, res.StatusCode)
		}
		if strings.Contains(string(body), "alert(1)") {
			t.Errorf("%s is repeated on the page", path)
		}
	}
	if res, body := ask(t, server, "HEAD", "/nothing"); res.StatusCode != 404 || len(body) > 0 {
		t.Errorf("HEAD answers %d with %d bytes", res.StatusCode, len(body))
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		if res, _ := ask(t, server, method, "/rules.html"); res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s answers %d", method, res.StatusCode)
		}
	}
}

// TestEveryPageIsFoundWithAndWithoutItsEnding follows every page under the ways that people and programs write its address.
func TestEveryPageIsFoundWithAndWithoutItsEnding(t *testing.T) {
	s := newSite(t)
	server := httptest.NewServer(s)
	defer server.Close()
	for from, to := range map[string]string{"/r": "/rules.html", "/r/": "/rules.html", "/t/": "/types.html", "/a": "/architectures.html", "/d/": "/resources.html",
		"/docs": "/docs.html", "/docs/": "/docs.html", "/index.html": "/", "/r/cycle": "/r/cycle.html", "/r/cycle/": "/r/cycle.html", "/t/conv2d": "/t/conv2d.html",
		"/a/resnet18": "/a/resnet18.html", "/docs/wire": "/docs/wire.html"} {
		res, body := ask(t, server, "GET", from)
		if res.StatusCode != 200 || !strings.Contains(string(body), `<link rel="canonical" href="`+s.url(to)+`"/>`) {
			t.Errorf("%s answers %d and is not %s", from, res.StatusCode, to)
		}
	}
	for _, path := range s.paths {
		if name, isPage := strings.CutSuffix(path, ".html"); isPage && (!s.Has(name) || s.find(name) != s.files[path]) {
			t.Errorf("%s is not found as %s", path, name)
		}
	}
}

// TestEveryHelpAddressOfAReportResolves holds the links of SARIF, JUnit and Markdown reports against what the service publishes.
func TestEveryHelpAddressOfAReportResolves(t *testing.T) {
	s := newSite(t)
	for _, r := range rules.Rules() {
		path, ours := strings.CutPrefix(report.RuleURL(r.ID), report.Site)
		if f := s.find(path); !ours || f == nil || f != s.files[rulePath(r.ID)] {
			t.Errorf("%s has its help at %s, where its page is not", r.ID, report.RuleURL(r.ID))
		}
	}
}

func TestEveryAnswerCarriesTheHeadersOfSafety(t *testing.T) {
	s := newSite(t)
	for _, path := range append(s.paths, "/nothing") {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		h := w.Header()
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
			t.Errorf("%s: %s", path, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" || h.Get("Content-Type") == "" {
			t.Errorf("%s: %v", path, h)
		}
		if strings.HasPrefix(path, "/a/") && strings.HasSuffix(path, ".svg") && !strings.Contains(policy, "style-src 'sha256-") {
			t.Errorf("%s: %s", path, policy)
		}
	}
}

func TestSitemapListsThePages(t *testing.T) {
	s := newSite(t)
	body := string(s.files["/sitemap.xml"].content().body)
	for f := range s.Files() {
		listed := strings.Contains(body, "<loc>"+base+f.Path+"</loc>")
		if wanted := f.Type == typeHTML && f.Path != notFound; listed != wanted {
			t.Errorf("%s: listed %v", f.Path, listed)
		}
	}
	if robots := string(s.files["/robots.txt"].content().body); !strings.Contains(robots, "Disallow: /p/") || !strings.Contains(robots, base+"/sitemap.xml") {
		t.Error(robots)
	}
}
