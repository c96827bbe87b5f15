package families

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "hiera", Default: "HieraForImageClassification",
	Classes: vision.Classes("Hiera", "hiera", hiera)})

// hiera keeps positions in an order in which those of a window, and those that are pooled, follow each other.
func hiera(b *Build) (pooled Node, dim int64) {
	depths, query, unit := b.Ints("depths"), b.PairOf("query_stride"), b.PairOf("masked_unit_size")
	pools := b.Int("num_query_pool")
	if pools < 0 || pools >= int64(len(depths)) {
		config.Fail(config.CodeContradiction, b.At("num_query_pool"),
			"is %d, but depths has %d stages, the last of which is not pooled", pools, len(depths))
	}
	if query[0] < 1 || query[1] < 1 || unit[0]%power(query[0], len(depths)-1) != 0 {
		config.Fail(config.CodeContradiction, b.At("masked_unit_size"),
			"is %v, which query_stride, %v, does not divide in each of the stages of depths", unit, query)
	}
	x, length := hieraPatches(b, query, int64(len(depths))-1)
	dim = b.Size("embed_dim")
	var ends []int64 // layers before which a stage that is pooled ends
	total, in, masked := int64(0), dim, b.Bools("masked_unit_attention")
	for i, depth := range depths {
		dim = vision.Truncated(float64(b.Size("embed_dim")) * math.Pow(b.Float("embed_dim_multiplier"), float64(i)))
		k := hieraLayer{Heads: b.NthSize("num_heads", int64(i)),
			Window: hieraWindow(unit[0]*unit[1], query[0]*query[1], i)}
		for j := range depth {
			k.In, k.Out, k.Length, k.Stride = in, dim, length, 1
			if slices.Contains(ends, total) {
				k.Stride = query[0] * query[1]
			}
			k.Masked = config.Entry(b.Config, "masked_unit_attention", masked, int64(i)) || j == 0 &&
				masked[max(i-1, 0)]
			x = addHieraLayer(b.Scope("encoder.stages.%d.layers.%d", i, j), x, k)
			length, in = length/k.Stride, dim
			total++
		}
		in = dim
		if int64(i) < pools {
			ends = append(ends, total)
		}
	}
	return b.LayerNorm(b.Mean(x, "pooler.pooler", 1), "pooler.layernorm", dim, true), dim
}

// power is n to a small power, or a number beyond every size.
func power(n int64, times int) int64 {
	p := int64(1)
	for range times {
		if p *= n; p > config.MaxSize {
			return p
		}
	}
	return p
}

// hieraWindow is how many positions a window has left in a stage.
func hieraWindow(area, pooled int64, stage int) int64 {
	return vision.Truncated(float64(area) * math.Pow(float64(pooled), -float64(stage)))
}

// hieraPatches adds positions and puts them in order: what one pooling joins comes to lie as far apart as possible.
func hieraPatches(b *Build, query config.Two, times int64) (x Node, length int64) {
	e, stride := b.Scope("embeddings"), b.PairOf("patch_stride")
	image := vision.Pixels(b)
	if stride[0] < 1 || stride[1] < 1 {
		config.Fail(config.CodeConfig, b.At("patch_stride"), "is %v but takes integers of at least 1", stride)
	}
	h, w, dim := image.H/stride[0], image.W/stride[1], b.Size("embed_dim")
	image = vision.Conv2d(e, image, "patch_embeddings.projection",
		vision.Conv{Out: dim, Kernel: b.PairOf("patch_size"), Stride: stride, Pad: b.PairOf("patch_padding"),
			Bias: true})
	x = vision.Sequence(e, image)
	x = e.Residual(x, rowsOf(e, x, "position_embeddings", h*w, dim))
	length = h * w
	x = b.Reshape(x, 1, h, w, dim)
	groups := int64(1)
	for range times {
		h, w = h/query[0], w/query[1]
		x = b.Reshape(x, groups, h, query[0], w, query[1], dim)
		groups *= query[0] * query[1]
		x = b.Reshape(b.Add("permute", "", Args{build.Ints("dims", 0, 1, 3, 5, 2, 4, 6)}, x), groups, h, w, dim)
	}
	return b.Reshape(x, length, dim), length
}

type hieraLayer struct {
	In, Out, Heads, Length int64
	Stride                 int64 // how many positions become one
	Window                 int64
	Masked                 bool // attention stays in windows
}

func addHieraLayer(b *Build, x Node, k hieraLayer) Node {
	y := b.LayerNorm(x, "layernorm_before", k.In, true)
	if k.In != k.Out {
		x = b.Reshape(b.Linear(y, "proj", k.In, k.Out, true), k.Stride, -1, k.Out)
		x = b.Add("max", "", Args{build.Int("dim", 1)}, x)
	}
	x = b.Residual(x, hieraAttend(b.Scope("attn"), y, k))
	y = b.LayerNorm(x, "layernorm_after", k.Out, true)
	return b.Residual(x, nn.MLP(b.Scope("mlp"), y, "fc1", "fc2", k.Out, vision.Ratio(b.Float("mlp_ratio"), k.Out),
		true, "hidden_act"))
}

func hieraAttend(b *Build, x Node, k hieraLayer) Node {
	windows := int64(1)
	if k.Masked {
		if k.Window < 1 {
			config.Fail(config.CodeContradiction, b.At("masked_unit_size"),
				"leaves windows without positions after the pooling that query_stride says")
		}
		windows = max(k.Length/(k.Stride*k.Window), 1)
	}
	head := k.Out / k.Heads
	all := b.Reshape(b.Linear(x, "qkv", k.In, 3*k.Out, true), -1, windows, 3, k.Heads, head)
	part := func(i int64) Node {
		y := b.Add("select", "", Args{build.Int("dim", 3), build.Int("index", i)}, all)
		return b.Add("permute", "", Args{build.Ints("dims", 0, 3, 2, 1, 4)}, y)
	}
	q := part(0)
	if k.Stride > 1 {
		q = b.Add("max", "", Args{build.Int("dim", 3)}, b.Reshape(q, k.Heads, windows, k.Stride, -1, head))
	}
	q = b.Add("multiply", "", nil, q, b.Constant(x, "scale", 1, 1, 1, 1))
	scores := b.Add("matmul", "", nil, q, b.Add("transpose", "", Args{build.Int("dim0", -2), build.Int("dim1", -1)},
		part(1)))
	y := b.Add("matmul", "", nil, b.Add("softmax", "", nil, scores), part(2))
	y = b.Reshape(b.Add("permute", "", Args{build.Ints("dims", 0, 3, 2, 1, 4)}, y), -1, k.Out)
	return b.Linear(y, "proj", k.Out, k.Out, true)
}
