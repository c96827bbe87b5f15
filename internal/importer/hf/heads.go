package hf

import "slices"

// head is a class that puts one linear map on top of a decoder.
type head struct {
	class, layer string
	count        func(*Build) int64
	bias         bool
}

// scored classifies whole texts, labelled each token, and answering finds where an answer starts and ends.
func scored(class string) head   { return head{class, "score", (*Build).NumLabels, false} }
func labelled(class string) head { return head{class, "classifier", (*Build).NumLabels, true} }
func answering(class string) head {
	return head{class, "qa_outputs", func(*Build) int64 { return 2 }, true}
}

// topped are the classes of a decoder under names of their own: the language model, the bare model, and those with a head.
func topped(lm, bare string, d func(*Build) Decoder, heads ...head) map[string]func(*Build) {
	classes := map[string]func(*Build){
		lm:   func(b *Build) { b.languageModel(d(b)) },
		bare: func(b *Build) { b.bareModel(d(b)) },
	}
	for _, h := range heads {
		classes[h.class] = func(b *Build) {
			spec := d(b).filled(b)
			x, _ := b.trunk(spec, or(spec.Prefix, "model"))
			b.Output(b.Linear(x, h.layer, spec.Dim, h.count(b), h.bias))
		}
	}
	return classes
}

// gptHeads are the three heads that most of the older decoders have.
func gptHeads(name string) []head {
	return []head{scored(name + sequences), labelled(name + tokens), answering(name + answers)}
}

// gpt is the shape of GPT-2 and what came after it: the module names, and layer norms everywhere.
func gpt(b *Build, layer func(b *Build, x Node, i int64) Node) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return Decoder{Prefix: "transformer", Embed: "wte", Layers: "h", Norm: "ln_f", FinalNorm: lastLayerNorm, Layer: layer}
}

// plain is two linear maps around an activation of a fixed name.
func (b *Build) plain(x Node, up, down string, dim, hidden int64, bias bool, act string) Node {
	x = b.Act(b.Linear(x, up, dim, hidden, bias), act, "")
	return b.Linear(x, down, hidden, dim, bias)
}

// parallel adds what attention and network give, side by side, to what both were given.
func (b *Build) parallel(x, attended, fed Node) Node { return b.Add("add", "", nil, attended, fed, x) }

// slopes is the constant of ALiBi: for each head, how much less each position counts.
func (b *Build) slopes(x Node, heads int64) Node {
	return b.Add("parameter", "alibi", Args{Ints("shape", heads, 1, b.positions()), Flag("trainable", false)}, x)
}

// attendBiased is attention whose scores get something added: ALiBi, or a bias for each distance.
func (b *Build) attendBiased(x Node, name string, a Attention, bias Node) Node {
	a = a.filled()
	m := b.Scope("%s", name)
	q, k, v := m.project(x, a)
	return m.Linear(m.Core(q, k, v, a.Heads, a.KV, a.Causal, bias), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// attendSquare is attention whose maps are as wide as the model even where the heads do not fill it: then it cannot run.
func (b *Build) attendSquare(x Node, name string, a Attention) Node {
	a = a.filled()
	if a.Heads*a.HeadDim == a.Dim {
		return b.Attend(x, name, a)
	}
	m := b.Scope("%s", name)
	if a.Fused != "" {
		x = m.Linear(x, a.Fused, a.Dim, 3*a.Dim, a.Bias)
		return m.Linear(m.Core(m.Chunk(x, 3, 0), m.Chunk(x, 3, 1), m.Chunk(x, 3, 2), a.Heads, a.Heads, a.Causal), a.O, a.Dim, a.Dim, a.OutBias)
	}
	q, k, v := m.Linear(x, a.Q, a.Dim, a.Dim, a.Bias), m.Linear(x, a.K, a.Dim, a.Dim, a.Bias), m.Linear(x, a.V, a.Dim, a.Dim, a.Bias)
	return m.Linear(m.Core(q, k, v, a.Heads, a.Heads, a.Causal), a.O, a.Dim, a.Dim, a.OutBias)
}

// waves adds fixed waves to each position, as many as a table of them has.
func (b *Build) waves(x Node, name string, count, dim int64) Node {
	return b.Add("positionalEncoding", name, Args{Int("embedDim", dim), Int("maxLen", count)}, x)
}

// bartLayer is a layer of BART's kind with its norms before each part, which may also attend to an encoder.
func (b *Build) bartLayer(x Node, a Attention, wide, act, drop string, memory Node) Node {
	norm := func(name string) Node { return b.LayerNorm(x, name, a.Dim, true) }
	a = a.biased(true)
	a.O, a.Causal = "out_proj", true
	x = b.Residual(x, b.drop(b.Attend(norm("self_attn_layer_norm"), "self_attn", a), drop))
	if _, knows := b.class.Fields["add_cross_attention"]; knows && b.Bool("add_cross_attention") {
		a.Memory, a.MemoryDim, a.Causal = memory, a.Dim, false
		x = b.Residual(x, b.drop(b.Attend(norm("encoder_attn_layer_norm"), "encoder_attn", a), drop))
	}
	y := b.drop(b.Activation(b.Linear(norm("final_layer_norm"), "fc1", a.Dim, b.Size(wide), true), act), "activation_dropout")
	return b.Residual(x, b.drop(b.Linear(y, "fc2", b.Size(wide), a.Dim, true), drop))
}

// lost marks a component whose result is the logits of a class that is written otherwise than by one map, where the loss is taken
// of them as they are.
func (b *Build) lost(n Node) {
	if slices.Contains(modules.Loss, b.state.class) {
		b.way(n, "plain")
	}
}
