package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

const exampleFile = `# lines for everyone
policy:
  max_params: 200M
  must_fit: a100_40
  forbid_types: [lstm, GRU]
  max_cost_usd: 12.50
  severity:
    high-dropout: block
models:
  "llm/tiny.json":
    max_params: 1_000
  "*":
    max_layers: 90
  "llm/*":
    max_params: 7B
    forbid_types: []
    must_fit:
    severity: {double-norm: block, high-dropout: warn}
waivers:
  - rule: high-dropout
    component: "encoder.*"
    reason: follows the paper
    expires: 2027-01-31
  - rule: max_params
    reason: the old one
baseline: .verifier-baseline.json
`

func parseFile(t *testing.T, text string) *File {
	t.Helper()
	f, err := ParseFile([]byte(text), someNames)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return f
}

func TestTheMostSpecificLineWins(t *testing.T) {
	f := parseFile(t, exampleFile)
	for _, c := range []struct{ model, lines string }{
		{"cnn/a.json", "max_params: 200M|must_fit: A100-40GB|forbid_types: [lstm, gru]|max_layers: 90|max_cost_usd: 12.5|severity: {high-dropout: block}"},
		{"llm/big/a.json", "max_params: 7B|forbid_types: []|max_layers: 90|max_cost_usd: 12.5|severity: {double-norm: block}|severity: {high-dropout: warn}"},
		{"llm/tiny.json", "max_params: 1000|forbid_types: []|max_layers: 90|max_cost_usd: 12.5|severity: {double-norm: block}|severity: {high-dropout: warn}"},
	} {
		for range 2 { // reading a policy must not change the file
			if got := strings.Join(f.For(c.model).Lines(), "|"); got != c.lines {
				t.Errorf("%s: %s\nwant %s", c.model, got, c.lines)
			}
		}
	}
	if f.Baseline != ".verifier-baseline.json" {
		t.Errorf("baseline is %q", f.Baseline)
	}
	var none *File
	if !none.For("x").Empty() || none.Waiver("check", "cycle", "2026-01-01") != nil {
		t.Error("no file has lines")
	}
}

func TestOfEquallySpecificPatternsTheLaterWins(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"models:\n  a*: {max_layers: 1}\n  '*b': {max_layers: 2}\n", "max_layers: 2"},
		{"models:\n  '*b': {max_layers: 2}\n  a*: {max_layers: 1}\n", "max_layers: 1"},
		{"models:\n  ab: {max_layers: 3}\n  a?: {max_layers: 1}\n", "max_layers: 3"},
		{"models:\n  ab: {max_layers: ~}\npolicy: {max_layers: 4}\n", ""},
		{"models:\n  ab:\npolicy: {max_layers: 4}\n", "max_layers: 4"},
		{"models:\n  b: {max_layers: 1}\n", ""},
	} {
		if got := strings.Join(parseFile(t, c.text).For("ab").Lines(), "|"); got != c.want {
			t.Errorf("%s%q, want %q", c.text, got, c.want)
		}
	}
}

func TestFilesThatSayNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "{}", "policy:\n", "\uFEFFpolicy: {}\n", "policy:\nmodels:\nwaivers:\nbaseline:\n", "~"} {
		if f := parseFile(t, text); !f.For("x").Empty() || f.Waivers != nil || f.Baseline != "" {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func TestYAMLIsReadAsItIsWritten(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"policy: {max_params: 0x10}", "max_params: 16"},
		{"policy: {max_params: 1e6}", "max_params: 1000000"},
		{"policy: {max_params: '200M'}", "max_params: 200M"},
		{"policy: {max_memory_gb: 1E-3, max_cost_usd: +2e0}", "max_memory_gb: 0.001|max_cost_usd: 2"},
		{"policy:\n  max_params: >\n    200M\n", "max_params: 200M"},
		{"policy:\r\n  max_layers: 3\r\n", "max_layers: 3"},
		{"policy:\n  forbid_types:\n  - add\n  - relu\n", "forbid_types: [add, relu]"},
		{"policy: &p {max_layers: 3}\nmodels: {m: *p}\n", "max_layers: 3"},
		{"policy:\n  forbid_types: &t [add]\n  require_types: *t\n", "forbid_types: [add]|require_types: [add]"},
		{`{"policy": {"max_memory_gb": 0.1}}`, "max_memory_gb: 0.1"},
	} {
		if got := strings.Join(parseFile(t, c.text).For("m").Lines(), "|"); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestFaultsOfAFileAreNamedWithTheirLine(t *testing.T) {
	for _, c := range []struct{ text, code, want string }{
		{"polcy:\n", CodeKey, `line 1: polcy: no section is named "polcy": did you mean policy?`},
		{"policy:\n  max_layers: 3\n  max_params: lots\n", CodeValue, `line 3: policy.max_params: must be a whole number`},
		{"policy:\n  max_parms: 3\n", CodeKey, "line 2: policy.max_parms: no policy line"},
		{"policy:\n  must_fit: A100-41GB\n", CodeValue, "line 2: policy.must_fit: no GPU is named \"A100-41GB\": did you mean A100-40GB?"},
		{"policy:\n  forbid_types:\n    - relu\n    - lstn\n", CodeValue, "line 4: policy.forbid_types[1]: no component type"},
		{"policy:\n  max_cost_usd: '1e3'\n", graph.CodeType, "line 2: policy.max_cost_usd: must be a number of 0 or more, not a string"},
		{"policy:\n  max_cost_usd: .inf\n", CodeValue, "line 2: policy.max_cost_usd: must be a number"},
		{"policy:\n  max_layers: 99999999999999999999\n", "", "line 2: policy.max_layers: "},
		{"policy:\n  max_layers: 1\n  max_layers: 2\n", graph.CodeDuplicate, "line 3: "},
		{"policy:\n  max_layers: 1\n  'max_layers': 2\n", graph.CodeDuplicate, "line 3: "},
		{"policy: 3\n", graph.CodeType, "line 1: policy: must be an object of policy lines, not an integer"},
		{"- a\n", graph.CodeType, "line 1: must be an object with policy, models, severity, waivers, baseline, change, approved, defaults, not a list"},
		{"models:\n  \"a*\":\n    max_layer: 3\n", CodeKey, `line 3: models["a*"].max_layer: no policy line`},
		{"models: [a]\n", graph.CodeType, "line 1: models: must be"},
		{"baseline: [a]\n", graph.CodeType, "line 1: baseline: must be"},
		{"policy:\n  severity: {cycle: info}\n", CodeValue, "line 2: policy.severity.cycle: info is milder"},
		{"policy:\n\tmax_layers: 3\n", CodeYAML, "line 2: "},
		{"policy: {\n", CodeYAML, "line "},
		{"policy: *x\n", CodeYAML, `line 1: policy: no anchor above is named "x"`},
		{"policy: &x [*x]\n", CodeYAML, `no anchor above is named "x"`},
		{"policy: !!map {}\n", CodeYAML, "line 1: policy: tags"},
		{"a: &a {max_layers: 1}\npolicy:\n  <<: *a\n", CodeYAML, "line 3: policy: a key must be a plain name"},
		{"a: 1\n---\nb: 2\n", CodeYAML, "has 2 documents"},
		{"policy: \xff\n", CodeYAML, "is not UTF-8"},
		{"waivers: {}\n", graph.CodeType, "line 1: waivers: must be a list"},
		{"waivers:\n  - rule: cycle\n", graph.CodeMissing, "line 2: waivers[0]: a waiver needs a reason"},
		{"waivers:\n  - reason: x\n", graph.CodeMissing, "a waiver needs a rule"},
		{"waivers:\n  - {rule: cycle, reason: ' '}\n", graph.CodeType, "line 2: waivers[0].reason: must be a string"},
		{"waivers:\n  - {rule: cycl, reason: x}\n", CodeValue, "line 2: waivers[0].rule: no rule or policy line is named \"cycl\": did you mean cycle?"},
		{"waivers:\n  - {rule: cycle, reason: x, expire: 2027-01-01}\n", CodeKey, "did you mean expires?"},
		{"waivers:\n  - {rule: cycle, reason: x, expires: 2027-02-29}\n", CodeValue, "must be a day such as 2027-01-31, not \"2027-02-29\""},
		{"waivers:\n  - {rule: cycle, reason: x, expires: soon}\n", CodeValue, "must be a day"},
		{"waivers: [x]\n", graph.CodeType, "line 1: waivers[0]: must be an object"},
	} {
		_, err := ParseFile([]byte(c.text), someNames)
		var e *graph.Error
		if !errors.As(err, &e) || c.code != "" && e.Code != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v (%+v)\nwant %s: %s", c.text, err, e, c.code, c.want)
		}
	}
}

// bomb is the billion laughs: each line has the one above nine times.
func bomb() string {
	var b strings.Builder
	b.WriteString("a: &a0 [x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	return b.String()
}

func TestHostileFilesAreRefusedWithTheLimit(t *testing.T) {
	for _, c := range []struct {
		text, code string
		limit      int64
	}{
		{bomb(), graph.CodeValues, maxFileNodes},
		{strings.Repeat("[", 60_000), graph.CodeDepth, maxFileDepth},
		{strings.Repeat("{a: ", 10_000), graph.CodeDepth, maxFileDepth},
		{strings.Repeat("- ", 30_000), graph.CodeDepth, maxFileDepth},
		{strings.Repeat("#", maxFileBytes+1), graph.CodeBytes, maxFileBytes},
		{indented(200), graph.CodeDepth, maxFileDepth},
	} {
		_, err := ParseFile([]byte(c.text), someNames)
		var e *graph.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Limit != c.limit {
			t.Errorf("%.20q: %v", c.text, err)
		}
	}
}

func indented(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i) + "k:\n")
	}
	return b.String()
}

