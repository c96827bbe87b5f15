package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/nodetest"
	"github.com/modelverifier/verifier/web"
)

// app is the app with the engine for the browser, which is built, as make does, unless it is embedded already.
func app(t *testing.T) http.Handler {
	t.Helper()
	if web.HasEngine() {
		return web.Handler()
	}
	mux := http.NewServeMux()
	mux.Handle("/engine/", http.StripPrefix("/engine/", nodetest.Engine(t)))
	mux.Handle("/", web.Handler())
	return mux
}

// TestTheAppInABrowser does the main task of each page in chromium, from an empty browser and once by keyboard alone, gives the app
// bad input, asks axe about light and dark at 390 and 1440 px, and measures. APP_PICTURES names a folder that keeps the pictures.
func TestTheAppInABrowser(t *testing.T) {
	_, chromium := nodetest.Browser(t)
	node := nodetest.Packages(t, "web", "axe-core")
	server := httptest.NewServer(app(t))
	defer server.Close()
	pictures := os.Getenv("APP_PICTURES")
	if pictures == "" {
		pictures = t.TempDir()
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(node, "browser.mjs", chromium, server.URL+"/", pictures, os.Getenv("APP_TASK"))
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &errs)
	}
	var result struct {
		Faults  []string
		Figures map[string]float64
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, f := range result.Faults {
		t.Error(f)
	}
	t.Log(beside(result.Figures))
}

// bars are what the app promises on a quiet machine with two processors, in milliseconds (docs/performance.md).
var bars = []struct {
	what string
	ms   float64
}{
	{"first box after a drop of 197 components, graph", 300},
	{"first box after a drop of 197 components, config.json", 300},
	{"verdict of an edit of 497 components", 50},
	{"verdict of an edit of 1,997 components", 150},
	{"p95 frame while the folded 1,997 are panned", 33},
}

// beside writes what was measured beside its bar. A busy machine makes every figure larger, so that none of them fails the test.
func beside(figures map[string]float64) string {
	var b strings.Builder
	for _, bar := range bars {
		if ms, ok := figures[bar.what]; ok {
			word := "holds"
			if ms > bar.ms {
				word = "MISSED"
			}
			fmt.Fprintf(&b, "\n%6.0f ms, bar %3.0f ms, %-6s %s", ms, bar.ms, word, bar.what)
			delete(figures, bar.what)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		fmt.Fprintf(&b, "\n%6.0f %s", figures[name], name)
	}
	return b.String()
}

// TestTheAppIsWhatItsSourcesSay builds web/dist again and compares it with what is committed.
func TestTheAppIsWhatItsSourcesSay(t *testing.T) {
	node := nodetest.Packages(t, "web", "vite", "typescript", "@vitejs/plugin-react", "@xyflow/react", "react")
	if out, err := exec.Command(node, "node_modules/typescript/bin/tsc", "--noEmit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	if out, err := exec.Command(node, "node_modules/vite/bin/vite.js", "build", "--outDir", dir, "--emptyOutDir").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	is, want := tree(t, "dist"), tree(t, dir)
	for name, data := range want {
		if is[name] != data {
			t.Errorf("web/dist/%s is not what the sources make: run npm run build in web and commit what it writes", name)
		}
	}
	for name := range is {
		if _, ok := want[name]; !ok {
			t.Errorf("web/dist/%s is made by nothing: run npm run build in web", name)
		}
	}
}

// TestPromisesQuoteTheNotes holds the figures of the Start page to docs/truth.md and docs/accuracy.md.
func TestPromisesQuoteTheNotes(t *testing.T) {
	page, err := os.ReadFile("src/pages/start/Promises.tsx")
	if err != nil {
		t.Fatal(err)
	}
	var notes string
	for _, name := range []string{"truth", "accuracy"} {
		data, err := os.ReadFile("../docs/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		notes += string(data)
	}
	figures := regexp.MustCompile(`\d[\d,.]* of \d[\d,.]*\d|\d[\d.]* %|\b\d+ training runs`).FindAllString(string(page), -1)
	if len(figures) < 6 {
		t.Fatalf("only %q look like figures", figures)
	}
	for _, f := range figures {
		f, runs := strings.CutSuffix(f, " training runs")
		if runs {
			f = "| **drawn afterwards** | " + f
		}
		if !strings.Contains(notes, f) {
			t.Errorf("%q stands in neither note", f)
		}
	}
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
