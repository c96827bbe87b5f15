package hf

var _ = define(Family{Type: "squeezebert", Default: "SqueezeBertForMaskedLM",
	Classes: Encoder{Prefix: "transformer", Model: squeezeBert, Pool: bertPool, Pooled: true, Words: bertWords}.classes("SqueezeBert", masked, tokens, answers)})

// squeezeBert is BERT whose maps are convolutions of one position in groups of channels.
func squeezeBert(b *Build) (x, table Node) {
	dim, hidden := b.Size("hidden_size"), b.Size("intermediate_size")
	if width := b.Size("embedding_size"); width != dim {
		fail(CodeContradiction, b.at("embedding_size"), "is %d but hidden_size is %d: no map lies between them", width, dim)
	}
	s := Bert{Layers: "encoder.layers", Single: true}
	s.Layer = func(l *Build, x, _ Node, _ int64) Node {
		a := s.attention(l)
		one := func(x Node, name string, in, out int64, groups string) Node {
			return l.convolve(x, name, in, out, 1, 0, l.Size(groups), true)
		}
		y := l.Scope("attention").Core(one(x, "attention.query", dim, dim, "q_groups"), one(x, "attention.key", dim, dim, "k_groups"),
			one(x, "attention.value", dim, dim, "v_groups"), a.Heads, a.Heads, false)
		y = one(y, "post_attention.conv1d", dim, dim, "post_attention_groups")
		x = l.LayerNorm(l.Residual(x, l.Scope("post_attention").drop(y, hiddenDropout)), "post_attention.layernorm", dim, true)
		y = l.Scope("intermediate").Activation(one(x, "intermediate.conv1d", dim, hidden, "intermediate_groups"), "hidden_act")
		y = one(y, "output.conv1d", hidden, dim, "output_groups")
		return l.LayerNorm(l.Residual(x, l.Scope("output").drop(y, hiddenDropout)), "output.layernorm", dim, true)
	}
	return s.model(b)
}
