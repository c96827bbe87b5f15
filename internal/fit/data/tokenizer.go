package data

import (
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// table returns the embedding of tokens: of those that read an input, the one with the most rows.
func (s *subject) table() *infer.Node {
	var best *infer.Node
	for _, i := range facts.Tokens(s.res) {
		for _, j := range s.readers(i) {
			n := &s.res.Nodes[j]
			if n.Type.Has(catalog.IsEmbedding) && len(n.Weights) > 0 && n.Weights[0].Shape.Rank() == 2 && (best == nil || n.Weights[0].Shape[0] > best.Weights[0].Shape[0]) {
				best = n
			}
		}
	}
	return best
}

// tokenizer compares the ids of a tokenizer with the rows of the embedding and with the head that predicts them.
func tokenizer(s *subject) []Check {
	if s.TokenizerSize == 0 {
		return nil
	}
	n := s.table()
	c := Check{Name: "tokenizer", Status: pass, Expected: "a model that reads tokens", Actual: counted(s.TokenizerSize, "token"), title: "The tokenizer has more tokens than the embedding has rows"}
	if n == nil {
		c.Status, c.Detail = unknown, "the model has no embedding that reads tokens"
		return one(c)
	}
	rows := n.Weights[0].Shape[0]
	c.Expected = "at most " + counted(rows, "token")
	c.Detail = "every one of " + counted(s.TokenizerSize, "token") + " has a row among " + quantity.Grouped(rows)
	switch {
	case s.TokenizerSize > rows:
		c.Status, c.component = block, n.Component.ID
		c.Detail = n.Component.Label() + " has " + quantity.Grouped(rows) + " rows, and token ids go up to " + quantity.Grouped(s.TokenizerSize-1)
		c.fixWith(Edit{n.Component.ID, "numEmbeddings", graph.IntValue(s.TokenizerSize)})
	case s.TokenizerSize < rows/2:
		c.Status, c.title = warn, "Most rows of the embedding are never read"
		c.Detail = n.Component.Label() + " has " + counted(rows, "row") + " and the tokenizer only " + quantity.Grouped(s.TokenizerSize) + " tokens: it may belong to another model"
	}
	return append(one(c), s.head(n)...)
}

// head compares the tokenizer with the logits of a language model: those of the head that runs last.
func (s *subject) head(table *infer.Node) []Check {
	for _, i := range slices.Backward(s.res.Wiring.Order) {
		n := &s.res.Nodes[i]
		param := "vocabSize"
		if n == s.output() && n.Type.ID == "linear" && n.Out.Rank() == 2 && n.Out.At(-1) == table.Weights[0].Shape[0] {
			param = "outFeatures" // as many results as there are rows: it predicts tokens
		} else if !n.Type.Has(catalog.IsHead) || n.Out.Rank() == 0 {
			continue
		}
		classes := n.Out.At(-1)
		c := Check{Name: "tokenizer-head", Status: pass, Expected: "at most " + counted(classes, "token"), Actual: counted(s.TokenizerSize, "token"),
			Detail: "the head has a logit for every token", title: "The head has fewer logits than the tokenizer has tokens"}
		if s.TokenizerSize > classes {
			c.Status, c.component = block, n.Component.ID
			c.Detail = n.Component.Label() + " gives " + quantity.Grouped(classes) + " logits, and token ids go up to " + quantity.Grouped(s.TokenizerSize-1)
			c.fixWith(Edit{n.Component.ID, param, graph.IntValue(s.TokenizerSize)})
		}
		return one(c)
	}
	return nil
}

// fixWith says an edit in words, as the findings of rules do.
func (c *Check) fixWith(e Edit) {
	c.edit = []Edit{e}
	c.Fix = "set " + e.Param + " of " + e.Component + " to " + strconv.FormatInt(e.Value.Int(), 10)
}
