package load

import (
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/neurarch"
)

// fromNeurarch translates a graph that is a file of the Neurarch editor: one that has its marks, or that is said to be one.
func (m *Model) fromNeurarch(said hub.Kind) {
	if said == hub.Graph || said != hub.Neurarch && !neurarch.Marked(m.Graph) {
		return
	}
	file, lines := m.Graph, m.lines
	read := neurarch.Import(file)
	m.Kind, m.Graph, m.Notes = hub.Neurarch, read.Graph, append(m.Notes, read.Notes...)
	m.lines = func() []Place { return placesOf(file, lines(), read.Graph) }
}

// placesOf finds the components of a translated graph in the file, by their ids. One that was put in has no line.
func placesOf(file *graph.Graph, written []Place, g *graph.Graph) []Place {
	by, name := map[string]Place{}, ""
	for i := range file.Components {
		if i < len(written) {
			by[file.Components[i].ID], name = written[i], written[i].File
		}
	}
	out := make([]Place, len(g.Components))
	for i := range g.Components {
		p, ok := by[g.Components[i].ID]
		if !ok {
			p = Place{File: name}
		}
		out[i] = p
	}
	return out
}

// Kinds are what Options.From takes.
func Kinds() []hub.Kind { return []hub.Kind{hub.Graph, hub.Neurarch} }

// KindOf is the kind of that name, and whether there is one that can be asked for.
func KindOf(name string) (hub.Kind, bool) {
	for _, k := range Kinds() {
		if strings.EqualFold(string(k), name) {
			return k, true
		}
	}
	return "", false
}
