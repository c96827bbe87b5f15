package lsp

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// analysis is what was found out about one version of a document.
type analysis struct {
	diagnostics []diagnostic
	values      []value         // in the order of their lines
	targets     []fix.Target    // that can be mended
	read        map[string]bool // the files that it depends on, by their paths
	unparsed    bool            // the text is no program, or no graph: it is being typed
	text        *text           // that it is of
}

// value is what the statement of a line gives, with what it costs.
type value struct {
	line  int // from 0
	label string
	parts []string // a line of Markdown for each component
}

// repository is the folder of a document as the editor has it: saved files, with the open ones over them.
type repository struct {
	root  string
	dir   *fence.Dir
	fs    *fence.Texts
	names policy.Names // what its policy file can name
}

// enter opens the repository of a document, with the texts of open documents by their paths.
func enter(d *document, texts map[string]string) (r *repository, name string, err error) {
	top, err := fence.Root(d.path)
	if err != nil {
		return nil, "", err
	}
	dir, err := fence.Folder(top)
	if err != nil {
		return nil, "", err
	}
	r = &repository{root: top, dir: dir, fs: &fence.Texts{Over: map[string]string{}, Rest: dir}}
	for path, t := range texts {
		if rel, ok := fence.Within(top, path); ok {
			r.fs.Over[filepath.ToSlash(rel)] = t
		}
	}
	rel, ok := fence.Within(top, d.path)
	if !ok {
		_ = dir.Close() // nothing was read
		return nil, "", fmt.Errorf("%s lies outside of %s", d.path, top)
	}
	name = filepath.ToSlash(rel)
	r.fs.Over[name] = d.text.data
	return r, name, nil
}

// path is where a file of the repository lies.
func (r *repository) path(name string) string { return filepath.Join(r.root, filepath.FromSlash(name)) }

// kinds are the analyses by what a file is.
var kinds = []struct {
	is   func(name, text string) bool
	look func(d *document, r *repository, name string, out *analysis)
}{
	{func(name, _ string) bool { return path.Ext(name) == ".py" }, lookSource},
	{func(name, _ string) bool { return path.Base(name) == policyName }, lookPolicy},
	{isGraph, lookGraph},
	{isLaunch, lookLaunch},
}

// analyse looks at a document. Whatever goes wrong is said in the document itself: the editor shows nothing else.
func analyse(d *document, texts map[string]string, names policy.Names) *analysis {
	out := &analysis{diagnostics: []diagnostic{}, read: map[string]bool{}}
	if d.path == "" || len(d.text.data) > graph.LocalLimits.Bytes {
		return out
	}
	r, name, err := enter(d, texts)
	if err != nil {
		out.say(d, 0, severityInformation, "cannot be judged: "+err.Error())
		return out
	}
	defer func() { _ = r.dir.Close() }() // it was read
	r.names = names
	for _, k := range kinds {
		if k.is(name, d.text.data) {
			k.look(d, r, name, out)
			break
		}
	}
	out.order(d)
	return out
}

// say adds a diagnostic of no rule, at a line from 0.
func (a *analysis) say(d *document, line int, s severity, message string) {
	a.diagnostics = append(a.diagnostics, diagnostic{Range: d.text.written(line), Severity: s, Source: "verifier", Message: message})
}

// order sorts what was found by lines, drops what was said twice, and keeps what was known of the lines that are not being typed.
func (a *analysis) order(d *document) {
	slices.SortStableFunc(a.diagnostics, func(x, y diagnostic) int {
		return cmp.Or(cmp.Compare(x.Range.Start.Line, y.Range.Start.Line), cmp.Compare(x.Severity, y.Severity))
	})
	a.diagnostics = slices.CompactFunc(a.diagnostics, func(x, y diagnostic) bool {
		return x.Range == y.Range && x.Severity == y.Severity && x.Message == y.Message
	})
	a.text = d.text
	if a.unparsed && d.before != nil {
		a.values = carried(d.before, d.text)
	}
	slices.SortStableFunc(a.values, func(x, y value) int { return cmp.Compare(x.line, y.line) })
}

// carried are the values of an earlier text on the lines that another one has, too, ahead of what differs and behind it.
func carried(was *analysis, now *text) (out []value) {
	n, m := len(was.text.lines), len(now.lines)
	ahead := 0
	for ahead < min(n, m) && was.text.line(ahead) == now.line(ahead) {
		ahead++
	}
	behind := 0
	for behind < min(n, m)-ahead && was.text.line(n-1-behind) == now.line(m-1-behind) {
		behind++
	}
	for _, v := range was.values {
		switch {
		case v.line < ahead:
			out = append(out, v)
		case v.line >= n-behind:
			v.line += m - n
			out = append(out, v)
		}
	}
	return out
}

// severityOf is how an editor marks a finding.
func severityOf(s rules.Severity) severity {
	switch s {
	case rules.Block:
		return severityError
	case rules.Warn:
		return severityWarning
	}
	return severityInformation
}

// ruled is the diagnostic of a rule's finding, with the page of the rule.
func ruled(at span, s rules.Severity, rule, message string) diagnostic {
	d := diagnostic{Range: at, Severity: severityOf(s), Source: "verifier", Code: rule, Message: message}
	if rule != "" {
		d.CodeDescription = &codeDescription{report.RuleURL(rule)}
	}
	return d
}

// lineIn finds a line from 1 in the path or message of an error: "line 3: …", or "net.py:3: …" of the file itself.
var lineIn = regexp.MustCompile(`(?:^|\b)line ([0-9]+)\b|:([0-9]+): `)

// failure is the line from 0 and the message of an error about a document.
func failure(err error) (line int, message string) {
	message = err.Error()
	var e *graph.Error
	if errors.As(err, &e) {
		message = e.Message
		if m := lineIn.FindStringSubmatch(e.Path + " "); m != nil {
			line, _ = strconv.Atoi(m[1] + m[2])
			_, rest, _ := strings.Cut(e.Path, ": ")
			if rest != "" {
				message = rest + ": " + message
			}
			return max(0, line-1), message
		}
		if e.Path != "" && !strings.HasSuffix(e.Path, ".py") {
			message = e.Path + ": " + message
		}
	}
	if m := lineIn.FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1] + m[2])
	}
	return max(0, line-1), message
}
