package policy

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// Known is a finding that was there when the baseline was taken, and how often.
type Known struct {
	Model     string `json:"model"`     // path from the folder of .verifier.yml, with slashes
	Rule      string `json:"rule"`      // with its checker: check/high-dropout, policy/max-params
	Component string `json:"component"` // id, or "" for the graph itself
	Count     int64  `json:"count"`
}

// Baseline is a set of findings that fail no command, so that a repository can begin with those that it has. As with waivers,
// no verdict changes.
type Baseline struct {
	known []Known // sorted, each finding once
}

// NewBaseline takes findings, each with the count 1 or more.
func NewBaseline(findings []Known) *Baseline {
	b := &Baseline{}
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, Known.compare)
	for _, k := range sorted {
		if n := len(b.known); n > 0 && b.known[n-1].compare(k) == 0 {
			b.known[n-1].Count += k.Count
			continue
		}
		b.known = append(b.known, k)
	}
	return b
}

// Findings returns the findings: sorted, each once.
func (b *Baseline) Findings() []Known {
	if b == nil {
		return nil
	}
	return slices.Clone(b.known)
}

// Beyond returns what is in the baseline and not, or less often, in another, with the count that is missing there.
func (b *Baseline) Beyond(other *Baseline) []Known {
	var out []Known
	for _, k := range b.Findings() {
		if k.Count -= other.count(k); k.Count > 0 {
			out = append(out, k)
		}
	}
	return out
}

func (k Known) compare(l Known) int {
	return cmp.Or(cmp.Compare(k.Model, l.Model), cmp.Compare(k.Component, l.Component), cmp.Compare(k.Rule, l.Rule))
}

// New reports for each of the findings of one model whether it is not in the baseline. Of findings that are alike, the
// first ones are those known. The counts of the findings are not read.
func (b *Baseline) New(findings []Known) []bool {
	out := make([]bool, len(findings))
	used := map[Known]int64{}
	for i, k := range findings {
		k.Count = 0
		used[k]++
		out[i] = used[k] > b.count(k)
	}
	return out
}

func (b *Baseline) count(k Known) int64 {
	if b == nil {
		return 0
	}
	if at, found := slices.BinarySearchFunc(b.known, k, Known.compare); found {
		return b.known[at].Count
	}
	return 0
}

// AppendJSON writes the baseline: sorted, one finding on a line, so that a diff of it can be read.
func (b *Baseline) AppendJSON(out []byte) []byte {
	out = append(out, `{"version": 1, "findings": [`...)
	for i, k := range b.known {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, "\n  {"...)
		for _, m := range [...]struct{ name, value string }{{"model", k.Model}, {"rule", k.Rule}, {"component", k.Component}} {
			out = append(out, `"`+m.name+`": `...)
			out = append(graph.StringValue(m.value).AppendJSON(out), ", "...)
		}
		out = append(out, `"count": `...)
		out = append(strconv.AppendInt(out, k.Count, 10), '}')
	}
	return append(out, "\n]}\n"...)
}

// ParseBaseline reads what AppendJSON writes. A rule may stand without its checker. Rules that no longer exist are kept: a
// baseline outlives them.
func (n Names) ParseBaseline(data []byte) (*Baseline, error) {
	v, err := n.baseline(data)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (n Names) baseline(data []byte) (*Baseline, *graph.Error) {
	v, err := parseJSON(string(data), "")
	if err != nil {
		return nil, err
	}
	if err := v.only("part of a baseline", "version", "findings"); err != nil {
		return nil, err
	}
	if version := v.member("version"); version == nil || version.kind != graph.Int || version.text != "1" {
		return nil, v.errorf(CodeValue, "must be a baseline of version 1")
	}
	list := v.member("findings")
	if list == nil || list.kind != graph.List {
		return nil, v.errorf(graph.CodeMissing, "must have a list named findings")
	}
	var findings []Known
	for _, f := range list.list {
		k, err := known(f)
		if err != nil {
			return nil, err
		}
		k.Rule = n.whole(k.Rule)
		findings = append(findings, k)
	}
	return NewBaseline(findings), nil
}

// whole is the name of a rule with its checker.
func (n Names) whole(rule string) string {
	if strings.Contains(rule, "/") {
		return rule
	}
	if lineOf(rule) != nil {
		return Checker + "/" + RuleOf(rule)
	}
	for _, r := range n.Rules {
		if r.ID == rule {
			return r.Checker + "/" + rule
		}
	}
	return rule
}

func known(v item) (k Known, err *graph.Error) {
	if err := v.only("part of a finding", "model", "rule", "component", "count"); err != nil {
		return k, err
	}
	for _, part := range []struct {
		name string
		into *string
	}{{"model", &k.Model}, {"rule", &k.Rule}, {"component", &k.Component}} {
		m := v.member(part.name)
		if m == nil {
			return k, v.errorf(graph.CodeMissing, "must have a %s", part.name)
		}
		if m.kind != graph.String {
			return k, m.wrong("a string")
		}
		*part.into = m.text
	}
	m := v.member("count")
	if m == nil {
		return k, v.errorf(graph.CodeMissing, "must have a count")
	}
	n, parsed := strconv.ParseInt(m.text, 10, 32)
	if m.kind != graph.Int || parsed != nil || n < 1 {
		return k, m.errorf(CodeValue, "must be a whole number of 1 or more")
	}
	k.Count = n
	return k, nil
}
