package policy

import (
	"strings"
	"testing"
)

// Each line of the file is in the translation with its number, and the translation is a policy that can be read.
func TestFilesOfNeurarchAreTranslatedLineByLine(t *testing.T) {
	const file = `policy:
  forbid_types: [softmax]
  max_params: 2M
  must_fit: no such card
  max_width: 5
models:
  - path: nets/cnn.py:Net
    input: 1,3,32,32
    policy:
      max_params: 500K
  - path: nets/gpt.py:GPT
    input: "1,32:long"
    device: cuda
  - input: 1,2
owner: us
`
	names := Names{GPUs: someGPUs}
	text, err := FromNeurarch([]byte(file), names)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# line 2", "max_params: 2M  # line 3", `# line 4: "must_fit" is left out`, `# line 5: "max_width" is left out`,
		`"nets/cnn.py:Net":  # line 7`, `input: ["1,3,32,32"]  # line 8`, "max_params: 500K  # line 10",
		`input: ["1,32:int64"]  # line 12`, `# line 13: "device" is left out`, "a model without a path", `# line 15: "owner" is left out`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	f, err := ParseFile([]byte(text), names)
	if err != nil {
		t.Fatal(err)
	}
	own, other := f.For("nets/cnn.py:Net").Lines(), f.For("nets/gpt.py:GPT").Lines()
	if got := strings.Join(own, "; "); !strings.Contains(got, "500K") || !strings.Contains(got, "softmax") {
		t.Errorf("the model is held to %s", got)
	}
	if got := strings.Join(other, "; "); !strings.Contains(got, "2M") {
		t.Errorf("the other is held to %s", got)
	}
}

func TestWhatIsNoFileOfNeurarchIsRefused(t *testing.T) {
	for _, file := range []string{"- a", "policy: [", "a: &x [*x]"} {
		if text, err := FromNeurarch([]byte(file), Names{GPUs: someGPUs}); err == nil && !strings.Contains(text, "is left out") {
			t.Errorf("%s became\n%s", file, text)
		}
	}
}
