package site

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTheFirstPageIsTheAppWhereThereIsOne: it loads the app under the app's policy, and has the whole text for browsers without scripts,
// which is a page of its own beside it.
func TestTheFirstPageIsTheAppWhereThereIsOne(t *testing.T) {
	front := &Front{Head: `<script type="module" src="/app/assets/index.js"></script>`, Policy: "script-src 'self'"}
	s, err := New(Config{BaseURL: "https://www.example.org", App: "/", Front: front})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string) (http.Header, string) {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s answers %d", path, w.Code)
		}
		return w.Header(), w.Body.String()
	}
	h, body := ask("/")
	if h.Get("Content-Security-Policy") != front.Policy || h.Get("Cache-Control") != "no-cache" {
		t.Errorf("the first page has %v", h)
	}
	at := func(part string) int { return strings.Index(body, part) }
	order := []string{front.Head, "</head>", `<div id="root"></div>`, "<noscript>\n<a class=\"skip\"", "Will it run, and what will it cost?", "</noscript>\n</body>"}
	for i, part := range order {
		if at(part) < 0 || i > 0 && at(part) < at(order[i-1]) {
			t.Errorf("%q is not where it belongs", part)
		}
	}
	h, about := ask(AboutPath)
	if h.Get("Content-Security-Policy") != pagePolicy || strings.Contains(about, "<script") || strings.Contains(about, "noscript") {
		t.Errorf("the text page has %v", h)
	}
	for _, part := range []string{"<h1>Will it run, and what will it cost?</h1>", `href="https://www.example.org/about.html"`, `<a href="/about.html" aria-current="page">About</a>`} {
		if !strings.Contains(about, part) {
			t.Errorf("the text page lacks %q", part)
		}
	}
	if body := string(s.files[notFound].content().body); !strings.Contains(body, `<a href="/about.html">What Model Verifier is</a>`) {
		t.Error("the page of what is not there does not lead to the text")
	}
	if _, rules := ask("/rules.html"); strings.Contains(rules, "<script") {
		t.Error("another page loads the app")
	}
}
