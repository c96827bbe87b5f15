package attest

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// consumer is the policy of docs/attestations.md, over the JSON alone as a consumer sees it.
type consumer struct {
	relied, warnings []string
	policyDigest     string
}

func (c *consumer) allows(t *testing.T, record []byte) bool {
	t.Helper()
	var s struct {
		PredicateType string
		Predicate     struct {
			Result                   string
			PassedTests, WarnedTests []string
			Configuration            []struct {
				Digest      struct{ SHA256 string }
				Annotations struct{ Role string }
			}
			VerifierPrecheck struct {
				Schema string
				Argv   []string
			}
		}
	}
	if err := json.Unmarshal(record, &s); err != nil {
		t.Fatal(err)
	}
	p := &s.Predicate
	held := false
	for _, d := range p.Configuration {
		held = held || d.Annotations.Role == "input" && d.Digest.SHA256 == c.policyDigest
	}
	loose := slices.ContainsFunc(p.VerifierPrecheck.Argv, func(a string) bool { return strings.HasPrefix(a, "--severity") || strings.HasPrefix(a, "--policy") })
	return s.PredicateType == PredicateType && p.VerifierPrecheck.Schema == Schema && (p.Result == Passed || p.Result == Warned) &&
		!slices.ContainsFunc(p.WarnedTests, func(x string) bool { return !slices.Contains(c.warnings, x) }) &&
		!slices.ContainsFunc(c.relied, func(x string) bool { return !slices.Contains(p.PassedTests, x) }) && held && !loose
}

// TestTheExampleOfTheNotesIsARecord: the record in docs/attestations.md keeps the schema and does not contradict itself, and the consumer
// of the same page does not take it, because something was not judged; one that ran in full it takes.
func TestTheExampleOfTheNotesIsARecord(t *testing.T) {
	notes, err := os.ReadFile("../../docs/attestations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(notes), "```json\n")
	example, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("docs/attestations.md has no example")
	}
	r, err := Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Statement.Check(); err != nil {
		t.Fatal(err)
	}
	c := &consumer{relied: []string{"check/not-judged", "check/cycle"}, policyDigest: r.Statement.Predicate.Configuration[1].Digest.SHA256}
	if c.allows(t, []byte(example)) {
		t.Error("a record with something withheld is taken")
	}
	whole := *r.Statement
	p := &whole.Predicate
	p.Result, p.PassedTests, p.WarnedTests, p.Precheck.Findings = Passed, []string{"check/cycle", "check/not-judged", "policy/max-params"}, []string{}, []Finding{}
	taken := func() bool {
		data, err := whole.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return c.allows(t, data)
	}
	if !taken() {
		t.Error("a record of a run in full is not taken")
	}
	for name, spoil := range map[string]func(){
		"another policy": func() { c.policyDigest = strings.Repeat("0", 64) },
		"a flag":         func() { p.Precheck.Argv = []string{"check", "net.graph", "--severity=cycle=off"} },
		"a failure":      func() { p.Result = Failed },
		"another list":   func() { p.PassedTests = []string{"check/cycle"} },
	} {
		before, policy := *p, c.policyDigest
		if spoil(); taken() {
			t.Errorf("%s is taken", name)
		}
		*p, c.policyDigest = before, policy
	}
}
