package diffusers

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
)

var _ = define(class{
	name: "FluxTransformer2DModel",
	defaults: map[string]any{
		"patch_size": number(1), "in_channels": number(64), "num_layers": number(19), "num_single_layers": number(38),
		"attention_head_dim": number(128), "num_attention_heads": number(24), "joint_attention_dim": number(4096),
		"pooled_projection_dim": number(768), "guidance_embeds": false, "axes_dims_rope": numbers(16, 56, 56),
	},
	build: func(b *build.Build) { newFlux(b).build(b) },
})

// flux is FluxTransformer2DModel: layers in which positions of the text and of the image have weights of their own and
// attend together, and then layers that they share.
type flux struct {
	heads, head, dim int64
	time             build.Node // the embedding of the time step and the pooled text, activated
}

// Positions of an image of 1024 pixels in patches of 16, and of the text, as FluxPipeline has them.
const (
	fluxImage = 4096
	fluxText  = 512
	fluxTime  = 256 // features of a time step
)

func newFlux(b *build.Build) *flux {
	f := &flux{heads: b.Size("num_attention_heads"), head: b.Size("attention_head_dim")}
	f.dim = build.Product(b, f.heads, f.head)
	return f
}

func (f *flux) build(b *build.Build) {
	in, joint := b.Size("in_channels"), b.Size("joint_attention_dim")
	x := b.Linear(b.Input("hidden_states", fluxImage, in), "x_embedder", in, f.dim, true)
	f.times(b.Scope("time_text_embed"))
	text := b.Linear(b.Input("encoder_hidden_states", fluxText, joint), "context_embedder", joint, f.dim, true)
	for i := range b.Int("num_layers") {
		text, x = f.double(b.Scope("transformer_blocks.%d", i), text, x)
	}
	all := b.Join(text, x)
	for i := range b.Int("num_single_layers") {
		all = f.single(b.Scope("single_transformer_blocks.%d", i), all)
	}
	x = b.Span(all, fluxText, fluxText+fluxImage)
	parts := f.parts(b.Scope("norm_out"), 2)
	x = f.shifted(b, x, parts[0], parts[1])
	patch := b.Size("patch_size")
	b.Output(b.Linear(x, "proj_out", f.dim, build.Product(b, patch, patch, b.SizeOr("out_channels", in)), true))
	b.Note("one step of denoising for one image of %d positions with a text of %d; the features of the time step are an input", fluxImage, fluxText)
}

// times is CombinedTimestepTextProjEmbeddings.
func (f *flux) times(b *build.Build) {
	t := embedding(b.Scope("timestep_embedder"), b.Input("timestep", fluxTime), fluxTime, f.dim)
	if b.Bool("guidance_embeds") {
		t = b.Residual(t, embedding(b.Scope("guidance_embedder"), b.Input("guidance", fluxTime), fluxTime, f.dim))
	}
	pooled := b.Size("pooled_projection_dim")
	t = b.Residual(t, embedding(b.Scope("text_embedder"), b.Input("pooled_projections", pooled), pooled, f.dim))
	f.time = b.Add("silu", "", nil, t)
}

// parts are scales, shifts and gates of all positions, made of the time: AdaLayerNormZero and its kin.
func (f *flux) parts(b *build.Build, n int64) []build.Node {
	all := b.Linear(f.time, "linear", f.dim, n*f.dim, true)
	out := make([]build.Node, n)
	for i := range out {
		out[i] = b.Reshape(b.Slice(all, int64(i)*f.dim, int64(i+1)*f.dim), 1, f.dim)
	}
	return out
}

// shifted is a norm without weights, times one and a scale, plus a shift.
func (f *flux) shifted(b *build.Build, x, scale, shift build.Node) build.Node {
	h := b.Add("layerNorm", "norm", build.Args{build.Ints("normalizedShape", f.dim), build.Flag("elementwiseAffine", false)}, x)
	return b.Residual(b.Residual(h, b.Add("multiply", "", nil, h, scale)), shift)
}

