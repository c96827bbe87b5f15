package policy

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/rules"
)

var nestedNames = Names{GPUs: func(name string) (string, bool, string) { return name, true, "" }, Rules: []Rule{{"check", "high-dropout"}, {"check", "dead-end"}, {"data", "data-labels"}}}

// drawnLines draws the lines of a policy as YAML, some of them null.
func drawnLines(t *rapid.T, label string) string {
	var out []string
	for _, l := range []struct {
		key    string
		values []string
	}{
		{"max_params", []string{"null", "10", "1K", "2M", "30"}}, {"must_fit", []string{"null", "T4", "H100"}}, {"forbid_types", []string{"null", "[]", "[relu]", "[dropout, relu]"}},
		{"require_types", []string{"null", "[linear]", "[layerNorm]"}}, {"max_layers", []string{"null", "3", "30"}}, {"max_memory_gb", []string{"null", "0.5", "80"}},
		{"max_cost_usd", []string{"null", "0", "9.5"}}, {"severity", []string{"null", "{high-dropout: block}", "{high-dropout: warn}"}},
	} {
		if v := rapid.SampledFrom(append(l.values, "")).Draw(t, label+l.key); v != "" {
			out = append(out, l.key+": "+v)
		}
	}
	return "{" + strings.Join(out, ", ") + "}"
}

func drawnFacts(t *rapid.T) Facts {
	smallest := rapid.SampledFrom([]string{"", "T4", "H100"}).Draw(t, "fits")
	return Facts{
		Params: rapid.Int64Range(0, 5000).Draw(t, "params"), Layers: rapid.IntRange(0, 50).Draw(t, "layers"), CardBytes: rapid.Int64Range(0, 1e11).Draw(t, "bytes"),
		CostMicroUSD: rapid.Int64Range(0, 1e7).Draw(t, "cost"), Types: rapid.SliceOfDistinct(rapid.SampledFrom([]string{"relu", "linear", "dropout", "layerNorm"}), func(s string) string { return s }).Draw(t, "types"),
		Fits:  func(gpu string) (bool, bool) { return smallest == "T4" || smallest == gpu, true },
		Fired: []Fired{{"high-dropout", rules.Info, 1}},
	}
}

func parsed(t *rapid.T, text string) *File {
	f, err := ParseFile([]byte(text), nestedNames)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// Down the tree a policy can only get stricter: whatever a file above finds is found below it too, as severely.
func TestANestedPolicyTakesNothingBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outer, inner := parsed(t, "policy: "+drawnLines(t, "outer")), parsed(t, "policy: "+drawnLines(t, "inner")+"\nmodels: {m: "+drawnLines(t, "models")+"}")
		facts := drawnFacts(t)
		both := Stricter(outer.For("sub/m"), inner.For("m"))
		found := map[string]rules.Severity{}
		for _, v := range both.Check(facts) {
			found[v.Key] = v.Severity
		}
		for _, p := range []*Policy{outer.For("sub/m"), inner.For("m")} {
			for _, v := range p.Check(facts) {
				if ranks[found[v.Key]] < ranks[v.Severity] {
					t.Fatalf("%s is lost: %v", v.Detail, both.Lines())
				}
			}
		}
		if got := Stricter(both, outer.For("sub/m")).Lines(); !equalLines(got, both.Lines()) {
			t.Fatalf("%v became %v", both.Lines(), got)
		}
	})
}

func equalLines(a, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func TestWhatANestedFileMayAndMayNot(t *testing.T) {
	for _, c := range []struct{ outer, inner, refused string }{
		{"severity: {high-dropout: block}", "severity: {high-dropout: off}", "severity: high-dropout=off is milder than high-dropout=block of a file above"},
		{"severity: {check: warn}", "severity: {check/high-dropout: info}", "is milder than check=warn"},
		{"severity: {high-dropout: off}", "severity: {high-dropout: block}", ""},
		{"severity: {high-dropout: block}", "severity: {dead-end: off}", ""},
		{"policy: {}", "baseline: x.json", "baseline: a file above counts what is known"},
		{"change: {max_params_growth: 10%}", "change: {max_params_growth: 5M}", "cannot be compared with 10%"},
		{"change: {max_params_growth: 10%}", "change: {max_params_growth: 0}", ""},
	} {
		outer, err := ParseFile([]byte(c.outer), nestedNames)
		if err != nil {
			t.Fatal(err)
		}
		inner, err := ParseFile([]byte(c.inner), nestedNames)
		if err != nil {
			t.Fatal(err)
		}
		if err := inner.Under(outer, outer.For("m")); (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s under %s: %v, want %q", c.inner, c.outer, err, c.refused)
		}
	}
}

func TestWaiversChangesAndDefaultsBelow(t *testing.T) {
	outer, err := ParseFile([]byte("policy: {max_params: 10}\nseverity: {dead-end: block}\nwaivers: [{rule: data-labels, reason: above}]\nchange: {max_params_growth: 20%, max_cost_growth: 1x}\n"+
		"approved: [{fingerprint: 0a0a0a0a, reason: above}]"), nestedNames)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := ParseFile([]byte("policy: {max_layers: 1}\nwaivers: [{rule: max_params, reason: x}, {rule: max_layers, reason: x}, {rule: dead-end, reason: x}, {rule: high-dropout, reason: x}]\n"+
		"change: {max_params_growth: 1.1x, max_cost_growth: 50%}\napproved: [{fingerprint: 0b0b0b0b, reason: below}]"), nestedNames)
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.Under(outer, outer.For("m")); err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[Rule]bool{{Checker, "max-params"}: false, {Checker, "max-layers"}: true, {"check", "dead-end"}: false, {"check", "high-dropout"}: true, {"data", "data-labels"}: true} {
		if w := inner.Waiver(rule.Checker, rule.ID, ""); (w != nil) != want {
			t.Errorf("%v: %+v", rule, w)
		}
	}
	if got := fmt.Sprint(inner.Change.Set()[0].Line, inner.Change.Set()[1].Line); got != "max_params_growth: 1.1xmax_cost_growth: 1x" {
		t.Error(got)
	}
	if inner.Approved("0b0b0b0b") != nil || inner.Approved("0a0a0a0a") == nil {
		t.Error("an approval below softens a line above")
	}
}
