package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/gguf"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/importer/keras"
	"github.com/modelverifier/verifier/internal/importer/neurarch"
	"github.com/modelverifier/verifier/internal/importer/onnx"
	"github.com/modelverifier/verifier/internal/importer/safetensors"
	"github.com/modelverifier/verifier/internal/quantity"
)

// textLength is the length of token inputs of an ONNX file that names it and says no size: that at which models are priced.
const textLength = 2048

// json reads a graph, the request that has one, or a config.json.
func (f *given) json() (*opened, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(f.data, &members); err == nil && members["components"] == nil {
		if inner := members["model"]; bytes.HasPrefix(bytes.TrimSpace(inner), []byte("{")) {
			return f.graph(inner)
		}
		if keras.Marked(f.data) {
			return f.keras(f.data)
		}
		return f.config()
	}
	return f.graph(f.data)
}

// keras reads what model.to_json() wrote.
func (f *given) keras(data []byte) (*opened, error) {
	m, err := keras.Import(data, keras.Options{SeqLen: f.SeqLen, Limits: graph.ServiceLimits})
	if err != nil {
		return nil, action.Errorf(action.CodeFile, f.Name, "%s", quantity.Own(err.Error()))
	}
	return model("keras", m.Graph, m.Notes)
}

// archive reads the description inside a .keras file, which a browser sends whole.
func (f *given) archive() (*opened, error) {
	data, err := keras.Config(bytes.NewReader(f.data), int64(len(f.data)), graph.ServiceLimits.Bytes)
	if err != nil {
		return nil, action.Errorf(action.CodeFile, f.Name, "%s", quantity.Own(err.Error()))
	}
	return f.keras(data)
}

func (f *given) graph(data []byte) (*opened, error) {
	g, err := graph.Decode(data, "model", graph.ServiceLimits)
	if err != nil {
		return nil, err
	}
	if neurarch.Marked(g) {
		m := neurarch.Import(g)
		return model("neurarch", m.Graph, m.Notes)
	}
	return model("graph", g, nil)
}

func (f *given) config() (*opened, error) {
	m, err := hf.Import(f.data, hf.Options{SeqLen: f.SeqLen})
	if err != nil {
		return nil, err
	}
	return model("config", m.Graph, m.Notes)
}

func (f *given) onnx() (*opened, error) {
	length := f.SeqLen
	if length == 0 {
		length = textLength
	}
	m, err := onnx.Import(context.Background(), bytes.NewReader(f.data), f.Size, onnx.Options{SeqLen: length, Limits: graph.ServiceLimits})
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, n := range m.Notes {
		notes = append(notes, n.String())
	}
	return model("onnx", m.Graph, notes)
}

// gguf reads the beginning of a file: its metadata amount to a config.json. The tensors must be those that it implies.
func (f *given) gguf() (*opened, error) {
	file, err := gguf.Read(bytes.NewReader(f.data), f.Size, f.Name)
	if err != nil {
		return nil, err
	}
	if v := file.Get("split.count"); v != nil {
		if n, ok := v.Int(); ok && n > 1 {
			return nil, action.Errorf(action.CodeUnsupported, f.Name, "is one of %d files, and a browser opens one: verifier import reads them together", n)
		}
	}
	whole := &gguf.Model{Files: []*gguf.File{file}, Metadata: file.Metadata, Tensors: file.Tensors}
	config, err := whole.Config()
	if err != nil {
		return nil, err
	}
	m, err := hf.Import(config, hf.Options{SeqLen: f.SeqLen})
	if err != nil {
		return nil, err
	}
	report, known := whole.Compare(m.Tensors)
	switch {
	case !known:
		return nil, action.Errorf(action.CodeUnsupported, f.Name, "the names of the tensors of architecture %q are not known", whole.Architecture())
	case !report.Agrees():
		return nil, action.Errorf(action.CodeUnsupported, f.Name, "the tensors are not those that the metadata of architecture %q implies: %s", whole.Architecture(), report)
	}
	return model("gguf", m.Graph, m.Notes)
}

// safetensors counts what a file holds: weights alone do not say what a model does.
func (f *given) safetensors() (*opened, error) {
	h, err := safetensors.Read(bytes.NewReader(f.data), f.Size, f.Name)
	if err != nil {
		return nil, err
	}
	total, ok := importer.Sum(h.Tensors)
	if !ok {
		return nil, action.Errorf(action.CodeFile, f.Name, "the tensors hold more than can be counted")
	}
	return &opened{Kind: "safetensors", Notes: []string{quantity.Sprintf("%s holds %d tensors with %s weights, and does not say how they are used: open the config.json beside it.",
		quantity.Own(f.Name), len(h.Tensors), quantity.Own(quantity.Grouped(total.Elements)))}}, nil
}

// text is a graph in the short notation, a launch command, or a source that is not called one.
func (f *given) text() (*opened, error) {
	text := string(f.data)
	g, err := graph.ParseWithin(text, graph.ServiceLimits)
	if err == nil && len(g.Components) > 0 {
		return model("notation", g, nil)
	}
	if launches.MatchString(text) {
		return &opened{Kind: "command", Command: text}, nil
	}
	if strings.Contains(text, "import torch") || strings.Contains(text, "from torch") {
		return f.torch()
	}
	var fault *graph.Error
	if errors.As(err, &fault) && strings.HasSuffix(f.Name, ".graph") {
		return nil, fault
	}
	return nil, action.Errorf(action.CodeUnsupported, f.Name, "is none of what can be opened: a config.json, a PyTorch source, an ONNX or GGUF file, a graph in JSON or in the short notation, or the command that launches a server")
}

// launches finds the word that launches one of the engines whose commands are judged. What else a command says is for the check of it,
// which is in the other module.
var launches = regexp.MustCompile(`(?m)(^|[\s/:"'])(vllm|sglang|trtllm-serve|text-generation-(launcher|inference)|llama-server|llama\.cpp|tensorrt[-_]llm)\b`)
