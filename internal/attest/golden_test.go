package attest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/package-url/packageurl-go"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/internal/ruleset"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.json")

func sumOf(s string) Sum { return sha256.Sum256([]byte(s)) }

// example is a run that has everything which a record can hold.
func example() *Input {
	card, version := "H100", "0.11.0"
	run := &report.Run{
		Command: "policy-apply", Model: "models/a", ExitCode: 1,
		Rules: []report.Rule{{Checker: "check", ID: "cycle"}, {Checker: "check", ID: "high-dropout"}, {Checker: "check", ID: "vocab-alignment"}, {Checker: "check", ID: "depth"},
			{Checker: "check", ID: "double-norm"}, {Checker: "layout", ID: "tp-heads"}, {Checker: "policy", ID: "max-params"}},
		Findings: []report.Finding{
			{Checker: "check", Rule: "high-dropout", Severity: rules.Warn, Effective: rules.Block, Gates: true, Baseline: report.New, Title: "Dropout above a half"},
			{Checker: "check", Rule: "high-dropout", Severity: rules.Warn, Effective: rules.Block, Baseline: report.Existing, Title: "Dropout above a half"},
			{Checker: "check", Rule: "depth", Severity: rules.Warn, Effective: rules.Warn, Waived: true, Baseline: report.New, Title: "Deep <and> narrow & ä\u2028"},
			{Checker: "check", Rule: "vocab-alignment", Severity: rules.Info, Effective: rules.Info, Title: "Not a multiple of 64"},
			{Checker: "check", Rule: "double-norm", Severity: rules.Warn, Effective: policy.Off, Title: "Two in a row"},
		},
		Verdicts: report.Verdicts{
			Params:    &report.Params{Derived: 1_000},
			Training:  &report.Training{PeakGB: quantity.GB(2_500_000_000), UpperGB: quantity.GB(3_000_000_000), SmallestCard: &card, SeqLen: 128, Attention: "flash", EstCostUSD: quantity.USD(12_340_000)},
			Inference: &report.Inference{PeakGB: quantity.GB(1), SmallestCard: &card, Batch: 1, PromptTokens: 2, GenTokens: 3, Precision: "bf16"},
			Serve:     &report.Serve{Verdict: "warn", Engine: "vllm", EngineVersion: &version, EngineVersionAssumed: true},
			Layout:    &report.Verdict{Verdict: "pass"}, DataFit: &report.Verdict{Verdict: "block"}, Change: &report.Gate{Gate: "refused"},
		},
		Files: []report.File{{Name: ".verifier.yml", Data: []byte("policy: {}\n")}},
	}
	return &Input{
		Run: run, Argv: []string{"policy-apply", "--policy=.verifier.yml", "models/a"}, Version: "v1.2.3", URL: "https://ci.example.com/runs/1?a=b&c", Time: "2027-01-31T12:00:00Z",
		Inputs: []File{{"net.py", sumOf("source")}},
		Model: Model{Kind: Hub, Name: "a", Repo: "org/a", Revision: "0123456789abcdef0123456789abcdef01234567", AllowSymlinks: true, Ignore: []string{".git", "logs"},
			Files: []File{{"config.json", sumOf("{}")}, {"model.safetensors", sumOf("w")}, {"model/w.bin", sumOf("x")}}},
	}
}

