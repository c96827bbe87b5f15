package action

import (
	"strings"

	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

// TextCall is a model that reads pictures or sounds as its importer makes it for a call with text alone. The zero value is that of a model
// that has no such call.
type TextCall struct {
	Graph func() *graph.Graph // nil, or gives nil, where the call is no other one
	Flag  string              // what the caller says to have it
}

// Offer says of the findings that block which path of the model they concern, where a call with text alone runs. That call is examined
// first, and not offered where it blocks too or is not wholly known.
func (s *Study) Offer(t TextCall) {
	if t.Graph == nil || s.Runs() {
		return
	}
	g := t.Graph()
	if g == nil {
		return
	}
	alone := Examine(g)
	if !alone.Runs() || !facts.Whole(alone.Walked) {
		return
	}
	paths := s.featurePaths()
	for i := range s.Findings {
		f := &s.Findings[i]
		if f.Rule.Severity != rules.Block {
			return // blocks come first
		}
		if f.Node >= 0 && paths[f.Node] != "" {
			f.Message += "; this concerns the path of " + paths[f.Node] + " alone: called with text alone (" + t.Flag + "), the model runs"
		}
	}
}

// featurePaths names, of each component, the inputs of pictures or sounds that it is computed from; "" where there are none.
func (s *Study) featurePaths() []string {
	text := map[int]bool{}
	for _, i := range facts.Tokens(s.Walked) {
		text[i] = true
	}
	read := make([][]string, len(s.Walked.Nodes))
	for i := range s.Walked.Nodes {
		if n := &s.Walked.Nodes[i]; n.Type == nil || n.Type.ID != infer.InputID || text[i] {
			continue
		}
		for j, behind := range facts.Behind(s.Walked, i) {
			if behind {
				read[j] = append(read[j], s.Graph.Components[i].Label())
			}
		}
	}
	out := make([]string, len(read))
	for i := range read {
		out[i] = strings.Join(read[i], " and ")
	}
	return out
}
