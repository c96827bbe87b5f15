package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, name string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, name, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestEveryFileIsServedWithItsTypeAndAPolicy(t *testing.T) {
	for name := range assets() {
		answer := get(t, "/"+name)
		h := answer.Header
		if answer.StatusCode != 200 || h.Get("Content-Type") == "" || h.Get("ETag") == "" || h.Get("Content-Security-Policy") != Policy {
			t.Errorf("%s: %d %v", name, answer.StatusCode, h)
		}
		if strings.HasSuffix(name, ".wasm") && h.Get("Content-Type") != "application/wasm" {
			t.Errorf("%s is %s", name, h.Get("Content-Type"))
		}
		if again := get(t, "/"+name, "If-None-Match", h.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: asked again, %d", name, again.StatusCode)
		}
		if hashed := path.Dir(name) == "assets"; hashed != strings.Contains(h.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %s", name, h.Get("Cache-Control"))
		}
	}
}

func TestWhatIsCompressedIsTheSame(t *testing.T) {
	for name := range assets() {
		plain, _ := io.ReadAll(get(t, "/"+name).Body)
		answer := get(t, "/"+name, "Accept-Encoding", "br;q=0, gzip")
		if answer.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("%s is sent as %q", name, answer.Header.Get("Content-Encoding"))
		}
		z, err := gzip.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if zipped, err := io.ReadAll(z); err != nil || string(zipped) != string(plain) {
			t.Errorf("%s: %d bytes compressed, %d plain, %v", name, len(zipped), len(plain), err)
		}
	}
	if HasEngine() {
		if answer := get(t, "/engine/verifier.wasm", "Accept-Encoding", "gzip, deflate, br, zstd"); answer.Header.Get("Content-Encoding") != "br" {
			t.Errorf("the engine is sent as %q", answer.Header.Get("Content-Encoding"))
		}
	}
}

// TestPagesHaveNoInlineCode: the policy would not let it run.
func TestPagesHaveNoInlineCode(t *testing.T) {
	body, _ := io.ReadAll(get(t, "/").Body)
	inline := regexp.MustCompile(`(?i)<script(\s+[^>]*)?>\s*[^<\s]|\son[a-z]+=|<style|javascript:`)
	if found := inline.Find(body); found != nil {
		t.Errorf("index.html has %q", found)
	}
	if elsewhere := regexp.MustCompile(`(src|href)="(https?:)?//`).Find(body); elsewhere != nil {
		t.Errorf("index.html loads from elsewhere: %q", elsewhere)
	}
}

// TestAnotherPageCanBeTheApp: what its head needs is served, and neither inline nor relative.
func TestAnotherPageCanBeTheApp(t *testing.T) {
	found := regexp.MustCompile(`(?:src|href)="/app(/[^"]+)"`).FindAllStringSubmatch(Head("/app/"), -1)
	ends := ""
	for _, f := range found {
		ends += path.Ext(f[1])
		if !Has(f[1]) {
			t.Errorf("%s is not served", f[1])
		}
	}
	if ends != ".js.css" || strings.Contains(Head("/app/"), `"./`) {
		t.Errorf("the head is %s", Head("/app/"))
	}
}

func TestRefusesWhatIsNotThere(t *testing.T) {
	for _, name := range []string{"/none", "/engine/", "/engine/README.md", "/../web.go", "/assets/", "/engine/verifier.wasm.br"} {
		if answer := get(t, name); answer.StatusCode != http.StatusNotFound || answer.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s answers %d", name, answer.StatusCode)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("POST answers %d", w.Code)
	}
}
