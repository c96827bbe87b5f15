// Package vscode_test tests the extension of VS Code with the real language server, outside of the editor: make test-vscode has that.
package vscode_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/nodetest"
)

// TestTheExtension compiles the extension and runs its own tests: which program is started and what is said where it cannot be, and the
// protocol with the real server.
func TestTheExtension(t *testing.T) {
	node := nodetest.Packages(t, "editors/vscode", "typescript", "esbuild", "vscode-languageclient")
	server := filepath.Join(t.TempDir(), "verifier")
	run(t, "go", "build", "-o", server, "../../cmd/verifier")
	run(t, node, "node_modules/typescript/bin/tsc")
	built := t.TempDir()
	run(t, node, "build.mjs", built)
	t.Setenv("VERIFIER", server)
	tests, err := filepath.Glob(filepath.Join(built, "test", "*.test.js"))
	if err != nil || len(tests) == 0 {
		t.Fatalf("no test was built: %v", err)
	}
	t.Log(run(t, node, append([]string{"--test"}, tests...)...))
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestItIsTheVersionOfTheRelease compares the manifest with the file VERSION, which may name a build before the release.
func TestItIsTheVersionOfTheRelease(t *testing.T) {
	data, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	release, err := os.ReadFile("../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(string(release))
	if numbers := strings.SplitN(want, ".", 4); len(numbers) == 4 {
		want = strings.Join(numbers[:3], ".")
	}
	if manifest.Version != want {
		t.Errorf("package.json has version %q, and VERSION %q", manifest.Version, release)
	}
}

// TestNoLockNamesARegistry looks for addresses of packages in the locks: whoever installs chooses where from.
func TestNoLockNamesARegistry(t *testing.T) {
	for _, lock := range []string{"package-lock.json", "../../tools/vscode/package-lock.json"} {
		data, err := os.ReadFile(lock)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), `"resolved"`) {
			t.Errorf("%s has resolved addresses: npm install --omit-lockfile-registry-resolved leaves them out", lock)
		}
	}
}
