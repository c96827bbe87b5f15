package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "funnel", Default: "FunnelForMaskedLM",
	Classes: stack.Encoder{Prefix: "funnel", Width: "d_model", Model: funnel,
		Words: func(b *Build, x, table Node) Node {
			return stack.LMHead(b, x, "lm_head", b.Size("d_model"), b.Size("vocab_size"), true, table,
				b.Bool("tie_word_embeddings"))
		}}.Classes("Funnel", stack.MaskedLM, stack.TokenClassification, stack.QuestionAnswering)})

// funnel halves the text between blocks of layers, and brings it back to its length for a few layers more.
func funnel(b *Build) (x, table Node) {
	dim, length := b.Size("d_model"), b.Length(b.MaxPositions())
	sizes, repeats := funnelBlocks(b)
	table = tokens(b, b.MaxPositions(), "embeddings.word_embeddings", dim)
	x = b.Scope("embeddings").Drop(b.LayerNorm(table, "embeddings.layer_norm", dim, true), "hidden_dropout")
	seen, now := []Node{x}, length
	places := funnelPlacesOf(b, length)
	for i, size := range sizes {
		halved, short := x, now
		if i > 0 {
			places = places.halved(b, int64(i))
			if now > clsRows(b)+1 {
				halved, short = funnelHalve(b.Scope("encoder.blocks.%d", i), x, now)
			}
		}
		for j := range size {
			for again := range repeats[i] {
				l := b.Scope("encoder.blocks.%d.%d", i, j)
				if again > 0 {
					l = l.Again()
				}
				query, keys, n := x, x, now
				if j == 0 && again == 0 {
					query, n = halved, short
					if !b.Bool("pool_q_only") {
						keys, now = halved, short
					}
				}
				x = funnelLayer(l, query, keys, n, now, places.distances(n != now))
				now = n
				seen = append(seen, x)
			}
		}
	}
	if sizes[0] < 0 || sizes[0] >= int64(len(seen)) {
		config.Fail(config.CodeConfig, b.At("block_sizes"), "starts with %d, but only %d layers are called", sizes[0],
			len(seen)-1)
	}
	x = b.Residual(lengthen(b.Scope("decoder"), x, now, length, 1<<(len(sizes)-1)), seen[sizes[0]])
	for i := range b.Int("num_decoder_layers") {
		x = funnelLayer(b.Scope("decoder.layers.%d", i), x, x, length, length,
			funnelPlacesOf(b, length).distances(false))
	}
	return x, table
}

// maxFunnel is more blocks than any text can be halved for.
const maxFunnel = 30

// funnelBlocks are the numbers of layers in each block, and how often each of them is called.
func funnelBlocks(b *Build) (sizes, repeats []int64) {
	for _, c := range [][3]string{{"pooling_type", "mean", "max"}, {"attention_type", "relative_shift", "factorized"}} {
		if !b.Is(c[0], c[1]) && !b.Is(c[0], c[2]) {
			config.Fail(config.CodeConfig, b.At(c[0]), "is %s but takes %s or %s", config.Written(b.Value(c[0])), c[1],
				c[2])
		}
	}
	sizes, repeats = b.Ints("block_sizes"), b.Ints("block_repeats")
	if !b.Has("block_repeats") {
		for range sizes {
			repeats = append(repeats, 1)
		}
	}
	if len(sizes) != len(repeats) {
		config.Fail(config.CodeContradiction, b.At("block_repeats"), "has %d numbers but block_sizes has %d",
			len(repeats), len(sizes))
	}
	if len(sizes) == 0 || len(sizes) > maxFunnel {
		config.Fail(config.CodeConfig, b.At("block_sizes"), "has %d numbers but takes 1 to %d", len(sizes), maxFunnel)
	}
	return sizes, repeats
}

// clsRows is how many positions, the first, are left alone.
func clsRows(b *Build) int64 {
	if b.Bool("separate_cls") {
		return 1
	}
	return 0
}

// funnelPlaces are the positions that the vectors of a block stand for: the first, those behind it in equal steps,
// and what they were in the block before.
type funnelPlaces struct {
	count, first, last, step  int64
	before, beforeLast, moved int64 // how many there were, their last, and how far the first moved
}

func funnelPlacesOf(b *Build, length int64) funnelPlaces {
	return funnelPlaces{count: length, last: length - 1, step: 1}
}

// halved are the positions of the next block. The one that stands for the text moves ahead, so that it stays a step
// away.
func (p funnelPlaces) halved(b *Build, block int64) funnelPlaces {
	q := funnelPlaces{step: 2 * p.step, before: p.count, beforeLast: p.last}
	if !b.Bool("separate_cls") {
		q.count = (p.count + 1) / 2
		q.last = (q.count - 1) * q.step
		return q
	}
	rest := p.count - 1
	if b.Bool("truncate_seq") {
		rest--
	}
	rest = (max(rest, 0) + 1) / 2
	q.count, q.first = 1+rest, 1-int64(1)<<block
	q.last, q.moved = 1+(rest-1)*q.step, q.first-p.first
	if rest == 0 {
		q.last = q.first
	}
	return q
}

// distances is how many distances have a vector: in steps of the keys, which are those of the block before where the
// queries were halved and the keys were not.
func (p funnelPlaces) distances(apart bool) int64 {
	far, near, step := p.count*p.step, p.first-p.last, p.step
	if apart {
		step = max(p.step/2, 1)
		far, near = p.moved+2*p.count*step, p.first-p.beforeLast
	}
	return max((far-near+step)/step, 1)
}

// funnelHalve is the mean or the largest of two neighbours.
func funnelHalve(b *Build, x Node, length int64) (Node, int64) {
	rows := length
	if b.Bool("separate_cls") {
		rest := x
		if b.Bool("truncate_seq") {
			rest = b.Span(x, 0, length-1)
		} else {
			rows++
		}
		x = b.Join(b.Span(x, 0, 1), rest)
	}
	pool := nn.Either(b.Is("pooling_type", "max"), "maxpool2d", "avgpool2d")
	x = b.Add(pool, "", Args{build.Ints("kernelSize", 2, 1), build.Ints("stride", 2, 1), build.Flag("ceilMode", true)},
		b.Add("unsqueeze", "", Args{build.Int("dim", 1)}, x))
	return b.Add("squeeze", "", Args{build.Int("dim", 1)}, x), (rows + 1) / 2
}

// lengthen repeats each position, but that which stands for the text.
func lengthen(b *Build, x Node, length, target, stride int64) Node {
	if stride == 1 {
		return x
	}
	dim, front := b.Size("d_model"), clsRows(b)
	rest := x
	if front > 0 {
		rest = b.Span(x, 1, length)
	}
	rest = b.Add("expand", "", Args{build.Ints("shape", length-front, stride, dim)},
		b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, rest))
	rest = b.Reshape(rest, (length-front)*stride, dim)
	if front == 0 {
		return b.Span(rest, 0, target)
	}
	if b.Bool("truncate_seq") {
		rest = b.Add("pad", "", Args{build.Ints("padding", 0, 0, 0, stride-1)}, rest)
	}
	return b.Join(b.Span(x, 0, 1), b.Span(rest, 0, target-1))
}
