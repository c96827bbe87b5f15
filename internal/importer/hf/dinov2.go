package hf

var _ = define(Family{Type: "dinov2", Default: "Dinov2ForImageClassification", Classes: dinos("Dinov2", "dinov2", false)})

// dinos are the classes of DINOv2, whose classifier sees the first token beside the mean of the patches.
func dinos(name, prefix string, registers bool) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			skip := int64(1)
			if registers {
				skip += b.Int("num_register_tokens")
			}
			x := b.Scope("%s", prefix).dino(registers)
			patches := b.Mean(b.Add("slice", "", Args{Int("dim", 1), Int("start", skip)}, x), "", 1)
			b.Labels(b.Add("concatenate", "", nil, b.First(x), patches), "classifier", 2*b.Size("hidden_size"))
		},
		name + "Model": func(b *Build) { b.Output(b.dino(registers)) },
	}
}

func (b *Build) dino(registers bool) Node {
	b.HeadsDivide()
	dim := b.Size("hidden_size")
	x := b.vitPatches(Patches{Dim: dim, Tokens: []string{"cls_token"}})
	if registers || b.Bool("use_mask_token") {
		b.Unused(x, "embeddings.mask_token", 1, dim)
	}
	if registers {
		x = b.Scope("embeddings").registers(x, dim)
	}
	for i := range b.Int("num_hidden_layers") {
		x = b.Scope("encoder.layer.%d", i).dinoLayer(x, dim)
	}
	return b.LayerNorm(x, "layernorm", dim, true)
}

// registers puts trained tokens behind the first one.
func (b *Build) registers(x Node, dim int64) Node {
	count := b.Int("num_register_tokens")
	if count == 0 {
		return x
	}
	n := b.Add("parameter", "register_tokens", Args{Ints("shape", count, dim)}, x)
	b.Tensor("register_tokens", 1, count, dim)
	first := b.Add("slice", "", Args{Int("dim", 1), Int("end", 1)}, x)
	rest := b.Add("slice", "", Args{Int("dim", 1), Int("start", 1)}, x)
	return b.Add("concatenate", "", nil, first, n, rest)
}

func (b *Build) dinoLayer(x Node, dim int64) Node {
	y := b.Attend(b.LayerNorm(x, "norm1", dim, true), "attention", Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Bias: b.Bool("qkv_bias"), OutBias: true,
		Q: "attention.query", K: "attention.key", V: "attention.value", O: "output.dense"})
	x = b.Residual(x, b.Scale(y, "layer_scale1.lambda1", dim))
	y = b.LayerNorm(x, "norm2", dim, true)
	hidden := ratio(b.Float("mlp_ratio"), dim)
	if b.Bool("use_swiglu_ffn") {
		hidden = (hidden*2/3 + 7) / 8 * 8
		y = b.Gated(y, "mlp", Gated{Dim: dim, Hidden: hidden, Bias: true, Act: "silu", Fused: "weights_in", Down: "weights_out"})
	} else {
		y = b.Scope("mlp").MLP(y, "fc1", "fc2", dim, hidden, true, "hidden_act")
	}
	return b.Residual(x, b.Scale(y, "layer_scale2.lambda1", dim))
}
