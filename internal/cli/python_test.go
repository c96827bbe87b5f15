package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/pythontest"
)

// TestPythonPackage runs the tests of python/verifier with the system's Python and, where it is installed, its PyTorch. The program that
// they call is this test itself, under the name that makes it one.
func TestPythonPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("runs PyTorch")
	}
	python := systemPython(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), program)
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links")
	}
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-B", "-m", "unittest", "-v", "verifier.test_package", "verifier.test_wheel")
	cmd.Dir = filepath.Join("..", "..", "python")
	cmd.Env = append(os.Environ(), "VERIFIER_BINARY="+program, "PYTHONPATH=", "VERIFIER_URL=", "OMP_NUM_THREADS=1")
	said, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "test_a_graph_is_checked") {
		t.Errorf("%v\n%s", err, said)
	}
}

// systemPython is Debian's Python where it has PyTorch, else any.
func systemPython(t *testing.T) string {
	t.Helper()
	if pythontest.Has(pythontest.Debian, "torch") {
		return pythontest.Debian
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	return python
}
