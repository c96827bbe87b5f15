package torch

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// calls are those of testdata/calls.txt, with what PyTorch 1.13 and 2.15 did.
func calls(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// arguments makes those of a call from their kinds.
func arguments(positional, named string) *interp.Args {
	value := func(kind byte) interp.Value {
		tensor := func() *Tensor { return &Tensor{shape: []int64{2, 3}, batch: -1} }
		return map[byte]interp.Value{'T': tensor(), 'L': interp.NewTuple(tensor(), tensor()), 'i': int64(1), 'I': interp.NewTuple(int64(1), int64(2)),
			'f': 0.5, 'b': true, 's': "a", 'n': nil}[kind]
	}
	a := &interp.Args{}
	for i := range positional {
		a.Pos = append(a.Pos, value(positional[i]))
	}
	for part := range strings.SplitSeq(named, ",") {
		if n, kind, ok := strings.Cut(part, "="); ok {
			a.Kw = append(a.Kw, interp.KV{Name: n, Value: value(kind[0])})
		}
	}
	return a
}

// TestRefusesTheCallsThatPyTorchRefuses holds that no call is refused that a PyTorch takes, and that nearly all are that neither takes.
func TestRefusesTheCallsThatPyTorchRefuses(t *testing.T) {
	raises, found, wrong := 0, 0, 0
	for _, row := range calls(t) {
		f := strings.Split(row, "|")
		why := refused(f[0], arguments(f[1], f[2]))
		// Python looks at names and numbers of arguments first, except where a function that is decorated chooses by one of them.
		did := strings.ReplaceAll(f[3], "?", "")
		if why != "" && strings.HasPrefix(f[0], "torch.nn.functional.") {
			did = strings.ReplaceAll(did, "E", "T")
		}
		real := did != "" && strings.Trim(did, "T") == ""
		if real {
			raises++
			if why != "" {
				found++
			} else if testing.Verbose() {
				t.Logf("not refused: %s", row)
			}
		} else if why != "" {
			wrong++
			t.Errorf("%s: refused with %q", row, why)
		}
	}
	t.Logf("%d calls raise TypeError, %d of them are refused; %d wrongly", raises, found, wrong)
	if raises < 1000 || found*100 < raises*80 {
		t.Errorf("%d of %d calls that raise TypeError are refused", found, raises)
	}
}

// TestAKeywordThatNoSignatureHasIsNamed holds that of a function with several signatures the misspelt keyword is named.
func TestAKeywordThatNoSignatureHasIsNamed(t *testing.T) {
	want := "mean() got an unexpected keyword argument 'keepdmi'"
	if why := refused("tensor.mean", arguments("i", "keepdmi=b")); why != want {
		t.Errorf("says %q, want %q", why, want)
	}
}

// TestRecordedCallsAreThoseOfTheInstalledPyTorch runs the calls again.
func TestRecordedCallsAreThoseOfTheInstalledPyTorch(t *testing.T) {
	needTorch(t)
	t.Setenv("TMPDIR", t.TempDir()) // PyTorch makes a folder there when some functions are called first, and processes that they end leave it
	out, err := exec.Command(debianPython, "testdata/calls.py", "testdata/calls.txt").Output()
	if err != nil {
		t.Fatal(err)
	}
	recorded := recordings(t)
	for line := range bytes.Lines(out) {
		f := strings.Split(strings.TrimSpace(string(line)), "|")
		r := f[3]
		was := map[string]byte{"1.13": r[0], "2.15": r[1]}
		if !slices.ContainsFunc(recorded, func(version string) bool { return was[version] == r[len(r)-1] }) {
			t.Errorf("%s: is %c, which %v did not do", line, r[len(r)-1], recorded)
		}
	}
}

// recordings are the recorded versions of PyTorch that the installed one is held to: itself, or, for one between them as Debian 13 has, either.
func recordings(t *testing.T) []string {
	t.Helper()
	all := []string{"1.13", "2.15"}
	out, err := exec.Command(debianPython, "-c", "import torch; print('.'.join(torch.__version__.split('.')[:2]))").Output()
	if err != nil {
		t.Fatal(err)
	}
	if version := strings.TrimSpace(string(out)); slices.Contains(all, version) {
		return []string{version}
	}
	return all
}

func TestKeywordsAreThoseOfPyTorch(t *testing.T) {
	for name, want := range map[string]string{"linspace": "steps", "cat": "dim", "Conv2d": "kernel_size", "no_such_function": "kernel_size"} {
		if got := Keywords(name); !slices.Contains(got, want) {
			t.Errorf("%s takes %v, want %s among them", name, got, want)
		}
	}
	if slices.Contains(Keywords("cat"), "kernel_size") {
		t.Error("cat takes kernel_size")
	}
}
