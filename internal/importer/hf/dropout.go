package hf

import "slices"

// drop is dropout with the probability that a key of the config holds; nothing where that is 0 or the class does not have the key. It counts in
// training alone.
func (b *Build) drop(x Node, key string) Node {
	if !b.Has(key) {
		return x
	}
	p := b.Float(key)
	if p == 0 {
		return x
	}
	return b.Add("dropout", "dropout", Args{Num("p", p)}, x)
}

// droppedMLP is MLP with the names of BART's layers and dropout behind the activation.
func (b *Build) droppedMLP(x Node, dim, hidden int64) Node {
	x = b.drop(b.Activation(b.Linear(x, "fc1", dim, hidden, true), "activation_function"), "activation_dropout")
	return b.Linear(x, "fc2", hidden, dim, true)
}

// recastMLP is droppedMLP that casts what the second map reads to the width of its weights.
func (b *Build) recastMLP(x Node, dim, hidden int64) Node {
	x = b.droppedMLP(x, dim, hidden)
	b.way(x, "recast")
	return x
}

// drops says that there is dropout between the maps of a gated network.
func (b *Build) drops(n Node, key string) {
	if b.Has(key) && b.Float(key) > 0 {
		b.way(n, "dropped")
	}
}

// attentionWays says how attention treats its scores.
func (b *Build) attentionWays(n Node, a Attention) {
	if a.Clamped {
		b.way(n, "clamped")
	}
	if a.Scaled {
		b.way(n, "scaled")
	}
}

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
