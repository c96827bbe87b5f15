package families

import (
	"math/big"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// ngramTables are the layers of Qwen 4 that look up the last tokens. For each length of two tokens and more,
// several heads hash them into ranges of rows of one table a layer; each range is as long as another prime, so that
// the heads seldom collide alike.
type ngramTables struct {
	ids          Node
	layers       []int64 // counted from 1, sorted
	heads, width int64   // of one layer: heads, and features of all of them
	primes       []int64 // of all layers
}

// maxHashes is far beyond every model: transformers, too, finds the primes one by one.
const maxHashes = 1 << 14

// ngramTablesOf reads which layers have tables, and refuses what the configuration class does.
func ngramTablesOf(b *Build) *ngramTables {
	t := &ngramTables{layers: slices.Clone(b.Ints("ple_layer_ids"))}
	slices.Sort(t.layers)
	t.layers = slices.Compact(t.layers)
	if len(t.layers) == 0 {
		return t
	}
	for _, id := range t.layers {
		switch count := b.Int("num_hidden_layers"); {
		case id < 1 || id > count:
			config.Fail(config.CodeContradiction, b.At("ple_layer_ids"),
				"holds %d but takes layers from 1 to num_hidden_layers, %d", id, count)
		case qwen4Kind(b, id-1) != recurring:
			config.Fail(config.CodeContradiction, b.At("ple_layer_ids"),
				"holds %d but by layer_types that layer has no %s", id, recurring)
		}
	}
	if end, isList := b.Value("eos_token_id").([]any); !b.Has("eos_token_id") || isList && len(end) == 0 {
		b.Missing("eos_token_id")
	}
	t.width, t.heads = b.SizeOr("ple_embed_dim", b.Size("hidden_size")),
		build.Product(b, b.Size("ngram_size")-1, b.Size("heads_per_ngram"))
	if t.heads < 1 || t.width%t.heads != 0 {
		config.Fail(config.CodeContradiction, b.At("ple_embed_dim"),
			"is %d, which is no multiple of the %d heads by ngram_size and heads_per_ngram", t.width, t.heads)
	}
	if t.heads > maxHashes/int64(len(t.layers)) {
		config.Fail(config.CodeConfig, b.At("heads_per_ngram"),
			"is %d: more than %d heads in all layers are not modelled", b.Int("heads_per_ngram"), maxHashes)
	}
	t.primes = primesFrom(b.Int("ngram_vocab_size_base"), int64(len(t.layers))*t.heads)
	return t
}

// of are the lengths of a layer's ranges, nil where it has no table. The layer is counted from 0.
func (t *ngramTables) of(layer int64) []int64 {
	i := int64(slices.Index(t.layers, layer+1))
	if i < 0 {
		return nil
	}
	return t.primes[i*t.heads : (i+1)*t.heads]
}

// primesFrom are the first primes that are not below a number.
func primesFrom(n, count int64) []int64 {
	var out []int64
	for n = max(n, 2); int64(len(out)) < count; n++ {
		if big.NewInt(n).ProbablyPrime(0) { // which is certain below 2^64
			out = append(out, n)
		}
	}
	return out
}

// ngramFeatures looks up what the last tokens are hashed to, and gives each stream as much of it as the two agree,
// together with that of a few positions before.
func ngramFeatures(b *Build, x Node, t *ngramTables, sizes []int64) Node {
	streams, dim := b.Size("hc_count"), b.Size("hidden_size")
	found := ngramLookup(b.Scope("ple_embedding"), t, sizes)
	key := normStreams(b, b.Linear(found, "key_proj", t.width, streams*dim, false), "norm_key")
	value := b.Add("unsqueeze", "value_proj", Args{build.Int("dim", 2)},
		b.Linear(found, "value_proj", t.width, dim, false))
	query := normStreams(b, x, "norm_query")
	agree := b.Add("sum", "", Args{build.Int("dim", -1), build.Flag("keepDim", true)},
		b.Add("multiply", "", nil, key, query))
	root := b.Add("sqrt", "", nil, b.Add("clamp", "", Args{build.Num("min", 1e-6)}, b.Add("abs", "", nil, agree)))
	gate := b.Add("sigmoid", "", nil, b.Add("divide", "", nil, agree, root)) // the root of what they agree, with its sign
	y := b.Flat(b.Add("multiply", "", nil, gate, value))
	return b.Residual(y, ngramConv(b, b.Flat(normStreams(b, y, "norm_conv")), streams*dim))
}

// ngramLookup has one id for each head and position, which the hashes make of the tokens, and puts the vectors found
// side by side.
func ngramLookup(b *Build, t *ngramTables, sizes []int64) Node {
	rows, multiple := int64(0), b.Size("make_ngram_vocab_size_divisible_by")
	for _, n := range sizes {
		rows += n
	}
	rows = (rows + multiple - 1) / multiple * multiple
	ids := b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, t.ids)
	ids = b.Add("expand", "", Args{build.Ints("shape", -1, t.heads)}, ids)
	return b.Flat(b.Embedding(ids, "ngram_embedding", rows, t.width/t.heads))
}

// ngramConv convolves each feature over positions up to its own that are ngram_size apart.
func ngramConv(b *Build, x Node, wide int64) Node {
	kernel, apart, across := b.Size("ple_conv_kernel_size"), b.Size("ngram_size"),
		Args{build.Int("dim0", 1), build.Int("dim1", 2)}
	x = b.Add("transpose", "", across, x)
	x = b.Add("pad", "", Args{build.Ints("padding", (kernel-1)*apart, 0)}, x)
	x = b.Add("conv1d", "conv1d", Args{build.Int("inChannels", wide), build.Int("outChannels", wide),
		build.Int("kernelSize", kernel), build.Int("dilation", apart),
		build.Int("groups", wide), build.Flag("bias", false)}, x)
	b.Tensor("conv1d.weight", wide, 1, kernel)
	return b.Add("transpose", "", across, b.Add("silu", "", nil, x))
}
