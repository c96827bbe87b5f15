package fix

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
	"github.com/modelverifier/verifier/internal/patch"
)

// bonus is the most that evidence takes off a cost.
const bonus = 8

// evidence is what speaks for a change beside its size, less what speaks against it. The text that it writes is written elsewhere, and what
// it replaces is not; weights that nothing used are used. Against it: other layers become larger or smaller, weights are used no more, or a
// variable.
func (x *fault) evidence(t *trial, before *verdict) int {
	score := 0
	if len(t.edits) == 1 && t.edits[0].Start < t.edits[0].End {
		e := t.edits[0]
		was := textOf(x.files, e.Path)[e.Start:e.End]
		if x.written(e.New) > 0 {
			score += 2
		}
		if x.written(was) <= 1 {
			score++
		}
		if isName(e.New) && x.reads(e, e.New) == 0 {
			score += 4 // a parameter that nothing reads is read
		}
		if isName(was) && isName(e.New) && !t.respells && x.onlyRead(e) {
			score -= 15
		}
	}
	if t.after.unused < before.unused || t.after.unused == 0 && before.unused == 0 {
		score++
	}
	if before.params >= 0 && t.after.unused > 0 {
		score -= 10
	}
	score -= 3 * min(dangling(t.after.graph), 3)
	if x.follows(t.after) {
		score += 4
	}
	return min(score, bonus) - 2*min(x.aside(before, t.after), 6)
}

// dangling counts the components of a model whose results nothing reads, such as a layer that was called for nothing.
func dangling(g *graph.Graph) int {
	read := map[string]bool{}
	for _, c := range g.Connections {
		read[c.From] = true
	}
	n := 0
	for i := range g.Components {
		if c := &g.Components[i]; !read[c.ID] && c.Type != "output" && c.Type != "parameter" && c.Type != "input" {
			n++
		}
	}
	return n
}

// onlyRead reports whether an edit takes away the only place that reads a variable.
func (x *fault) onlyRead(e patch.Edit) bool {
	return x.reads(e, textOf(x.files, e.Path)[e.Start:e.End]) == 1
}

// reads counts the places that read a variable in the function around an edit of a name; -1 where it is none of a name.
func (x *fault) reads(e patch.Edit, name string) int {
	for _, c := range x.scripts {
		if c.path != e.Path {
			continue
		}
		for _, node := range c.nodes {
			n, ok := node.(*python.Name)
			if !ok || c.spans[n] != (python.Span{Start: e.Start, End: e.End}) {
				continue
			}
			reads := 0
			python.Each(c.function(n), func(other any) {
				if m, ok := other.(*python.Name); ok && m.ID == name && !isTarget(c, m) {
					reads++
				}
			})
			return reads
		}
	}
	return -1
}

// follows reports whether a change comes to what the finding's edit says.
func (x *fault) follows(after *verdict) bool {
	for _, e := range x.finding.Edit {
		i := slices.IndexFunc(after.graph.Components, func(c graph.Component) bool { return c.ID == e.Component })
		if i < 0 {
			return false
		}
		v, ok := after.graph.Components[i].Param(e.Param)
		if !ok || !v.Equal(e.Value) {
			return false
		}
	}
	return len(x.finding.Edit) > 0
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == "" && (s[0] < '0' || s[0] > '9')
}

// aside counts the components whose number of weights is another one after a change, beside the one that the finding is about.
func (x *fault) aside(before, after *verdict) int {
	was := map[string]int64{}
	for i := range before.walked.Nodes {
		n := &before.walked.Nodes[i]
		was[n.Component.ID] = n.Params
	}
	changed := 0
	for i := range after.walked.Nodes {
		n := &after.walked.Nodes[i]
		if params, there := was[n.Component.ID]; there && params != n.Params && n.Component.ID != x.finding.Component && params > 0 {
			changed++
		}
	}
	return changed
}

// written counts how often an expression stands in the scripts.
func (x *fault) written(text string) int {
	n := 0
	for _, c := range x.scripts {
		for _, node := range c.nodes {
			switch node.(type) {
			case *python.Const, *python.Name, *python.Attr, *python.Unary:
				if at := c.spans[node]; at.End-at.Start == len(text) && strings.HasPrefix(c.text[at.Start:], text) {
					n++
				}
			}
		}
	}
	return n
}
