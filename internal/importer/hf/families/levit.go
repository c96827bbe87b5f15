package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "levit", Default: "LevitForImageClassification",
	Classes: map[string]func(*Build){
		"LevitForImageClassification": func(b *Build) { b.Output(levitHead(b, levit(b.Scope("levit")), "classifier")) },
		"LevitForImageClassificationWithTeacher": func(b *Build) {
			x := levit(b.Scope("levit"))
			b.Output(b.Mean(b.Add("stack", "", nil, levitHead(b, x, "classifier"),
				levitHead(b, x, "classifier_distill")),
				"logits", 1))
		},
		"LevitModel": func(b *Build) { b.Output(levit(b)) },
	}})

func levitHead(b *Build, x Node, name string) Node {
	if b.Given("num_labels") && b.Int("num_labels") == 0 {
		return x
	}
	m, dim := b.Scope("%s", name), b.Last("hidden_sizes")
	return m.Linear(vision.BatchNormOf(m, vision.Image{Node: x}, "batch_norm", dim).Node, "linear", dim, b.NumLabels(),
		true)
}

// levit is attention with narrow keys on ever fewer positions, behind four convolutions.
func levit(b *Build) Node {
	x, dim := vision.Pixels(b), b.NthSize("hidden_sizes", 0)
	for i, out := range []int64{dim / 8, dim / 4, dim / 2, dim} {
		e := b.Scope("patch_embeddings.embedding_layer_%d", i+1)
		x = vision.Conv2d(e, x, "convolution",
			vision.Conv{Out: out, Kernel: b.PairOf("kernel_size"), Stride: config.Square(b.Size("stride")),
				Pad: config.Square(b.Int("padding"))})
		x = vision.BatchNorm(e, x, "batch_norm")
		if i < 3 {
			x = x.As(b.Add("hardSwish", "", nil, x.Node))
		}
	}
	y, side := vision.Sequence(b, x), b.Size("image_size")/b.Size("patch_size")
	for i := range int64(len(b.Ints("depths"))) {
		y, side = levitStage(b, y, i, side)
	}
	return b.Mean(y, "", 1)
}

// levitAttention is one attention of LeViT, over a square of positions.
type levitAttention struct {
	In, Out, Key, Heads, Ratio int64
	Side, Stride               int64 // positions on a side; with a stride queries are every so many of them
}

func levitStage(b *Build, x Node, i, side int64) (Node, int64) {
	dim, layer := b.NthSize("hidden_sizes", i), 0
	next := func() *Build { layer++; return b.Scope("encoder.stages.%d.layers.%d", i, layer-1) }
	feed := func(x Node, dim, factor int64) Node {
		m := next().Scope("module")
		y := m.Add("hardSwish", "", nil, levitLinear(m, x, "linear_up", dim, dim*factor))
		return m.Residual(x, levitLinear(m, y, "linear_down", dim*factor, dim))
	}
	for range b.Nth("depths", i) {
		a := levitAttention{In: dim, Out: dim, Key: b.NthSize("key_dim", i),
			Heads: b.NthSize("num_attention_heads", i), Ratio: b.NthSize("attention_ratio", i), Side: side}
		x = b.Residual(x, levitAttend(next().Scope("module"), x, a))
		if factor := b.Nth("mlp_ratio", i); factor > 0 {
			x = feed(x, dim, factor)
		}
	}
	down := levitDown(b, i)
	if down == nil {
		return x, side
	}
	out := b.NthSize("hidden_sizes", i+1)
	x = levitAttend(next(), x, levitAttention{In: dim, Out: out, Key: down[0], Heads: down[1], Ratio: down[2],
		Side: side, Stride: down[4]})
	if down[3] > 0 {
		x = feed(x, out, down[3])
	}
	return x, (side-1)/down[4] + 1
}

// levitDown says how a stage ends: width of a key, heads, ratio of the values, ratio of the network and stride; nil:
// as it is. The class makes up two of them from the sizes when the config has none.
func levitDown(b *Build, i int64) []int64 {
	var kind any = "Subsample"
	var out []int64
	if b.Given("down_ops") {
		ops := append(b.List("down_ops"), []any{""})
		op, ok := config.Entry(b.Config, "down_ops", ops, i).([]any)
		if !ok || len(op) == 0 || op[0] == kind && len(op) != 6 {
			config.Fail(config.CodeConfig, b.At("down_ops"), "takes lists of Subsample and five integers")
		}
		kind = op[0]
		for _, v := range op[1:] {
			out = append(out, b.Bounded("down_ops", b.Integer("down_ops", v)))
		}
	} else if i < 2 {
		key := b.NthSize("key_dim", 0)
		out = []int64{key, b.NthSize("hidden_sizes", i) / key, 4, 2, 2}
	} else if i == 2 {
		return nil
	} else {
		config.Fail(config.CodeContradiction, b.At("depths"), "has more than three stages, but down_ops is not given")
	}
	if kind != "Subsample" {
		return nil
	}
	for _, j := range []int{0, 1, 2, 4} {
		if out[j] < 1 {
			config.Fail(config.CodeConfig, b.At("down_ops"),
				"gives stage %d the numbers %v, of which only the ratio of the network may be below 1", i, out)
		}
	}
	return out
}

func levitAttend(b *Build, x Node, a levitAttention) Node {
	places, values := a.Side*a.Side, a.Ratio*a.Key
	piece := func(x Node, width, start, size int64) Node {
		x = b.Slice(b.Reshape(x, places, a.Heads, width), start, start+size)
		return b.Flat(x)
	}
	var q, k, v Node
	queries := places
	if a.Stride == 0 {
		width := 2*a.Key + values
		all := levitLinear(b, x, "queries_keys_values", a.In, a.Heads*width)
		q, k, v = piece(all, width, 0, a.Key), piece(all, width, a.Key, a.Key), piece(all, width, 2*a.Key, values)
	} else {
		width := a.Key + values
		all := levitLinear(b, x, "keys_values", a.In, a.Heads*width)
		k, v = piece(all, width, 0, a.Key), piece(all, width, a.Key, values)
		side := (a.Side-1)/a.Stride + 1
		queries = side * side
		few := b.Reshape(x, a.Side, a.Side, a.In)
		for axis := range int64(2) {
			few = b.Add("slice", "", Args{build.Int("dim", axis+1), build.Int("step", a.Stride)}, few)
		}
		q = levitLinear(b, b.Reshape(few, queries, a.In), "queries", a.In, a.Heads*a.Key)
	}
	// A trained number for each head and each distance down and across, of which there are as many as positions.
	bias := b.Opaque(x, "attention_biases", []int64{a.Heads, queries, places}, 0, build.T("", a.Heads, places))
	y := b.Add("hardSwish", "activation", nil, b.Core(q, k, v, a.Heads, a.Heads, false, bias))
	return levitLinear(b, y, "projection", a.Heads*values, a.Out)
}

// levitLinear is a linear layer without a bias, whose features a batch norm normalises over all positions.
func levitLinear(b *Build, x Node, name string, in, out int64) Node {
	m := b.Scope("%s", name)
	turn := func(x Node) Node { return m.Swap(x) }
	y := vision.BatchNormOf(m, vision.Image{Node: turn(m.Linear(x, "linear", in, out, false))}, "batch_norm", out)
	return turn(y.Node)
}