func TestAWaiverHoldsForItsRuleItsComponentsAndItsTime(t *testing.T) {
	f := parseFile(t, exampleFile)
	for _, c := range []struct {
		rule, today string
		names       []string
		reason      string
	}{
		{"high-dropout", "2027-01-31", []string{"c7", "encoder.3"}, "follows the paper"},
		{"high-dropout", "2027-02-01", []string{"encoder.3"}, ""},
		{"high-dropout", "2027-01-31", []string{"decoder.3"}, ""},
		{"high-dropout", "2027-01-31", nil, ""},
		{"cycle", "2027-01-31", []string{"encoder.3"}, ""},
		{"max-params", "2999-12-31", nil, "the old one"},
	} {
		reason := ""
		if w := f.Waiver("check", c.rule, c.today, c.names...); w != nil {
			reason = w.Reason
		}
		if reason != c.reason {
			t.Errorf("%s on %s at %v: %q, want %q", c.rule, c.today, c.names, reason, c.reason)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"**", "a/b", true}, {"a*", "a/b/c", true}, {"*c", "a/b/c", true},
		{"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXbYbZ", false}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"a", "ab", false},
		{"ab", "a", false}, {"[a]", "a", false}, {"a**", "a", true},
	} {
		if got := glob(c.pattern, c.s); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.s, got)
		}
	}
	if glob(strings.Repeat("*a", 1000)+"b", strings.Repeat("a", 30_000)) {
		t.Error("a pattern made to take long matched")
	}
}

func TestDates(t *testing.T) {
	for s, want := range map[string]bool{"2027-01-31": true, "2028-02-29": true, "2000-02-29": true, "1900-02-29": false, "2027-04-31": false,
		"2027-13-01": false, "2027-00-01": false, "2027-01-00": false, "2027-1-31": false, "20270131": false, "2027-01-3x": false, "2027/01/31": false} {
		if IsDay(s) != want {
			t.Errorf("%s: %v", s, !want)
		}
	}
}

func TestABaselineCountsWhatWasThere(t *testing.T) {
	b := NewBaseline([]Known{{"b.json", "check/cycle", "", 1}, {"a.json", "check/high-dropout", "d1", 1}, {"a.json", "check/high-dropout", "d1", 1}})
	text := string(b.AppendJSON(nil))
	if want := `{"version": 1, "findings": [
  {"model": "a.json", "rule": "check/high-dropout", "component": "d1", "count": 2},
  {"model": "b.json", "rule": "check/cycle", "component": "", "count": 1}
]}
`; text != want {
		t.Fatalf("%s\nwant %s", text, want)
	}
	back, err := someNames.ParseBaseline([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d1 := Known{Model: "a.json", Rule: "check/high-dropout", Component: "d1"}
	d2 := Known{Model: "a.json", Rule: "check/high-dropout", Component: "d2"}
	if got := fmt.Sprint(back.New([]Known{d1, d2, d1, d1})); got != "[false true false true]" {
		t.Error(got)
	}
	var none *Baseline
	if got := fmt.Sprint(none.New([]Known{d1})); got != "[true]" {
		t.Error(got)
	}
	if back, err := someNames.ParseBaseline(NewBaseline(nil).AppendJSON(nil)); err != nil || len(back.known) != 0 {
		t.Error(back, err)
	}
}

func TestFaultsOfABaseline(t *testing.T) {
	for text, want := range map[string]string{
		``:                              "",
		`null`:                          "must be an object",
		`[]`:                            "must be an object",
		`{"version":2,"findings":[]}`:   "version 1",
		`{"version":1}`:                 "a list named findings",
		`{"version":1,"finding":[]}`:    "did you mean findings?",
		`{"version":1,"findings":[[]]}`: "findings[0]: must be an object",
		`{"version":1,"findings":[{"model":"a","rule":"r"}]}`:                             "findings[0]: must have a component",
		`{"version":1,"findings":[{"model":1,"rule":"r","component":""}]}`:                "findings[0].model: must be a string",
		`{"version":1,"findings":[{"model":"a","rule":"r","component":""}]}`:              "must have a count",
		`{"version":1,"findings":[{"model":"a","rule":"r","component":"","count":0}]}`:    "findings[0].count: must be a whole number",
		`{"version":1,"findings":[{"model":"a","rule":"r","component":"","count":"1"}]}`:  "findings[0].count",
		`{"version":1,"findings":[{"model":"a","rule":"r","component":"","count":1e20}]}`: "findings[0].count",
	} {
		if b, err := someNames.ParseBaseline([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", text, b, err)
		}
	}
}
