package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/mermaid"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/svg"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// forms are what a model can be written as.
var forms = []string{"torch", "mermaid", "svg", "graph", "notation"}

type exportBody struct {
	Form string `json:"form"`
	Text string `json:"text"`
}

var _ = define(tool{
	name: "export", title: "Write a model",
	doc:      `The model as one PyTorch file, a chart, a picture, graph JSON or short text. torch is refused for a model that does not run, unless force.`,
	input:    modelLikeCheck + `,"to":{"enum":["` + strings.Join(forms, `","`) + `"]},"force":{"type":"boolean"}`,
	required: []string{"to"},
	output:   []string{"form", "text"},
	run: func(_ *Server, ctx context.Context, a *arguments) (*answer, error) {
		f, err := a.fields()
		if err != nil {
			return nil, err
		}
		to, force := f.Enum("to", forms...), f.Bool("force")
		if err := f.Err(); err != nil {
			return nil, err
		}
		if to == "" {
			return nil, refuse(graph.CodeMissing, "to", "to: is missing", "Give one of "+strings.Join(forms, ", ")+".")
		}
		m, err := a.model(ctx)
		if err != nil {
			return nil, err
		}
		text, err := export(m.graph, to, force)
		return &answer{body: exportBody{to, text}, text: text, meta: a.meta()}, err
	},
})

func export(g *graph.Graph, to string, force bool) (string, error) {
	switch to {
	case "graph":
		return string(g.AppendJSON(nil)), nil
	case "notation":
		return g.Text(), nil
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	if to == "torch" {
		text, err := torch.Source(res, force)
		var refused *torch.Refused
		if errors.As(err, &refused) {
			advice := "Repair the model: check says how. With force it is written all the same."
			if refused.Cycle {
				advice = "Take the cycle apart: a cycle cannot be written."
			}
			first := refused.Findings[:min(len(refused.Findings), mostFindings)]
			return "", refuse("model-refused", "", "the model does not run in PyTorch: "+strings.Join(slices.Clone(first), "; "), advice)
		}
		return text, err
	}
	s, err := scene.Of(res)
	if err != nil {
		return "", action.Errorf(action.CodeUnsupported, "", "it cannot be drawn: %v", err)
	}
	if to == "svg" {
		return svg.Draw(s), nil
	}
	return mermaid.Chart(s)
}
