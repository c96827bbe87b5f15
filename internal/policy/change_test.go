package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
	_ "github.com/modelverifier/verifier/internal/seed"
)

func TestGrowthIsComparedExactly(t *testing.T) {
	const huge = 9_223_372_036_854_775_807
	for _, c := range []struct {
		line          string
		before, after int64
		allowed       bool
	}{
		{"10%", 1000, 1100, true}, {"10%", 1000, 1101, false}, {"0%", 7, 7, true}, {"0%", 7, 8, false}, {"12.5%", 8, 9, true}, {"12.4999%", 8, 9, false},
		{"10%", 0, 0, true}, {"10%", 0, 1, false}, {"10%", 1000, 1, true}, {"10%", huge - 1, huge, true}, {"200%", huge / 2, huge, true},
		{"1.5x", 10, 15, true}, {"1.5x", 10, 16, false}, {"1x", huge, huge, true}, {"0.5x", 10, 6, false}, {"0.5x", 10, 5, true},
		{"5K", 100, 5100, true}, {"5K", 100, 5101, false}, {"0", 3, 3, true}, {"0", 3, 4, false}, {" 1.5k ", 0, 1500, true}, {"1K", 0, huge, false}, {"1 K", 5, 2, true},
	} {
		f := parseFile(t, "change:\n  max_params_growth: "+c.line+"\n")
		got := f.Change.Check(Amounts{Params: c.before}, Amounts{Params: c.after})
		if (len(got) == 0) != c.allowed {
			t.Errorf("%s from %d to %d: %+v", c.line, c.before, c.after, got)
		}
	}
}

