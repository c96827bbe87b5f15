package markdown

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

func same(file string) string { return file }

func run(findings ...report.Finding) *report.Run {
	return &report.Run{Command: "check", Model: "net.py:Net", Source: "net.py", Verdict: "block", Summary: "It does not run.", ExitCode: 1, Rules: make([]report.Rule, 2), Findings: findings}
}

const want = "<!-- model-verifier check net.py_Net -->\n" +
	"### ❌ `net.py:Net`: block\n\n" +
	"It does not run.\n\n" +
	"- **Wrong width** `fc: 3 but 8` (check/a) at `net.py:3`; fix: `set inFeatures to 8`\n\n" +
	"<details><summary>1 warning</summary>\n\n" +
	"- **Leads nowhere** `x` (check/b)\n\n" +
	"</details>\n\n" +
	"<details><summary>2 findings that do not fail the command</summary>\n\n" +
	"- **Wrong width** `y` (check/a); waived: known to \\@\u200bboss\n" +
	"- **Wrong width** `z` (check/a); in the baseline\n\n" +
	"</details>\n\n" +
	"<details><summary>1 note</summary>\n\n" +
	"- **Wide** `w` (check/c)\n\n" +
	"</details>\n\n" +
	"<sub>verifier check: 2 rules tried, exit code 1</sub>\n\n" +
	"<!-- model-verifier read gone -->\n" +
	"### ❌ `gone` could not be read\n\n" +
	"`no such file`\n"

func TestTheCommentIsAsWritten(t *testing.T) {
	r := run(
		report.Finding{Checker: "check", Rule: "a", Severity: rules.Block, Effective: rules.Block, Gates: true, Title: "Wrong width", Detail: "fc: 3 but 8", Fix: "set inFeatures to 8", Line: 3},
		report.Finding{Checker: "check", Rule: "b", Severity: rules.Warn, Effective: rules.Warn, Title: "Leads nowhere", Detail: "x"},
		report.Finding{Checker: "check", Rule: "a", Severity: rules.Block, Effective: rules.Block, Waived: true, Reason: "known to @boss", Title: "Wrong width", Detail: "y"},
		report.Finding{Checker: "check", Rule: "a", Severity: rules.Block, Effective: rules.Block, Baseline: report.Existing, Title: "Wrong width", Detail: "z"},
		report.Finding{Checker: "check", Rule: "c", Severity: rules.Info, Effective: rules.Info, Title: "Wide", Detail: "w"},
	)
	got := Comment([]*report.Run{r}, same, []report.Unread{{Model: "gone", Message: "no such file"}})
	if got != strings.ReplaceAll(want, `\@`, "@") {
		t.Errorf("got\n%s", got)
	}
}

func TestNothingThatACallerNamedMarksUp(t *testing.T) {
	for _, name := range []string{"--> <script>", "`a` <img src=x>", "``", "\n# head", "@team", "[a](http://evil)", "</details>", "a|b", "\u202eabc", "](", "![x](y)"} {
		r := run(report.Finding{Checker: "check", Rule: "a", Gates: true, Title: name, Detail: name, Fix: name, Reason: name, Line: 2})
		r.Model, r.Source, r.Summary = name, name, name
		got := Comment([]*report.Run{r}, same, nil)
		if first, _, _ := strings.Cut(got, "\n"); strings.Count(first, "-->") != 1 || strings.Count(got, "\n") != 8 {
			t.Errorf("%q:\n%s", name, got)
		}
		// Outside of code, nothing is left that would be read as markup.
		plain := outside(strings.TrimSuffix(got[strings.Index(got, "\n"):], "<sub>verifier check: 2 rules tried, exit code 1</sub>\n"))
		for _, bad := range []string{"<", "](", "![", "@t"} {
			if strings.Contains(plain, bad) {
				t.Errorf("%q: %q is left in %q", name, bad, plain)
			}
		}
	}
}

// outside removes spans of code, whose fences are runs of backquotes of one length, and what is escaped.
func outside(s string) string {
	var b strings.Builder
	for s != "" {
		switch {
		case s[0] == '\\':
			s = s[min(2, len(s)):]
		case s[0] == '`':
			n := len(s) - len(strings.TrimLeft(s, "`"))
			fence, rest := s[:n], s[n:]
			end := 0
			for end < len(rest) {
				i := strings.Index(rest[end:], fence)
				if i < 0 {
					end = len(rest)
					break
				}
				end += i
				m := len(rest[end:]) - len(strings.TrimLeft(rest[end:], "`"))
				if m == n {
					end += n
					break
				}
				end += m
			}
			s = rest[end:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}

func TestLongListsAreCut(t *testing.T) {
	var list []report.Finding
	for range most + 3 {
		list = append(list, report.Finding{Checker: "check", Rule: "a", Gates: true, Title: strings.Repeat("x", 5000), Detail: strings.Repeat("y", 5000)})
	}
	got := Comment([]*report.Run{run(list...)}, same, nil)
	if !strings.Contains(got, "- and 3 more\n") || len(got) > 65_536 {
		t.Errorf("%d bytes", len(got))
	}
}
