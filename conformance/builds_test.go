package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/nodetest"
)

type line struct {
	Action string `json:"action"`
	Body   string `json:"body"`
}

type lineAnswer struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

// compareLines has a program answer every case, and compares with the answers of this process.
func compareLines(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cases := load(t)
	var in, out, stderr bytes.Buffer
	e := json.NewEncoder(&in)
	for _, c := range cases {
		if err := e.Encode(line{c.Action, string(bodyOf(t, c))}); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v %s", cmd.Args, err, stderr.String())
	}
	d := json.NewDecoder(bufio.NewReader(&out))
	for _, c := range cases {
		var got lineAnswer
		if err := d.Decode(&got); err != nil {
			t.Fatalf("%s: %v %s", c.Name, err, stderr.String())
		}
		status, want := answer(t, c)
		if got.Status != status || got.Body != string(want) {
			t.Errorf("%s: %d %.300s, want %d %.300s", c.Name, got.Status, got.Body, status, want)
		}
	}
	if d.More() {
		t.Error("more answers than cases")
	}
	t.Logf("%d cases, equal bytes unless said above", len(cases))
}

// build runs go build for another machine.
func build(t *testing.T, environment []string, args ...string) {
	t.Helper()
	buildIn(t, "", environment, args...)
}

// buildIn builds in another folder.
func buildIn(t *testing.T, dir string, environment []string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-buildvcs=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), append([]string{"CGO_ENABLED=0"}, environment...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v %s", cmd.Args, err, out)
	}
}

func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("not run with -short: it builds everything for another machine")
	}
}

func TestWebAssemblyAnswersTheSameBytes(t *testing.T) {
	skipShort(t)
	node := nodetest.Node(t)
	module := filepath.Join(t.TempDir(), "verifier.wasm")
	nodetest.BuildEngine(t, "verifier-wasm", module)
	compareLines(t, exec.Command(node, "../cmd/verifier-wasm/node.mjs", filepath.Join(goroot(t), "lib/wasm/wasm_exec.js"), module))
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Levels of amd64 differ in whether the compiler may use a fused multiply-add, which rounds once where two operations round
// twice; arm64 always may.
func TestEveryProcessorAnswersTheSameBytes(t *testing.T) {
	skipShort(t)
	for _, m := range []struct{ name, arch, level string }{{"amd64-v1", "amd64", "v1"}, {"amd64-v3", "amd64", "v3"}, {"arm64", "arm64", ""}} {
		t.Run(m.name, func(t *testing.T) {
			binary := filepath.Join(t.TempDir(), "lines")
			build(t, []string{"GOOS=linux", "GOARCH=" + m.arch, "GOAMD64=" + m.level}, "-o", binary, "./lines")
			cmd := exec.Command(binary)
			if m.arch != runtime.GOARCH {
				qemu := "qemu-" + map[string]string{"arm64": "aarch64", "amd64": "x86_64"}[m.arch]
				emulator := find(qemu+"-static", qemu)
				if emulator == "" {
					t.Skip("built, but not run: qemu-user-static is not installed")
				}
				cmd = exec.Command(emulator, binary)
			}
			if m.level == "v3" && !hasLevel3(t) {
				t.Skip("built, but not run: this processor is not of level v3")
			}
			compareLines(t, cmd)
		})
	}
}

func hasLevel3(t *testing.T) bool {
	t.Helper()
	info, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && strings.Contains(string(info), " avx2 ") && strings.Contains(string(info), " fma ")
}
