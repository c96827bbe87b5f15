package families

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "granite_speech", Default: "GraniteSpeechForConditionalGeneration",
		Classes: map[string]func(*Build){
			"GraniteSpeechForConditionalGeneration": func(b *Build) { graniteSpeech(b, "granite_speech_encoder") }}})
	_ = family.Define(family.Family{Type: "granite_speech_plus", Default: "GraniteSpeechPlusForConditionalGeneration",
		Classes: map[string]func(*Build){
			"GraniteSpeechPlusForConditionalGeneration": func(b *Build) {
				graniteSpeech(b,
					"granite_speech_plus_encoder")
			}}})
)

// graniteSpeech is a Conformer, trained vectors that ask it about each window of the sound, and a language model. The
// graph hears one window; two where every sound of more than one crashes, as the projector views the vectors of its
// windows as more rows than there are: each window has window_size // downsample_rate of them, and all together
// windows * window_size // downsample_rate.
func graniteSpeech(b *Build, encoderType string) {
	e, text := b.Part("encoder_config", encoderType, ""), b.Part("text_config", "granite", "")
	window, rate := b.Size("window_size"), b.Size("downsample_rate")
	windows := int64(1)
	if 2*(window%rate) >= rate {
		windows = 2
	}
	heard, width := graniteConformer(b.Scope("model.encoder").With(e), windows*window)
	p := b.Scope("model.projector").With(b.Part("projector_config", "blip_2_qformer", ""))
	if p.Type() != "blip_2_qformer" {
		config.Fail(config.CodeArchitecture, p.At("model_type"), "%q is not modelled", p.Type())
	}
	dim, out := p.Size("hidden_size"), text.Size("hidden_size")
	query := stack.Stack(p, p.Param(heard, "query", 1, window/rate, dim), window/rate, dim)
	if windows > 1 { // each has the same vectors
		query = p.Join(slices.Repeat([]Node{query}, int(windows))...)
	}
	x := queryFormer(p.Scope("qformer"), query, heard, width)
	if windows > 1 {
		x = stack.Stack(p, x, windows*window/rate, dim)
	}
	x = p.Linear(x, "linear", dim, out, true)
	stack.Listen(b, text, x)
}

// graniteConformer returns the width of what it gives, too: some of its layers may stand beside the last.
func graniteConformer(b *Build, length int64) (Node, int64) {
	dim, layers := b.Size("hidden_dim"), b.Int("num_layers")
	if c := b.Int("context_size"); c <= 0 || c > b.Int("max_pos_emb") {
		config.Fail(config.CodeContradiction, b.At("context_size"),
			"is %d but must be at least 1 and at most max_pos_emb, %d", c, b.Int("max_pos_emb"))
	}
	x := b.Linear(b.Input("input_features", length, b.Size("input_dim")), "input_linear", b.Size("input_dim"), dim,
		true)
	kept, beside := map[int64]int{}, []Node{} // how often the input of a layer is wanted beside the last
	for _, i := range b.Ints("cat_hidden_layers") {
		kept[i]++
	}
	for i := range layers {
		x = keep(b, x, i, kept, &beside)
		l := b.Scope("layers.%d", i)
		x = l.Residual(x, graniteFeed(l.Scope("ff1"), x, dim))
		x = l.Residual(x, shawAttend(l.Scope("attn"), x, dim, length))
		x = l.Residual(x, graniteConv(l.Scope("conv"), x, dim))
		x = l.Residual(x, graniteFeed(l.Scope("ff2"), x, dim))
		x = l.LayerNorm(x, "post_norm", dim, true)
		if i+1 == layers/2 {
			guess := b.Add("softmax", "out", Args{build.Int("dim", -1)},
				b.Linear(x, "out", dim, b.Size("output_dim"), true))
			x = b.Residual(x, b.Linear(guess, "out_mid", b.Size("output_dim"), dim, true))
		}
	}
	if layers < 2 { // they are constructed, and no layer is the middle one
		b.Linear(b.Linear(x, "out", dim, b.Size("output_dim"), true), "out_mid", b.Size("output_dim"), dim, true)
	}
	if len(beside) > 0 {
		x = b.Add("concatenate", "", Args{build.Int("dim", 2)}, append(beside, x)...)
	}
	return x, dim * int64(len(beside)+1)
}

