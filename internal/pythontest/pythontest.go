// Package pythontest finds a Python with PyTorch for tests, and keeps one that has imported it already. No program links it.
package pythontest

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Debian is the Python that Debian's packages belong to. It need not come first in PATH.
const Debian = "/usr/bin/python3"

// WithTorch is a Python that has PyTorch: the one that VERIFIER_PYTHON names, the first in PATH or Debian's. The test is skipped where there
// is none, but not what guards main.
func WithTorch(t testing.TB) string {
	t.Helper()
	python := withTorch()
	switch {
	case python != "":
	case os.Getenv("CI") != "":
		t.Fatal("make test installs PyTorch, and no python3 has it")
	default:
		t.Skip("no python3 with PyTorch: apt-get install python3-torch, or name one in VERIFIER_PYTHON")
	}
	return python
}

var withTorch = sync.OnceValue(func() string {
	for _, python := range []string{os.Getenv("VERIFIER_PYTHON"), "python3", Debian} {
		if python != "" && Has(python, "torch") {
			return python
		}
	}
	return ""
})

// Has reports whether a Python has packages. It imports none of them: PyTorch takes seconds.
func Has(python string, packages ...string) bool {
	const find = "import importlib.util, sys; sys.exit(None in map(importlib.util.find_spec, sys.argv[1:]))"
	return exec.Command(python, append([]string{"-c", find}, packages...)...).Run() == nil
}

//go:embed warm.py
var warm []byte

// Warm is a program that does what python does, in a copy of a process that has imported PyTorch: a second and a half sooner. It takes the
// options -B and -u, and then -c and code or a script. It is there until the test ends.
func Warm(t testing.TB, python string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "warm") // that of the test may have a path that is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "python3")
	if python, err = exec.LookPath(python); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, append([]byte("#!"+python+" -IS\n"), warm...), 0o755); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(python, program)
	server.Env, server.Stderr = append(os.Environ(), "WARM_SERVES=1"), os.Stderr
	in, inErr := server.StdinPipe() // whose end is the server's
	out, outErr := server.StdoutPipe()
	if err := errors.Join(inErr, outErr, server.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = server.Wait()
		_ = os.RemoveAll(folder)
	})
	if n, err := out.Read(make([]byte, 1)); n == 0 {
		t.Fatalf("the Python that has imported PyTorch did not start: %v", err)
	}
	return program
}
