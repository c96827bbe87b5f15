package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/datasets"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

// members are those of an object, in the order of the text.
func members(t *testing.T, raw []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		t.Fatalf("%v, %v instead of an object", start, err)
	}
	var out []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprint(key))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// list reads an index, holds the members of each item to those of the specification, and its addresses to what is published.
func list(t *testing.T, s *Site, path, key, want string) []map[string]any {
	t.Helper()
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(s.files[path].content().body, &doc); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(doc[key], &raw); err != nil || raw == nil {
		t.Fatalf("%s: %s: %v", path, key, err)
	}
	out := make([]map[string]any, len(raw))
	for i, item := range raw {
		if got := strings.Join(members(t, item), " "); got != want {
			t.Errorf("%s: %s[%d] has %q, wants %q", path, key, i, got, want)
		}
		if err := json.Unmarshal(item, &out[i]); err != nil {
			t.Fatal(err)
		}
		for _, member := range []string{"page", "graph"} {
			if address, ok := out[i][member].(string); ok {
				publishedAt(t, s, address)
			}
		}
	}
	return out
}

func publishedAt(t *testing.T, s *Site, address string) []byte {
	t.Helper()
	path, ours := strings.CutPrefix(address, base)
	if !ours || !s.Has(path) {
		t.Fatalf("%s is not published", address)
	}
	return s.files[path].content().body
}

func TestResourceIndexHasTheFieldsOfTheSpecification(t *testing.T) {
	s := newSite(t)
	const path = "/resources.json"
	if got := strings.Join(members(t, s.files[path].content().body), " "); got != "site description page verify datasets surfaces openSource indexes" {
		t.Errorf("has %q", got)
	}
	var r resources
	if err := json.Unmarshal(s.files[path].content().body, &r); err != nil {
		t.Fatal(err)
	}
	if r.Verify != base+"/api/v1/check" || r.Site != base+"/" || r.Description == "" {
		t.Errorf("%+v", r)
	}
	publishedAt(t, s, r.Page)
	licenses := map[string]string{"architectures": "CC0-1.0", "checks": "CC-BY-4.0", "grounding-264": "MIT", "arena": "CC-BY-4.0", "bench-tasks": "MIT", "arch-design-sft": "MIT",
		"outcome-triples": "MIT", "reasoning-traces-verifier": "MIT", "repair-traces-verifier": "MIT"}
	for _, d := range list(t, s, path, "datasets", "key name size license page downloads") {
		if d["license"] != licenses[d["key"].(string)] {
			t.Errorf("%v has licence %v", d["key"], d["license"])
		}
		delete(licenses, d["key"].(string))
	}
	if len(licenses) > 0 {
		t.Errorf("not listed: %v", licenses)
	}
	named := map[string]bool{}
	for _, l := range list(t, s, path, "surfaces", "name url note") {
		named[l["name"].(string)] = true
		if _, err := url.Parse(l["url"].(string)); err != nil || l["name"] == "" || l["note"] == "" {
			t.Errorf("%v", l)
		}
	}
	for _, l := range list(t, s, path, "indexes", "name url note") {
		publishedAt(t, s, l["url"].(string))
	}
	for _, name := range []string{"check API", "lint API", "rank API", "tool server", "CI action"} {
		if !named[name] {
			t.Errorf("the surface %s is not listed", name)
		}
	}
	open := ""
	for _, l := range list(t, s, path, "openSource", "name url note") {
		open += l["name"].(string) + ", "
	}
	if open != "benchmark and environment, tool server, CI action, " {
		t.Errorf("open source: %s", open)
	}
}

func TestConfiguredLinksAreListed(t *testing.T) {
	s, err := New(Config{BaseURL: base, Surfaces: []Link{{"another server", base + "/docs.html", "over standard input and output"}}, OpenSource: []Link{{"action", "https://example.org/action", "for CI"}}})
	if err != nil {
		t.Fatal(err)
	}
	body := string(s.files["/resources.json"].content().body) + string(s.files["/resources.html"].content().body)
	if strings.Count(body, "another server") != 2 || strings.Count(body, "https://example.org/action") != 3 {
		t.Errorf("not listed in\n%s", body)
	}
	for _, absent := range []string{"/openapi.json", SchemaPath} {
		if s.Has(absent) || strings.Contains(body, absent) {
			t.Errorf("%s is published without content", absent)
		}
	}
}

