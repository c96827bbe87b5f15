// Package neurarch reads the graph files of the Neurarch editor (.neurarch.json, model.json) as graphs of ours: its types and parameter
// names, its defaults, shapes with the batch in front, and what its drawings leave unsaid.
//
// It says in notes whatever it translated. What a file does not tell stays open: it is a customModule that declares no weights, so that
// it is neither counted nor passed. The package must not know where a file lies, and it decides no verdict.
package neurarch

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Members of a component that graphs of ours do not have: the editor writes both on every component.
const (
	inputsMember  = "inputs"
	outputsMember = "outputs"
)

// Model is a file that was read.
type Model struct {
	Graph *graph.Graph
	Notes []string
}

// Marked reports whether a graph is a file of the editor: every component lists the components before and behind it.
func Marked(g *graph.Graph) bool {
	for i := range g.Components {
		if !isList(member(&g.Components[i], inputsMember)) || !isList(member(&g.Components[i], outputsMember)) {
			return false
		}
	}
	return len(g.Components) > 0
}

func isList(raw string) bool { return len(raw) > 0 && raw[0] == '[' }

// member is what a component has under a name beside the members that every graph has, as it is written.
func member(c *graph.Component, name string) string {
	for i := range c.Extra {
		if c.Extra[i].Name == name {
			return c.Extra[i].Raw
		}
	}
	return ""
}

// Import translates a file that was decoded as a graph. The graph that it is given is left as it is.
func Import(file *graph.Graph) *Model {
	t := translate(file)
	best := t.settle()
	m := &Model{Graph: best.graph, Notes: append(t.notes.lines(), best.notes.lines()...)}
	if n, ok := statedCount(file); ok {
		m.Notes = append(m.Notes, compareCount(n, best.walk))
	}
	return m
}

// statedCount is the number of parameters that the file states of the published model.
func statedCount(file *graph.Graph) (int64, bool) {
	for _, m := range file.Extra {
		if m.Name == "realParamCount" {
			n, err := strconv.ParseInt(m.Raw, 10, 64)
			return n, err == nil && n > 0
		}
	}
	return 0, false
}

// compareCount says whether the components amount to the model that the file is named after.
func compareCount(stated int64, walk *infer.Result) string {
	own, published := quantity.Own(quantity.Grouped(walk.Params)), quantity.Own(quantity.Grouped(stated))
	if withheld := walk.ParamsWithheld(); len(withheld) > 0 {
		return quantity.Sprintf("realParamCount is %s. The components that are known have %s, and the weights of %d are not known.",
			published, own, len(withheld))
	}
	switch d := stated - walk.Params; {
	case d > 0:
		return quantity.Sprintf("realParamCount is %s, but the components have %s: the graph lacks %s of that model's parameters.",
			published, own, quantity.Own(quantity.Grouped(d)))
	case d < 0:
		return quantity.Sprintf("realParamCount is %s, but the components have %s: the graph has %s more than that model.",
			published, own, quantity.Own(quantity.Grouped(-d)))
	}
	return quantity.Sprintf("realParamCount is %s, as the components have.", published)
}

// known is the catalogue's type of a component, or nil.
func known(c *graph.Component) *catalog.Type { return catalog.Lookup(c.Type) }
