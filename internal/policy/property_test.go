package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

var severities = []rules.Severity{"", rules.Info, rules.Warn, rules.Block}

// drawLines draws the members of a policy as a caller would send them.
func drawLines(t *rapid.T, label string) map[string]any {
	types := rapid.SliceOfN(rapid.SampledFrom([]string{"relu", "lstm", "gru", "Conv2d", "add"}), 0, 4)
	all := map[string]*rapid.Generator[any]{
		"max_params": rapid.OneOf(rapid.Int64Range(0, 5000).AsAny(), rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%d.%d%s", rapid.IntRange(0, 4).Draw(t, "whole"), rapid.IntRange(0, 9).Draw(t, "tenth"), rapid.SampledFrom([]string{"K", "k", " M"}).Draw(t, "suffix"))
		}).AsAny()),
		"must_fit":      rapid.SampledFrom([]string{"T4", "a100_40"}).AsAny(),
		"forbid_types":  types.AsAny(),
		"require_types": types.AsAny(),
		"max_layers":    rapid.IntRange(0, 20).AsAny(),
		"max_memory_gb": rapid.Float64Range(0, 10).AsAny(),
		"max_cost_usd":  rapid.Float64Range(0, 10).AsAny(),
		"severity": rapid.Custom(func(t *rapid.T) map[string]string {
			out := map[string]string{}
			for _, r := range rapid.SliceOfN(rapid.SampledFrom(rules.Rules()), 0, 5).Draw(t, "rules") {
				stricter := severities[slices.Index(severities, r.Severity):]
				out[r.ID] = string(rapid.SampledFrom(stricter).Draw(t, "raised"))
			}
			return out
		}).AsAny(),
	}
	out := map[string]any{}
	for _, key := range keys() {
		if rapid.Bool().Draw(t, label+" has "+key) {
			out[key] = all[key].Draw(t, label+" "+key)
		}
	}
	return out
}

func drawPolicy(t *rapid.T, members map[string]any) *Policy {
	raw, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	p, bad := Decode(string(raw), "policy", someGPUs)
	if bad != nil {
		t.Fatalf("%s: %v", raw, bad)
	}
	return p
}

func drawFacts(t *rapid.T) Facts {
	f := Facts{
		Params: rapid.Int64Range(-1, 6000).Draw(t, "params"), Layers: rapid.IntRange(-1, 25).Draw(t, "layers"),
		Types:     rapid.SliceOfN(rapid.SampledFrom([]string{"relu", "lstm", "gru", "conv2d"}), 0, 4).Draw(t, "types"),
		CardBytes: rapid.Int64Range(-1, 2e10).Draw(t, "bytes"), CostMicroUSD: rapid.Int64Range(-1, 2e7).Draw(t, "cost"),
	}
	if fits := rapid.SampledFrom([]string{"", "T4", "A100-40GB", "all"}).Draw(t, "fits"); fits != "" {
		f.Fits = func(gpu string) (bool, bool) { return gpu == fits, fits != "all" }
	}
	for _, r := range rapid.SliceOfN(rapid.SampledFrom(rules.Rules()), 0, 10).Draw(t, "fired") {
		f.Fired = append(f.Fired, Fired{r.ID, r.Severity, rapid.IntRange(1, 3).Draw(t, "count")})
	}
	return f
}

// TestAddingALineNeverRemovesAViolation adds one line to a policy: what failed before fails as severely and as quoted.
func TestAddingALineNeverRemovesAViolation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members, facts := drawLines(t, "before"), drawFacts(t)
		before := drawPolicy(t, members).Check(facts)
		for key, value := range drawLines(t, "added") {
			if _, there := members[key]; !there {
				members[key] = value
			}
		}
		after := drawPolicy(t, members).Check(facts)
		for _, v := range before {
			if !slices.Contains(after, v) {
				t.Fatalf("%+v is gone from %+v", v, after)
			}
		}
	})
}

// TestAPolicyNeverMakesAVerdictMilder compares the worst finding of the rules with the worst under a policy.
func TestAPolicyNeverMakesAVerdictMilder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, facts := drawPolicy(t, drawLines(t, "policy")), drawFacts(t)
		before := rules.Severity("")
		for _, f := range facts.Fired {
			before = Worst(before, []Violation{{Severity: f.Severity}})
		}
		violations := p.Check(facts)
		after := Worst(before, violations)
		if slices.Index(severities, after) < slices.Index(severities, before) {
			t.Fatalf("%q became %q", before, after)
		}
		for _, v := range violations {
			if slices.Index(severities, v.Severity) < 1 || slices.Index(severities, after) < slices.Index(severities, v.Severity) {
				t.Fatalf("%q under %+v", after, v)
			}
			if !slices.Contains(p.Lines(), v.Line) || !strings.HasPrefix(v.Detail, v.Line+": ") || v.Title == "" {
				t.Fatalf("%+v does not quote a line of %q", v, p.Lines())
			}
		}
	})
}

