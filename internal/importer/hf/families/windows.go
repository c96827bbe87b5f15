package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// window is how an image (height, width, features) is cut for attention.
type window struct {
	H, W, Dim, Heads int64
	Table            int64 // the window that the trained bias is made for
	Size, Shift      int64 // of the windows that are cut
}

// fit sets the window of a layer: every second layer is shifted, and an image no larger than a window is one window.
// The second version of Swin fits the trained bias, too; in the first an image smaller than the window does not run.
func (k *window) fit(layer int64, second bool, grid config.Two) {
	k.Size = k.Table
	if layer%2 == 1 {
		k.Shift = k.Table / 2
	}
	if second {
		if grid[0] <= min(grid[0], k.Table) {
			k.Shift = 0
		}
		k.Size = min(grid[0], k.Table)
		k.Table = k.Size
	} else if small := min(k.H, k.W); small <= k.Table {
		k.Size, k.Shift = small, 0
	}
}

// windowAttend is the attention of Swin: one component, unless the image is smaller than the window that the bias is
// made for.
func windowAttend(b *Build, x Node, s Swin, k window) Node {
	bias := b.Bool("qkv_bias")
	if k.Size != k.Table {
		return windowParts(b, x, s, k, bias, func(q, key, v Node) Node {
			table := (2*k.Table - 1) * (2*k.Table - 1)
			scores := b.Opaque(x, s.Table, []int64{1, k.Heads, k.Table * k.Table, k.Table * k.Table}, 0,
				build.T("", table, k.Heads))
			return b.Add("scaledDotProductAttention", "", nil, q, key, v, scores)
		})
	}
	n := b.Add("windowAttention", "", Args{build.Int("embedDim", k.Dim), build.Int("numHeads", k.Heads),
		build.Int("windowSize", k.Size), build.Int("shiftSize", k.Shift),
		build.Flag("qkvBias", bias)}, x)
	b.Weights(s.Q, bias, k.Dim, k.Dim)
	b.Weights(s.K, bias, k.Dim, k.Dim)
	b.Weights(s.V, bias, k.Dim, k.Dim)
	b.Weights(s.O, true, k.Dim, k.Dim)
	b.Tensor(s.Table, (2*k.Table-1)*(2*k.Table-1), k.Heads)
	return n
}

// windowParts cuts windows, projects them to the heads' queries, keys and values, and puts what they become back in
// place.
func windowParts(b *Build, x Node, s Swin, k window, keyBias bool, attend func(q, key, v Node) Node) Node {
	if k.Size < 1 {
		config.Fail(config.CodeContradiction, b.At("image_size"),
			"leaves a stage no positions for patch_size, depths and window_size")
	}
	high, wide := (k.H+k.Size-1)/k.Size, (k.W+k.Size-1)/k.Size
	area, padded := k.Size*k.Size, config.Two{high * k.Size, wide * k.Size}
	if padded != (config.Two{k.H, k.W}) {
		x = b.Add("pad", "", Args{build.Ints("padding", 0, 0, 0, padded[1]-k.W, 0, padded[0]-k.H)}, x)
	}
	x = roll(b, x, -k.Shift)
	x = b.Reshape(x, high, k.Size, wide, k.Size, k.Dim)
	x = b.Reshape(b.Add("permute", "", Args{build.Ints("dims", 0, 1, 3, 2, 4, 5)}, x), high*wide, area, k.Dim)
	split := func(name string, bias bool) Node {
		y := b.Reshape(b.Linear(x, name, k.Dim, k.Dim, bias), high*wide, area, k.Heads, k.Dim/k.Heads)
		return b.Add("permute", "", Args{build.Ints("dims", 0, 1, 3, 2, 4)}, y)
	}
	bias := b.Bool("qkv_bias")
	y := attend(split(s.Q, bias), split(s.K, bias && keyBias), split(s.V, bias))
	y = b.Reshape(b.Add("permute", "", Args{build.Ints("dims", 0, 1, 3, 2, 4)}, y), high*wide, area, k.Dim)
	y = b.Reshape(b.Linear(y, s.O, k.Dim, k.Dim, true), high, wide, k.Size, k.Size, k.Dim)
	y = b.Reshape(b.Add("permute", "", Args{build.Ints("dims", 0, 1, 3, 2, 4, 5)}, y), padded[0], padded[1], k.Dim)
	y = roll(b, y, k.Shift)
	if padded != (config.Two{k.H, k.W}) {
		y = b.Add("pad", "", Args{build.Ints("padding", 0, 0, 0, k.W-padded[1], 0, k.H-padded[0])}, y)
	}
	return y
}

func roll(b *Build, x Node, by int64) Node {
	if by == 0 {
		return x
	}
	return b.Add("roll", "", Args{build.Ints("shifts", by, by), build.Ints("dims", 1, 2)}, x)
}

// cosineWindows is the attention of Swin's second version: scores are cosines times a trained factor for each head,
// and the bias of a relative position is what a small network makes of its logarithm.
func cosineWindows(b *Build, x Node, s Swin, k window) Node {
	if k.Dim%k.Heads != 0 {
		config.Fail(config.CodeContradiction, b.At("embed_dim"),
			"gives a stage %d features, which its %d heads of num_heads do not divide", k.Dim, k.Heads)
	}
	return windowParts(b, x, s, k, false, func(q, key, v Node) Node {
		m, area := b.Scope("self"), k.Size*k.Size
		key = m.Add("transpose", "", Args{build.Int("dim0", -2), build.Int("dim1", -1)}, unit(m, key))
		scores := m.Add("matmul", "", nil, unit(m, q), key)
		factor := m.Reshape(m.Param(x, "logit_scale", k.Heads, 1, 1), 1, k.Heads, 1, 1)
		factor = m.Add("exp", "", nil, m.Add("clamp", "", Args{build.Num("max", 4.605170185988092)}, factor)) // ln 100
		scores = m.Add("multiply", "", nil, scores, factor)
		bias := m.Constant(x, "relative_coords_table", (2*k.Size-1)*(2*k.Size-1), 2)
		bias = m.Add("relu", "continuous_position_bias_mlp.1", nil,
			m.Linear(bias, "continuous_position_bias_mlp.0", 2, 512, true))
		bias = m.Linear(bias, "continuous_position_bias_mlp.2", 512, k.Heads, false)
		bias = m.Opaque(bias, "relative_position_index", []int64{1, k.Heads, area, area}, 0)
		bias = m.Add("multiply", "", nil, m.Add("sigmoid", "", nil, bias), m.Constant(x, "sixteen", 1, 1, 1, 1))
		sum := []Node{scores, bias}
		if k.Shift > 0 {
			windows := ((k.H + k.Size - 1) / k.Size) * ((k.W + k.Size - 1) / k.Size)
			sum = append(sum, m.Constant(x, "attention_mask", windows, 1, area, area))
		}
		return m.Add("matmul", "", nil, m.Add("softmax", "", nil, m.Add("add", "", nil, sum...)), v)
	})
}

// unit divides the last axis by its length.
func unit(b *Build, x Node) Node {
	return b.Add("divide", "", nil, x, b.Add("norm", "", Args{build.Int("dim", -1), build.Flag("keepDim", true)}, x))
}
