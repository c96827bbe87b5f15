package hf

var _ = define(Family{Type: "swin", Default: "SwinForImageClassification", Classes: swins("Swin", "swin", Swin{
	Q: "q_proj", K: "k_proj", V: "v_proj", O: "o_proj", Table: "relative_position_bias.relative_position_bias_table", Up: "mlp.fc1", Down: "mlp.fc2", Nested: true})})

// Swin is what the models of windows that shift call their parts, and in what they differ.
type Swin struct {
	Q, K, V, O, Table string // below a block's attention
	Up, Down          string // below a block
	Second            bool   // the second version: norms behind the branches, cosine scores, positions from a small network
	ExtraRow          bool   // absolute positions have a row for a class token that is not there, and do not run
	NoFinalNorm       bool
	Nested            bool // checkpointing computes its blocks again, each by itself, as well as its stages
}

func swins(name, prefix string, s Swin) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			x, dim := b.Scope("%s", prefix).swin(s)
			b.Labels(x, "classifier", dim)
		},
		name + "Model": func(b *Build) {
			x, _ := b.swin(s)
			b.Output(x)
		},
	}
}

// swin gives the mean of the last positions. Between the stages the image is kept as (height, width, features).
func (b *Build) swin(s Swin) (pooled Node, dim int64) {
	x, h, w := b.swinPatches(s.ExtraRow)
	dim = b.Size("embed_dim")
	depths := b.Ints("depths")
	grid := Two{h, w}
	if s.Second { // it fits its windows to the size that whole patches give
		image, patch := b.PairOf("image_size"), b.PairOf("patch_size")
		grid = Two{image[0] / patch[0], image[1] / patch[1]}
	}
	for i := range int64(len(depths)) {
		stage := b.Scope("encoder.layers.%d", i)
		for j := range depths[i] {
			k := window{H: h, W: w, Dim: dim, Heads: b.NthSize("num_heads", i), Table: b.bounded("window_size", b.Size("window_size"))}
			k.fit(j, s.Second, Two{grid[0] >> i, grid[1] >> i})
			first := len(b.state.graph.Components)
			x = stage.Scope("blocks.%d", j).swinBlock(x, s, k)
			if s.Nested {
				b.allWays(first, "nested")
			}
		}
		if i < int64(len(depths))-1 {
			x = stage.Scope("downsample").mergePatches(x, h, w, dim, s.Second)
			h, w, dim = (h+1)/2, (w+1)/2, b.bounded("embed_dim", 2*dim)
		}
	}
	x = b.Reshape(x, h*w, dim)
	if !s.NoFinalNorm {
		x = b.LayerNorm(x, "layernorm", dim, true)
	}
	return b.Mean(x, "pooler", 1), dim
}

// swinPatches maps patches of an image that is padded to whole ones.
func (b *Build) swinPatches(extraRow bool) (x Node, h, w int64) {
	e, patch, dim := b.Scope("embeddings"), b.PairOf("patch_size"), b.Size("embed_dim")
	image := b.Pixels()
	if patch[0] < 1 || patch[1] < 1 {
		fail(CodeConfig, b.at("patch_size"), "is %d by %d but takes integers of at least 1", patch[0], patch[1])
	}
	rows := (image.H / patch[0]) * (image.W / patch[1])
	image = e.PadEnd(image, patch)
	h, w = image.H/patch[0], image.W/patch[1]
	x = e.LayerNorm(e.patchMap(image, "patch_embeddings.projection", dim, patch, true), "norm", dim, true)
	switch {
	case !b.Bool("use_absolute_embeddings"):
	case extraRow:
		x = e.Residual(x, e.rowsOf(x, "position_embeddings", rows+1, dim))
	default:
		x = e.rows(x, "position_embeddings", rows, dim)
	}
	return b.held(b.Reshape(x, h, w, dim)), h, w
}

// PadEnd pads the lower and right edge to whole steps.
func (b *Build) PadEnd(x Image, step Two) Image {
	h, w := (step[0]-x.H%step[0])%step[0], (step[1]-x.W%step[1])%step[1]
	if h == 0 && w == 0 {
		return x
	}
	return b.Pad(x, 0, w, 0, h)
}

func (b *Build) swinBlock(x Node, s Swin, k window) Node {
	feed := func(x Node) Node {
		hidden := ratio(b.Float("mlp_ratio"), k.Dim)
		return b.MLP(x, s.Up, s.Down, k.Dim, hidden, true, "hidden_act")
	}
	if s.Second {
		x = b.Residual(x, b.LayerNorm(b.Scope("attention").cosineWindows(x, s, k), "layernorm_before", k.Dim, true))
		return b.Residual(x, b.LayerNorm(feed(x), "layernorm_after", k.Dim, true))
	}
	x = b.Residual(x, b.Scope("attention").windowAttend(b.LayerNorm(x, "layernorm_before", k.Dim, true), s, k))
	return b.Residual(x, feed(b.LayerNorm(x, "layernorm_after", k.Dim, true)))
}

// mergePatches joins four neighbours into one position of twice the features.
func (b *Build) mergePatches(x Node, h, w, dim int64, normLast bool) Node {
	if h%2 == 1 || w%2 == 1 {
		x = b.Add("pad", "", Args{Ints("padding", 0, 0, 0, w%2, 0, h%2)}, x)
	}
	every := func(x Node, axis, start int64) Node {
		return b.Add("slice", "", Args{Int("dim", axis), Int("start", start), Int("step", 2)}, x)
	}
	var corners []Node
	for col := range int64(2) {
		for row := range int64(2) {
			corners = append(corners, every(every(x, 1, row), 2, col))
		}
	}
	x = b.Add("concatenate", "", Args{Int("dim", -1)}, corners...)
	if normLast {
		return b.LayerNorm(b.Linear(x, "reduction", 4*dim, 2*dim, false), "norm", 2*dim, true)
	}
	return b.Linear(b.LayerNorm(x, "norm", 4*dim, true), "reduction", 4*dim, 2*dim, false)
}
