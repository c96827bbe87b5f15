package sarif

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

var update = flag.Bool("update", false, "write the expected log again")

func same(file string) string { return filepath.ToSlash(file) }

// sample is two models: one from a source with a finding of every kind, one from a hub with nothing known of where it lies.
func sample() []*report.Run {
	head := &report.Run{
		Command: "check", Model: "nets/my net.py:Net", Source: "nets/my net.py", Verdict: "block", Summary: "Refused.", ExitCode: 1,
		Rules: []report.Rule{
			{Checker: "check", ID: "linear-in-mismatch", Severity: rules.Block, Title: "Linear layer of another width", Help: "PyTorch\n  refuses it.", URL: "https://modelverifier.dev/r/linear-in-mismatch.html"},
			{Checker: "check", ID: "dead-end", Severity: rules.Warn, Title: "Leads nowhere"},
			{Checker: "serve", ID: "context-length", Title: "Context"},
		},
		Findings: []report.Finding{
			{Checker: "check", Rule: "linear-in-mismatch", Severity: rules.Block, Effective: rules.Block, Gates: true, Baseline: report.New, Title: "Linear layer of another width", Detail: "fc: inFeatures is 3 but 8 arrive", Fix: "set inFeatures to 8", Component: "fc", Name: "fc", Line: 17},
			{Checker: "check", Rule: "linear-in-mismatch", Severity: rules.Block, Effective: rules.Block, Waived: true, Reason: "known", Baseline: report.New, Title: "Linear layer of another width", Detail: "a [x](http://evil) \x1b[1m", Component: "block.fc", Name: "block.fc", File: "nets/blocks.py", Line: 4},
			{Checker: "check", Rule: "dead-end", Severity: rules.Warn, Effective: rules.Warn, Baseline: report.Existing, Title: "Leads nowhere", Detail: "the graph leads nowhere"},
			{Checker: "check", Rule: "dead-end", Severity: rules.Warn, Effective: policy.Off, Baseline: report.New, Title: "Leads nowhere", Detail: "the graph leads nowhere"},
			{Checker: "policy", Rule: "max-params", Severity: rules.Block, Effective: rules.Block, Gates: true, Baseline: report.New, Title: "Too many parameters"},
		},
	}
	other := &report.Run{Command: "check", Model: "org/name", Verdict: "warn", Summary: "Runs.", Rules: head.Rules,
		Findings: []report.Finding{{Checker: "check", Rule: "dead-end", Severity: rules.Warn, Effective: rules.Warn, Title: "Leads nowhere", Detail: "x leads nowhere", Component: "x", Name: "X"}}}
	return []*report.Run{head, other}
}

func sampleLog(runs []*report.Run) []byte {
	return Log(runs, Options{Version: "1.2.3", Site: "https://modelverifier.dev", Paths: same, Unread: []report.Unread{{Model: "gone.json", Message: "gone.json: no such file"}}})
}

func TestTheLogIsAsWritten(t *testing.T) {
	got := sampleLog(sample())
	const golden = "testdata/sample.sarif"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the log has changed; with -update it is written again:\n%s", got)
	}
}

// reading is what the tests look at.
type reading struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID, Name string } }
		}
		Invocations []struct{ ExecutionSuccessful bool }
		Results     []struct {
			RuleID        string
			RuleIndex     *int
			Level         string
			Message       struct{ Text string }
			BaselineState string
			Suppressions  *[]struct{ Kind, Justification string }
			Partial       map[string]string `json:"partialFingerprints"`
			Locations     []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           struct{ StartLine int }
				}
			}
		}
	}
}

