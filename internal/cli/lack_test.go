package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/graph"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models/drawn"
	"github.com/modelverifier/verifier/models/drawn/figures"
)

// said runs a command and returns what it writes. What it refuses is an answer too.
func said(t *rapid.T, args ...string) (stdout, stderr []byte) {
	var out, err bytes.Buffer
	if code := Main(args, strings.NewReader(""), &out, &err); code > 1 {
		t.Fatalf("%v ends with %d: %s", args, code, err.String())
	}
	return out.Bytes(), err.Bytes()
}

// TestNoCommandPrintsAFigureThatLacksAComponentWithoutSayingSo draws models, breaks them, and reads what commands print of them.
func TestNoCommandPrintsAFigureThatLacksAComponentWithoutSayingSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "model.json")
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		lacks := figures.Of(g)
		if err := os.WriteFile(file, g.AppendJSON(nil), 0o600); err != nil {
			t.Fatal(err)
		}
		command := rapid.SampledFrom([][]string{{"describe"}, {"rank"}, {"check"}, {"plan"}, {"lint"}, {"layout", "--gpu", "H100"}, {"layout", "--gpu", "H100", "--suggest", "--gpus", "8"}, {"import"},
			{"serve-check", "--gpu", "H100"}}).Draw(t, "command")
		args := append([]string{command[0], file}, command[1:]...)
		behind := []string{}
		if command[0] == "serve-check" {
			behind = []string{"--", "vllm", "serve", "m"}
		}
		text, notes := said(t, append(args, behind...)...)
		if command[0] == "import" { // whose text is the graph itself
			text = notes
		}
		sums := string(text)
		if command[0] == "describe" { // the tables above and below have a line for each component
			if _, after, found := strings.Cut(sums, "\n\nweights "); found {
				sums = "weights " + after
			}
			sums, _, _ = strings.Cut(sums, "\n\nheaviest ")
		}
		if err := lacks.Text(sums); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, text)
		}
		body, _ := said(t, append(append(args, "--json"), behind...)...)
		if command[0] == "import" {
			body = lessMember(t, body, "model")
		}
		if err := lacks.JSON(body, figures.FirstStage(body)...); err != nil {
			t.Fatalf("%v --json: %v", command, err)
		}
	})
}

// lessMember takes a member out of an object.
func lessMember(t *rapid.T, data []byte, member string) []byte {
	var v map[string]json.RawMessage
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	delete(v, member)
	data, _ = json.Marshal(v)
	return data
}

// TestASourceThatIsReadInPartSaysSo draws PyTorch sources with lines that cannot be followed, and reads what is imported of them.
func TestASourceThatIsReadInPartSaysSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net.py")
	made := []string{"self.%s = nn.Linear(8, 8)", "self.%s = nn.LayerNorm(8)", "self.%s = other.Block(8)", "self.%s = nn.Sequential(nn.Linear(8, 8), nn.ReLU())", "self.%s = nn.Linear(8, width)"}
	called := []string{"x = self.%s(x)", "x = x + self.%s(x)", "x = other.mix(x, self.%s)", "if x.mean() > 0:\n            x = self.%s(x)", "x = torch.relu(x)  # %s is not called", "x = x.view(3, -1)  # %s is not called"}
	rapid.Check(t, func(t *rapid.T) {
		var source strings.Builder
		source.WriteString("import torch\nfrom torch import nn\nimport other\nfrom other import width\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n")
		names := []string{"a", "b", "c"}
		for _, n := range names {
			source.WriteString("        " + strings.ReplaceAll(rapid.SampledFrom(made).Draw(t, n), "%s", n) + "\n")
		}
		source.WriteString("\n    def forward(self, x):\n")
		for _, n := range names {
			source.WriteString("        " + strings.ReplaceAll(rapid.SampledFrom(called).Draw(t, n+" called"), "%s", n) + "\n")
		}
		source.WriteString("        return x\n")
		if err := os.WriteFile(file, []byte(source.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, failed bytes.Buffer
		if code := Main([]string{"import", file + ":Net", "--input", "8", "--json"}, strings.NewReader(""), &out, &failed); code == 2 {
			return // nothing was read, and nothing is said
		} else if code > 2 {
			t.Fatal(failed.String())
		}
		var body struct {
			Model json.RawMessage
		}
		if err := json.Unmarshal(out.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		g, err := graph.Decode(body.Model, "model", graph.LocalLimits)
		if err != nil {
			t.Fatal(err)
		}
		if err := figures.Of(g).JSON(lessMember(t, out.Bytes(), "model")); err != nil {
			t.Fatalf("%v of\n%s\n%s", err, source.String(), out.String())
		}
	})
}
