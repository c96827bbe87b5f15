package view

import (
	"encoding/json"
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(call{Name: "edit", Answer: editModel})

// edited is a model after changes. Ids stand for the components that were added, that say something else than before, or that read
// something else.
type edited struct {
	Model   json.RawMessage `json:"model"`
	Changed []string        `json:"changed"`
	Removed []string        `json:"removed"`
}

func editModel(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits, action.Model)
	g := f.Model()
	text, given := f.Raw("edits")
	if !given {
		f.Fail(action.Errorf(graph.CodeMissing, "edits", "must be a list of changes"))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	ops, err := edit.Decode(text, "edits")
	if err != nil {
		return nil, err
	}
	after, err := edit.Apply(g, ops, limits)
	if err != nil {
		return nil, err
	}
	out := edited{Model: written(after)}
	out.Changed, out.Removed = changes(g, after)
	return out, nil
}

// changes names the components that differ between two states of a model.
func changes(before, after *graph.Graph) (changed, removed []string) {
	changed, removed = []string{}, []string{}
	was, is := state(before), state(after)
	for _, c := range is.list {
		if text, ok := was.text[c]; !ok || text != is.text[c] || !slices.Equal(was.reads[c], is.reads[c]) {
			changed = append(changed, c)
		}
	}
	for _, c := range was.list {
		if _, ok := is.text[c]; !ok {
			removed = append(removed, c)
		}
	}
	return changed, removed
}

// states is a graph by its ids: what each component says, and what it reads.
type states struct {
	list  []string
	text  map[string]string
	reads map[string][]string
}

func state(g *graph.Graph) states {
	g = g.Clone()
	g.Normalize(catalog.Vocabulary)
	s := states{text: map[string]string{}, reads: map[string][]string{}}
	for i := range g.Components {
		c := g.Components[i]
		s.list = append(s.list, c.ID)
		s.text[c.ID] = string((&graph.Graph{Components: []graph.Component{c}}).AppendJSON(nil))
	}
	for _, e := range g.Connections {
		s.reads[e.To] = append(s.reads[e.To], e.From)
	}
	return s
}
