package site

import (
	"github.com/modelverifier/verifier/internal/catalog"
)

// groups are the headings of the list of types, in the order of the catalogue.
var groups = []catalog.Group{
	catalog.Structure, catalog.Dense, catalog.Convolution, catalog.Pooling, catalog.Resampling, catalog.Normalisation, catalog.Activation,
	catalog.Regularising, catalog.Embeddings, catalog.Recurrent, catalog.Attention, catalog.Blocks, catalog.GraphNets, catalog.Audio,
	catalog.Recommending, catalog.Merging, catalog.Reshaping, catalog.Arithmetic,
}

func typePath(id string) string { return "/t/" + id + ".html" }

// addTypes publishes the list of component types and the page of each.
func (s *Site) addTypes() {
	s.addPage(page{Path: "/types.html", Title: "Component types", Section: "types", Description: "Every component type that a graph can have, with its page."}, "types", func() any {
		type group struct {
			Name  catalog.Group
			Types []*catalog.Type
		}
		var list []group
		for _, name := range groups {
			g := group{Name: name}
			for _, t := range catalog.Types() {
				if t.Group == name {
					g.Types = append(g.Types, t)
				}
			}
			list = append(list, g)
		}
		return map[string]any{"Groups": list, "Count": len(catalog.Types())}
	})
	for _, t := range catalog.Types() {
		s.addPage(page{Path: typePath(t.ID), Title: t.ID, Section: "types", Description: t.Title + "."}, "type", func() any { return s.typePage(t) })
	}
}

func (s *Site) typePage(t *catalog.Type) any {
	var runs, refused []typeExample
	for i := range t.Examples {
		if e := runType(t, &t.Examples[i]); e.Rule == "" {
			runs = append(runs, e)
		} else {
			refused = append(refused, e)
		}
	}
	params := make([]*catalog.Param, len(t.Params)) // methods of a parameter need its address
	for i := range t.Params {
		params[i] = &t.Params[i]
	}
	return map[string]any{"Type": t, "Params": params, "Runs": runs, "Refused": refused, "Used": s.uses()[t.ID], "RuleSet": s.ruleSet}
}
