package data

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/quantity"
)

// sequence compares the length of a sample with the positions and the context of the model.
func sequence(s *subject) []Check {
	if s.SeqLen == 0 {
		return nil
	}
	c := Check{Name: "sequence", Status: pass, Expected: "a model that reads tokens", Actual: counted(s.SeqLen, "token"), title: "Sequences do not fit the model"}
	inputs := facts.Tokens(s.res)
	if len(inputs) == 0 {
		c.Status, c.Detail = unknown, "the model reads no tokens, so a length of sequences says nothing about it"
		return one(c)
	}
	own, positions := s.res.Nodes[inputs[0]].Out[0], s.facts.Positions
	c.Expected = "a length at which the model runs"
	walked, refusal, runs := facts.AtLength(s.res, s.SeqLen)
	switch {
	case runs == facts.No:
		c.Status, c.component = block, s.res.Graph.Components[refusal.Node].ID
		c.Detail = "the model does not run on " + quantity.Grouped(s.SeqLen) + " tokens: " + s.label(refusal) + ": " + refusal.Message
		c.Fix = "cut or pad sequences to the " + strconv.FormatInt(own, 10) + " tokens that the model takes"
		if n := facts.Longest(s.res, refusal); n > 0 {
			c.Expected, c.Fix = "at most "+counted(n, "token"), "cut sequences to "+strconv.FormatInt(n, 10)+" tokens"
		}
	case positions > 0 && s.SeqLen > positions && own <= positions && s.facts.PositionKind != "relative" && s.facts.PositionKind != "learned":
		c.Status, c.title, c.Expected = warn, "Sequences are longer than the model's context", "at most "+counted(positions, "token")
		c.Detail = "sequences of " + counted(s.SeqLen, "token") + " are longer than the " + counted(positions, "position") + " that the model was made for"
		c.Fix = "cut sequences to " + strconv.FormatInt(positions, 10) + " tokens"
	case runs == facts.Unknown && len(s.res.Refusals) > 0:
		c.Status, c.Detail = unknown, "the model does not run as it is, so nothing is said about another length"
	case runs == facts.Yes && !shaped(walked):
		c.Status, c.Detail = unknown, s.unasked()
	case runs == facts.Unknown:
		c.Status, c.Detail = unknown, "the graph was imported at "+counted(own, "token")+" and has that length written into it: import it at the length of the dataset"
	default:
		c.Detail = "the model runs on sequences of " + counted(s.SeqLen, "token")
	}
	return one(c)
}
