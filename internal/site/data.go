package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

// dataset is something to download: an item of /resources.json.
type dataset struct {
	Key       string   `json:"key"`
	Name      string   `json:"name"`
	Size      string   `json:"size"`
	License   string   `json:"license"`
	Page      string   `json:"page"`
	Downloads []string `json:"downloads"`
}

// digested is an item of /d/index.json: a dataset, and what each download must hold.
type digested struct {
	dataset
	Files []download `json:"files"`
}

// download is one file of a dataset.
type download struct {
	URL       string `json:"url"`
	MediaType string `json:"mediaType"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
}

// published is what a dataset is made from.
type published struct {
	dataset
	about   string
	fields  [][2]string // name and meaning of each field of a line
	path    string
	lines   func() []any
	license string // the address of its text
}

// datasets are those that the service makes itself, and really serves.
func (s *Site) datasets() []published {
	item := func(key, name, size, license string) dataset {
		return dataset{key, name, size, license, s.url("/d/" + key + ".html"), []string{s.url("/d/" + key + ".jsonl")}}
	}
	return []published{
		{item("architectures", "Reference architectures", fmt.Sprintf("%d architectures", len(models.List())), "CC0-1.0"),
			"Well-known neural networks as graphs, each with the exact number of trained parameters of its reference implementation.", architectureFields,
			"/d/architectures.jsonl", s.architectureLines, "https://creativecommons.org/publicdomain/zero/1.0/"},
		{item("checks", "Structural checks", fmt.Sprintf("%d checks", len(rules.Rules())), "CC-BY-4.0"),
			"Every rule with its source, and its examples as graphs with what is found in them: some that set it off, some that do not.", checkFields,
			"/d/checks.jsonl", s.checkLines, "https://creativecommons.org/licenses/by/4.0/"},
	}
}

// checkLine is a line of the dataset checks.
type checkLine struct {
	check
	Doc      string         `json:"doc"`
	Examples []checkExample `json:"examples"`
}

type checkExample struct {
	Fires    bool            `json:"fires"`
	Notation string          `json:"notation"`
	Model    json.RawMessage `json:"model"`
	Findings []finding       `json:"findings"`
}

var checkFields = [][2]string{
	{"id, title, severity, trigger, provenance, source, page", "as in /r/index.json"},
	{"doc", "what happens, why it matters, what to do"},
	{"examples[].fires", "whether the rule finds something in the example"},
	{"examples[].notation, model", "the example in the short notation, and as the graph that a request carries"},
	{"examples[].findings", "what the engine finds in it, of this rule and of others: rule, severity, component, type, message, fix"},
}

func (s *Site) checkLines() []any {
	var out []any
	for _, r := range rules.Rules() {
		l := checkLine{check: s.check(r), Doc: r.Doc}
		for _, text := range r.Examples {
			e := runRule(r, text)
			if e.Findings == nil {
				e.Findings = []finding{}
			}
			l.Examples = append(l.Examples, checkExample{e.Fires, e.notation, e.graph.AppendJSON(nil), e.Findings})
		}
		out = append(out, l)
	}
	return out
}

// architectureLine is a line of the dataset architectures.
type architectureLine struct {
	indexed
	Published   string          `json:"published,omitempty"`
	Fingerprint string          `json:"fingerprint"`
	FLOPs       int64           `json:"flops"`
	Types       map[string]int  `json:"types"`
	Model       json.RawMessage `json:"model"`
}

var architectureFields = [][2]string{
	{"id, name, family, params, source, graph, page", "as in /a/index.json"},
	{"published", "the number of parameters as its authors print it, where they round it"},
	{"fingerprint", "eight hex digits that name the structure"},
	{"flops", "of the forward pass of one sample, as PyTorch counts them"},
	{"types", "how many components of each type it has"},
	{"model", "the graph, as a request carries it; one that was imported has its config.json inside"},
}

func (s *Site) architectureLines() []any {
	var out []any
	for _, a := range s.models() {
		l := architectureLine{s.indexed(&a.Entry), a.Published, a.fingerprint, a.flops, map[string]int{}, a.json}
		for _, c := range a.types {
			l.Types[c.Type] = c.N
		}
		out = append(out, l)
	}
	return out
}

// addData publishes the datasets, and the indexes that programs read.
func (s *Site) addData() {
	sets := s.datasets()
	for _, d := range sets {
		s.add(d.path, typeLines, func() []byte { return jsonLines(d.lines()) })
		s.addPage(page{Path: "/d/" + d.Key + ".html", Title: d.Name, Section: "data", Description: d.about}, "dataset", func() any {
			return map[string]any{"D": d.dataset, "About": d.about, "Fields": d.fields, "LicenseURL": d.license, "File": s.download(d.path), "Path": d.path}
		})
	}
	s.add("/d/index.json", typeJSON, func() []byte {
		list := make([]digested, len(sets))
		for i, d := range sets {
			list[i] = digested{d.dataset, []download{s.download(d.path)}}
		}
		return indented(map[string]any{"datasets": list})
	})
	s.add("/a/index.json", typeJSON, func() []byte {
		entries := models.Entries()
		list := make([]indexed, len(entries))
		for i := range entries {
			list[i] = s.indexed(&entries[i])
		}
		return indented(map[string]any{"architectures": list})
	})
	s.add("/r/index.json", typeJSON, func() []byte {
		var list []check
		for _, r := range rules.Rules() {
			list = append(list, s.check(r))
		}
		return indented(map[string]any{"ruleSet": s.ruleSet, "checks": list})
	})
	if s.config.OpenAPI != nil {
		s.add("/openapi.json", typeJSON, func() []byte { return s.config.OpenAPI })
	}
	if s.config.Schema != nil {
		s.add(SchemaPath, "application/schema+json", func() []byte { return s.config.Schema })
	}
	s.addResources(sets)
}

// download describes a file that is published.
func (s *Site) download(path string) download {
	body := s.files[path].content().body
	sum := sha256.Sum256(body)
	return download{s.url(path), typeLines, len(body), hex.EncodeToString(sum[:])}
}

// jsonLines writes each value on a line.
func jsonLines(values []any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		encode(&b, v, "")
	}
	return b.Bytes()
}

func indented(v any) []byte {
	var b bytes.Buffer
	encode(&b, v, "  ")
	return b.Bytes()
}

func encode(b *bytes.Buffer, v any, indent string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		panic("site: " + err.Error()) // cannot happen: all that is written are strings, numbers and graphs
	}
}

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

func (s *Site) addResources(sets []published) {
	api := func(action, note string) Link { return Link{action + " API", s.url("/api/v1/" + action), note} }
	r := resources{
		Site: s.url("/"), Page: s.url("/resources.html"), Verify: s.url("/api/v1/check"),
		Description: "Says whether a neural network runs in PyTorch, what it costs and what to fix, from its graph alone.",
		Surfaces: append([]Link{
			api("check", "POST a graph: does it run, what does it cost, what is left to decide; with a key"),
			api("lint", "POST a graph: what every rule finds, for a gate in CI; with a key"),
			api("rank", "POST up to 20 graphs: in order by what has been measured; with a key"),
			api("plan", "POST a graph: memory, time and dollars, and what changed since a base; without a key, 60 an hour"),
		}, s.config.Surfaces...),
		OpenSource: append([]Link{}, s.config.OpenSource...),
		Indexes: []Link{
			{"datasets", s.url("/d/index.json"), "every dataset with its licence, downloads and their digests"},
			{"architectures", s.url("/a/index.json"), fmt.Sprintf("%d architectures, each with a graph to fetch and edit", len(models.List()))},
			{"checks", s.url("/r/index.json"), fmt.Sprintf("%d structural checks with trigger and provenance, over %d component types", len(rules.Rules()), len(catalog.Types()))},
		},
	}
	if s.Has("/openapi.json") {
		r.Indexes = append(r.Indexes, Link{"openapi", s.url("/openapi.json"), "the HTTP service in OpenAPI 3.1"})
	}
	if s.Has(SchemaPath) {
		r.Indexes = append(r.Indexes, Link{"attestation schema", s.url(SchemaPath), "the JSON schema of the record that a pre-check attests, version 1"})
	}
	for _, d := range sets {
		r.Datasets = append(r.Datasets, d.dataset)
	}
	s.add("/resources.json", typeJSON, func() []byte { return indented(r) })
	s.addPage(page{Path: "/resources.html", Title: "Data", Section: "data", Description: "Datasets to download, indexes for programs, and the surfaces of the service."},
		"resources", func() any { return r })
}
