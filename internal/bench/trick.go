package bench

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// What tricks ask of a component.

// value is an argument of a component by its name, null where its type has none.
func value(n *infer.Node, name string) graph.Value {
	for k := range n.Type.Params {
		if n.Type.Params[k].Name == name && k < len(n.Args) {
			return n.Args[k]
		}
	}
	return graph.Value{}
}

// sizes is an argument with one number for each of so many axes.
func sizes(n *infer.Node, name string, axes int, otherwise int64) []int64 {
	out := make([]int64, axes)
	v := value(n, name)
	for k := range out {
		out[k] = otherwise
		switch l := v.List(); {
		case v.Kind() == graph.Int:
			out[k] = v.Int()
		case len(l) == 1:
			out[k] = l[0].Int()
		case len(l) > k:
			out[k] = l[k].Int()
		}
	}
	return out
}

// passes are the traits of what hands on every value of its input, each by itself.
const passes = catalog.IsView | catalog.IsDropout

// behind is the component before another, over those that only hand on; -1 where there are several or none. moved
// says that axes were joined, cut or exchanged on the way.
func behind(res *infer.Result, i int) (at int, moved bool) {
	for {
		in := res.Wiring.Inputs(i)
		if len(in) != 1 {
			return -1, moved
		}
		i = int(in[0])
		t := res.Nodes[i].Type
		if !t.HasAny(passes) {
			return i, moved
		}
		moved = moved || !t.Has(catalog.IsDropout)
	}
}

// drowned finds dropout that leaves next to nothing: with a probability of 1 everything behind it is zero in training.
func drowned(_ *infer.Result, _ int, n *infer.Node) string {
	const most = 0.6
	for k := range n.Type.Params {
		p := &n.Type.Params[k]
		if (p.Name == "dropout" || p.Name == "p" && n.Type.Group == catalog.Regularising) && n.Args[k].Float() > most {
			return quantity.Sprintf("drops %s of what arrives, and at most %s is taken as regularisation", n.Args[k].Brief(),
				"0.6")
		}
	}
	return ""
}

// aloneInSequence finds attention over one position: the softmax of one score is 1, whatever queries and keys are.
func aloneInSequence(_ *infer.Result, _ int, n *infer.Node) string {
	if !n.Type.Has(catalog.IsAttention) && !isBlockWithAttention(n.Type) || len(n.In) == 0 {
		return ""
	}
	if in := n.In[0]; in.Rank() < 2 || in.At(-2) < 2 {
		return "attends over a single position, where queries and keys have no effect"
	}
	if w := value(n, "windowSize"); w.Kind() == graph.Int && w.Int() < 2 {
		return "attends over a window of one position, where queries and keys have no effect"
	}
	return ""
}

func isBlockWithAttention(t *catalog.Type) bool {
	return slices.Contains([]string{"transformerBlock", "transformerDecoderBlock", "conformerBlock"}, t.ID)
}

// oneStep finds recurrent layers whose state is never read: over one step, and the backward half of which only the
// last step is taken, which is the first that it reads.
func oneStep(_ *infer.Result, _ int, n *infer.Node) string {
	if !n.Type.Has(catalog.IsRecurrent) || len(n.In) == 0 {
		return ""
	}
	if in := n.In[0]; in.Rank() < 2 || in.At(-2) < 2 {
		return "runs over a single step, where the weights of its state have no effect"
	}
	both := value(n, "bidirectional").Bool() || slices.Contains([]string{"bidirectionalGRU", "bidirectionalLSTM",
		"bidirectionalRNN"}, n.Type.ID)
	if every := value(n, "returnSequences"); both && every.Kind() == graph.Bool && !every.Bool() {
		return "returns the last step alone, which its backward half reads first: the weights of that half's state have " +
			"no effect"
	}
	return ""
}

// rowsUnread finds rows of a table of positions beyond the length of the sequence, and tables that nothing indexes
// with the input.
func rowsUnread(res *infer.Result, i int, n *infer.Node) string {
	if isType(n.Type, "learnedPositionalEmbedding") && len(n.In) > 0 && n.In[0].Rank() >= 2 {
		if rows, length := value(n, "maxLen").Int(), n.In[0].At(-2); rows > length {
			return quantity.Sprintf("has %s rows, and the sequence has %s positions", quantity.Grouped(rows),
				quantity.Grouped(length))
		}
	}
	if n.Type.Has(catalog.IsEmbedding) {
		for _, j := range res.Wiring.Inputs(i) {
			if !isType(res.Nodes[j].Type, infer.InputID) {
				return "looks up what is no input of token ids"
			}
		}
	}
	return ""
}

// expertsUnvisited finds experts that cannot all be visited: a router with one choice, or more experts than there are
// visits.
func expertsUnvisited(_ *infer.Result, _ int, n *infer.Node) string {
	if !n.Type.Has(catalog.IsExperts) || len(n.In) == 0 {
		return ""
	}
	experts, visits := value(n, "numExperts").Int(), value(n, "topK").Int()*n.In[0].Size()/max(1, n.In[0].At(-1))
	switch {
	case experts < 2:
		return "has one expert, so that its router has no effect"
	case experts > visits || experts > 256:
		return quantity.Sprintf("has %s experts, and a sample makes %s visits; at most 256 are taken",
			quantity.Grouped(experts), quantity.Grouped(visits))
	}
	return ""
}

// sameTwice finds a concatenation of one result with itself, whose halves no weight behind it can tell apart.
func sameTwice(res *infer.Result, i int, n *infer.Node) string {
	if !n.Type.Has(catalog.IsMerge) {
		return ""
	}
	in := slices.Clone(res.Wiring.Inputs(i))
	slices.Sort(in)
	for k := 1; k < len(in); k++ {
		if in[k] == in[k-1] {
			return "reads " + res.Nodes[in[k]].Component.Label() + " more than once"
		}
	}
	return ""
}
