// Package nodetest finds the Node.js and the browser that tests run, and the JavaScript and the programs that make test has fetched for
// them into tools/. Only tests import this package.
package nodetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Node returns a Node.js that is new enough: the one in tools/node, or else the machine's. The test skips without one, or where a
// package that it uses, such as browser/playwright-core, has not been fetched into its folder of tools.
func Node(tb testing.TB, packages ...string) string {
	tb.Helper()
	tools, err := folder()
	if err != nil {
		tb.Fatal(err)
	}
	for _, p := range packages {
		in, name, _ := strings.Cut(p, "/")
		if _, err := os.Stat(filepath.Join(tools, in, "node_modules", name)); err != nil {
			missing(tb, name+" is not installed")
		}
	}
	node, err := find(tools)
	if err != nil {
		missing(tb, err.Error())
	}
	return node
}

// Packages returns a Node.js that is new enough, for a test of the JavaScript in a folder beside tools. The test skips where packages that
// its package-lock.json names have not been fetched into it.
func Packages(tb testing.TB, dir string, packages ...string) string {
	tb.Helper()
	tools, err := folder()
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range packages {
		if _, err := os.Stat(filepath.Join(filepath.Dir(tools), dir, "node_modules", name)); err != nil {
			missing(tb, name+" is not in "+dir+"/node_modules")
		}
	}
	return Node(tb)
}

// Browser returns a Node.js that can use playwright-core, and the chromium that it drives.
func Browser(tb testing.TB) (node, chromium string) {
	tb.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		missing(tb, "chromium is not installed")
	}
	return Node(tb, "browser/playwright-core"), chromium
}

// Tool returns a program that make test has built into tools/bin. The test skips without it.
func Tool(tb testing.TB, name string) string {
	tb.Helper()
	tools, err := folder()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tools, "bin", name)
	if _, err := os.Stat(path); err != nil {
		missing(tb, name+" is not installed")
	}
	return path
}

// missing skips a test. Where CI is set the test fails: what guards main does not skip.
func missing(tb testing.TB, what string) {
	tb.Helper()
	if os.Getenv("CI") != "" {
		tb.Fatalf("%s: make test installs it", what)
	}
	tb.Skipf("%s: make test installs it where that is allowed", what)
}

// folder is tools, beside the go.mod above the package that is tested.
func folder() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "tools"), nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod is above %s", dir)
		}
	}
	return "", err
}

func find(tools string) (string, error) {
	if fetched, _ := filepath.Glob(filepath.Join(tools, "node/node_modules/node-*/bin/node")); len(fetched) > 0 {
		return fetched[0], nil
	}
	least, err := least(tools)
	if err != nil {
		return "", err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("node %d or later is not installed", least)
	}
	out, err := exec.Command(node, "--version").Output()
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	if n, bad := strconv.Atoi(major); err != nil || bad != nil || n < least {
		return "", fmt.Errorf("node %d or later is not installed, and %s is %q", least, node, strings.TrimSpace(string(out)))
	}
	return node, nil
}

// least is the oldest major version that will do, as tools/packages.sh reads it too.
func least(tools string) (int, error) {
	data, err := os.ReadFile(filepath.Join(tools, "node/package.json"))
	if err != nil {
		return 0, err
	}
	var manifest struct{ Config struct{ Least int } }
	err = json.Unmarshal(data, &manifest)
	return manifest.Config.Least, err
}

// EngineFlags are the flags of tools/wasm.sh. A test that builds with others compiles every package again.
var EngineFlags = []string{"-pgo=off", "-gcflags=all=-l", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="}

// BuildEngine builds one of the modules for the browser, verifier-wasm or verifier-files-wasm, as it is shipped.
func BuildEngine(tb testing.TB, pkg, file string) {
	tb.Helper()
	tools, err := folder()
	if err != nil {
		tb.Fatal(err)
	}
	build := exec.Command("go", append(append([]string{"build"}, EngineFlags...), "-o", file, "./cmd/"+pkg)...)
	build.Dir, build.Env = filepath.Dir(tools), append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
}

// Engine builds the engine for the browser, and serves verifier.wasm, verifier-files.wasm and wasm_exec.js.
func Engine(tb testing.TB) http.Handler {
	tb.Helper()
	dir := tb.TempDir()
	for name, pkg := range map[string]string{"verifier.wasm": "verifier-wasm", "verifier-files.wasm": "verifier-files-wasm"} {
		BuildEngine(tb, pkg, filepath.Join(dir, name))
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	loader, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "wasm_exec.js"), loader, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return http.FileServer(http.Dir(dir))
}
