package attest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	_ "github.com/modelverifier/verifier/internal/seed"
)

// absent takes a member away.
type absent struct{}

// set changes a document at a path such as subject.0.name. With absent{} it takes the member away.
func set(t testing.TB, doc any, path string, to any) {
	t.Helper()
	parts := strings.Split(path, ".")
	for i, part := range parts {
		last := i == len(parts)-1
		switch v := doc.(type) {
		case map[string]any:
			switch {
			case last && to == absent{}:
				if _, ok := v[part]; !ok {
					t.Fatalf("there is no %s to take away", path)
				}
				delete(v, part)
			case last:
				v[part] = to
			}
			doc = v[part]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(v) {
				t.Fatalf("%s: no item %s", path, part)
			}
			if last {
				v[n] = to
			}
			doc = v[n]
		default:
			t.Fatalf("%s leads nowhere at %s", path, part)
		}
	}
}

func document(t testing.TB, data []byte) any {
	t.Helper()
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func encoded(t testing.TB, doc any) []byte {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const (
	pre   = "predicate.verifierPrecheck."
	src   = pre + "subjectSource."
	upper = "ABCDEFabcdef0123456789012345678901234567890123456789012345678901"
)

// breaks lists, by the row of the specification, what a record must not be.
var breaks = []struct {
	row, path string
	to        any
}{
	{"Statement _type: constant", "_type", "https://in-toto.io/Statement/v0.1"},
	{"Statement _type: required", "_type", absent{}},
	{"Statement subject: array", "subject", map[string]any{}},
	{"Statement subject: at least 2 items", "subject", []any{map[string]any{"name": "a", "digest": map[string]any{"sha256": strings.Repeat("0", 64)}}}},
	{"Statement subject: required", "subject", absent{}},
	{"Statement subject: the first is the model", "subject.0.name", "b"},
	{"Statement subject: the first has the digest over the files", "subject.0.digest.sha256", strings.Repeat("0", 64)},
	{"Statement subject: every further one is a file", "subject.1.name", "../config.json"},
	{"Statement subject: a file is named by its path", "subject.1.name", "/config.json"},
	{"Statement subject: a file is named once", "subject.1.name", "model.safetensors"},
	{"Statement subject: manifest order", "subject.1.name", "z"},
	{"Statement subject: a file has its own digest", "subject.1.digest.sha256", strings.Repeat("0", 64)},
	{"Statement predicateType: constant", "predicateType", "https://slsa.dev/provenance/v1"},
	{"Statement predicateType: required", "predicateType", absent{}},
	{"Statement predicate: object", "predicate", []any{}},
	{"Statement predicate: required", "predicate", absent{}},
	{"Subject name: min length 1", "subject.1.name", ""},
	{"Subject name: string", "subject.1.name", 1},
	{"Subject name: required", "subject.1.name", absent{}},
	{"Subject digest: required", "subject.1.digest", absent{}},
	{"Digest set: at least one property", "subject.1.digest", map[string]any{}},
	{"Digest set: sha256 required", "subject.1.digest", map[string]any{"sha512": "00"}},
	{"Digest set: sha256 has 64 hex digits", "subject.1.digest.sha256", "00"},
	{"Digest set: lowercase", "subject.1.digest.sha256", upper},
	{"Digest set: other algorithms in lowercase hex", "subject.1.digest.sha512", "XY"},
	{"Resource descriptor: uri, digest or content", "predicate.configuration.1", map[string]any{"name": "x"}},
	{"Resource descriptor uri: min length 1", "predicate.configuration.0.uri", ""},
	{"Resource descriptor digest: digest set", "predicate.configuration.1.digest.sha256", "xyz"},
	{"Resource descriptor content: string", "predicate.configuration.1.content", 1},
	{"Resource descriptor name: string", "predicate.configuration.1.name", 1},
	{"Resource descriptor downloadLocation: string", "predicate.configuration.1.downloadLocation", 1},
	{"Resource descriptor mediaType: string", "predicate.configuration.1.mediaType", 1},
	{"Resource descriptor annotations: object", "predicate.configuration.1.annotations", "x"},
	{"Test name: pattern", "predicate.passedTests.0", "Check/x"},
	{"Test name: one slash", "predicate.passedTests.0", "check/x/y"},
	{"Test name: no newline behind", "predicate.passedTests.0", "check/cycle\n"},
	{"Predicate result: one of three", "predicate.result", "SKIPPED"},
	{"Predicate result: required", "predicate.result", absent{}},
	{"Predicate result: FAILED where the exit code is not zero", "predicate.result", "PASSED"},
	{"Predicate configuration: at least 1 item", "predicate.configuration", []any{}},
	{"Predicate configuration: required", "predicate.configuration", absent{}},
	{"Predicate configuration: the tool itself", "predicate.configuration.0.name", "other"},
	{"Predicate configuration: as a package URL", "predicate.configuration.0.uri", "pkg:golang/github.com/modelverifier/verifier@v9#cmd/verifier"},
	{"Predicate url: min length 1", "predicate.url", ""},
	{"Predicate url: string", "predicate.url", nil},
	{"Predicate passedTests: array", "predicate.passedTests", "check/cycle"},
	{"Predicate passedTests: always there", "predicate.passedTests", absent{}},
	{"Predicate warnedTests: always there", "predicate.warnedTests", absent{}},
	{"Predicate failedTests: always there", "predicate.failedTests", absent{}},
	{"Predicate test lists: unique", "predicate.passedTests", []any{"check/cycle", "check/cycle"}},
	{"Predicate test lists: disjoint", "predicate.passedTests.0", "check/depth"},
	{"Predicate test lists: sorted", "predicate.passedTests", []any{"policy/max-params", "check/cycle"}},
	{"Predicate failedTests: what gates", "predicate.failedTests", []any{}},
	{"Predicate failedTests: only what gates", "predicate.failedTests", []any{"check/cycle-x", "check/high-dropout"}},
	{"Predicate warnedTests: what warns", "predicate.warnedTests", []any{}},
	{"Predicate passedTests: only what did not fire", "predicate.passedTests", []any{"check/cycle", "check/vocab-alignment"}},
	{"Predicate verifierPrecheck: required", "predicate.verifierPrecheck", absent{}},
	{"Extension: no additional properties", pre + "more", 1},
	{"Extension schema: constant", pre + "schema", "https://example.com/v1.json"},
	{"Extension schema: required", pre + "schema", absent{}},
	{"Extension command: one of four", pre + "command", "lint"},
	{"Extension command: required", pre + "command", absent{}},
	{"Extension command: that of argv", pre + "command", "check"},
	{"Extension model: string", pre + "model", 1},
	{"Extension model: as given", pre + "model", "models/b"},
	{"Extension argv: strings", pre + "argv", []any{"policy-apply", 1}},
	{"Extension argv: required", pre + "argv", absent{}},
	{"Extension tool: required", pre + "tool", absent{}},
	{"Extension tool: name is constant", pre + "tool.name", "other"},
	{"Extension tool: version is a string", pre + "tool.version", 1},
	{"Extension tool: version is required", pre + "tool.version", absent{}},
	{"Extension tool: no other properties", pre + "tool.url", "x"},
	{"Extension exitCode: integer", pre + "exitCode", 1.5},
	{"Extension exitCode: minimum 0", pre + "exitCode", -1},
	{"Extension exitCode: required", pre + "exitCode", absent{}},
	{"Extension exitCode: a run that could not be done leaves no record", pre + "exitCode", 2},
	{"Extension exitCode: zero where nothing gates", pre + "exitCode", 0},
	{"Extension verdicts: required", pre + "verdicts", absent{}},
	{"Extension findings: required", pre + "findings", absent{}},
	{"Extension findings: array", pre + "findings", map[string]any{}},
	{"Extension subjectSource: required", pre + "subjectSource", absent{}},
	{"Extension time: string", pre + "time", 1},
	{"Extension time: RFC 3339", pre + "time", "yesterday"},
	{"verdicts: no additional properties", pre + "verdicts.more", 1},
	{"verdicts params: derived is a number", pre + "verdicts.params.derived", "1"},
	{"verdicts params: no others", pre + "verdicts.params.more", 1},
	{"verdicts training: peakGb is a number", pre + "verdicts.training.peakGb", "1"},
	{"verdicts training: upperGb is a number", pre + "verdicts.training.upperGb", nil},
	{"verdicts training: smallestCard is a string or null", pre + "verdicts.training.smallestCard", 1},
	{"verdicts training: smallestCardAtEstimate is a string or null", pre + "verdicts.training.smallestCardAtEstimate", 1},
	{"verdicts training: seqLen is an integer", pre + "verdicts.training.seqLen", 1.5},
	{"verdicts training: attention is a string", pre + "verdicts.training.attention", 1},
	{"verdicts training: estCostUsd is a number", pre + "verdicts.training.estCostUsd", "1"},
	{"verdicts inference: peakGb is a number", pre + "verdicts.inference.peakGb", "1"},
	{"verdicts inference: smallestCard is a string or null", pre + "verdicts.inference.smallestCard", true},
	{"verdicts inference: batch is an integer", pre + "verdicts.inference.batch", 1.5},
	{"verdicts inference: promptTokens is an integer", pre + "verdicts.inference.promptTokens", "1"},
	{"verdicts inference: genTokens is an integer", pre + "verdicts.inference.genTokens", "1"},
	{"verdicts inference: precision is a string", pre + "verdicts.inference.precision", 16},
	{"verdicts serve: verdict is required", pre + "verdicts.serve.verdict", absent{}},
	{"verdicts serve: verdict is one of three", pre + "verdicts.serve.verdict", "ok"},
	{"verdicts serve: engine is a string", pre + "verdicts.serve.engine", nil},
	{"verdicts serve: engineVersion is a string or null", pre + "verdicts.serve.engineVersion", 1},
	{"verdicts serve: engineVersionAssumed is a boolean", pre + "verdicts.serve.engineVersionAssumed", "yes"},
	{"verdicts layout: verdict is required", pre + "verdicts.layout", map[string]any{}},
	{"verdicts layout: verdict is one of three", pre + "verdicts.layout.verdict", "legal"},
	{"verdicts dataFit: verdict is required", pre + "verdicts.dataFit", map[string]any{}},
	{"verdicts dataFit: verdict is one of three", pre + "verdicts.dataFit.verdict", "fits"},
	{"verdicts change: gate is required", pre + "verdicts.change", map[string]any{}},
	{"verdicts change: gate is one of two", pre + "verdicts.change.gate", "pending"},
	{"Finding: no additional properties", pre + "findings.0.component", "x"},
	{"Finding rule: required", pre + "findings.0.rule", absent{}},
	{"Finding rule: test name", pre + "findings.0.rule", "max_params"},
	{"Finding checker: required", pre + "findings.0.checker", absent{}},
	{"Finding checker: string", pre + "findings.0.checker", 1},
	{"Finding severity: one of three", pre + "findings.0.severity", "off"},
	{"Finding severity: required", pre + "findings.0.severity", absent{}},
	{"Finding title: required", pre + "findings.0.title", absent{}},
	{"Finding title: string", pre + "findings.0.title", nil},
	{"Finding effective: one of four", pre + "findings.0.effective", "error"},
	{"Finding gates: boolean", pre + "findings.0.gates", "yes"},
	{"Finding gates: not of what is waived", pre + "findings.2.waived", true},
	{"Finding waived: constant true", pre + "findings.0.waived", false},
	{"Finding baseline: one of two", pre + "findings.0.baseline", "old"},
	{"subjectSource: no additional properties", src + "more", 1},
	{"subjectSource kind: one of three", src + "kind", "s3"},
	{"subjectSource kind: required", src + "kind", absent{}},
	{"subjectSource kind: file is one file", src + "kind", "file"},
	{"subjectSource modelName: min length 1", src + "modelName", ""},
	{"subjectSource modelName: required", src + "modelName", absent{}},
	{"subjectSource modelName: that of the first subject", src + "modelName", "b"},
	{"subjectSource repo: string", src + "repo", 1},
	{"subjectSource repo: of a model of the hub", src + "repo", absent{}},
	{"subjectSource revision: 40 lowercase hex characters", src + "revision", "main"},
	{"subjectSource revision: lowercase", src + "revision", "0123456789ABCDEF0123456789abcdef01234567"},
	{"subjectSource serialization: required", src + "serialization", absent{}},
	{"subjectSource serialization: method is constant", src + "serialization.method", "shards"},
	{"subjectSource serialization: hash_type is constant", src + "serialization.hash_type", "blake2b"},
	{"subjectSource serialization: allow_symlinks is a boolean", src + "serialization.allow_symlinks", 0},
	{"subjectSource serialization: ignore_paths is a list of strings", src + "serialization.ignore_paths.0", 1},
	{"subjectSource serialization: ignore_paths is there", src + "serialization.ignore_paths", absent{}},
	{"subjectSource serialization: ignore_paths is sorted", src + "serialization.ignore_paths", []any{"b", "a"}},
	{"subjectSource serialization: ignore_paths lie in the model", src + "serialization.ignore_paths", []any{"../a"}},
	{"subjectSource serialization: what is ignored is no subject", src + "serialization.ignore_paths", []any{"model"}},
	{"subjectSource serialization: no others", src + "serialization.shard_size", 4},
	{"subjectSource modelSigningPredicateType: constant", src + "modelSigningPredicateType", "https://model_signing/signature/v2.0"},
	{"subjectSource modelSigningPredicateType: required", src + "modelSigningPredicateType", absent{}},
	{"subjectSource rootDigest: digest set", src + "rootDigest", map[string]any{}},
	{"subjectSource rootDigest: required", src + "rootDigest", absent{}},
	{"subjectSource rootDigest: over the digests of the files", src + "rootDigest.sha256", strings.Repeat("1", 64)},
	{"subjectSource files: minimum 1", src + "files", 0},
	{"subjectSource files: integer", src + "files", "3"},
	{"subjectSource files: required", src + "files", absent{}},
	{"subjectSource files: as many as there are", src + "files", 4},
}

func TestEveryBrokenRowOfTheSpecificationIsRefused(t *testing.T) {
	schema := published(t)
	for _, b := range breaks {
		t.Run(b.row, func(t *testing.T) {
			doc := document(t, golden(t))
			set(t, doc, b.path, b.to)
			data := encoded(t, doc)
			r, err := Parse(data)
			if (err == nil) != (schema.Validate(decoded(t, data)) == nil) {
				t.Errorf("ours says %v, another validator %v", err, schema.Validate(decoded(t, data)))
			}
			if err == nil {
				_, err = r.Statement.Check()
			}
			if err == nil {
				t.Errorf("%s = %v is taken", b.path, b.to)
			}
		})
	}
}

func decoded(t testing.TB, data []byte) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// allowed lists what a record may be though this tool does not write it.
func TestWhatTheSpecificationAllowsIsTaken(t *testing.T) {
	for name, change := range map[string]struct {
		path string
		to   any
	}{
		"Statement: members that are not known are ignored":         {"more", 1},
		"Predicate: members that are not known are ignored":         {"predicate.more", 1},
		"Subject: members that are not known are ignored":           {"subject.1.mediaType", "x"},
		"Statement: another case is another name":                   {"Subject", []any{}},
		"Digest set: other algorithms":                              {"subject.1.digest.sha512", "00ff"},
		"Extension model: optional for the schema and kept by ours": {pre + "model", "models/a"},
		"Finding effective: optional":                               {pre + "findings.4.effective", absent{}},
		"Finding gates: optional":                                   {pre + "findings.2.gates", absent{}},
		"Extension time: optional":                                  {pre + "time", absent{}},
		"Predicate url: optional":                                   {"predicate.url", absent{}},
		"verdicts: all optional":                                    {pre + "verdicts", map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := document(t, golden(t))
			set(t, doc, change.path, change.to)
			r, err := Parse(encoded(t, doc))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Statement.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestASchemaSaysTheSameToOthers(t *testing.T) {
	schema := published(t)
	base := golden(t)
	values := []any{nil, true, false, 0, 1, -1, 1.5, "", "x", "check/x", strings.Repeat("a", 64), []any{}, []any{"a", "a"}, map[string]any{}, map[string]any{"sha256": strings.Repeat("b", 64)}}
	rapid.Check(t, func(rt *rapid.T) {
		doc := document(t, base)
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			spoil(rt, doc, values)
		}
		data := encoded(t, doc)
		_, ours := Parse(data)
		theirs := schema.Validate(decoded(t, data))
		if (ours == nil) != (theirs == nil) {
			rt.Errorf("ours: %v\ntheirs: %v\n%s", ours, theirs, data)
		}
	})
}

// spoil walks into a document and changes something there.
func spoil(t *rapid.T, doc any, values []any) {
	for depth := 0; ; depth++ {
		stop := rapid.IntRange(0, 3).Draw(t, fmt.Sprint("stop", depth)) == 0
		switch v := doc.(type) {
		case map[string]any:
			var names []string
			for n := range v {
				names = append(names, n)
			}
			if len(names) == 0 {
				return
			}
			n := rapid.SampledFrom(sorted(names)).Draw(t, "name")
			if stop {
				switch rapid.IntRange(0, 2).Draw(t, "how") {
				case 0:
					delete(v, n)
				case 1:
					v[n] = rapid.SampledFrom(values).Draw(t, "value")
				default:
					v[n+"x"] = rapid.SampledFrom(values).Draw(t, "value")
				}
				return
			}
			doc = v[n]
		case []any:
			if len(v) == 0 {
				return
			}
			i := rapid.IntRange(0, len(v)-1).Draw(t, "item")
			if stop {
				v[i] = rapid.SampledFrom(values).Draw(t, "value")
				return
			}
			doc = v[i]
		default:
			return
		}
	}
}