func TestDownloadsAreWhatTheIndexSays(t *testing.T) {
	s := newSite(t)
	for _, d := range list(t, s, "/d/index.json", "datasets", "key name size license page downloads files schema") {
		downloads, files := d["downloads"].([]any), d["files"].([]any)
		if len(downloads) != len(files) || len(files) == 0 {
			t.Fatalf("%v: %d downloads and %d files", d["key"], len(downloads), len(files))
		}
		if schema := publishedAt(t, s, d["schema"].(string)); !json.Valid(schema) || !bytes.Contains(schema, []byte(`"additionalProperties": false`)) {
			t.Errorf("%v: the schema is %s", d["key"], schema)
		}
		for i, f := range files {
			f := f.(map[string]any)
			body := publishedAt(t, s, f["url"].(string))
			sum := sha256.Sum256(body)
			if f["url"] != downloads[i] || f["sha256"] != hex.EncodeToString(sum[:]) || f["bytes"] != float64(len(body)) {
				t.Errorf("%v is not what is served: %x, %d bytes", f, sum, len(body))
			}
			lines := bytes.Count(body, []byte("\n"))
			if size := d["size"].(string); !strings.HasPrefix(size, quantity.Grouped(int64(lines))+" ") {
				t.Errorf("%v has %d lines, its size is %s", d["key"], lines, size)
			}
		}
	}
}

func TestCheckIndexAndDataset(t *testing.T) {
	s := newSite(t)
	items := list(t, s, "/r/index.json", "checks", "id title severity trigger provenance source page")
	if len(items) != len(rules.Rules()) {
		t.Fatalf("%d checks, %d rules", len(items), len(rules.Rules()))
	}
	for i, l := range bytes.Split(bytes.TrimSpace(s.files["/d/checks.jsonl"].content().body), []byte("\n")) {
		var row map[string]any
		if err := json.Unmarshal(l, &row); err != nil {
			t.Fatal(err)
		}
		for k, v := range items[i] {
			if v == "" {
				t.Errorf("%v: %s is empty", items[i]["id"], k)
			}
			if k != "page" && row[k] != v || k == "page" && base+row[k].(string) != v {
				t.Errorf("%v: %s is %v in the dataset, and %v in the index", items[i]["id"], k, row[k], v)
			}
		}
		if trigger := row["trigger"].(string); !strings.Contains(trigger, ". For example") {
			t.Errorf("%v: the trigger has no example: %s", row["id"], trigger)
		}
	}
}

func TestArchitectureIndexAndDataset(t *testing.T) {
	s := newSite(t)
	items := list(t, s, "/a/index.json", "architectures", "id name family params source graph page")
	lines := bytes.Split(bytes.TrimSpace(s.files["/d/architectures.jsonl"].content().body), []byte("\n"))
	entries := models.Entries()
	if len(items) != len(entries) || len(lines) != len(entries) {
		t.Fatalf("%d items, %d lines, %d models", len(items), len(lines), len(entries))
	}
	for i, e := range entries {
		var l struct {
			ID, Graph, Page string
			Model           json.RawMessage
		}
		if err := json.Unmarshal(lines[i], &l); err != nil {
			t.Fatal(err)
		}
		fetched := publishedAt(t, s, items[i]["graph"].(string))
		if l.ID != e.ID || items[i]["params"] != float64(e.Params) || !bytes.Equal(l.Model, bytes.TrimSpace(fetched)) {
			t.Errorf("%s: index, line and graph differ", e.ID)
		}
		if base+l.Graph != items[i]["graph"] || base+l.Page != items[i]["page"] {
			t.Errorf("%s: the line names %s and %s", e.ID, l.Graph, l.Page)
		}
	}
}

// TestDigestsDoNotDependOnTheHost publishes under two addresses.
func TestDigestsDoNotDependOnTheHost(t *testing.T) {
	other, err := New(Config{BaseURL: "http://127.0.0.1:8080"})
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	for _, d := range datasets.All() {
		if a, b := s.download(linesPath(d.Key)), other.download(linesPath(d.Key)); a.SHA256 != b.SHA256 || a.URL == b.URL {
			t.Errorf("%s: %v and %v", d.Key, a, b)
		}
	}
}