func read(t *testing.T, log []byte) reading {
	t.Helper()
	var r reading
	if err := json.Unmarshal(log, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCodeScanningTakesTheLog restates what GitHub documents: one location with a line and a path that is relative to the root, a
// rule for each result, at most 20 runs, fingerprints.
func TestCodeScanningTakesTheLog(t *testing.T) {
	r := read(t, sampleLog(sample()))
	if len(r.Runs) != 1 {
		t.Fatalf("%d runs", len(r.Runs))
	}
	run := r.Runs[0]
	seen := map[string]bool{}
	for i, x := range run.Results {
		if x.RuleIndex == nil || run.Tool.Driver.Rules[*x.RuleIndex].ID != x.RuleID {
			t.Errorf("result %d: the rule %s is not at its index", i, x.RuleID)
		}
		if x.Message.Text == "" || !slices.Contains([]string{"none", "note", "warning", "error"}, x.Level) || x.Suppressions == nil {
			t.Errorf("result %d: %+v", i, x)
		}
		p := x.Locations[0].PhysicalLocation
		if len(x.Locations) != 1 || p.Region.StartLine < 1 || p.ArtifactLocation.URI == "" || strings.ContainsAny(p.ArtifactLocation.URI, " :\\") || p.ArtifactLocation.URIBaseID != srcRoot {
			t.Errorf("result %d: %+v", i, x.Locations)
		}
		print := x.Partial["primaryLocationLineHash"]
		if print == "" || seen[print] {
			t.Errorf("result %d: the fingerprint %q is empty or another's", i, print)
		}
		seen[print] = true
		if x.BaselineState == "" {
			t.Errorf("result %d has no state, others have", i)
		}
	}
	for _, d := range run.Tool.Driver.Rules {
		if d.ID == "" || d.Name == "" {
			t.Errorf("rule %+v", d)
		}
	}
	if run.Invocations[0].ExecutionSuccessful {
		t.Error("a model was not read, and the log calls it a success")
	}
}

func TestFingerprintsStayWhenLinesMove(t *testing.T) {
	prints := func(change func(*report.Run)) (out []string) {
		runs := sample()
		change(runs[0])
		for _, x := range read(t, sampleLog(runs)).Runs[0].Results {
			out = append(out, x.Partial["findingHash/v1"])
		}
		return out
	}
	before := prints(func(*report.Run) {})
	if moved := prints(func(r *report.Run) { r.Findings[0].Line, r.Findings[0].Detail = 99, "inFeatures is 4 but 8 arrive" }); !slices.Equal(before, moved) {
		t.Error("moving a line changes a fingerprint")
	}
	if other := prints(func(r *report.Run) { r.Findings[0].Component = "other" }); before[0] == other[0] || !slices.Equal(before[1:], other[1:]) {
		t.Error("another component has the same fingerprint, or changes those of others")
	}
	if fewer := prints(func(r *report.Run) { r.Findings = r.Findings[1:] }); !slices.Equal(before[1:], fewer) {
		t.Error("a finding that is gone changes the fingerprints of others")
	}
}

func TestOfTooManyResultsTheWorstAreKept(t *testing.T) {
	r := &report.Run{Command: "check", Model: "m.json", Source: "m.json"}
	for i := range maxResults + 5 {
		s := rules.Info
		if i == maxResults+4 {
			s = rules.Block
		}
		r.Findings = append(r.Findings, report.Finding{Checker: "check", Rule: "r", Severity: s, Effective: s, Title: "t", Detail: "d", Component: fmt.Sprint(i)})
	}
	log := Log([]*report.Run{r}, Options{Paths: same})
	got := read(t, log).Runs[0].Results
	if len(got) != maxResults || got[0].Level != "error" || !bytes.Contains(log, []byte("5 results are not in this log")) {
		t.Errorf("%d results, the first is %s", len(got), got[0].Level)
	}
}

func TestPathsBecomeReferences(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.py": "a/b.py", "./a.py": "a.py", "my net.json": "my%20net.json", "a:b.py": "a%3Ab.py", "/x/ü.json": "file:///x/%C3%BC.json", "-": "standard-input",
		"a\nb%?#\xff": "a%0Ab%25%3F%23%FF", "../x.json": "../x.json",
	} {
		if got := uri(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}
