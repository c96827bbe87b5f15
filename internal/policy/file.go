package policy

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// File is a repository's .verifier.yml:
//
//	policy:                      # for every model
//	  max_params: 200M
//	  must_fit: A100-40GB
//	  severity: {high-dropout: block}
//	models:                      # more lines, by the path from the folder of the file
//	  "llm/*": {max_params: 7B}  # most specific wins, line by line; lists replace; null takes a line back
//	  "net.py:Net": {input: [3x224x224], arg: {dim: 64}}  # what it is called with
//	waivers:                     # findings that fail no command
//	  - rule: high-dropout       # or the key of a policy line
//	    component: "encoder.*"   # its id or name; left out: every one
//	    reason: follows the paper
//	    expires: 2027-01-31      # the last day
//	baseline: .verifier-baseline.json
//	severity:                    # in whether a command fails, and nowhere else
//	  vocab-alignment: off       # a rule, checker/rule, or a checker: check, data, layout, policy, serve
//	change:                      # against the version before
//	  max_params_growth: 10%     # or a factor, 1.5x, or an amount, 5M; of cost $2.50, of memory 4GB
//	approved:                    # versions that may change as they do
//	  - {fingerprint: 1a2b3c4d, reason: the larger one was decided on}
//	defaults: {fail-on: warn}    # of flags that are not given
//
// In patterns * stands for any characters, slashes too, and ? for one.
type File struct {
	Severity  []Override
	Waivers   []Waiver
	Baseline  string // path from the folder of the file, or ""
	Change    Change
	Approvals []Approval
	Defaults  []Default

	general  Policy
	models   []modelLines // least specific first
	patterns []string     // all keys of models:, as written
}

type modelLines struct {
	pattern string
	lines   *Policy
	nulls   []string
	calls   []Default // of the flags input and arg
}

// ParseFile reads a .verifier.yml. An error is a *graph.Error whose path begins with the line: "line 3: policy.max_params".
func ParseFile(data []byte, names Names) (*File, error) {
	f, err := names.file(data)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (n Names) file(data []byte) (*File, *graph.Error) {
	f, r := &File{}, reader{n.GPUs}
	v, err := parseYAML(data)
	if err != nil || v.kind == graph.Null {
		return f, err
	}
	if err := v.only("section", "policy", "models", "severity", "waivers", "baseline", "change", "approved", "defaults"); err != nil {
		return nil, err
	}
	if m := v.member("policy"); m != nil {
		p, _, err := r.policy(*m)
		if err != nil {
			return nil, err
		}
		f.general = *p
	}
	if m := v.member("models"); m != nil {
		if f.models, err = r.models(*m); err != nil {
			return nil, err
		}
		for _, k := range m.members {
			f.patterns = append(f.patterns, k.name)
		}
	}
	return f, n.softer(v, f)
}

// softer reads the sections that change no verdict.
func (n Names) softer(v item, f *File) (err *graph.Error) {
	for _, section := range []struct {
		name string
		read func(item) *graph.Error
	}{
		{severityKey, func(m item) (err *graph.Error) { f.Severity, err = n.overrides(m); return err }},
		{"waivers", func(m item) (err *graph.Error) { f.Waivers, err = n.waivers(m); return err }},
		{"baseline", func(m item) *graph.Error {
			if f.Baseline = m.text; m.kind != graph.String || m.text == "" {
				return m.wrong("the path of a file")
			}
			return nil
		}},
		{"change", func(m item) (err *graph.Error) { f.Change, err = readChange(m); return err }},
		{"approved", func(m item) (err *graph.Error) { f.Approvals, err = approvals(m); return err }},
		{"defaults", func(m item) (err *graph.Error) { f.Defaults, err = n.defaults(m); return err }},
	} {
		if m := v.member(section.name); m != nil {
			if err := section.read(*m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r reader) models(v item) ([]modelLines, *graph.Error) {
	if v.kind != graph.Object {
		return nil, v.wrong("an object of paths and policy lines")
	}
	var out []modelLines
	for _, m := range v.members {
		if m.kind == graph.Null {
			continue
		}
		if m.kind != graph.Object {
			return nil, m.wrong("an object of policy lines, input and arg")
		}
		calls, rest, err := callOf(m.item)
		if err != nil {
			return nil, err
		}
		p, nulls, err := r.lines(rest, inputFlag, argFlag)
		if err != nil {
			return nil, err
		}
		out = append(out, modelLines{m.name, p, nulls, calls})
	}
	slices.SortStableFunc(out, func(a, b modelLines) int { return specificity(a.pattern) - specificity(b.pattern) })
	return out, nil
}

// For returns the policy for a model, by its path from the folder of the file, with slashes. Of patterns that are equally
// specific the later one wins.
func (f *File) For(model string) *Policy {
	p := &Policy{}
	if f == nil {
		return p
	}
	*p = f.general
	for _, m := range f.models {
		if glob(m.pattern, model) {
			p.overlay(m.lines, m.nulls)
		}
	}
	return p
}

// Models are the paths and patterns under models:, in the order of the file.
func (f *File) Models() []string {
	if f == nil {
		return nil
	}
	return f.patterns
}

// Match reports whether a path is one that a pattern of a file stands for.
func Match(pattern, path string) bool { return glob(pattern, path) }

// specificity is the number of characters that a pattern fixes; a path without wildcards is more specific than any pattern.
func specificity(pattern string) int {
	n := len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
	if n == len(pattern) {
		n = maxFileBytes
	}
	return n
}

// maxPattern is more than the id of any component needs.
const maxPattern = 256

// glob matches what stands between two * where it is found first: a later place leaves less for what follows.
func glob(pattern, s string) bool {
	part, rest, more := strings.Cut(pattern, "*")
	if !more {
		return len(s) == len(part) && alike(part, s)
	}
	if len(s) < len(part) || !alike(part, s[:len(part)]) {
		return false
	}
	for s = s[len(part):]; ; {
		if part, rest, more = strings.Cut(rest, "*"); !more {
			return len(s) >= len(part) && alike(part, s[len(s)-len(part):])
		}
		i := index(part, s)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
}

// index is the first place where a part of a pattern without * is found, or -1.
func index(part, s string) int {
	if !strings.Contains(part, "?") {
		return strings.Index(s, part)
	}
	for i := range len(s) - len(part) + 1 {
		if alike(part, s[i:i+len(part)]) {
			return i
		}
	}
	return -1
}

// alike compares two of a length, with ? for any byte.
func alike(part, s string) bool {
	for i := range len(part) {
		if part[i] != '?' && part[i] != s[i] {
			return false
		}
	}
	return true
}
