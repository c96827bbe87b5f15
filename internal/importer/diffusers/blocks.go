package diffusers

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

// none is no time embedding.
const none = build.Node(-1)

// conv3 is a convolution of 3 that keeps the size.
func conv3(b *build.Build, x vision.Image, name string, out int64) vision.Image {
	return vision.Conv2d(b, x, name, vision.Conv{Out: out, Kernel: config.Square(3), Pad: config.Square(1), Bias: true})
}

// silu is the activation that all of these blocks have here.
func silu(b *build.Build, x vision.Image) vision.Image {
	return x.As(b.Add("silu", "nonlinearity", nil, x.Node))
}

// resnet is ResnetBlock2D: two convolutions behind norms, between which the embedding of the time is added, and what
// arrives beside them.
func resnet(b *build.Build, x vision.Image, out int64, time build.Node, wide int64) vision.Image {
	groups := b.Size("norm_num_groups")
	h := conv3(b, silu(b, vision.GroupNorm(b, x, "norm1", groups, x.C)), "conv1", out)
	if time != none {
		t := b.Linear(b.Add("silu", "nonlinearity", nil, time), "time_emb_proj", wide, out, true)
		h = h.As(b.Add("add", "", nil, h.Node, b.Reshape(t, out, 1, 1)))
	}
	h = silu(b, vision.GroupNorm(b, h, "norm2", groups, out))
	h = conv3(b, h, "conv2", out)
	if x.C != out {
		x = vision.Pointwise(b, x, "conv_shortcut", out, true)
	}
	return vision.Plus(b, x, h)
}

// down is Downsample2D: a convolution with a stride of 2. Without padding, zeros stand at the right and the lower edge.
func down(b *build.Build, x vision.Image, pad int64) vision.Image {
	if pad == 0 {
		x = vision.Pad(b, x, 0, 1, 0, 1)
	}
	return vision.Conv2d(b, x, "downsamplers.0.conv", vision.Conv{Out: x.C, Kernel: config.Square(3),
		Stride: config.Square(2), Pad: config.Square(pad), Bias: true})
}

// up is Upsample2D: every element twice in both directions, or to the size of an image, and a convolution.
func up(b *build.Build, x vision.Image, height, width int64) vision.Image {
	n := b.Add("interpolate", "upsamplers.0", build.Args{build.Ints("size", height, width), build.Text("mode", "nearest")}, x.Node)
	return conv3(b, vision.Image{Node: n, C: x.C, H: height, W: width}, "upsamplers.0.conv", x.C)
}

// attend is Attention of diffusers: projections of a sequence and of what it looks at, with heads that share its
// features, and a projection back.
func attend(b *build.Build, x, memory build.Node, dim, from, heads int64, bias bool) build.Node {
	q := b.Linear(x, "to_q", dim, dim, bias)
	k, v := b.Linear(memory, "to_k", from, dim, bias), b.Linear(memory, "to_v", from, dim, bias)
	return b.Linear(b.Core(q, k, v, heads, heads, false), "to_out.0", dim, dim, true)
}

// middleAttention is the attention of an autoencoder: each position of the image looks at all others, in one head.
func middleAttention(b *build.Build, x vision.Image) vision.Image {
	h := vision.Sequence(b, vision.GroupNorm(b, x, "group_norm", b.Size("norm_num_groups"), x.C))
	return vision.Plus(b, x, vision.Picture(b, attend(b, h, h, x.C, x.C, 1, true), x.C, x.H, x.W))
}

// looker is Transformer2DModel over an image: layers that look at the image itself and at what the text encoder gave.
type looker struct {
	heads, layers int64
	from          int64 // features of the text
	text          build.Node
	linear        bool // projections in and out are linear layers, not convolutions
	crossOnly     bool // the first attention of a layer looks at the text, too
}

func (l looker) over(b *build.Build, x vision.Image) vision.Image {
	if x.C%l.heads != 0 {
		config.Fail(config.CodeContradiction, b.At("attention_head_dim"), "gives %d heads, which do not divide %d channels", l.heads, x.C)
	}
	h := vision.GroupNorm(b, x, "norm", b.Size("norm_num_groups"), x.C)
	var y build.Node
	if l.linear {
		y = b.Linear(vision.Sequence(b, h), "proj_in", x.C, x.C, true)
	} else {
		y = vision.Sequence(b, vision.Pointwise(b, h, "proj_in", x.C, true))
	}
	for i := range l.layers {
		y = l.layer(b.Scope("transformer_blocks.%d", i), y, x.C)
	}
	var out vision.Image
	if l.linear {
		out = vision.Picture(b, b.Linear(y, "proj_out", x.C, x.C, true), x.C, x.H, x.W)
	} else {
		out = vision.Pointwise(b, vision.Picture(b, y, x.C, x.H, x.W), "proj_out", x.C, true)
	}
	return vision.Plus(b, x, out)
}

// layer is BasicTransformerBlock.
func (l looker) layer(b *build.Build, x build.Node, dim int64) build.Node {
	h := b.LayerNorm(x, "norm1", dim, true)
	memory, from := h, dim
	if l.crossOnly {
		memory, from = l.text, l.from
	}
	x = b.Residual(x, attend(b.Scope("attn1"), h, memory, dim, from, l.heads, false))
	x = b.Residual(x, attend(b.Scope("attn2"), b.LayerNorm(x, "norm2", dim, true), l.text, dim, l.from, l.heads, false))
	return b.Residual(x, geglu(b.Scope("ff"), b.LayerNorm(x, "norm3", dim, true), dim))
}

// geglu is FeedForward with GEGLU: four times the features, each gated by another.
func geglu(b *build.Build, x build.Node, dim int64) build.Node {
	h := b.Linear(x, "net.0.proj", dim, 8*dim, true)
	h = b.Add("multiply", "", nil, b.Chunk(h, 2, 0), b.Add("gelu", "", nil, b.Chunk(h, 2, 1)))
	return b.Linear(h, "net.2", 4*dim, dim, true)
}
