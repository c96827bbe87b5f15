package site

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/datasets"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

// resources is /resources.json.
type resources struct {
	Site        string    `json:"site"`
	Description string    `json:"description"`
	Page        string    `json:"page"`
	Verify      string    `json:"verify"`
	Datasets    []dataset `json:"datasets"`
	Surfaces    []Link    `json:"surfaces"`
	OpenSource  []Link    `json:"openSource"`
	Indexes     []Link    `json:"indexes"`
}

// repository is where the source of everything here is published.
const repository = "https://github.com/modelverifier/verifier"

// surfaces are what can be called.
func (s *Site) surfaces() []Link {
	api := func(action, note string) Link { return Link{action + " API", s.url("/api/v1/" + action), note} }
	return append([]Link{
		api("check", "POST a graph: does it run, what does it cost, what is left to decide; with a key"),
		api("lint", "POST a graph: what every rule finds, for a gate in CI; with a key"),
		api("rank", "POST up to 20 graphs: in order by what has been measured; with a key"),
		api("plan", "POST a graph: memory, time and dollars, and what changed since a base; without a key, 60 an hour"),
		{"tool server", s.url(docPath("mcp")), "verifier mcp: tools for agents over standard input and output; runs " +
			"offline, without an account"},
		{"CI action", s.url(docPath("ci")), "says on a pull request whether the models that it changes still run, and " +
			"what they cost now"},
	}, s.config.Surfaces...)
}

// openSource are what can be read and run elsewhere.
func (s *Site) openSource() []Link {
	return append([]Link{
		{"benchmark and environment", repository + "/tree/main/internal/bench",
			"tasks of designing and changing models, their grading, and an environment server"},
		{"tool server", repository + "/tree/main/internal/mcp", "the tools for agents, over standard input and output"},
		{"CI action", repository + "/blob/main/action.yml", "the action for pull requests"},
	}, s.config.OpenSource...)
}

// indexes are the files from which a program finds all others.
func (s *Site) indexes() []Link {
	out := []Link{
		{"datasets", s.url("/d/index.json"), "every dataset with its licence, downloads, their digests and the schema " +
			"of a row"},
		{"architectures", s.url("/a/index.json"), fmt.Sprintf("%d architectures, each with a graph to fetch and edit",
			len(models.List()))},
		{"checks", s.url("/r/index.json"), fmt.Sprintf("%d structural checks with trigger and provenance, over %d "+
			"component types", len(rules.Rules()), len(catalog.Types()))},
	}
	if s.Has("/openapi.json") {
		out = append(out, Link{"openapi", s.url("/openapi.json"), "the HTTP service in OpenAPI 3.1"})
	}
	if s.Has(SchemaPath) {
		out = append(out, Link{"attestation schema", s.url(SchemaPath),
			"the JSON schema of the record that a pre-check attests, version 1"})
	}
	return out
}

func (s *Site) resources() *resources {
	r := &resources{
		Site: s.url("/"), Page: s.url("/resources.html"), Verify: s.url("/api/v1/check"),
		Description: "Says whether a neural network runs in PyTorch, what it costs and what to fix, from its graph alone.",
		Surfaces:    s.surfaces(), OpenSource: s.openSource(), Indexes: s.indexes(),
	}
	for _, d := range datasets.All() {
		r.Datasets = append(r.Datasets, s.item(d))
	}
	return r
}

func (s *Site) addResources() {
	s.add("/resources.json", typeJSON, func() []byte { return indented(s.resources()) })
	s.addPage(page{Path: "/resources.html", Title: "Data", Section: "data",
		Description: "Datasets to download, indexes for programs, and the surfaces of the service."},
		"resources", func() any { return s.resources() })
}
