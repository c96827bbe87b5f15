// Package files opens what a person has in a browser: a config.json, a PyTorch source, an ONNX or GGUF file, a graph, a launch command; and
// writes a model as a file. Text and bytes go in, a graph comes out; there is no disk and no network. It is the engine's second module,
// which a page loads when it first needs it.
//
// It decides no verdict. What cannot be opened is an error that says why; what only lacks an answer of the person is a question.
package files

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// calls are what can be asked.
var calls = map[string]func(body []byte) (any, error){"files/open": openFile, "files/export": export}

// maxBody is the longest request that is read: a file of 64 MiB in base64.
const maxBody = 96 << 20

// Action answers a call, as package view does. A fault of our own must not end the page's only instance, so it becomes an answer.
func Action(name, body string) (status int, answer string) {
	defer func() {
		if recover() != nil {
			status, answer = 500, `{"error":"a fault of our own","code":"internal"}`
		}
	}()
	run := calls[name]
	if run == nil {
		return 404, encode(action.ErrorBody{Error: "there is no call of this name", Code: "not-found", Allowed: []string{"files/export", "files/open"}})
	}
	if len(body) > maxBody {
		return 413, encode(action.ErrorBody{Error: "the file is too large to be opened in a browser", Code: graph.CodeBytes, Limit: maxBody})
	}
	result, err := run([]byte(body))
	if err != nil {
		return action.Status(err), encode(action.Explain(err))
	}
	return 200, encode(result)
}

func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("files: " + err.Error()) // cannot happen: no result has a value that cannot be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// given is a file as it is sent.
type given struct {
	Name   string            `json:"name"`
	Text   *string           `json:"text"`
	Base64 string            `json:"base64"`
	Size   int64             `json:"size"`   // of the whole file, where only its beginning is sent: that of GGUF and safetensors says everything
	Class  string            `json:"class"`  // of a source
	Input  string            `json:"input"`  // of a source, as --input takes it: 3x32x32; several with semicolons
	Args   map[string]string `json:"args"`   // of the class, as Python literals
	SeqLen int64             `json:"seqLen"` // of text inputs that have no length of their own

	data []byte
}

// opened is what a file holds.
type opened struct {
	Kind     string          `json:"kind"` // config, torch, onnx, gguf, safetensors, graph, notation or command
	Model    json.RawMessage `json:"model,omitempty"`
	Command  string          `json:"command,omitempty"`
	Notes    []string        `json:"notes"`
	Question *question       `json:"question,omitempty"`
}

// question is what is missing: the answer is sent along with the file, as its class, input or args.
type question struct {
	Ask     string   `json:"ask"` // class, input or args
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"`
}

func openFile(body []byte) (any, error) {
	var f given
	if err := json.Unmarshal(body, &f); err != nil {
		return nil, action.Errorf(graph.CodeSyntax, "", "the request cannot be read: %s", quantity.Own(err.Error()))
	}
	if err := f.decode(); err != nil {
		return nil, err
	}
	out, err := f.open()
	if err != nil {
		return nil, err
	}
	if out.Notes == nil {
		out.Notes = []string{}
	}
	return out, nil
}

func (f *given) decode() error {
	switch {
	case f.Name == "":
		return action.Errorf(graph.CodeMissing, "name", "must be the name of the file")
	case f.Text != nil:
		f.data = []byte(*f.Text)
	default:
		data, err := base64.StdEncoding.DecodeString(f.Base64)
		if err != nil {
			return action.Errorf(action.CodeForm, "base64", "is no base64: %s", quantity.Own(err.Error()))
		}
		f.data = data
	}
	f.Size = max(f.Size, int64(len(f.data)))
	if len(f.data) == 0 {
		return action.Errorf(action.CodeFile, f.Name, "is empty")
	}
	return nil
}

// open finds out what a file is, from how it begins and what it is called, and reads it.
func (f *given) open() (*opened, error) {
	head := bytes.TrimSpace(f.data[:min(len(f.data), 1<<12)])
	ends := func(list ...string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.HasSuffix(strings.ToLower(f.Name), s) })
	}
	switch {
	case bytes.HasPrefix(f.data, []byte("GGUF")) || ends(".gguf"):
		return f.gguf()
	case ends(".safetensors"):
		return f.safetensors()
	case ends(".onnx"):
		return f.onnx()
	case ends(".keras"):
		return f.archive()
	case bytes.IndexByte(head, 0) >= 0:
		return nil, action.Errorf(action.CodeUnsupported, f.Name, "is no text, and none of .onnx, .gguf and .safetensors")
	case len(head) > 0 && head[0] == '{':
		return f.json()
	case ends(".py"):
		return f.torch()
	}
	return f.text()
}

// model is the answer for a graph that was made.
func model(kind string, g *graph.Graph, notes []string) (*opened, error) {
	if n, most := len(g.Components), graph.ServiceLimits.Components; n > most {
		return nil, &graph.Error{Code: graph.CodeComponents, Path: "model", Message: quantity.Sprintf("the graph has %d components", n), Limit: int64(most)}
	}
	return &opened{Kind: kind, Model: g.AppendJSON(nil), Notes: notes}, nil
}