// TestNoSeverityOfAPolicyIsMilderThanTheRule tries every rule with every severity.
func TestNoSeverityOfAPolicyIsMilderThanTheRule(t *testing.T) {
	for _, r := range rules.Rules() {
		for i, s := range append(severities[1:], Off) {
			_, err := Decode(fmt.Sprintf(`{"severity":{%q:%q}}`, r.ID, s), "policy", someGPUs)
			if milder := s == Off || i+1 < slices.Index(severities, r.Severity); milder != (err != nil) {
				t.Errorf("%s as %s: %v", r.ID, s, err)
			}
		}
	}
}

func TestYAMLAndJSONOfAPolicyAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := drawLines(t, "policy")
		raw, _ := json.Marshal(map[string]any{"policy": members})
		f, err := ParseFile(raw, someNames)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if got, want := f.For("m").Lines(), drawPolicy(t, members).Lines(); !slices.Equal(got, want) {
			t.Fatalf("%q from YAML, %q from JSON", got, want)
		}
	})
}

func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{exampleFile, "policy: &p {max_layers: 3}\nmodels: {m: *p}\n", "a: &a [*a]", "? a\n: b", "policy:\n  max_params: >\n   1", "- - -", "!!x &a *b", "{\"policy\": {\"severity\": {\"cycle\": \"block\"}}}", "waivers:\n- {rule: cycle, reason: x, expires: 2027-01-01}", "%YAML 1.2\n---\n", "<<: *a",
		"severity: {check: off, policy/max_params: warn}\nchange: {max_params_growth: 10%, max_cost_growth: $2.50, max_memory_growth: 1.5x}\napproved: [{fingerprint: 00123456, reason: x}]", "defaults: {fail-on: warn, plan: {batch: 8}, input: [a, b]}"} {
		f.Add([]byte(seed), "m")
	}
	f.Add([]byte(bomb()), "a0")
	f.Fuzz(func(t *testing.T, data []byte, model string) {
		file, err := ParseFile(data, flagged)
		if err != nil {
			var e *graph.Error
			if !errors.As(err, &e) || e.Code == "" || e.Message == "" || len(err.Error()) > 2_000 {
				t.Fatalf("%#v", err)
			}
			if strings.Contains(e.Message, "parser failed") {
				t.Log(e.Message)
			}
			return
		}
		p := file.For(model)
		p.Check(Facts{})
		for _, r := range p.Severity {
			if ranks[r.Severity] < ranks[rules.Lookup(r.Rule).Severity] {
				t.Fatalf("%+v", r)
			}
		}
		file.Waiver("check", "cycle", "2026-01-01", model)
		Overridden("check", "cycle", file.Severity)
		for _, v := range file.Change.Check(Amounts{1, 2, 3}, Amounts{4, 5, 6}) {
			if v.Severity != rules.Block || v.Detail == "" {
				t.Fatalf("%+v", v)
			}
		}
		for _, a := range file.Approvals {
			if !isFingerprint(a.Fingerprint) || a.Reason == "" {
				t.Fatalf("%+v", a)
			}
		}
		for _, d := range file.DefaultsFor("plan", []string{"fail-on", "batch"}) {
			if len(d.Values) == 0 {
				t.Fatalf("%+v", d)
			}
		}
	})
}

// FuzzParseBaseline reads a baseline, writes it and reads it again.
func FuzzParseBaseline(f *testing.F) {
	for _, seed := range []string{`{"version": 1, "findings": []}`, `{"version":1,"findings":[{"model":"a","rule":"cycle","component":"","count":2},{"model":"a","rule":"max_params","component":"","count":1}]}`,
		`{"version":1,"findings":[{"model":"\u0000","rule":"check/x/y","component":"\ud800","count":2147483647}]}`, `null`, `{"version":1,"findings":[{}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := someNames.ParseBaseline(data)
		if err != nil {
			var e *graph.Error
			if !errors.As(err, &e) || e.Code == "" || e.Message == "" || len(err.Error()) > 2_000 {
				t.Fatalf("%#v", err)
			}
			return
		}
		text := b.AppendJSON(nil)
		again, err := someNames.ParseBaseline(text)
		if err != nil || string(again.AppendJSON(nil)) != string(text) || len(b.Beyond(again)) > 0 || len(again.Beyond(b)) > 0 {
			t.Fatalf("%v: %s", err, text)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{strict, `null`, `{"max_params":"1.5B"}`, `{"severity":{"cycle":"off"}}`, `{"candidates":[{}]}`, `{"a":{"b":[1,{"c":2}]}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		p, err := Decode(raw, "policy", someGPUs)
		if err != nil && (err.Code == "" || err.Message == "" || !strings.HasPrefix(err.Path, "policy") || len(err.Error()) > 2_000) {
			t.Fatalf("%#v", err)
		}
		p.Check(Facts{})
		for _, line := range p.Lines() {
			if line == "" {
				t.Fatalf("%q", p.Lines())
			}
		}
	})
}
