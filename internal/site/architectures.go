package site

import (
	"bytes"
	"regexp"
	"sort"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/datasets"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/svg"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

func archPath(id, ending string) string { return "/a/" + id + "." + ending }

// walk infers a model. What it finds out is large, so nobody keeps it.
func walk(id string) *infer.Result {
	g := open(id)
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func open(id string) *graph.Graph {
	g, err := models.Open(id)
	if err != nil {
		panic("site: " + err.Error()) // cannot happen: the models are part of the program, and their tests read them
	}
	return g
}

// usedBy maps each component type to the architectures that have it.
func (s *Site) usedBy() map[string][]*datasets.Architecture {
	out := map[string][]*datasets.Architecture{}
	for _, a := range datasets.Architectures() {
		for _, c := range a.Types {
			out[c.Type] = append(out[c.Type], a)
		}
	}
	return out
}

// indexed is an item of /a/index.json.
type indexed struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Family string `json:"family"`
	Params int64  `json:"params"`
	Source string `json:"source"`
	Graph  string `json:"graph"`
	Page   string `json:"page"`
}

func (s *Site) indexed(e *models.Entry) indexed {
	return indexed{e.ID, e.Name, e.Family, e.Params, e.Source, s.url(archPath(e.ID, "json")), s.url(archPath(e.ID, "html"))}
}

// addArchitectures publishes the list of architectures and, for each, its page, graph and picture.
func (s *Site) addArchitectures() {
	entries := models.Entries()
	s.addPage(page{Path: "/architectures.html", Title: "Architectures", Section: "architectures",
		Description: "Well-known neural networks as graphs to fetch and edit, each with its exact number of weights and where that comes from."},
		"architectures", func() any {
			byFamily := map[string][]*models.Entry{}
			var families []string
			for i := range entries {
				f := entries[i].Family
				if byFamily[f] == nil {
					families = append(families, f)
				}
				byFamily[f] = append(byFamily[f], &entries[i])
			}
			sort.Strings(families)
			return map[string]any{"Families": families, "ByFamily": byFamily, "Count": len(entries)}
		})
	for i, e := range entries {
		s.add(archPath(e.ID, "json"), typeJSON, func() []byte { return datasets.Architectures()[i].JSON })
		s.add(archPath(e.ID, "svg"), typeSVG, func() []byte { return picture(e.ID) })
		s.addPage(page{Path: archPath(e.ID, "html"), Title: e.Name, Section: "architectures",
			Description: e.Name + " as a graph to fetch and edit: its weights, compute, memory and cost."},
			"architecture", func() any { return s.architecturePage(datasets.Architectures()[i]) })
	}
}

func picture(id string) []byte {
	drawn, err := scene.Of(walk(id))
	if err != nil {
		panic("site: " + id + ": " + err.Error()) // cannot happen: every model is small enough to be drawn, and a test draws them all
	}
	return []byte(svg.Draw(drawn))
}

// size finds the size of a picture, so that a page does not move while it loads.
var size = regexp.MustCompile(`width="(\d+)" height="(\d+)"`)

func (s *Site) architecturePage(a *datasets.Architecture) any {
	record := plan.Run(&plan.Request{Model: open(a.ID)})
	m := size.FindSubmatch(s.files[archPath(a.ID, "svg")].content().body)
	graphFile := s.files[archPath(a.ID, "json")].content().body
	walked := walk(a.ID)
	return map[string]any{
		"A": a, "Types": a.Types, "Plan": record.Plan, "Text": record.Text, "FLOPs": a.FLOPs, "Base": s.config.BaseURL,
		"Width": string(m[1]), "Height": string(m[2]), "Findings": datasets.Findings(walked, rules.Run(walked)), "GraphBytes": len(graphFile),
		"Layers": int64(record.Plan.Model.Layers), "Imported": bytes.Contains(graphFile, []byte(`"config":`)),
	}
}
