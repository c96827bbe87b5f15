package truth

import (
	"os/exec"
	"testing"
)

// TestSuppliedCodeComputesTheSame holds the code that exported files bring along to the libraries that it stands for, number by number.
func TestSuppliedCodeComputesTheSame(t *testing.T) {
	interpreter := python(t)
	if exec.Command(interpreter, "-c", "import torchvision, torchaudio").Run() != nil {
		t.Skip("no torchvision and torchaudio: apt-get install python3-torchvision python3-torchaudio")
	}
	out, err := exec.CommandContext(t.Context(), interpreter, "supplied.py", "../internal/exporter/torch/python").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("largest relative difference to the library:\n%s", out)
}

// TestLeftOutArgumentsAreDefaults asks PyTorch whether every argument that exported files leave out has that value there.
func TestLeftOutArgumentsAreDefaults(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), python(t), "defaults.py", "../internal/exporter/torch/defaults.go").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