// keep records the input of a layer, where the config wants it beside the last.
func keep(b *Build, x Node, i int64, kept map[int64]int, beside *[]Node) Node {
	for range kept[i] {
		*beside = append(*beside, x)
	}
	return x
}

func graniteFeed(b *Build, x Node, dim int64) Node {
	hidden := dim * b.Size("feedforward_mult")
	x = b.Linear(b.LayerNorm(x, "pre_norm", dim, true), "up_proj", dim, hidden, true)
	return b.Linear(b.Add("silu", "", nil, x), "down_proj", hidden, dim, true)
}

// shawAttend has a trained vector for each distance, which the queries meet.
func shawAttend(b *Build, x Node, dim, length int64) Node {
	heads := b.Size("num_heads")
	head := b.SizeOr("dim_head", dim/heads)
	inner := heads * head
	x = b.LayerNorm(x, "pre_norm", dim, true)
	q, kv := b.Linear(x, "to_q", dim, inner, false), b.Linear(x, "to_kv", dim, 2*inner, false)
	bias := audio.Shaw(b, q, b.Param(x, "rel_pos_emb.weight", 2*b.Size("max_pos_emb")+1, head), "rel_pos_emb", heads,
		head, length)
	return b.Linear(b.Core(q, b.Chunk(kv, 2, 0), b.Chunk(kv, 2, 1), heads, heads, false, bias), "to_out", inner, dim,
		true)
}

func graniteConv(b *Build, x Node, dim int64) Node {
	inner, kernel := dim*b.Size("conv_expansion_factor"), b.Size("conv_kernel_size")
	x = audio.Conv1d(b, b.Swap(b.LayerNorm(x, "norm", dim, true)), "up_conv",
		audio.Convolution{In: dim, Out: 2 * inner, Kernel: 1, Bias: true})
	x = b.Add("pad", "", Args{build.Ints("padding", kernel/2, kernel/2-(kernel+1)%2)},
		b.Add("glu", "", Args{build.Int("dim", 1)}, x))
	x = audio.ChannelNorm(b, audio.Conv1d(b, x, "depth_conv.conv",
		audio.Convolution{In: inner, Out: inner, Kernel: kernel, Groups: inner}), "batch_norm", inner)
	return b.Swap(audio.Conv1d(b, b.Add("silu", "", nil, x), "down_conv",
		audio.Convolution{In: inner, Out: dim, Kernel: 1, Bias: true}))
}

// queryFormer is BLIP-2's: layers of BERT's kind over trained vectors, some of which look at what they ask about.
func queryFormer(b *Build, x, memory Node, width int64) Node {
	dim, heads := b.Size("hidden_size"), stack.HeadCount(b, "num_attention_heads", "hidden_size")
	a := nn.Attention{Dim: dim, Heads: heads, Bias: true, OutBias: true, Q: "attention.query", K: "attention.key",
		V: "attention.value", O: "output.dense"}
	cross := a
	cross.Memory, cross.MemoryDim = memory, b.Size("encoder_hidden_size")
	x = b.LayerNorm(x, "layernorm", dim, true)
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("encoder.layer.%d", i)
		x = l.LayerNorm(l.Residual(x, nn.Attend(l, x, "attention", a)), "attention.output.LayerNorm", dim, true)
		if i%b.Size("cross_attention_frequency") == 0 {
			x = l.LayerNorm(l.Residual(x, stack.CrossAttend(l, x, "crossattention", cross)),
				"crossattention.output.LayerNorm", dim, true)
		}
		feed := func(suffix string) Node {
			y := l.Activation(l.Linear(x, "intermediate"+suffix+".dense", dim, b.Size("intermediate_size"), true),
				"hidden_act")
			y = l.Linear(y, "output"+suffix+".dense", b.Size("intermediate_size"), dim, true)
			return l.LayerNorm(l.Residual(x, y), "output"+suffix+".LayerNorm", dim, true)
		}
		if b.Bool("use_qformer_text_input") {
			feed("") // for a text beside the vectors, which is not there
		}
		x = feed("_query")
	}
	return x
}
