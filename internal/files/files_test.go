package files

import (
	"archive/tar"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

// ask sends a request and reads the answer, which must have the status 200.
func ask[R any](t testing.TB, name string, body any) R {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	status, answer := Action(name, string(text))
	if status != 200 {
		t.Fatalf("%s: %d %.500s", name, status, answer)
	}
	var out R
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func open(t testing.TB, f map[string]any) opened { t.Helper(); return ask[opened](t, "files/open", f) }

const source = `import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.fc(x))

class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.block = Block(32)
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.block(x))
`

func TestTellsWhatAFileIs(t *testing.T) {
	config, _ := models.Config("llama-3.2-1b")
	for _, c := range []struct {
		name, text, kind string
	}{
		{"config.json", string(config), "config"},
		{"pasted.txt", string(config), "config"},
		{"m.json", `{"components":[{"id":"x","type":"input","params":{"shape":[8]}}]}`, "graph"},
		{"request.json", `{"model":{"components":[]},"policy":{}}`, "graph"},
		{"m.graph", "x: input shape=[8]\ny: output\nx -> y", "notation"},
		{"pasted.txt", "x: input shape=[8]\ny: output\nx -> y", "notation"},
		{"pasted.txt", "vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 2", "command"},
		{"pasted.txt", "docker run --gpus all vllm/vllm-openai:v0.9.0 --model x", "command"},
		{"pasted.txt", "python3 -m sglang.launch_server --model-path x", "command"},
		{"pasted.txt", "CUDA_VISIBLE_DEVICES=0 text-generation-launcher --model-id x", "command"},
		{"pasted.txt", "./llama-server -m x.gguf -c 4096", "command"},
		{"pasted.txt", "trtllm-serve x --tp_size 2", "command"},
		{"compose.yml", "services:\n  a:\n    image: vllm/vllm-openai:latest\n    command: --model x\n", "command"},
		{"pasted.txt", source, "torch"},
	} {
		got := open(t, map[string]any{"name": c.name, "text": c.text, "input": "32", "class": ""})
		if got.Kind != c.kind {
			t.Errorf("%s %.30q is %s, not %s", c.name, c.text, got.Kind, c.kind)
		}
	}
}

// TestGraphsOfConfigsAreThoseOfTheModels: the same importer as on the command line.
func TestGraphsOfConfigsAreThoseOfTheModels(t *testing.T) {
	for _, id := range []string{"llama-3.2-1b", "bert-base", "whisper-tiny"} {
		config, ok := models.Config(id)
		if !ok {
			t.Fatalf("%s has no configuration", id)
		}
		got := open(t, map[string]any{"name": "config.json", "text": string(config)})
		g, err := graph.Decode(got.Model, "model", graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		want, err := models.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Components) != len(want.Components) || len(g.Connections) != len(want.Connections) {
			t.Errorf("%s has %d components and %d connections, not %d and %d", id, len(g.Components), len(g.Connections), len(want.Components), len(want.Connections))
		}
		if result := lint.Run(&lint.Request{Model: g}); result.Verdict == "fail" {
			t.Errorf("%s: %+v", id, result.Findings)
		}
	}
}

func TestASourceAsksForWhatItDoesNotSay(t *testing.T) {
	got := open(t, map[string]any{"name": "net.py", "text": source})
	if got.Question == nil || got.Question.Ask != "input" {
		t.Fatalf("without an input it says %+v", got)
	}
	if got = open(t, map[string]any{"name": "net.py", "text": source, "input": "32"}); got.Question != nil || got.Model == nil {
		t.Errorf("with an input it asks %+v", got.Question)
	}
	got = open(t, map[string]any{"name": "net.py", "text": source, "class": "Block", "input": "32"})
	if got.Question == nil || got.Question.Ask != "args" || strings.Join(got.Question.Options, " ") != "width" {
		t.Errorf("a class without its argument asks %+v", got.Question)
	}
	if got = open(t, map[string]any{"name": "net.py", "text": source, "class": "Block", "input": "16", "args": map[string]string{"width": "16"}}); got.Model == nil {
		t.Errorf("with it there is %+v", got)
	}
	two := source + "\nclass Other(nn.Module):\n    def forward(self, x):\n        return x\n"
	got = open(t, map[string]any{"name": "net.py", "text": two, "input": "32"})
	if got.Question == nil || got.Question.Ask != "class" || len(got.Question.Options) < 2 {
		t.Errorf("two models ask %+v", got.Question)
	}
}

func TestOpensOnnx(t *testing.T) {
	packed, err := os.Open("../../truth/onnx.tgz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	zip, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(zip)
	for {
		h, err := archive.Next()
		if err != nil {
			t.Fatalf("no ONNX file among those that were measured: %v", err)
		}
		if !strings.HasSuffix(h.Name, ".onnx") {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if got := open(t, map[string]any{"name": "m.onnx", "base64": base64.StdEncoding.EncodeToString(data)}); got.Kind != "onnx" || got.Model == nil {
			t.Errorf("%s: %s", h.Name, got.Kind)
		}
		return
	}
}

func TestRefusesBrokenFiles(t *testing.T) {
	for name, f := range map[string]map[string]any{
		"a broken onnx":          {"name": "m.onnx", "base64": base64.StdEncoding.EncodeToString([]byte("\x08\x07\x12\xff\xff\xff\xff\x0f"))},
		"a broken gguf":          {"name": "m.gguf", "base64": base64.StdEncoding.EncodeToString([]byte("GGUF\x03\x00\x00\x00\xff\xff"))},
		"a broken safetensors":   {"name": "m.safetensors", "base64": base64.StdEncoding.EncodeToString([]byte("\xff\xff\xff\xff\xff\xff\xff\x7f{}"))},
		"an empty file":          {"name": "m.py", "text": ""},
		"no base64":              {"name": "m.onnx", "base64": "???"},
		"no name":                {"text": "x"},
		"a picture":              {"name": "cat.png", "base64": base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))},
		"prose":                  {"name": "notes.txt", "text": "Dear all, the model is ready."},
		"no Python":              {"name": "m.py", "text": "class Net(:\n  pass"},
		"deep nesting of JSON":   {"name": "m.json", "text": strings.Repeat(`{"a":`, 100000)},
		"deep nesting of lists":  {"name": "m.json", "text": `{"components":` + strings.Repeat("[", 100000)},
		"deep nesting in Python": {"name": "m.py", "text": "x = " + strings.Repeat("(", 100000)},
		"100,000 components":     {"name": "m.json", "text": `{"components":[` + strings.Repeat(`{"type":"relu"},`, 99999) + `{"type":"relu"}]}`},
	} {
		body, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		status, answer := Action("files/open", string(body))
		if status < 400 || status >= 500 || !strings.Contains(answer, `"error":"`) {
			t.Errorf("%s: %d %.300s", name, status, answer)
		}
	}
}

func TestWritesEveryForm(t *testing.T) {
	g, err := models.Open("lenet5")
	if err != nil {
		t.Fatal(err)
	}
	model := json.RawMessage(g.AppendJSON(nil))
	for to, want := range map[string]string{"torch": "class ", "svg": "<svg ", "mermaid": "flowchart", "notation": "conv2d", "json": `"components"`} {
		got := ask[written](t, "files/export", map[string]any{"model": model, "to": to})
		if !strings.Contains(got.Text, want) || got.Name == "" {
			t.Errorf("%s: %s %.200s", to, got.Name, got.Text)
		}
	}
	if status, answer := Action("files/export", `{"model":{"components":[]},"to":"word"}`); status != 422 || !strings.Contains(answer, `"allowed":["torch"`) {
		t.Errorf("an unknown form: %d %s", status, answer)
	}
	if status, answer := Action("files/none", `{}`); status != 404 {
		t.Errorf("an unknown call: %d %s", status, answer)
	}
}
