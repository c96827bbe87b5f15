package facts

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// tally counts how often a value was met; the most frequent wins, among equals the one that came first.
type tally struct {
	values []int64
	counts []int
}

func (t *tally) add(n int64) {
	if n <= 0 {
		return
	}
	i := slices.Index(t.values, n)
	if i < 0 {
		if len(t.values) >= 64 {
			return
		}
		i = len(t.values)
		t.values, t.counts = append(t.values, n), append(t.counts, 0)
	}
	t.counts[i]++
}

func (t *tally) most() int64 {
	best := -1
	for i := range t.values {
		if best < 0 || t.counts[i] > t.counts[best] {
			best = i
		}
	}
	if best < 0 {
		return 0
	}
	return t.values[best]
}

// counts are what the components say, before one value is chosen.
type counts struct {
	heads, kv, headDim, width, ffn                                            tally
	experts, topK, expertDim, sharedDim, shared, kvRank, qRank, nope, rope, v tally
	window, vocab, positions                                                  tally
	attention, recurrent, expert, sliding                                     int64
	head                                                                      *infer.Node
	kind                                                                      string
}

// fromComponents fills in what config.json leaves open.
func (f *Facts) fromComponents(res *infer.Result) {
	var c counts
	towers := Towers(res)
	for _, i := range res.Wiring.Order { // of values that are equally frequent the one of the first component to run counts
		if n := &res.Nodes[i]; n.Type != nil && n.Args != nil && !towers[i] {
			c.add(n)
			if n.Type.ID == "linear" && len(n.In) == 1 && n.In[0].Rank() == 2 && feedsActivation(res, i) {
				c.ffn.add(n.Out.At(-1)) // the first of the two linear layers of a plain feed-forward network
			}
		}
	}
	for _, o := range []struct {
		fact  *int64
		value int64
	}{
		{&f.Heads, c.heads.most()}, {&f.KVHeads, c.kv.most()}, {&f.HeadDim, c.headDim.most()}, {&f.Hidden, c.width.most()},
		{&f.Intermediate, c.ffn.most()}, {&f.Vocab, c.vocab.most()}, {&f.Experts, c.experts.most()}, {&f.ExpertsPerToken, c.topK.most()},
		{&f.ExpertIntermediate, c.expertDim.most()}, {&f.SharedExperts, c.shared.most()}, {&f.SharedIntermediate, c.sharedDim.most()},
		{&f.KVLoraRank, c.kvRank.most()}, {&f.QLoraRank, c.qRank.most()}, {&f.QKNopeHeadDim, c.nope.most()}, {&f.QKRopeHeadDim, c.rope.most()},
		{&f.VHeadDim, c.v.most()}, {&f.Positions, c.positions.most()}, {&f.SlidingWindow, c.window.most()}, {&f.SlidingLayers, c.sliding},
		{&f.AttentionLayers, c.attention}, {&f.RecurrentLayers, c.recurrent}, {&f.ExpertLayers, c.expert},
	} {
		if *o.fact == 0 {
			*o.fact = o.value
		}
	}
	if f.Layers == 0 {
		f.Layers = max(c.attention, c.recurrent)
	}
	f.PositionKind = cmp.Or(c.kind, f.PositionKind) // a table of positions is there to be seen
	f.tied(res, c.head)
}

// feedsActivation reports whether the only reader of a component is an activation.
func feedsActivation(res *infer.Result, i int) bool {
	out := res.Wiring.Outputs(i)
	return len(out) == 1 && res.Nodes[out[0]].Type.Has(catalog.IsActivation) && res.Nodes[i].Out.Rank() == 2
}

// tied finds out whether the head shares the embedding's weight.
func (f *Facts) tied(res *infer.Result, head *infer.Node) {
	if head == nil || f.TiedKnown {
		return
	}
	f.Tied, f.TiedKnown = argOf(head, "tied").Bool() || argOf(head, "tiedTo").Str() != "", true
}

// add notes what one component says.
func (c *counts) add(n *infer.Node) {
	switch {
	case n.Type.Has(catalog.IsAttention):
		c.attend(n)
	case n.Type.HasAny(catalog.IsRecurrent) || n.Type.ID == "mamba" || n.Type.ID == "mamba2":
		c.recurrent++
	case n.Type.Has(catalog.IsExperts):
		c.expert++
		c.experts.add(argOf(n, "numExperts").Int())
		c.topK.add(argOf(n, "topK").Int())
		c.expertDim.add(argOf(n, "expertDim").Int())
		c.shared.add(argOf(n, "numSharedExperts").Int())
		c.sharedDim.add(shared(n))
	case n.Type.Has(catalog.IsHead):
		c.head = n
	case n.Type.ID == "embedding" && len(n.Weights) > 0:
		c.vocab.add(n.Weights[0].Shape[0])
	case n.Type.ID == "learnedPositionalEmbedding":
		c.kind = "learned"
		c.positions.add(argOf(n, "maxLen").Int())
	case n.Type.ID == "positionalEncoding":
		c.kind = "sinusoidal"
		c.positions.add(argOf(n, "maxLen").Int())
	case n.Type.ID == "alibi":
		c.kind = "alibi"
	case n.Type.ID == "rope":
		c.kind = "rope"
	}
	c.ffn.add(cmp.Or(argOf(n, "intermediateSize").Int(), argOf(n, "ffDim").Int()))
}

// attend notes what an attention layer, or a block with one inside, says.
func (c *counts) attend(n *infer.Node) {
	c.attention++
	heads := argOf(n, "numHeads").Int()
	c.heads.add(heads)
	c.kv.add(cmp.Or(argOf(n, "numKVHeads").Int(), heads))
	c.headDim.add(argOf(n, "headDim").Int())
	c.width.add(argOf(n, "embedDim").Int())
	c.kvRank.add(argOf(n, "kvLoraRank").Int())
	c.qRank.add(argOf(n, "qLoraRank").Int())
	c.nope.add(argOf(n, "qkNopeHeadDim").Int())
	c.rope.add(argOf(n, "qkRopeHeadDim").Int())
	c.v.add(argOf(n, "vHeadDim").Int())
	if n.Type.ID == "ropeAttention" || n.Type.ID == "mla" {
		c.kind = "rope"
	}
	if w := cmp.Or(argOf(n, "slidingWindow").Int(), argOf(n, "windowSize").Int()); w > 0 && n.Type.Has(catalog.IsAttention) {
		c.window.add(w)
		c.sliding++
	}
}

// shared is the width inside the shared experts together.
func shared(n *infer.Node) int64 {
	w := argOf(n, "sharedExpertDim").Int()
	if n.Type.Param("numSharedExperts") == nil {
		return w
	}
	if k := argOf(n, "numSharedExperts").Int(); w < 1<<31 && k < 1<<31 {
		return k * w
	}
	return 0
}
