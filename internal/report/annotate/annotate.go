// Package annotate writes findings where a continuous-integration service shows them beside the code: workflow commands for GitHub,
// lines and a code-quality report for GitLab.
//
// What a caller named can say nothing but itself: no name makes a workflow command. It must not know the environment or files.
package annotate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// maxShown is how many annotations of a kind GitHub shows of one step; the rest would only fill the log.
const maxShown = 10

// GitHub writes the findings that are worth a person's look as workflow commands, one on each line: ::error file=…,line=…::text
func GitHub(runs []*report.Run, paths report.Paths) string {
	var b strings.Builder
	shown := map[string]int{}
	for _, r := range runs {
		for i := range r.Findings {
			f := &r.Findings[i]
			command := ""
			switch {
			case f.Gates:
				command = "error"
			case f.Effective == rules.Block || f.Effective == rules.Warn:
				command = "warning"
			}
			if command == "" {
				continue
			}
			if shown[command]++; shown[command] > maxShown {
				continue
			}
			title, text := f.Title, f.Detail
			if why := f.Softened(); why != "" {
				text += " (" + why + ")"
			}
			if origin := f.Origin(paths); origin != "" {
				text += "; " + origin
			}
			if f.Fix != "" {
				text += "; fix: " + f.Fix
			}
			fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", command, property(paths(r.Where(f))), max(1, f.Line), property(title+" ["+f.Test()+"]"), data(text))
		}
	}
	for _, command := range []string{"error", "warning"} {
		if n := shown[command] - maxShown; n > 0 {
			fmt.Fprintf(&b, "::notice title=Model Verifier::%d more of level %s are not shown here\n", n, command)
		}
	}
	return b.String()
}

// data escapes the text of a workflow command, as the runner reads it back.
func data(s string) string { return strings.ReplaceAll(Harmless(report.Plain(s)), "%", "%25") }

// property escapes the value of a command's property.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}

// lines are what a runner takes for lines: each ends with a line feed or a carriage return, or the text does.
var lines = regexp.MustCompile(`[^\r\n]*[\r\n]|[^\r\n]+$`)

// Harmless is text of which no line is taken for a command by a runner that reads the log: GitHub's begin a line with two colons,
// or stand anywhere as ##[, and those of Azure as ##vso[. The line stays as wide as it was.
func Harmless(text string) string {
	if !strings.Contains(text, "::") && !strings.Contains(text, "##") {
		return text
	}
	text = strings.NewReplacer("##[", "#?[", "##vso[", "#?vso[").Replace(text)
	var b strings.Builder
	for _, line := range lines.FindAllString(text, -1) {
		if rest := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(rest, "::") {
			line = line[:len(line)-len(rest)] + "?" + rest[1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// GitLab writes the findings that are worth a person's look as lines of the log: path:12: error: text
func GitLab(runs []*report.Run, paths report.Paths) string {
	var b strings.Builder
	for _, r := range runs {
		for i := range r.Findings {
			f := &r.Findings[i]
			word := "warning"
			if f.Gates {
				word = "error"
			} else if f.Effective != rules.Block && f.Effective != rules.Warn {
				continue
			}
			text := f.Detail
			if origin := f.Origin(paths); origin != "" {
				text += "; " + origin
			}
			line := fmt.Sprintf("%s:%d: %s: %s [%s]", paths(r.Where(f)), max(1, f.Line), word, text, f.Test())
			b.WriteString(Harmless(report.Plain(line)) + "\n")
		}
	}
	return b.String()
}

// issue is what GitLab's code-quality report has of a finding.
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
type issue struct {
	Description string `json:"description"`
	Check       string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// CodeQuality writes GitLab's report. Findings that are waived, in the baseline or switched off are not issues.
func CodeQuality(runs []*report.Run, paths report.Paths) []byte {
	out := []issue{}
	for _, r := range runs {
		ids := r.Identities(paths)
		for i := range r.Findings {
			f := &r.Findings[i]
			severity := severityOf(f)
			if severity == "" {
				continue
			}
			one := issue{Description: report.Plain(f.Detail), Check: f.Test(), Fingerprint: ids[i], Severity: severity}
			if f.Fix != "" {
				one.Description += "; fix: " + report.Plain(f.Fix)
			}
			one.Location.Path, one.Location.Lines.Begin = report.Plain(paths(r.Where(f))), max(1, f.Line)
			out = append(out, one)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		panic("annotate: " + err.Error()) // strings and numbers of our own
	}
	return b.Bytes()
}

func severityOf(f *report.Finding) string {
	if f.Waived || f.Baseline == report.Existing {
		return ""
	}
	switch f.Effective {
	case rules.Block:
		return "blocker"
	case rules.Warn:
		if f.Gates {
			return "major"
		}
		return "minor"
	case rules.Info:
		return "info"
	}
	return ""
}
