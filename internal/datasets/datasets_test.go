package datasets

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// verified has, by the key of a dataset, what verifies one of its rows again. Each file of tests adds its own.
var verified = map[string]func(t *testing.T, line []byte){}

// keys and licences of the specification, with the sizes that must be reached.
var promised = []struct {
	key, license string
	rows         int
}{
	{"architectures", "CC0-1.0", 36},
	{"checks", "CC-BY-4.0", 41},
	{"grounding-264", "MIT", 264},
	{"arena", "CC-BY-4.0", 18},
	{"bench-tasks", "MIT", 12},
	{"arch-design-sft", "MIT", 3010},
	{"outcome-triples", "MIT", 80},
	{"reasoning-traces-verifier", "MIT", 376},
	{"repair-traces-verifier", "MIT", 306},
}

func TestEveryDatasetIsThere(t *testing.T) {
	if len(All()) != len(promised) {
		t.Errorf("%d datasets instead of %d", len(All()), len(promised))
	}
	for i, want := range promised {
		d := Lookup(want.key)
		if d == nil {
			t.Errorf("there is no dataset %s", want.key)
			continue
		}
		if All()[i] != d || d.License != want.license || d.LicenseURL() == "" || d.Rows() < want.rows {
			t.Errorf("%s is number %d, has licence %s and %s", d.Key, i, d.License, d.Size())
		}
		if d.Name == "" || d.About == "" || d.Unit == "" || !strings.HasSuffix(d.About, ".") {
			t.Errorf("%s does not say what it is", d.Key)
		}
	}
	if Lookup("nothing") != nil {
		t.Error("there is a dataset that nobody made")
	}
}

// TestEveryRowIsVerifiedAgain holds each row of each dataset to its schema, and to what the program finds out afresh.
func TestEveryRowIsVerifiedAgain(t *testing.T) {
	for _, d := range All() {
		t.Run(d.Key, func(t *testing.T) {
			start := time.Now()
			s, verify := compiled(t, d), verified[d.Key]
			if verify == nil {
				t.Fatal("nothing verifies its rows")
			}
			if n := bytes.Count(d.Lines(), []byte("\n")); n != d.Rows() {
				t.Errorf("%d rows are said, and %d are there", d.Rows(), n)
			}
			seen := map[string]bool{}
			for line := range bytes.Lines(d.Lines()) {
				row, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
				if err != nil {
					t.Fatal(err)
				}
				id, _ := row.(map[string]any)["id"].(string)
				if id == "" || seen[id] {
					t.Errorf("the id %q is empty or there twice", id)
				}
				seen[id] = true
				if err := s.Validate(row); err != nil {
					t.Fatalf("%s: %v", id, err)
				}
				verify(t, line)
				if t.Failed() {
					t.Fatalf("%s is not what the program says now. To make the data again: %s", id, d.Made)
				}
			}
			t.Logf("%s, %d bytes, verified in %.1f s", d.Size(), len(d.Lines()), time.Since(start).Seconds())
		})
	}
}

func compiled(t *testing.T, d *Dataset) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("row.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("row.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemasRefuseOtherRows holds that a schema is not one that takes everything.
func TestSchemasRefuseOtherRows(t *testing.T) {
	for _, d := range All() {
		s := compiled(t, d)
		first, _, _ := bytes.Cut(d.Lines(), []byte("\n"))
		var row map[string]any
		if err := json.Unmarshal(first, &row); err != nil {
			t.Fatal(err)
		}
		for name := range row {
			changed := map[string]any{}
			for k, v := range row {
				changed[k] = v
			}
			changed[name] = []any{map[string]any{}}
			if s.Validate(changed) == nil {
				t.Errorf("%s: %s may be anything", d.Key, name)
			}
		}
		row["other"] = "x"
		if s.Validate(row) == nil {
			t.Errorf("%s: a row may have members that nobody wrote down", d.Key)
		}
	}
}

// TestNoRowNamesAHost holds that the bytes do not depend on where they are served. What rules, papers and model cards
// cite may.
func TestNoRowNamesAHost(t *testing.T) {
	for _, d := range All() {
		for _, m := range d.Row.Meanings() {
			if m.Field == "page" || m.Field == "graph" {
				for line := range bytes.Lines(d.Lines()) {
					var row map[string]any
					if err := json.Unmarshal(line, &row); err != nil {
						t.Fatal(err)
					}
					if p, _ := row[m.Field].(string); !strings.HasPrefix(p, "/") {
						t.Fatalf("%s: %s is %v", d.Key, m.Field, row[m.Field])
					}
				}
			}
		}
	}
}
