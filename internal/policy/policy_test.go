package policy

import (
	"reflect"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

// someGPUs stands for package hardware, which this package does not know.
func someGPUs(name string) (string, bool, string) {
	switch strings.ToLower(name) {
	case "t4":
		return "T4", true, ""
	case "a100_40", "a100-40gb":
		return "A100-40GB", true, ""
	case "a100-41gb":
		return "", false, "A100-40GB"
	}
	return "", false, ""
}

// someNames stands for what package report knows.
var someNames = func() Names {
	n := Names{GPUs: someGPUs, Rules: []Rule{{"data", "data-labels"}, {"serve", "tp-heads"}}}
	for _, r := range rules.Rules() {
		n.Rules = append(n.Rules, Rule{structural, r.ID})
	}
	return n
}()

func decode(t *testing.T, raw string) *Policy {
	t.Helper()
	p, err := Decode(raw, "policy", someGPUs)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return p
}

func TestLinesAreQuotedInCanonicalForm(t *testing.T) {
	for _, c := range []struct{ raw, lines string }{
		{`{}`, ``},
		{`null`, ``},
		{` null `, ``},
		{`{"max_params":null,"forbid_types":null,"severity":null}`, ``},
		{`{"max_params":"200M"}`, `max_params: 200M`},
		{`{"max_params":" 200 m "}`, `max_params: 200M`},
		{`{"max_params":"500k"}`, `max_params: 500K`},
		{`{"max_params":"1.5B"}`, `max_params: 1.5B`},
		{`{"max_params":"1200"}`, `max_params: 1200`},
		{`{"max_params":200000000}`, `max_params: 200000000`},
		{`{"max_params":2e8}`, `max_params: 200000000`},
		{`{"must_fit":"a100_40"}`, `must_fit: A100-40GB`},
		{`{"forbid_types":["LSTM","lstm","Conv2d"]}`, `forbid_types: [lstm, conv2d]`},
		{`{"require_types":[]}`, `require_types: []`},
		{`{"max_layers":12}`, `max_layers: 12`},
		{`{"max_memory_gb":24.50}`, `max_memory_gb: 24.5`},
		{`{"max_cost_usd":5}`, `max_cost_usd: 5`},
		{`{"severity":{"high-dropout":"block","double-norm":"block"}}`, "severity: {double-norm: block}\nseverity: {high-dropout: block}"},
		{`{"max_cost_usd":1,"max_memory_gb":2,"max_layers":3,"require_types":["relu"],"forbid_types":["add"],"must_fit":"T4","max_params":1}`,
			"max_params: 1\nmust_fit: T4\nforbid_types: [add]\nrequire_types: [relu]\nmax_layers: 3\nmax_memory_gb: 2\nmax_cost_usd: 1"},
	} {
		p := decode(t, c.raw)
		if got := strings.Join(p.Lines(), "\n"); got != c.lines {
			t.Errorf("%s: %s, want %s", c.raw, got, c.lines)
		}
		if p.Empty() != (c.lines == "") {
			t.Errorf("%s: empty is %v", c.raw, p.Empty())
		}
	}
}

func TestWhatIsWrongIsNamedWithItsPlace(t *testing.T) {
	for _, c := range []struct{ raw, code, path, message string }{
		{`[]`, graph.CodeType, "policy", "must be an object"},
		{`"x"`, graph.CodeType, "policy", "must be an object"},
		{``, graph.CodeSyntax, "policy", ""},
		{`{"max_params":1`, graph.CodeSyntax, "policy", ""},
		{`{} x`, graph.CodeSyntax, "policy", ""},
		{`{"max_params":1,"max_params":2}`, graph.CodeDuplicate, "policy.max_params", "twice"},
		{`{"max_parms":1}`, CodeKey, "policy.max_parms", `no policy line is named "max_parms": did you mean max_params?`},
		{`{"MaxParams":1}`, CodeKey, "policy.MaxParams", "did you mean max_params?"},
		{`{"forbidden":["lstm"]}`, CodeKey, "policy.forbidden", "there are max_params, must_fit, forbid_types, require_types, max_layers, max_memory_gb, max_cost_usd, severity"},
		{`{"candidates":[{}]}`, CodeKey, "policy.candidates", "no policy line"},
		{`{"a b":null}`, CodeKey, `policy["a b"]`, "no policy line"},
		{`{"waivers":[]}`, CodeKey, "policy.waivers", "no policy line"},
		{`{"max_params":true}`, graph.CodeType, "policy.max_params", "not a boolean"},
		{`{"max_params":-1}`, CodeValue, "policy.max_params", `not "-1"`},
		{`{"max_params":1.5}`, CodeValue, "policy.max_params", `not "1.5"`},
		{`{"max_params":"1.5"}`, CodeValue, "policy.max_params", `not "1.5"`},
		{`{"max_params":"0.0001K"}`, CodeValue, "policy.max_params", "whole number"},
		{`{"max_params":"200KM"}`, CodeValue, "policy.max_params", `not "200KM"`},
		{`{"max_params":"M"}`, CodeValue, "policy.max_params", `not "M"`},
		{`{"max_params":""}`, CodeValue, "policy.max_params", `not ""`},
		{`{"max_params":"1e6"}`, CodeValue, "policy.max_params", `not "1e6"`},
		{`{"max_params":"200G"}`, CodeValue, "policy.max_params", `suffix K, M, B or T`},
		{`{"max_params":"9223372036854775808"}`, graph.CodeNumber, "policy.max_params", "too large"},
		{`{"max_params":"9999999999B"}`, graph.CodeNumber, "policy.max_params", "too large"},
		{`{"max_params":99999999999999999999}`, graph.CodeNumber, "policy.max_params", ""},
		{`{"max_layers":"12"}`, graph.CodeType, "policy.max_layers", "not a string"},
		{`{"max_layers":1.5}`, CodeValue, "policy.max_layers", "whole number"},
		{`{"max_memory_gb":-0.5}`, CodeValue, "policy.max_memory_gb", `not "-0.5"`},
		{`{"max_memory_gb":1e300}`, graph.CodeNumber, "policy.max_memory_gb", "too large"},
		{`{"must_fit":"A100-41GB"}`, CodeValue, "policy.must_fit", `no GPU is named "A100-41GB": did you mean A100-40GB?`},
		{`{"must_fit":"abacus"}`, CodeValue, "policy.must_fit", `no GPU is named "abacus"`},
		{`{"must_fit":""}`, CodeValue, "policy.must_fit", "no GPU"},
		{`{"must_fit":["T4"]}`, graph.CodeType, "policy.must_fit", "not a list"},
		{`{"forbid_types":"lstm"}`, graph.CodeType, "policy.forbid_types", "not a string"},
		{`{"forbid_types":["relu",3]}`, graph.CodeType, "policy.forbid_types[1]", "not an integer"},
		{`{"require_types":["lstn"]}`, CodeValue, "policy.require_types[0]", `no component type is named "lstn": did you mean lstm?`},
		{`{"require_types":["zzzzzzzzzzzz"]}`, CodeValue, "policy.require_types[0]", "no component type"},
		{`{"severity":[]}`, graph.CodeType, "policy.severity", "not a list"},
		{`{"severity":{"hi-dropout":"block"}}`, CodeKey, "policy.severity.hi-dropout", "did you mean high-dropout?"},
		{`{"severity":{"high-dropout":"error"}}`, CodeValue, "policy.severity.high-dropout", "must be block, warn or info"},
		{`{"severity":{"high-dropout":{"block":{"x":{}}}}}`, graph.CodeType, "policy.severity.high-dropout", "not an object"},
		{`{"severity":{"high-dropout":1}}`, graph.CodeType, "policy.severity.high-dropout", "not an integer"},
		{`{"severity":{"cycle":"warn"}}`, CodeValue, "policy.severity.cycle", "warn is milder than the rule's own block"},
		{`{"severity":{"cycle":"off"}}`, CodeValue, "policy.severity.cycle", "can only make a verdict stricter"},
	} {
		p, err := Decode(c.raw, "policy", someGPUs)
		if err == nil {
			t.Errorf("%s was read as %v", c.raw, p.Lines())
			continue
		}
		if err.Code != c.code || err.Path != c.path || !strings.Contains(err.Message, c.message) {
			t.Errorf("%s: %s at %s: %s\nwant %s at %s: …%s…", c.raw, err.Code, err.Path, err.Message, c.code, c.path, c.message)
		}
	}
}

func TestWithoutALookupNoGPUIsKnown(t *testing.T) {
	if _, err := Decode(`{"must_fit":"T4"}`, "policy", nil); err == nil || err.Code != CodeValue {
		t.Errorf("%v", err)
	}
}

// small is a model that keeps every line of strict at its very limit.
func small() Facts {
	return Facts{
		Params: 1_500, Layers: 3, Types: []string{"linear", "relu"}, CardBytes: 1_500_000_000, CostMicroUSD: 250_000,
		Fits: func(gpu string) (bool, bool) { return gpu == "T4", true },
	}
}

const strict = `{"max_params":"1.5K","must_fit":"T4","forbid_types":["lstm","gru"],"require_types":["relu"],"max_layers":3,` +
	`"max_memory_gb":1.5,"max_cost_usd":0.25,"severity":{"high-dropout":"block"}}`

func TestALineFailsJustAboveItsLimit(t *testing.T) {
	p := decode(t, strict)
	if got := p.Check(small()); got != nil {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct {
		change func(*Facts)
		want   Violation
	}{
		{func(f *Facts) { f.Params = 1_501 }, Violation{"max_params: 1.5K", "max_params", rules.Block,
			"More parameters than the policy allows", "max_params: 1.5K: the model has 1,501 parameters", ""}},
		{func(f *Facts) { f.Fits = func(string) (bool, bool) { return false, true } }, Violation{"must_fit: T4", "must_fit", rules.Block,
			"Does not fit the GPU of the policy", "must_fit: T4: training takes an estimated 1.4 GiB on the card, more than it has", ""}},
		{func(f *Facts) { f.Types = []string{"gru", "relu"} }, Violation{"forbid_types: [lstm, gru]", "forbid_types", rules.Block,
			"Uses a component type that the policy forbids", "forbid_types: [lstm, gru]: the model has gru", "remove the gru"}},
		{func(f *Facts) { f.Types = []string{"gru", "lstm", "relu"} }, Violation{"forbid_types: [lstm, gru]", "forbid_types", rules.Block,
			"Uses a component type that the policy forbids", "forbid_types: [lstm, gru]: the model has lstm, gru", ""}},
		{func(f *Facts) { f.Types = nil }, Violation{"require_types: [relu]", "require_types", rules.Block,
			"Lacks a component type that the policy requires", "require_types: [relu]: the model lacks relu", "add a component of type relu"}},
		{func(f *Facts) { f.Layers = 4 }, Violation{"max_layers: 3", "max_layers", rules.Block,
			"More layers than the policy allows", "max_layers: 3: the model has 4 layers", ""}},
		{func(f *Facts) { f.CardBytes++ }, Violation{"max_memory_gb: 1.5", "max_memory_gb", rules.Warn,
			"More memory than the policy allows", "max_memory_gb: 1.5: training takes an estimated 1,500,000,001 B on the card, more than 1,500,000,000 B", ""}},
		{func(f *Facts) { f.CostMicroUSD++ }, Violation{"max_cost_usd: 0.25", "max_cost_usd", rules.Warn,
			"Costs more than the policy allows", "max_cost_usd: 0.25: training costs an estimated $0.250001", ""}},
		{func(f *Facts) { f.Fired = []Fired{{"high-dropout", rules.Warn, 2}} }, Violation{"severity: {high-dropout: block}", "severity.high-dropout", rules.Block,
			"A rule that the policy makes stricter has findings", "severity: {high-dropout: block}: the model has 2 findings of this rule", ""}},
		{func(f *Facts) { f.Params = -1 }, Violation{"max_params: 1.5K", "max_params", rules.Warn, "A policy line could not be checked",
			"max_params: 1.5K: could not be checked, because the number of parameters is not known", ""}},
		{func(f *Facts) { f.Fits = nil }, Violation{"must_fit: T4", "must_fit", rules.Warn, "A policy line could not be checked",
			"must_fit: T4: could not be checked, because the memory that training takes is not known", ""}},
		{func(f *Facts) { f.Fits = func(string) (bool, bool) { return false, false } }, Violation{"must_fit: T4", "must_fit", rules.Warn,
			"A policy line could not be checked", "must_fit: T4: could not be checked, because whether training fits this GPU is not known", ""}},
	} {
		f := small()
		c.change(&f)
		if got := p.Check(f); len(got) != 1 || got[0] != c.want {
			t.Errorf("got  %+v\nwant %+v", got, c.want)
		}
	}
}

func TestViolationsComeInTheOrderOfTheSpecification(t *testing.T) {
	p := decode(t, strict)
	got := p.Check(Facts{Params: 1e6, Layers: 9, Types: []string{"lstm"}, CardBytes: 1e12, CostMicroUSD: 1e12,
		Fits: func(string) (bool, bool) { return false, true }, Fired: []Fired{{"high-dropout", rules.Warn, 1}}})
	var lines []string
	for _, v := range got {
		lines = append(lines, v.Line)
	}
	if !reflect.DeepEqual(lines, p.Lines()) {
		t.Errorf("%q, want %q", lines, p.Lines())
	}
	var none *Policy
	if none.Check(Facts{}) != nil || !none.Empty() {
		t.Error("no policy has lines")
	}
}

func TestAFindingThatBlocksAnywayIsNotRaisedAgain(t *testing.T) {
	p := decode(t, `{"severity":{"cycle":"block"}}`)
	if got := p.Check(Facts{Fired: []Fired{{"cycle", rules.Block, 1}, {"high-dropout", rules.Warn, 1}}}); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestOverridesGoEitherWayForRulesAndCheckers(t *testing.T) {
	var all []Override
	for _, flag := range []string{"cycle=warn", "cycle=off", "high-dropout=block", "check=info", "serve/tp-heads=warn", "policy/max_params=info", "policy/cycle=block"} {
		o, err := someNames.ParseOverride(flag)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	for _, c := range []struct {
		checker, rule string
		n             int // so many of the overrides
		want          rules.Severity
	}{
		{"check", "cycle", 7, Off}, {"check", "cycle", 1, rules.Warn}, {"check", "high-dropout", 7, rules.Block}, {"check", "high-dropout", 2, ""},
		{"check", "dead-end", 7, rules.Info}, {"data", "data-labels", 7, ""}, {"serve", "tp-heads", 7, rules.Warn}, {"policy", "max-params", 7, rules.Info},
		{"policy", "cycle", 6, Off}, {"policy", "cycle", 7, rules.Block},
	} {
		got := rules.Severity("")
		if o := Overridden(c.checker, c.rule, all[:c.n]); o != nil {
			got = o.Severity
		}
		if got != c.want {
			t.Errorf("%s/%s under %d: %q, want %q", c.checker, c.rule, c.n, got, c.want)
		}
	}
	for flag, message := range map[string]string{"cycl=warn": "did you mean cycle?", "cycle": "must be block, warn, info or off", "cycle=": "must be", "=": "no rule", "cycle=fatal": "must be",
		"chek/cycle=off": "did you mean check/cycle?", "serve/cycle=off": "no rule", "max_cost_growth=off": "only an entry under approved:", "polcy=off": "did you mean policy?"} {
		if o, err := someNames.ParseOverride(flag); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, %v", flag, o, err)
		}
	}
}
