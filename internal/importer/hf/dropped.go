package hf

import "slices"

// scoreDropouts are the keys of how many of the weights of attention are dropped in training.
var scoreDropouts = []string{"attention_probs_dropout_prob", "attention_dropout", "attn_pdrop"}

// dropsScores says whether attention drops some of its weights.
func (b *Build) dropsScores() bool {
	return b.Config != nil && slices.ContainsFunc(scoreDropouts, func(key string) bool {
		return b.Has(key) && b.Float(key) > 0
	})
}

// moved is a part that no type describes, which only moves or sums what arrives.
func (b *Build) moved(x Node, name string, shape ...int64) Node {
	n := b.Add("customModule", name, Args{Ints("outShape", shape...), Int("numParams", 0), Int("flops", 0)}, x)
	b.way(n, "linear")
	return n
}

// lost marks a component whose result is the logits of a class that is written otherwise than by one map, where the loss is taken
// of them as they are.
func (b *Build) lost(n Node) {
	if slices.Contains(modules.Loss, b.state.class) {
		b.way(n, "plain")
	}
}
