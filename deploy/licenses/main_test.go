package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryLinkedModuleIsNamed builds the container's program and looks for each of its modules.
func TestEveryLinkedModuleIsNamed(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "verifier-server")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/verifier-server").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out := filepath.Join(dir, "licenses.txt")
	if err := run(out, []string{program}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(listed)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "dep" {
			continue
		}
		n++
		if heading := "==== " + fields[1] + "@" + fields[2] + ": "; !bytes.Contains(text, []byte(heading)) {
			t.Errorf("there is no %q", heading)
		}
	}
	if n == 0 {
		t.Error("the program has no modules: nothing was tested")
	}
	if !bytes.Contains(text, []byte("The Go Authors")) {
		t.Error("Go's own licence is missing")
	}
}

func TestAModuleWithoutTermsIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "license.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := add(new(bytes.Buffer), "example.org/m@v1.0.0", dir); err == nil || !strings.Contains(err.Error(), "example.org/m@v1.0.0 has no licence text") {
		t.Errorf("the error is %v", err)
	}
}

func TestWhatIsNoProgramIsAnError(t *testing.T) {
	for _, programs := range [][]string{nil, {"main.go"}, {"missing"}} {
		if _, err := modules(programs); err == nil {
			t.Errorf("%q has modules", programs)
		}
	}
}
