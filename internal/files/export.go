package files

import (
	"bytes"
	"encoding/json"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/mermaid"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/svg"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// written is a model as a file.
type written struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// forms are those in which a model is written, with the ending of their files. A walked graph is in canonical form.
var forms = []struct {
	name, ending string
	write        func(g *graph.Graph) (string, error)
}{
	{"torch", ".py", func(g *graph.Graph) (string, error) { return torch.Source(walked(g), true) }},
	{"svg", ".svg", picture(func(s *scene.Scene) (string, error) { return svg.Draw(s), nil })},
	{"mermaid", ".mmd", picture(mermaid.Chart)},
	{"notation", ".graph", func(g *graph.Graph) (string, error) { return g.Text(), nil }},
	{"json", ".json", func(g *graph.Graph) (string, error) {
		var b bytes.Buffer
		err := json.Indent(&b, g.AppendJSON(nil), "", "  ")
		b.WriteByte('\n')
		return b.String(), err
	}},
}

func walked(g *graph.Graph) *infer.Result {
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

// picture draws a model whether it runs or not: a picture shows what is refused.
func picture(draw func(*scene.Scene) (string, error)) func(*graph.Graph) (string, error) {
	return func(g *graph.Graph) (string, error) {
		s, err := scene.Of(walked(g))
		if err != nil {
			return "", err
		}
		return draw(s)
	}
}

func export(body []byte) (any, error) {
	f := action.Read(body, graph.ServiceLimits, action.Model)
	g := f.Model()
	var names []string
	for i := range forms {
		names = append(names, forms[i].name)
	}
	to := f.Enum("to", names...)
	if to == "" {
		f.Fail(action.Errorf(graph.CodeMissing, "to", "must be the form of the file"))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	for i := range forms {
		if forms[i].name != to {
			continue
		}
		text, err := forms[i].write(g)
		if err != nil {
			return nil, action.Errorf(action.CodeUnsupported, action.Model, "cannot be written as %s: %s", quantity.Own(to), quantity.Own(err.Error()))
		}
		return written{"model" + forms[i].ending, text}, nil
	}
	return nil, nil // cannot happen: the form is one of the list
}
