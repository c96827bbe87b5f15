package data

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// tokens returns the inputs that an embedding reads.
func (s *subject) tokens() []int {
	var out []int
	for i := range s.res.Nodes {
		n := &s.res.Nodes[i]
		if n.Type == nil || n.Type.ID != infer.InputID || !n.OutIsInt || len(n.Out) == 0 {
			continue
		}
		for _, j := range s.res.Wiring.Outputs(i) {
			if s.res.Nodes[j].Type.Has(catalog.IsEmbedding) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// sequence holds the length of a sample against the positions and the context of the model.
func sequence(s *subject) []Check {
	if s.SeqLen == 0 {
		return nil
	}
	c := Check{Name: "sequence", Status: pass, Expected: "a model that reads tokens", Actual: quantity.Grouped(s.SeqLen) + " tokens", title: "Sequences do not fit the model"}
	inputs := s.tokens()
	if len(inputs) == 0 {
		c.Status, c.Detail = unknown, "the model reads no tokens, so a length of sequences says nothing about it"
		return one(c)
	}
	own, positions := s.res.Nodes[inputs[0]].Out[0], s.facts.Positions
	c.Expected = "a length at which the model runs"
	if positions > 0 {
		c.Expected = "at most " + quantity.Grouped(positions) + " tokens"
	}
	shapes := map[int][]int64{}
	for i := range s.res.Nodes {
		n := &s.res.Nodes[i]
		if n.Type != nil && n.Type.ID == infer.InputID && n.OutIsInt && len(n.Out) > 0 && n.Out[0] == own { // segments are as long as tokens
			shapes[i] = append([]int64{s.SeqLen}, n.Out[1:]...)
		}
	}
	refusal, known := s.with(shapes)
	switch {
	case s.facts.PositionKind == "learned" && positions > 0 && s.SeqLen > positions:
		c.Status, c.Detail = block, "a sequence of "+quantity.Grouped(s.SeqLen)+" tokens reads beyond the table of "+quantity.Grouped(positions)+" positions"
		c.Fix = "cut sequences to " + strconv.FormatInt(positions, 10) + " tokens"
	case refusal != nil:
		c.Status, c.component = block, s.res.Graph.Components[refusal.Node].ID
		c.Detail = "the model does not run on " + quantity.Grouped(s.SeqLen) + " tokens: " + s.label(refusal) + ": " + refusal.Message
		c.Fix = "cut or pad sequences to the " + strconv.FormatInt(own, 10) + " tokens that the model takes"
	case positions > 0 && s.SeqLen > positions:
		c.Status, c.title = warn, "Sequences are longer than the model's context"
		c.Detail = "sequences of " + quantity.Grouped(s.SeqLen) + " tokens are longer than the " + quantity.Grouped(positions) + " positions that the model was made for"
		c.Fix = "cut sequences to " + strconv.FormatInt(positions, 10) + " tokens"
	case !known:
		c.Status, c.Detail = unknown, "the model does not run as it is, so nothing is said about another length"
	default:
		c.Detail = "the model runs on sequences of " + quantity.Grouped(s.SeqLen) + " tokens"
	}
	return one(c)
}