// normed normalises queries or keys, head by head.
func (f *flux) normed(b *build.Build, x build.Node, name string) build.Node {
	n := b.Add("qkNorm", name, build.Args{build.Int("headDim", f.head)}, x)
	b.Tensor(name+".weight", f.head)
	return n
}

// projected are queries, keys and values.
func (f *flux) projected(b *build.Build, x build.Node, names [3]string, q, k string) (out [3]build.Node) {
	for i, name := range names {
		out[i] = b.Linear(x, name, f.dim, f.dim, true)
	}
	out[0], out[1] = f.normed(b, out[0], q), f.normed(b, out[1], k)
	return out
}

// attend turns queries and keys by their positions, and attends.
func (f *flux) attend(b *build.Build, q, k, v build.Node) build.Node {
	turn := func(x build.Node) build.Node { return b.Add("rope", "", build.Args{build.Int("headDim", f.head)}, x) }
	return b.Core(turn(q), turn(k), v, f.heads, f.heads, false)
}

// feed is FeedForward with GELU.
func (f *flux) feed(b *build.Build, x build.Node) build.Node {
	h := b.Add("gelu", "", build.Args{build.Text("approximate", "tanh")}, b.Linear(x, "net.0.proj", f.dim, 4*f.dim, true))
	return b.Linear(h, "net.2", 4*f.dim, f.dim, true)
}

// double is FluxTransformerBlock. Its parts are shift, scale and gate of the attention and of the network.
func (f *flux) double(b *build.Build, text, x build.Node) (build.Node, build.Node) {
	p, c := f.parts(b.Scope("norm1"), 6), f.parts(b.Scope("norm1_context"), 6)
	a := b.Scope("attn")
	own := f.projected(a, f.shifted(b, x, p[1], p[0]), [3]string{"to_q", "to_k", "to_v"}, "norm_q", "norm_k")
	other := f.projected(a, f.shifted(b, text, c[1], c[0]), [3]string{"add_q_proj", "add_k_proj", "add_v_proj"}, "norm_added_q", "norm_added_k")
	y := f.attend(a, a.Join(other[0], own[0]), a.Join(other[1], own[1]), a.Join(other[2], own[2]))
	gated := func(x, gate, y build.Node) build.Node { return b.Residual(x, b.Add("multiply", "", nil, gate, y)) }
	x = gated(x, p[2], a.Linear(a.Span(y, fluxText, fluxText+fluxImage), "to_out.0", f.dim, f.dim, true))
	text = gated(text, c[2], a.Linear(a.Span(y, 0, fluxText), "to_add_out", f.dim, f.dim, true))
	x = gated(x, p[5], f.feed(b.Scope("ff"), f.shifted(b, x, p[4], p[3])))
	return gated(text, c[5], f.feed(b.Scope("ff_context"), f.shifted(b, text, c[4], c[3]))), x
}

// single is FluxSingleTransformerBlock: attention and network beside each other, with one projection behind both.
func (f *flux) single(b *build.Build, x build.Node) build.Node {
	p := f.parts(b.Scope("norm"), 3)
	h := f.shifted(b, x, p[1], p[0])
	mlp := b.Add("gelu", "act_mlp", build.Args{build.Text("approximate", "tanh")}, b.Linear(h, "proj_mlp", f.dim, 4*f.dim, true))
	a := b.Scope("attn")
	own := f.projected(a, h, [3]string{"to_q", "to_k", "to_v"}, "norm_q", "norm_k")
	y := b.Add("concatenate", "", build.Args{build.Int("dim", -1)}, f.attend(a, own[0], own[1], own[2]), mlp)
	return b.Residual(x, b.Add("multiply", "", nil, p[2], b.Linear(y, "proj_out", 5*f.dim, f.dim, true)))
}
