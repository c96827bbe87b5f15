package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/infer"
)

// sums are the totals of several components.
type sums struct {
	Count      int      `json:"count"`
	Params     int64    `json:"params"`
	FLOPs      *int64   `json:"flops"` // null, as the next, where it lacks a component
	SavedBytes *int64   `json:"savedBytes"`
	Withheld   []string `json:"paramsWithheld"` // components whose weights are not in params
}

func newSums() sums { return sums{Withheld: []string{}, FLOPs: new(int64), SavedBytes: new(int64)} }

func (s *sums) add(n *infer.Node) {
	s.Count, s.Params = s.Count+1, s.Params+n.Params
	s.FLOPs, s.SavedBytes = plus(s.FLOPs, n.KnownFLOPs()), plus(s.SavedBytes, n.KnownSaved())
	if n.LacksWeights {
		s.Withheld = append(s.Withheld, n.Component.ID)
	}
}

// plus adds numbers of which one may not be known.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	n := *a + *b
	return &n
}

// blockDetail is a part of a model: the components under one name, or those that a search found.
type blockDetail struct {
	Prefix string `json:"prefix"`
	sums
	Components []part `json:"components"`
}

// block takes the components whose id or name is the prefix, or goes on behind it with a dot, a slash or an underscore.
func (v *view) block(prefix string) (*blockDetail, error) {
	under := func(s string) bool {
		rest, ok := strings.CutPrefix(s, prefix)
		return ok && (rest == "" || strings.ContainsAny(rest[:1], "./_") || strings.HasSuffix(prefix, "."))
	}
	d := v.chosen(prefix, func(n *infer.Node) bool { return under(n.Component.ID) || under(n.Component.Name) })
	if d.Count == 0 {
		return nil, refuse(codeUnknown, "block", fmt.Sprintf("no component's id or name begins with %q", clip(prefix)), "describe with group block shows the blocks.")
	}
	return d, nil
}

// search takes the components whose id, name or type has a text, in small or large letters. That there are none is an answer.
func (v *view) search(text string) *blockDetail { return v.chosen(text, has(text)) }

func has(text string) func(*infer.Node) bool {
	text = strings.ToLower(text)
	return func(n *infer.Node) bool {
		c := n.Component
		return strings.Contains(strings.ToLower(c.ID+"\n"+c.Name+"\n"+c.Type), text)
	}
}

// chosen sums those that are taken, and lists the first of them.
func (v *view) chosen(title string, taken func(*infer.Node) bool) *blockDetail {
	d := &blockDetail{Prefix: title, sums: newSums(), Components: []part{}}
	for i := range v.Nodes {
		if n := &v.Nodes[i]; taken(n) {
			d.add(n)
			if len(d.Components) < v.top {
				d.Components = append(d.Components, v.part(i))
			}
		}
	}
	return d
}

// group is the components of one type or one block.
type group struct {
	Name string `json:"name"`
	sums
}

// groupings are what components can be grouped by.
var groupings = []string{"type", "block"}

// grouped sums the components that a search takes, all where it is empty, by type or by block: most parameters first, then in the order
// of the graph.
func (v *view) grouped(by, search string) []group {
	taken, at, out := has(search), map[string]int{}, []group{}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if !taken(n) {
			continue
		}
		name := n.Component.Type
		if by == "block" {
			name = blockOf(n.Component.ID)
		}
		k, known := at[name]
		if !known {
			k = len(out)
			at[name], out = k, append(out, group{name, newSums()})
		}
		out[k].add(n)
	}
	slices.SortStableFunc(out, func(a, b group) int {
		switch {
		case a.Params > b.Params:
			return -1
		case a.Params < b.Params:
			return 1
		}
		return 0
	})
	return out[:min(len(out), v.top)]
}

// blockOf is the block that an id belongs to: what goes up to its first number (layers.0 of layers.0.attention.q), else what is in front of the
// first separator.
func blockOf(id string) string {
	end := len(id)
	for i := 0; i < len(id); {
		j := i
		for j < len(id) && !strings.ContainsRune("./_", rune(id[j])) {
			j++
		}
		if i == 0 {
			end = j
		}
		if isNumber(id[i:j]) {
			return id[:j]
		}
		i = j + 1
	}
	return id[:end]
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (d *blockDetail) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %d components, %s parameters, %s\n", d.Prefix, d.Count, counted(&d.Params, d.Withheld), computed(d.FLOPs))
	list(b, d.Components)
}