func TestLinesOfAChangeAreQuotedWithWhatGrew(t *testing.T) {
	f := parseFile(t, "change: {max_params_growth: 10%, max_cost_growth: $2.50, max_memory_growth: 1.5GB}\n")
	got := f.Change.Check(Amounts{1000, 1_000_000, 1_000_000_000}, Amounts{1234, 3_500_001, 2_500_000_001})
	want := []Violation{
		{"max_params_growth: 10%", "max_params_growth", rules.Block, "More parameters than the change may add", "max_params_growth: 10%: 1,000 parameters before, 1,234 parameters now (+23.4 %)", ""},
		{"max_cost_growth: $2.50", "max_cost_growth", rules.Block, "More cost than the change may add", "max_cost_growth: $2.50: an estimated $1 before, an estimated $3.500001 now (+250.0 %)", ""},
		{"max_memory_growth: 1.5GB", "max_memory_growth", rules.Block, "More memory than the change may add", "max_memory_growth: 1.5GB: an estimated 953.7 MiB on the card before, an estimated 2.3 GiB on the card now (+150.0 %)", ""},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got := f.Change.Check(Amounts{1000, 1_000_000, 1_000_000_000}, Amounts{1100, 3_500_000, 2_500_000_000}); got != nil {
		t.Errorf("at the very limit: %+v", got)
	}
	got = f.Change.Check(Amounts{-1, -1, 5}, Amounts{5, 5, 5})
	if len(got) != 2 || got[0].Severity != rules.Warn || !strings.Contains(got[0].Detail, "could not be checked") {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{"max_cost_growth: 2.5 USD", "max_cost_growth: 2.5usd", "max_memory_growth: 500 mb", "max_memory_growth: 10%", "max_cost_growth: 2x", "max_cost_growth: 0"} {
		parseFile(t, "change: {"+text+"}\n")
	}
}

func TestFaultsOfTheSofterSections(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"change:\n  max_param_growth: 1%\n", "line 2: change.max_param_growth: no line of change is named \"max_param_growth\": did you mean max_params_growth?"},
		{"change: [a]\n", "line 1: change: must be an object"},
		{"change:\n  max_params_growth: 10\n", "line 2: change.max_params_growth: must say its unit: a share such as 10%, a factor such as 1.5x, or an amount such as 5M, not 10"},
		{"change:\n  max_cost_growth: 0.1\n", "must say its unit"},
		{"change:\n  max_cost_growth: 5M\n", "or an amount such as $2.50, not \"5M\""},
		{"change:\n  max_memory_growth: -4GB\n", "or an amount such as 4GB, not \"-4GB\""},
		{"change:\n  max_params_growth: 1.00000001%\n", "must be a share"},
		{"change:\n  max_params_growth: x\n", "must be a share"},
		{"change:\n  max_params_growth: '%'\n", "must be a share"},
		{"change:\n  max_params_growth: 99999999999999999999%\n", "too large"},
		{"change:\n  max_params_growth: 9000000000000T\n", "too large"},
		{"change:\n  max_params_growth: true\n", "must say its unit"},
		{"approved: {}\n", "line 1: approved: must be a list"},
		{"approved:\n  - {fingerprint: 1a2b3c4d}\n", "line 2: approved[0]: an approval needs a reason"},
		{"approved:\n  - {reason: x}\n", "an approval needs a fingerprint"},
		{"approved:\n  - {fingerprint: 1A2B3C4D, reason: x}\n", "must be the eight hex digits"},
		{"approved:\n  - {fingerprint: 1234567, reason: x}\n", "must be the eight hex digits"},
		{"approved:\n  - {fingerprint: 12345678, reason: ' '}\n", "must be a string that says something"},
		{"approved:\n  - {fingerprint: 12345678, why: x}\n", "no part of an approval is named \"why\""},
		{"approved:\n  - {fingerprint: 12345678, reason: x}\n  - {fingerprint: 12345678, reason: y}\n", "line 3: approved[1].fingerprint: 12345678 is approved twice"},
		{"severity:\n  high-dropuot: off\n", "line 2: severity.high-dropuot: no rule or checker is named \"high-dropuot\": did you mean high-dropout?"},
		{"severity:\n  high-dropout: never\n", "line 2: severity.high-dropout: must be block, warn, info or off"},
		{"severity:\n  high-dropout: 1\n", "must be block, warn, info or off"},
		{"severity: [a]\n", "line 1: severity: must be an object"},
		{"severity:\n  serv: off\n", "did you mean serve?"},
		{"waivers:\n  - {rule: serve/tp-head, reason: x}\n", "did you mean serve/tp-heads?"},
		{"waivers:\n  - {rule: max_memory_growth, reason: x}\n", "max_memory_growth is a line of change: which only an entry under approved: softens"},
		{"defaults:\n  fail-no: warn\n", "line 2: defaults.fail-no: no command or flag that a file can fill in is named \"fail-no\": did you mean fail-on?"},
		{"defaults:\n  plan: {btch: 3}\n", "line 2: defaults.plan.btch: no flag of plan that a file can fill in is named \"btch\": did you mean batch?"},
		{"defaults:\n  plan: 3\n", "line 2: defaults.plan: must be an object of the flags of plan"},
		{"defaults:\n  batch: {a: 3}\n", "line 2: defaults.batch: must be a value"},
		{"defaults:\n  batch: [[3]]\n", "line 2: defaults.batch[0]: must be a value"},
		{"defaults: 3\n", "line 1: defaults: must be an object"},
	} {
		_, err := ParseFile([]byte(c.text), flagged)
		var e *graph.Error
		if !errors.As(err, &e) || e.Code == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

// flagged are names with two commands.
var flagged = func() Names {
	n := someNames
	n.Flags = func() []Command {
		return []Command{{"check", []string{"fail-on", "input"}}, {"plan", []string{"fail-on", "batch", "engine-version"}}}
	}
	return n
}()

func TestDefaultsOfACommandGoBeforeGeneralOnes(t *testing.T) {
	f, err := ParseFile([]byte("defaults:\n  batch: 4\n  fail-on: warn\n  plan: {batch: 08, engine-version: 0.10}\n  input: [3x4, 5x6]\n  check:\n"), flagged)
	if err != nil {
		t.Fatal(err)
	}
	say := func(command string, flags ...string) string {
		var b strings.Builder
		for _, d := range f.DefaultsFor(command, flags) {
			fmt.Fprintf(&b, "%s=%s ", d.Flag, strings.Join(d.Values, ","))
		}
		return strings.TrimSpace(b.String())
	}
	for _, c := range []struct{ got, want string }{
		{say("plan", "fail-on", "batch", "engine-version"), "batch=08 engine-version=0.10 fail-on=warn"},
		{say("check", "fail-on", "input"), "fail-on=warn input=3x4,5x6"},
		{say("layout", "batch"), "batch=4"},
		{say("layout"), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	var none *File
	if none.DefaultsFor("plan", []string{"batch"}) != nil || none.Approved("12345678") != nil {
		t.Error("no file says something")
	}
}

func TestFingerprintsAreReadAsTheyStand(t *testing.T) {
	f := parseFile(t, "approved:\n  - {fingerprint: 00123456, reason: a}\n  - {fingerprint: 1e234567, reason: b}\n  - {fingerprint: '12345678', reason: c}\n")
	for fingerprint, reason := range map[string]string{"00123456": "a", "1e234567": "b", "12345678": "c", "deadbeef": ""} {
		got := ""
		if a := f.Approved(fingerprint); a != nil {
			got = a.Reason
		}
		if got != reason {
			t.Errorf("%s: %q, want %q", fingerprint, got, reason)
		}
	}
}

// TestWhatSoftensChangesNoPolicy adds every softer section to a file: the policy of each model stays as it was.
func TestWhatSoftensChangesNoPolicy(t *testing.T) {
	const softer = `
severity: {check: off, policy: off, max_params: info, serve/tp-heads: warn}
waivers: [{rule: max_params, reason: x}, {rule: check/cycle, reason: y, expires: 2027-01-31}]
baseline: known.json
change: {max_params_growth: 10%}
approved: [{fingerprint: deadbeef, reason: x}]
defaults: {fail-on: warn}
`
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t, drawLines(t, "policy"))
		var b strings.Builder
		b.WriteString("policy:\n")
		for _, l := range p.Set() {
			if !strings.HasPrefix(l.Key, severityKey) {
				fmt.Fprintf(&b, "  %s\n", l.Line)
			}
		}
		plain, err := ParseFile([]byte(b.String()), flagged)
		if err != nil {
			t.Fatal(err)
		}
		soft, err := ParseFile([]byte(b.String()+softer), flagged)
		if err != nil {
			t.Fatal(err)
		}
		facts := drawFacts(t)
		if a, b := fmt.Sprint(plain.For("m").Check(facts)), fmt.Sprint(soft.For("m").Check(facts)); a != b {
			t.Fatalf("%s became %s", a, b)
		}
	})
}
