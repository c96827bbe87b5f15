package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

// importBody is what the command line prints with import --json.
type importBody struct {
	Kind     hub.Kind         `json:"kind"`
	Type     string           `json:"type,omitempty"`
	Params   *int64           `json:"params"`         // null where the constructor of a source raises
	Withheld []string         `json:"paramsWithheld"` // components whose weights are not in params
	Tensors  int              `json:"tensors"`
	Edges    load.Edges       `json:"edges"`
	Weights  *importer.Report `json:"weights,omitempty"`
	Notes    []string         `json:"notes"`
	Model    wire.Compact     `json:"model,omitempty"`
}

var _ = define(tool{
	name: "import", title: "Read a model file",
	doc: `A Hugging Face folder or config.json, ONNX, GGUF, safetensors header or PyTorch source (file.py:Class) as a graph, with its exact parameter count. ` +
		`Runs nothing. Other tools take such paths directly.`,
	input:  modelLikeCheck + `,` + sourceLikeCheck + `,"seqLen":{"type":"integer"},"graph":{"type":"boolean","description":"false leaves it out"}`,
	output: []string{"kind", "type", "params", "paramsWithheld", "tensors", "edges", "weights", "notes", "model"},
	run:    importModel,
})

func importModel(s *Server, ctx context.Context, a *arguments) (*answer, error) {
	f, err := a.fields()
	if err != nil {
		return nil, err
	}
	opt, err := a.sourceOptions(f)
	if err != nil {
		return nil, err
	}
	opt.SeqLen, _ = f.Int("seqLen", 1)
	without := f.Given("graph") && !f.Bool("graph")
	if err := f.Err(); err != nil {
		return nil, err
	}
	m, err := s.importedModel(ctx, a, opt)
	if err != nil {
		return nil, err
	}
	out, params := importBody{Kind: hub.Graph, Withheld: []string{}, Notes: []string{}}, int64(-1)
	if l := m.loaded; l != nil {
		params = l.Params
		out = importBody{Kind: l.Kind, Type: l.Type, Withheld: []string{}, Tensors: len(l.Tensors), Edges: l.Edges, Weights: l.Weights, Notes: append([]string{}, l.Notes...)}
	}
	text := m.graph.CompactJSON()
	if params < 0 && out.Kind != hub.Python {
		m.graph.Normalize(catalog.Vocabulary)
		walked := infer.Walk(m.graph)
		params, out.Withheld = walked.Params, walked.ParamsWithheld()
	}
	if params >= 0 {
		out.Params = &params
	}
	if !without {
		out.Model = text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s parameters, %d components, %d connections\n", out.Kind, out.Type, counted(out.Params, out.Withheld), len(m.graph.Components), len(m.graph.Connections))
	for _, n := range out.Notes {
		bullet(&b, n)
	}
	return &answer{body: out, text: annotate.Harmless(b.String()) + a.said(), meta: a.meta()}, nil
}

// sourceProperties are what an importer may need to be told.
const sourceProperties = `"inputs":{"type":"array","items":{"type":"string"},"description":"of PyTorch code, with the batch: 1,3,224,224 or 1,128:int64"},` +
	`"args":{"type":"object","description":"of its class, as strings"},"textOnly":{"type":"boolean","description":"called without pictures or sounds"}`

const (
	texts           = `{"type":"array","items":{"type":"string"}}`
	sourceLikeCheck = `"inputs":` + texts + `,"args":{"type":"object"},"textOnly":{"type":"boolean"}`
)

// sourceOptions reads them.
func (a *arguments) sourceOptions(f *action.Fields) (load.Options, error) {
	opt := load.Options{Inputs: f.Strings("inputs", 16), Text: f.Bool("textOnly")}
	if raw := a.member("args"); raw != nil && json.Unmarshal(raw, &opt.Args) != nil {
		return opt, refuse("wrong-type", "args", "args: must be an object whose values are strings", `Write numbers as strings, too: {"depth":"12"}.`)
	}
	return opt, f.Err()
}

// importedModel reads a model with options for importers, which a graph has no use for.
func (s *Server) importedModel(ctx context.Context, a *arguments, opt load.Options) (*model, error) {
	if !given(opt) {
		return a.model(ctx)
	}
	if ref, ok := isString(a.member("model")); ok {
		return s.openWith(ctx, ref, opt)
	}
	if src, ok := sourceIn(a.member("model")); ok {
		return s.readSource(ctx, src, opt)
	}
	return a.model(ctx)
}

// given reports whether an importer is told anything.
func given(opt load.Options) bool {
	return len(opt.Inputs) > 0 || len(opt.Args) > 0 || opt.SeqLen != 0 || opt.Text
}

// openWith imports what a reference names.
func (s *Server) openWith(ctx context.Context, ref string, opt load.Options) (*model, error) {
	path, err := s.locate(ref)
	if err != nil {
		return nil, err
	}
	_, symbol, err := s.stat(&path)
	if err != nil {
		return nil, s.fault(ref, err)
	}
	return s.imported(ctx, path, symbol, opt)
}
