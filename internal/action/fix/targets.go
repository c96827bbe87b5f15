package fix

import (
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	mend "github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// triedMost is how many classes are read to find the one that the model was made from.
const triedMost = 24

// targets finds the model among the files: what the source names or, without one, the graphs and descriptions among them and the
// classes that read to the same structure as the model that was sent.
func (w *Work) targets(ctx context.Context) ([]mend.Target, error) {
	inputs := w.inputs()
	if w.request.Source.Target != "" {
		return w.named(inputs)
	}
	var out []mend.Target
	var classes []mend.Target
	for _, f := range w.request.Files {
		switch {
		case strings.HasSuffix(f.Path, ".py"):
			for _, m := range classLine.FindAllStringSubmatch(f.Text, -1) {
				classes = append(classes, mend.Target{Path: f.Path, Symbol: m[1], Inputs: inputs})
			}
		case path.Base(f.Path) == "config.json", strings.HasSuffix(f.Path, ".graph"),
			strings.HasSuffix(f.Path, ".json") && strings.Contains(f.Text, `"components"`):
			out = append(out, mend.Target{Path: f.Path})
		}
	}
	return append(out, w.likely(ctx, classes)...), nil
}

// classLine finds classes that can be a model. Those of a base in another file are found by their parentheses alone.
var classLine = regexp.MustCompile(`(?m)^class[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]*\(`)

// named is the target that the request names.
func (w *Work) named(inputs []string) ([]mend.Target, error) {
	s := w.request.Source
	if s.Input != "" {
		inputs = []string{s.Input}
	}
	file, symbol, _ := strings.Cut(s.Target, ":")
	for _, f := range w.request.Files {
		if f.Path == file {
			return []mend.Target{{Path: file, Symbol: symbol, Inputs: inputs}}, nil
		}
	}
	return nil, action.Errorf(action.CodeValue, "source.target", "is %q, which is none of the files that were sent", s.Target)
}

// likely are the classes that read to the structure of the model, or else the one that has its name.
func (w *Work) likely(ctx context.Context, classes []mend.Target) []mend.Target {
	want := fingerprint(w.request.Model)
	var named []mend.Target
	for i, t := range classes {
		if t.Symbol == w.request.Model.Name {
			named = append(named, t)
		}
		if i >= triedMost || ctx.Err() != nil {
			continue
		}
		if g := mend.Read(ctx, mend.Request{Files: w.request.Files, Limits: graph.ServiceLimits}, t); g != nil && fingerprint(g) == want {
			return []mend.Target{t}
		}
	}
	return named
}

// inputs are those of the model that was sent, as --input takes them.
func (w *Work) inputs() (all []string) {
	g := w.request.Model.Clone()
	g.Normalize(catalog.Vocabulary)
	for i := range g.Components {
		c := &g.Components[i]
		if c.Type != infer.InputID {
			continue
		}
		var sizes []string
		kind := ""
		for _, p := range c.Params {
			switch p.Name {
			case "shape":
				for _, v := range p.Value.List() {
					sizes = append(sizes, v.String())
				}
			case "dtype":
				kind = ":" + p.Value.Str()
			}
		}
		all = append(all, strings.Join(sizes, "x")+kind)
	}
	return all
}

// fingerprint names the structure of a graph.
func fingerprint(g *graph.Graph) string {
	c := g.Clone()
	c.Normalize(catalog.Vocabulary)
	return infer.Walk(c).Fingerprint()
}
