// Package sarif writes reports as SARIF 2.1.0 (OASIS Standard, with errata 01), so that code-scanning services show findings on the
// lines that made them.
//
// All models of a command are one run of the log: services take few runs in a file. It must not know files or the clock.
package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// Options are what a log says beside the reports.
type Options struct {
	Version string // of the program
	Site    string // where it is described
	Paths   report.Paths
	Unread  []report.Unread
}

// maxResults is the most that code scanning takes in a run; of more, the worst are kept and the log says how many were not.
// https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
const maxResults = 25_000

const (
	schema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	srcRoot = "%SRCROOT%" // stands for the root of the repository
)

// Log writes one log of the reports of a command.
func Log(runs []*report.Run, opt Options) []byte {
	b := &builder{opt: opt, index: map[string]int{}}
	b.rules(runs)
	for _, r := range runs {
		b.results(r)
	}
	b.states()
	b.limit()
	out := run{
		Tool:       tool{driver{Name: "Model Verifier", Version: opt.Version, URI: opt.Site, Rules: b.descriptors}},
		ColumnKind: "unicodeCodePoints", Results: b.out, Invocations: []invocation{b.invocation()},
		Bases: map[string]base{srcRoot: {message{"The root of the repository."}}},
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(log{schema, "2.1.0", []run{out}}); err != nil {
		panic("sarif: " + err.Error()) // strings, numbers and lists of our own
	}
	return text.Bytes()
}

type builder struct {
	opt         Options
	descriptors []descriptor
	index       map[string]int // of a rule among the descriptors
	out         []result
	left        int // results that the limit left out
}

// rules describes every rule that could have fired, sorted by checker and id. One that no report lists is described by its finding.
func (b *builder) rules(runs []*report.Run) {
	b.descriptors, b.out = []descriptor{}, []result{}
	all := map[string]report.Rule{}
	for _, r := range runs {
		for i := range r.Findings {
			f := &r.Findings[i]
			all[f.Test()] = report.Rule{Checker: f.Checker, ID: f.Rule, Severity: f.Severity, Title: f.Title}
		}
	}
	for _, r := range runs {
		for _, rule := range r.Rules {
			all[rule.Checker+"/"+rule.ID] = rule
		}
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		rule := all[name]
		b.index[name] = i
		b.descriptors = append(b.descriptors, describe(name, rule))
	}
}

func describe(name string, rule report.Rule) descriptor {
	title := report.Plain(rule.Title)
	if title == "" {
		title = name
	}
	help := report.Plain(strings.Join(strings.Fields(rule.Help), " "))
	if help == "" {
		help = title + "."
	}
	severity := rule.Severity
	if severity == "" {
		severity = rules.Warn // goes by the case
	}
	return descriptor{
		ID: name, Name: camel(rule.ID), Short: message{title}, Full: message{help}, Help: message{help}, URI: rule.URL,
		Default: configuration{level(severity)}, Properties: ruleProperties{Tags: []string{rule.Checker}},
	}
}

// camel writes an id as the standard wants names: LinearInMismatch.
func camel(id string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(id, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ':' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func level(s rules.Severity) string {
	switch s {
	case rules.Block:
		return "error"
	case rules.Warn:
		return "warning"
	case policy.Off:
		return "none"
	}
	return "note"
}

func (b *builder) results(r *report.Run) {
	ids := r.Identities(b.opt.Paths)
	for i := range r.Findings {
		f := &r.Findings[i]
		out := result{
			RuleID: f.Test(), RuleIndex: b.index[f.Test()], Level: level(f.Effective), Message: message{words(f)},
			Locations: []location{b.location(r, f)}, Prints: fingerprints{ids[i], ids[i]}, Suppressions: suppressions(f),
			Properties: resultProperties{Model: report.Plain(r.Model), Command: r.Command, Severity: string(f.Severity), Gates: f.Gates, Component: report.Plain(f.Component), Fix: report.Plain(f.Fix)},
		}
		out.Fixes = b.fixes(f)
		for _, s := range f.Related {
			out.Related = append(out.Related, b.spot(s.File, s.Line))
		}
		switch f.Baseline {
		case report.New:
			out.Baseline = "new"
		case report.Existing:
			out.Baseline = "unchanged"
		}
		b.out = append(b.out, out)
	}
}

// fixes is the change that mends a finding, file by file.
func (b *builder) fixes(f *report.Finding) []fix {
	if f.Change == nil {
		return nil
	}
	out := fix{Description: message{report.Plain(f.Change.Why)}}
	for _, l := range f.Change.Lines {
		at := b.artifact(l.Path)
		n := len(out.Changes)
		if n == 0 || out.Changes[n-1].Artifact != at {
			out.Changes, n = append(out.Changes, artifactChange{Artifact: at}), n+1
		}
		change := &out.Changes[n-1]
		change.Replacements = append(change.Replacements, replacement{lineRegion{l.First, l.Last}, message{l.New}})
	}
	return []fix{out}
}

// artifact is a file as results name it.
func (b *builder) artifact(file string) artifact {
	out := artifact{uri(b.opt.Paths(file)), srcRoot}
	if !isRelative(out.URI) {
		out.Base = ""
	}
	return out
}

// states fills in the state of results of models without a baseline: one result has it only where all have it.
func (b *builder) states() {
	if !slices.ContainsFunc(b.out, func(r result) bool { return r.Baseline != "" }) {
		return
	}
	for i := range b.out {
		if b.out[i].Baseline == "" {
			b.out[i].Baseline = "new"
		}
	}
}

// words is the message. A link could be written in one: what a component is named makes none.
func words(f *report.Finding) string {
	text := report.Plain(f.Detail)
	if text == "" {
		text = report.Plain(f.Title)
	}
	if f.Fix != "" {
		text += ". Fix: " + report.Plain(f.Fix)
	}
	return strings.ReplaceAll(text, "](", "] (")
}

// location is where a finding lies. Services show only what has a line: where none is known it is the first of the file.
func (b *builder) location(r *report.Run, f *report.Finding) location {
	out := b.spot(r.Where(f), f.Line)
	if f.Component != "" {
		out.Logical = []logical{{Name: report.Plain(f.Name), Full: report.Plain(f.Component), Kind: "component"}}
	}
	return out
}

// spot is a line of a file.
func (b *builder) spot(file string, line int) location {
	return location{Physical: physical{Artifact: b.artifact(file), Region: region{max(1, line)}}}
}

// uri writes a path, which has slashes, as a reference.
func uri(path string) string {
	switch {
	case path == "-":
		return "standard-input"
	case strings.HasPrefix(path, "/"):
		return "file://" + escape(path)
	}
	return escape(strings.TrimPrefix(path, "./"))
}

// escape leaves what RFC 3986 calls unreserved, and the slash.
func escape(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isRelative(uri string) bool { return !strings.HasPrefix(uri, "file:") }

func suppressions(f *report.Finding) []suppression {
	if why := f.Softened(); why != "" {
		return []suppression{{Kind: "external", Status: "accepted", Why: why}}
	}
	return []suppression{} // says that it is not suppressed, which leaving it out would not
}

// limit leaves the worst results where there are more than services take.
func (b *builder) limit() {
	if len(b.out) <= maxResults {
		return
	}
	worst := []string{"error", "warning", "note", "none"}
	slices.SortStableFunc(b.out, func(x, y result) int { return slices.Index(worst, x.Level) - slices.Index(worst, y.Level) })
	b.left = len(b.out) - maxResults
	b.out = b.out[:maxResults]
}

func (b *builder) invocation() invocation {
	out := invocation{Successful: len(b.opt.Unread) == 0, Notes: []notification{}}
	for _, u := range b.opt.Unread {
		out.Notes = append(out.Notes, notification{"error", message{report.Plain(u.Message)}})
	}
	if b.left > 0 {
		out.Notes = append(out.Notes, notification{"warning", message{fmt.Sprintf("%d results are not in this log: it takes %d, and has the worst of them", b.left, maxResults)}})
	}
	return out
}