// golden is the example, with the rule set cut to nothing: its digests change with every commit.
func golden(t testing.TB) []byte {
	t.Helper()
	s, err := New(example())
	if err != nil {
		t.Fatal(err)
	}
	s.Predicate.Configuration = slices.DeleteFunc(s.Predicate.Configuration, func(d Descriptor) bool { return d.URI == "" && d.Annotations == nil })
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheBytesOfARecord(t *testing.T) {
	got := golden(t)
	if *update {
		if err := os.WriteFile("testdata/golden.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestAPlainRunPasses(t *testing.T) {
	in := example()
	in.Run = &report.Run{Command: "check", Model: "a.graph", Rules: []report.Rule{{Checker: "check", ID: "cycle"}}}
	in.Argv = []string{"check", "a.graph"}
	in.URL, in.Time, in.Inputs = "", "", nil
	in.Model = Model{Kind: SingleFile, Name: "a.graph", Files: []File{{"a.graph", sumOf("x")}}}
	s, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Statement.Check(); err != nil {
		t.Fatal(err)
	}
	if s.Predicate.Result != Passed {
		t.Error(s.Predicate.Result)
	}
	for _, absent := range []string{`"url"`, `"time"`, `"repo"`, `"revision"`, `"uri": ""`} {
		if bytes.Contains(data, []byte(absent)) {
			t.Errorf("%s is written though there is none", absent)
		}
	}
	for _, there := range []string{`"warnedTests": []`, `"failedTests": []`, `"findings": []`, `"ignore_paths": []`, `"verdicts": {}`} {
		if !bytes.Contains(data, []byte(there)) {
			t.Errorf("%s is not written", there)
		}
	}
	var names []string
	for _, d := range s.Predicate.Configuration {
		names = append(names, d.Name)
	}
	for _, f := range ruleset.Files() {
		_, importer := importerOf(f.Path)
		if slices.Contains(names, f.Path) == importer {
			t.Errorf("%s: is it in the record: %t", f.Path, importer)
		}
	}
	for _, used := range [][]string{nil, {"onnx"}, {"hf", "safetensors"}} {
		in.Import = used
		s, err := New(in)
		if err != nil || !slices.Equal(s.Importers(), used) {
			t.Errorf("%v: importers %v, %v", used, s.Importers(), err)
		}
	}
}

// sample is a record that another program made, with this program's address of the schema.
func sample(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/sample-record.json")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(data, []byte("https://example.com/schemas/precheck/v1.json"), []byte(Schema))
}

func published(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(Schema, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(Schema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRecordsKeepThePublishedSchema(t *testing.T) {
	s := published(t)
	for name, data := range map[string][]byte{"golden": golden(t), "sample": sample(t)} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Parse(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// in-toto's own library reads a statement strictly: nothing that it does not know, no name twice.
func TestInTotoReadsTheRecord(t *testing.T) {
	var s intoto.Statement
	if err := (protojson.UnmarshalOptions{DiscardUnknown: false}).Unmarshal(golden(t), &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if len(s.GetSubject()) != 4 || s.GetPredicateType() != PredicateType || s.GetPredicate().GetFields()["result"].GetStringValue() != Failed {
		t.Errorf("%v", &s)
	}
	for _, d := range s.GetSubject() {
		if err := d.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestThePackageURLIsOne(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "v1.2.3", "dev": "v0.0.0-dev", "(devel)": "v0.0.0-dev", "": "v0.0.0-dev", "v1.0.0+incompatible": "v1.0.0+incompatible", "3838c82-dirty": "3838c82-dirty", "a b": "a b"} {
		p, err := packageurl.FromString(PackageURL(version))
		if err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		if p.Type != "golang" || p.Namespace != "github.com/modelverifier" || p.Name != "verifier" || p.Version != want || p.Subpath != "cmd/verifier" {
			t.Errorf("%s: %+v", version, p)
		}
	}
}

func TestSchemaHasNothingThatOursDoesNotKnow(t *testing.T) {
	var walk func(n *node, names bool)
	walk = func(n *node, names bool) {
		for i, item := range n.items {
			if n.kind != '{' {
				walk(item, false)
				continue
			}
			name := n.names[i]
			if !names && !slices.Contains(keywords, name) {
				t.Errorf("the schema has the keyword %s", name)
			}
			if name != "const" && name != "enum" && name != "required" {
				walk(item, !names && (name == "properties" || name == "$defs"))
			}
		}
	}
	walk(schema, false)
	var doc struct {
		ID string `json:"$id"`
	}
	if err := json.Unmarshal(SchemaJSON(), &doc); err != nil || doc.ID != Schema {
		t.Errorf("$id is %q, %v", doc.ID, err)
	}
}
