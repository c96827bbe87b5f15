package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/modelverifier/verifier/internal/datasets"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

// dataset is an item of /resources.json.
type dataset struct {
	Key       string   `json:"key"`
	Name      string   `json:"name"`
	Size      string   `json:"size"`
	License   string   `json:"license"`
	Page      string   `json:"page"`
	Downloads []string `json:"downloads"`
}

// digested is an item of /d/index.json: a dataset, what each download must hold, and the schema of a row.
type digested struct {
	dataset
	Files  []download `json:"files"`
	Schema string     `json:"schema"`
}

// download is one file of a dataset.
type download struct {
	URL       string `json:"url"`
	MediaType string `json:"mediaType"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
}

func linesPath(key string) string  { return "/d/" + key + ".jsonl" }
func schemaPath(key string) string { return "/d/" + key + ".schema.json" }
func dataPath(key string) string   { return "/d/" + key + ".html" }

// item describes a dataset as the indexes do. Its rows are counted for it, which makes them.
func (s *Site) item(d *datasets.Dataset) dataset {
	return dataset{d.Key, d.Name, d.Size(), d.License, s.url(dataPath(d.Key)), []string{s.url(linesPath(d.Key))}}
}

// addData publishes the datasets, and the indexes that programs read.
func (s *Site) addData() {
	for _, d := range datasets.All() {
		s.addDataset(d)
	}
	s.add("/d/index.json", typeJSON, func() []byte {
		var list []digested
		for _, d := range datasets.All() {
			list = append(list, digested{s.item(d), []download{s.download(linesPath(d.Key))}, s.url(schemaPath(d.Key))})
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
		s.add(SchemaPath, typeSchema, func() []byte { return s.config.Schema })
	}
	s.addResources()
}

// addDataset publishes the rows of a dataset, their schema, and the page about them.
func (s *Site) addDataset(d *datasets.Dataset) {
	s.add(linesPath(d.Key), typeLines, d.Lines)
	s.add(schemaPath(d.Key), typeSchema, d.Schema)
	s.addPage(page{Path: dataPath(d.Key), Title: d.Name, Section: "data", Description: d.About}, "dataset", func() any {
		first, _, _ := bytes.Cut(d.Lines(), []byte("\n"))
		return map[string]any{"D": s.item(d), "About": d.About, "Fields": d.Row.Meanings(), "LicenseURL": d.LicenseURL(),
			"Made": d.Made,
			"File": s.download(linesPath(d.Key)), "Path": linesPath(d.Key), "Schema": schemaPath(d.Key), "First": shown(first)}
	})
}

// mostShown is how much of a first row a page shows, in bytes.
const mostShown = 1200

// shown is a row as a page shows it: with lines of its own, and cut where it is long.
func shown(row []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, row, "", "  "); err != nil {
		panic("site: " + err.Error()) // cannot happen: rows are JSON, and the datasets' tests read them
	}
	out := b.Bytes()
	if len(out) > mostShown {
		out = append(out[:bytes.LastIndexByte(out[:mostShown], '\n')+1], "…"...)
	}
	return string(out)
}

// download describes a file that is published.
func (s *Site) download(path string) download {
	body := s.files[path].content().body
	sum := sha256.Sum256(body)
	return download{s.url(path), typeLines, len(body), hex.EncodeToString(sum[:])}
}

func indented(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic("site: " + err.Error()) // cannot happen: all that is written are strings and numbers
	}
	return b.Bytes()
}
