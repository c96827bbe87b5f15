package torch

import (
	"bytes"
	"os"
	"os/exec"
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
	out, err := exec.Command(debianPython, "testdata/calls.py", "testdata/calls.txt").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		f := strings.Split(strings.TrimSpace(string(line)), "|")
		if r := f[3]; r[0] != r[len(r)-1] {
			t.Errorf("%s: was %c, is %c", line, r[0], r[len(r)-1])
		}
	}
}
