package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "swin", Default: "SwinForImageClassification",
	Classes: swins("Swin", "swin", Swin{
		Q: "q_proj", K: "k_proj", V: "v_proj", O: "o_proj",
		Table: "relative_position_bias.relative_position_bias_table", Up: "mlp.fc1", Down: "mlp.fc2", Nested: true})})

// Swin is what the models of windows that shift call their parts, and in what they differ.
type Swin struct {
	Q, K, V, O, Table string // below a block's attention
	Up, Down          string // below a block
	// the second version: norms behind the branches, cosine scores, positions from a small network
	Second      bool
	ExtraRow    bool // absolute positions have a row for a class token that is not there, and do not run
	NoFinalNorm bool
	Nested      bool // checkpointing computes its blocks again, each by itself, as well as its stages
}

func swins(name, prefix string, s Swin) map[string]func(*Build) {
	return vision.Classes(name, prefix, func(b *Build) (Node, int64) { return swin(b, s) })
}

// swin gives the mean of the last positions. Between the stages the image is kept as (height, width, features).
func swin(b *Build, s Swin) (pooled Node, dim int64) {
	x, h, w := swinPatches(b, s.ExtraRow)
	dim = b.Size("embed_dim")
	depths := b.Ints("depths")
	if s.Nested {
		build.Nested(b)
	}
	grid := config.Two{h, w}
	if s.Second { // it fits its windows to the size that whole patches give
		image, patch := b.PairOf("image_size"), b.PairOf("patch_size")
		grid = config.Two{image[0] / patch[0], image[1] / patch[1]}
	}
	for i := range int64(len(depths)) {
		stage := b.Scope("encoder.layers.%d", i)
		for j := range depths[i] {
			k := window{H: h, W: w, Dim: dim, Heads: b.NthSize("num_heads", i),
				Table: b.Bounded("window_size", b.Size("window_size"))}
			k.fit(j, s.Second, config.Two{grid[0] >> i, grid[1] >> i})
			x = swinBlock(stage.Scope("blocks.%d", j), x, s, k)
		}
		if i < int64(len(depths))-1 {
			x = mergePatches(stage.Scope("downsample"), x, h, w, dim, s.Second)
			h, w, dim = (h+1)/2, (w+1)/2, b.Bounded("embed_dim", 2*dim)
		}
	}
	x = b.Reshape(x, h*w, dim)
	if !s.NoFinalNorm {
		x = b.LayerNorm(x, "layernorm", dim, true)
	}
	return b.Mean(x, "pooler", 1), dim
}

// swinPatches projects patches of an image that is padded to whole ones.
func swinPatches(b *Build, extraRow bool) (x Node, h, w int64) {
	e, patch, dim := b.Scope("embeddings"), b.PairOf("patch_size"), b.Size("embed_dim")
	image := vision.Pixels(b)
	if patch[0] < 1 || patch[1] < 1 {
		config.Fail(config.CodeConfig, b.At("patch_size"), "is %d by %d but takes integers of at least 1", patch[0],
			patch[1])
	}
	rows := (image.H / patch[0]) * (image.W / patch[1])
	image = padEnd(e, image, patch)
	h, w = image.H/patch[0], image.W/patch[1]
	x = e.LayerNorm(patchProjection(e, image, "patch_embeddings.projection", dim, patch, true), "norm", dim, true)
	switch {
	case !b.Bool("use_absolute_embeddings"):
	case extraRow:
		x = e.Residual(x, rowsOf(e, x, "position_embeddings", rows+1, dim))
	default:
		x = positionRows(e, x, "position_embeddings", rows, dim)
	}
	return b.Held(b.Reshape(x, h, w, dim)), h, w
}

// padEnd pads the lower and right edge to whole steps.
func padEnd(b *Build, x vision.Image, step config.Two) vision.Image {
	h, w := (step[0]-x.H%step[0])%step[0], (step[1]-x.W%step[1])%step[1]
	if h == 0 && w == 0 {
		return x
	}
	return vision.Pad(b, x, 0, w, 0, h)
}

func swinBlock(b *Build, x Node, s Swin, k window) Node {
	feed := func(x Node) Node {
		hidden := vision.Ratio(b.Float("mlp_ratio"), k.Dim)
		return nn.MLP(b, x, s.Up, s.Down, k.Dim, hidden, true, "hidden_act")
	}
	if s.Second {
		x = b.Residual(x, b.LayerNorm(cosineWindows(b.Scope("attention"), x, s, k), "layernorm_before", k.Dim, true))
		return b.Residual(x, b.LayerNorm(feed(x), "layernorm_after", k.Dim, true))
	}
	x = b.Residual(x, windowAttend(b.Scope("attention"), b.LayerNorm(x, "layernorm_before", k.Dim, true), s, k))
	return b.Residual(x, feed(b.LayerNorm(x, "layernorm_after", k.Dim, true)))
}

// mergePatches joins four neighbours into one position of twice the features.
func mergePatches(b *Build, x Node, h, w, dim int64, normLast bool) Node {
	if h%2 == 1 || w%2 == 1 {
		x = b.Add("pad", "", Args{build.Ints("padding", 0, 0, 0, w%2, 0, h%2)}, x)
	}
	every := func(x Node, axis, start int64) Node {
		return b.Add("slice", "", Args{build.Int("dim", axis), build.Int("start", start), build.Int("step", 2)}, x)
	}
	var corners []Node
	for col := range int64(2) {
		for row := range int64(2) {
			corners = append(corners, every(every(x, 1, row), 2, col))
		}
	}
	x = b.Add("concatenate", "", Args{build.Int("dim", -1)}, corners...)
	if normLast {
		return b.LayerNorm(b.Linear(x, "reduction", 4*dim, 2*dim, false), "norm", 2*dim, true)
	}
	return b.Linear(b.LayerNorm(x, "norm", 4*dim, true), "reduction", 4*dim, 2*dim, false)
}
