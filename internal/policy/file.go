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
//	waivers:                     # findings that fail no command
//	  - rule: high-dropout       # or the key of a policy line
//	    component: "encoder.*"   # its id or name; left out: every one
//	    reason: follows the paper
//	    expires: 2027-01-31      # the last day
//	baseline: .verifier-baseline.json
//
// In patterns * stands for any characters, slashes too, and ? for one.
type File struct {
	Waivers  []Waiver
	Baseline string // path from the folder of the file, or ""

	general Policy
	models  []modelLines // least specific first
}

type modelLines struct {
	pattern string
	lines   *Policy
	nulls   []string
}

// ParseFile reads a .verifier.yml. An error is a *graph.Error whose path begins with the line: "line 3: policy.max_params".
func ParseFile(data []byte, gpus GPUs) (*File, error) {
	f, err := reader{gpus}.file(data)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (r reader) file(data []byte) (*File, *graph.Error) {
	f := &File{}
	v, err := parseYAML(data)
	if err != nil || v.kind == graph.Null {
		return f, err
	}
	if err := v.only("section", "policy", "models", "waivers", "baseline"); err != nil {
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
	}
	if m := v.member("waivers"); m != nil {
		if f.Waivers, err = waivers(*m); err != nil {
			return nil, err
		}
	}
	if m := v.member("baseline"); m != nil {
		if m.kind != graph.String || m.text == "" {
			return nil, m.wrong("the path of a file")
		}
		f.Baseline = m.text
	}
	return f, nil
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
		p, nulls, err := r.policy(m.item)
		if err != nil {
			return nil, err
		}
		out = append(out, modelLines{m.name, p, nulls})
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

// specificity is the number of characters that a pattern fixes; a path without wildcards is more specific than any pattern.
func specificity(pattern string) int {
	n := len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
	if n == len(pattern) {
		n = maxFileBytes
	}
	return n
}

// glob matches in time that grows with the product of the lengths: on a mismatch only the last * takes one more byte.
func glob(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
