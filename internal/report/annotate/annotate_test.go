package annotate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

func same(file string) string { return file }

// hostile are names that want to be a command of the runner that reads the log.
var hostile = []string{
	"::error::x", "\n::set-env name=PATH::/evil", "\r\n::add-mask::secret", "x\n##[set-output name=a]b", "##[stop-commands]x", "%0A::error::x", "a,line=9::", "##vso[task.setvariable variable=a]b",
	"\u2028::error::x", "\x1b[2J::error::", " \t::stop-commands::t", "##[#[error]x", "::::", ":::error::x", "0\r::",
}

func sample(name string) []*report.Run {
	return []*report.Run{{
		Command: "check", Model: name, Source: name,
		Findings: []report.Finding{
			{Checker: "check", Rule: "a", Severity: rules.Block, Effective: rules.Block, Gates: true, Title: name, Detail: name, Fix: name, Component: name, Line: 3},
			{Checker: "check", Rule: "b", Severity: rules.Warn, Effective: rules.Warn, Title: name, Detail: name, Reason: name},
			{Checker: "check", Rule: "c", Severity: rules.Block, Effective: rules.Block, Waived: true, Reason: name, Title: name, Detail: name},
			{Checker: "check", Rule: "d", Severity: rules.Info, Effective: rules.Info, Title: name, Detail: name},
			{Checker: "check", Rule: "e", Severity: rules.Warn, Effective: policy.Off, Title: name, Detail: name},
		},
	}}
}

// commands are the lines that GitHub's runner would run, by its own two forms.
func commands(log string) (out []string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(log, "\r", "\n"), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
			out = append(out, line)
		}
	}
	return out
}

func TestGitHubShowsFindingsOnTheirLines(t *testing.T) {
	runs := sample("net.py")
	runs[0].Findings[0].Detail = "100% of a, b: c"
	want := `::error file=net.py,line=3,title=net.py [check/a]::100%25 of a, b: c; fix: net.py
::warning file=net.py,line=1,title=net.py [check/b]::net.py
::warning file=net.py,line=1,title=net.py [check/c]::net.py (waived: net.py)
`
	if got := GitHub(runs, same); got != want {
		t.Errorf("got %s", got)
	}
}

func TestNoNameMakesACommand(t *testing.T) {
	for _, name := range hostile {
		got := commands(GitHub(sample(name), same))
		if len(got) != 3 {
			t.Errorf("%q makes %d commands of 3 findings: %q", name, len(got), got)
		}
		for _, c := range got {
			head, _, _ := strings.Cut(c[2:], "::")
			if word, rest, _ := strings.Cut(head, " "); word != "error" && word != "warning" || strings.Count(rest, ",") != 2 || strings.Count(rest, "=") > 3+2*strings.Count(name, "=") {
				t.Errorf("%q: %q", name, c)
			}
		}
		if got := commands(GitLab(sample(name), same)); len(got) > 0 {
			t.Errorf("%q: a line of GitLab's log is the command %q", name, got)
		}
		if got := commands(Harmless(name + "\nx " + name)); len(got) > 0 {
			t.Errorf("%q is still the command %q", name, got)
		}
	}
	if text := "a :: b\n x ## y\n"; Harmless(text) != text {
		t.Error("text that is no command is changed")
	}
}

func TestOnlyAsManyAsAreShownAreWritten(t *testing.T) {
	runs := sample("m.json")
	for range 15 {
		runs[0].Findings = append(runs[0].Findings, runs[0].Findings[0])
	}
	got := GitHub(runs, same)
	if strings.Count(got, "::error ") != maxShown || !strings.Contains(got, "::notice title=Model Verifier::6 more of level error are not shown here\n") {
		t.Errorf("got %s", got)
	}
}

func TestGitLabReadsTheReport(t *testing.T) {
	var issues []struct {
		Description, Fingerprint, Severity string
		Check                              string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	runs := sample("net.py")
	if err := json.Unmarshal(CodeQuality(runs, same), &issues); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, want := range []string{"blocker", "minor", "info"} {
		x := issues[i]
		if x.Severity != want || x.Description == "" || x.Check == "" || x.Location.Path != "net.py" || x.Location.Lines.Begin < 1 || x.Fingerprint == "" || seen[x.Fingerprint] {
			t.Errorf("%d: %+v", i, x)
		}
		seen[x.Fingerprint] = true
	}
	if len(issues) != 3 {
		t.Errorf("%d issues: what is waived or switched off is none", len(issues))
	}
	if got := string(CodeQuality(nil, same)); got != "[]\n" {
		t.Errorf("nothing is %q", got)
	}
}

func FuzzNoCommand(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := commands(Harmless(name)); len(got) > 0 {
			t.Errorf("%q is the command %q", name, got)
		}
		if got := commands(GitHub(sample(name), same)); len(got) != 3 {
			t.Errorf("%q makes %q", name, got)
		}
	})
}
