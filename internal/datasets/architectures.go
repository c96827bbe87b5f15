package datasets

import (
	"bytes"
	"encoding/json"
	"sort"
	"sync"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models"
)

var _ = define(Dataset{
	order: 1, Key: "architectures", Name: "Reference architectures", Unit: "architectures", License: "CC0-1.0",
	About: "Well-known neural networks as graphs, each with the exact number of trained parameters of its " +
		"reference implementation.",
	Row: members(
		field("id", text, "its name in addresses"),
		field("name", text, "what people call it"),
		field("family", text, "what kind of network it is"),
		field("params", whole, "trained parameters of the reference, shared ones once"),
		field("source", text, "the paper, model card or running reference that the number comes from"),
		field("graph", path, "path of the graph on the site"),
		field("page", path, "path of its page on the site"),
		maybe("published", text, "the number of parameters as its authors print it, where they round it"),
		field("fingerprint", print8, "eight hex digits that name the structure"),
		field("flops", whole, "of the forward pass of one sample, as PyTorch counts them"),
		field("types", counts, "how many components of each type it has"),
		field("model", model, "the graph, as a request carries it; one that was imported has its config.json inside"),
	),
	lines: func() []byte { return jsonLines(architectureRows()) },
	count: func() int { return len(models.List()) },
})

// Architecture is a bundled model and what the engine finds out about it.
type Architecture struct {
	models.Entry
	JSON        []byte // the graph on one line, as it is published
	Types       []TypeCount
	FLOPs       int64
	Fingerprint string
}

// TypeCount is how many components of a type a model has.
type TypeCount struct {
	Type string
	N    int
}

// GraphPath is where the graph of an architecture is published, and PagePath its page.
func GraphPath(id string) string { return "/a/" + id + ".json" }

// PagePath is where the page of an architecture is published.
func PagePath(id string) string { return "/a/" + id + ".html" }

// Architectures walks every bundled model, once.
var Architectures = sync.OnceValue(func() []*Architecture {
	entries := models.Entries()
	out := make([]*Architecture, len(entries))
	for i, e := range entries {
		out[i] = newArchitecture(e)
	}
	return out
})

func newArchitecture(e models.Entry) *Architecture {
	g, err := models.Open(e.ID)
	if err != nil {
		panic("datasets: " + err.Error()) // cannot happen: the models are part of the program, and their tests read them
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	a := &Architecture{Entry: e, JSON: compact(g), FLOPs: res.FLOPs, Fingerprint: res.Fingerprint()}
	n := map[string]int{}
	for j := range g.Components {
		n[g.Components[j].Type]++
	}
	for t, c := range n {
		a.Types = append(a.Types, TypeCount{t, c})
	}
	sort.Slice(a.Types, func(i, j int) bool {
		return a.Types[i].N > a.Types[j].N || a.Types[i].N == a.Types[j].N && a.Types[i].Type < a.Types[j].Type
	})
	return a
}

// compact writes a graph on one line: the configuration of one that was imported has lines of its own.
func compact(g *graph.Graph) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, g.AppendJSON(nil)); err != nil {
		panic("datasets: " + err.Error()) // cannot happen: a graph is written as JSON
	}
	return append(b.Bytes(), '\n')
}

// architectureRow is a row of the dataset.
type architectureRow struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Family      string          `json:"family"`
	Params      int64           `json:"params"`
	Source      string          `json:"source"`
	Graph       string          `json:"graph"`
	Page        string          `json:"page"`
	Published   string          `json:"published,omitempty"`
	Fingerprint string          `json:"fingerprint"`
	FLOPs       int64           `json:"flops"`
	Types       map[string]int  `json:"types"`
	Model       json.RawMessage `json:"model"`
}

func architectureRows() []architectureRow {
	var out []architectureRow
	for _, a := range Architectures() {
		row := architectureRow{ID: a.ID, Name: a.Name, Family: a.Family, Params: a.Params, Source: a.Source,
			Graph: GraphPath(a.ID), Page: PagePath(a.ID),
			Published: a.Published, Fingerprint: a.Fingerprint, FLOPs: a.FLOPs, Types: map[string]int{}, Model: a.JSON}
		for _, c := range a.Types {
			row.Types[c.Type] = c.N
		}
		out = append(out, row)
	}
	return out
}
