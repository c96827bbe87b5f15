package truth

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/pythontest"
)

// TestSuppliedCodeComputesTheSame holds the code that exported files bring along to the libraries that it stands for, number by number.
func TestSuppliedCodeComputesTheSame(t *testing.T) {
	interpreter := pythontest.WithTorch(t)
	if !pythontest.Has(interpreter, "torchvision", "torchaudio") {
		t.Skip("no torchvision and torchaudio: apt-get install python3-torchvision python3-torchaudio")
	}
	out, err := exec.CommandContext(t.Context(), interpreter, "supplied.py", "../internal/exporter/torch/python").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("largest relative difference to the library:\n%s", out)
}

// TestLeftOutArgumentsAreDefaults asks PyTorch whether every argument that exported files leave out has that value there,
// and the classes that the catalogue writes itself.
func TestLeftOutArgumentsAreDefaults(t *testing.T) {
	var written strings.Builder
	for _, typ := range catalog.Types() {
		if strings.HasPrefix(typ.Module, "class ") { // the others are of libraries
			written.WriteString(typ.Module + "\n\n")
		}
	}
	modules := filepath.Join(t.TempDir(), "modules.py")
	if err := os.WriteFile(modules, []byte(written.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), pythontest.WithTorch(t), "defaults.py", "../internal/exporter/torch/defaults.go", modules).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
