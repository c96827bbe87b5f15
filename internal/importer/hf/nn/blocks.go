package nn

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/transformers"
)

// Attention inside blocks of a sequence is attention over one block whose heads are those of all blocks: the blocks
// lie side by side where heads do.

// BlocksOf is how many blocks of a size a sequence has, the last of which may be filled up.
func BlocksOf(length, size int64) int64 { return (length + size - 1) / size }

// PadPositions adds zeros ahead of a sequence and behind it.
func PadPositions(b *build.Build, x build.Node, ahead, behind int64) build.Node {
	if ahead == 0 && behind == 0 {
		return x
	}
	return b.Add("pad", "", build.Args{build.Ints("padding", 0, 0, ahead, behind)}, x)
}

// Abreast puts the blocks of a sequence side by side: (blocks*size, features) becomes (size, blocks*features).
func Abreast(b *build.Build, x build.Node, blocks, size int64) build.Node {
	x = b.Add("unflatten", "", build.Args{build.Int("dim", 1), build.Ints("unflattenedSize", blocks, size)}, x)
	return b.Flat(b.Swap(x))
}

// InRow puts such blocks behind each other again.
func InRow(b *build.Build, x build.Node, blocks, features int64) build.Node {
	return b.Add("flatten", "", build.Args{build.Int("startDim", 1), build.Int("endDim", 2)},
		b.Swap(b.Unflatten(x, blocks, features)))
}

// Threefold puts each block between its neighbours, all of them abreast.
func Threefold(b *build.Build, x build.Node, blocks, size int64) build.Node {
	length := blocks * size
	x = PadPositions(b, x, size, size)
	return b.Join(Abreast(b, b.Span(x, 0, length), blocks, size),
		Abreast(b, b.Span(x, size, size+length), blocks, size),
		Abreast(b, b.Span(x, 2*size, 2*size+length), blocks, size))
}

// SeenByAll repeats a short sequence that every block sees: (positions, features) becomes (positions, blocks*features).
func SeenByAll(b *build.Build, x build.Node, positions, blocks, features int64) build.Node {
	x = b.Add("unsqueeze", "", build.Args{build.Int("dim", 2)}, x)
	return b.Flat(b.Add("expand", "", build.Args{build.Ints("shape", positions, blocks, features)}, x))
}

// AddedToAll repeats numbers for each head, query and key for every block.
func AddedToAll(b *build.Build, x build.Node, blocks, heads, queries, keys int64) build.Node {
	x = b.Add("unsqueeze", "", build.Args{build.Int("dim", 1)}, x)
	x = b.Add("expand", "", build.Args{build.Ints("shape", blocks, heads, queries, keys)}, x)
	return b.Add("flatten", "", build.Args{build.Int("startDim", 1), build.Int("endDim", 2)}, x)
}

// Window is how many positions a layer sees, itself among them: one number for all layers, or one for each.
func Window(b *build.Build, i, layers int64) int64 {
	const key = "attention_window"
	w := int64(0)
	if _, list := b.Value(key).([]any); !list {
		w = b.Int(key)
	} else if windows := b.Ints(key); int64(len(windows)) != layers {
		config.Fail(config.CodeContradiction, b.At(key), "has %d numbers but the model has %d layers", len(windows),
			layers)
	} else {
		w = windows[i]
	}
	if w < 1 || w%2 != 0 {
		config.Fail(config.CodeConfig, b.At(key), "is %d but takes an even number of at least 2", w)
	}
	return w
}

// Banded is attention to the positions at most reach away, of a text that is made a multiple of the window; dropout is
// the key of its probability.
func Banded(b *build.Build, q, k, v build.Node, heads, length, reach int64, dropout string) build.Node {
	full := BlocksOf(length, 2*reach) * 2 * reach
	y := b.Add("bandAttention", "", build.Args{build.Int("numHeads", heads), build.Int("windowSize", reach)},
		PadPositions(b, q, 0, full-length), PadPositions(b, k, 0, full-length), PadPositions(b, v, 0, full-length))
	b.SetDropout(y, dropout)
	b.As(y, transformers.SlidingChunks{})
	if full == length {
		return y
	}
	return b.Span(y, 0, length)
}
