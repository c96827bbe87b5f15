package agent

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// sketch builds a model of one kind from nothing, as wide as it is told.
type sketch struct {
	ops  []op
	last string
	n    map[string]int
}

// add puts a component behind the last one.
func (k *sketch) add(stem, typ string, params map[string]any) string {
	k.n[stem]++
	id := fmt.Sprint(stem, k.n[stem])
	k.ops = append(k.ops, op{Op: "add", Component: id, Type: typ, From: k.last, Params: params})
	k.last = id
	return id
}

// join adds what stands on two ways.
func (k *sketch) join(other string) {
	k.add("add", "add", nil)
	k.ops = append(k.ops, op{Op: "connect", From: other, To: k.last})
}

// wanted is what a task without a start asks for.
type wanted struct {
	in, out    []int64
	vocabulary int64
	types      []string
	uses       int64 // of those types
	depth      int64
	low, high  int64 // weights
}

// mostLayers bounds what is built.
const mostLayers = 100

func wantedBy(t *bench.Task) (w wanted) {
	for i := range t.Constraints {
		switch c := &t.Constraints[i]; c.Kind {
		case "input":
			w.in, w.vocabulary = c.Shape, c.Vocabulary
		case "output":
			w.out = c.Shape
		case "uses":
			w.types, w.uses = c.Types, min(c.Min, mostLayers)
		case "depth":
			w.depth = min(c.Min, mostLayers)
		case "params":
			w.low, w.high = c.Min, c.Max
		}
	}
	return w
}

// plans are the kinds of models that a search knows, by the type that a task asks for.
var plans = map[string]func(w *wanted, width int64) []op{
	"linear": perceptronPlan, "conv2d": convPlan, "transformerBlock": patchPlan, "ropeAttention": decoderPlan,
	"groupedQueryAttention": decoderPlan,
	"lstm":                  readerPlan, "gru": readerPlan,
}

// builds proposes models from nothing: one of the kind that is asked for, with the width that brings its weights
// nearest to what is wanted.
func (s *searcher) builds() (out []move) {
	w := wantedBy(s.task)
	if len(w.types) == 0 || len(w.in) == 0 || len(w.out) == 0 || plans[w.types[0]] == nil {
		return nil
	}
	plan := plans[w.types[0]]
	for _, step := range []int64{8, 4, 1} {
		low, high := int64(1), 4096/step
		for high-low > 1 {
			if middle := (low + high) / 2; s.weighed(plan(&w, middle*step)) > w.high {
				high = middle
			} else {
				low = middle
			}
		}
		out = append(out, move{ops: plan(&w, low*step), because: fmt.Sprintf("There is no start: a model of %d "+
			"components of type %s from %v to %v, %d wide, has nearly as many weights as are allowed.",
			w.uses, w.types[0], catalog.Of(w.in...), catalog.Of(w.out...), low*step)})
	}
	return out
}

// weighed is the number of weights of a model that is built from nothing.
func (s *searcher) weighed(ops []op) int64 {
	empty, err := begin(&bench.Task{ID: s.task.ID})
	if err != nil {
		return 0
	}
	d, err := empty.with(encoded(ops))
	if err != nil {
		return 0
	}
	d.graph.Normalize(catalog.Vocabulary)
	return infer.Walk(d.graph).Params
}

func begun(w *wanted) *sketch {
	k := &sketch{n: map[string]int{}}
	k.ops = append(k.ops, op{Op: "add", Component: "x", Type: infer.InputID, Params: map[string]any{"shape": w.in}})
	k.last = "x"
	return k
}

func (k *sketch) end() []op {
	k.add("y", "output", nil)
	return k.ops
}

func perceptronPlan(w *wanted, width int64) []op {
	k, in := begun(w), w.in[0]
	if len(w.in) > 1 {
		in = 1
		for _, n := range w.in {
			in *= n
		}
		k.add("flat", "flatten", nil)
	}
	for range max(1, w.uses-1) {
		k.add("fc", "linear", map[string]any{"inFeatures": in, "outFeatures": width})
		k.add("norm", "layerNorm", map[string]any{"normalizedShape": width})
		k.add("act", "gelu", nil)
		in = width
	}
	k.add("head", "linear", map[string]any{"inFeatures": in, "outFeatures": w.out[0]})
	return k.end()
}

// convPlan pools early: the same weights then take fewer FLOPs and less memory.
func convPlan(w *wanted, width int64) []op {
	k, in, side := begun(w), w.in[0], w.in[len(w.in)-1]
	for i := range w.uses {
		k.add("conv", "conv2d", map[string]any{"inChannels": in, "outChannels": width, "kernelSize": 3, "padding": 1,
			"bias": false})
		k.add("norm", "batchNorm", map[string]any{"numFeatures": width})
		k.add("act", "relu", nil)
		if side >= 8 && i+1 < w.uses {
			k.add("pool", "maxpool2d", map[string]any{"kernelSize": 2})
			side /= 2
		}
		in = width
	}
	k.add("gap", "globalAvgPool2d", nil)
	for range w.depth - w.uses - 1 {
		k.add("fc", "linear", map[string]any{"inFeatures": in, "outFeatures": in})
		k.add("bent", "relu", nil)
	}
	k.add("head", "linear", map[string]any{"inFeatures": in, "outFeatures": w.out[0]})
	return k.end()
}

func patchPlan(w *wanted, width int64) []op {
	const heads, patch = 4, 4
	width = max(heads, width/heads*heads)
	k := begun(w)
	k.add("patches", "patchEmbed", map[string]any{"inChannels": w.in[0], "patchSize": patch, "embedDim": width})
	k.add("positions", "learnedPositionalEmbedding", map[string]any{"maxLen": (w.in[1] / patch) * (w.in[2] / patch),
		"embedDim": width})
	for range w.uses {
		k.add("block", "transformerBlock", map[string]any{"embedDim": width, "numHeads": heads, "ffDim": 3 * width})
	}
	k.add("norm", "layerNorm", map[string]any{"normalizedShape": width})
	k.add("mean", "mean", map[string]any{"dim": 1})
	k.add("head", "linear", map[string]any{"inFeatures": width, "outFeatures": w.out[0]})
	return k.end()
}

// decoderPlan has one head of keys and values, which takes the least cache.
func decoderPlan(w *wanted, width int64) []op {
	const heads = 4
	width = max(2*heads, width/(2*heads)*2*heads)
	k := begun(w)
	k.add("tokens", "embedding", map[string]any{"numEmbeddings": w.vocabulary, "embeddingDim": width})
	norm := "rmsNorm"
	if w.types[0] != "ropeAttention" {
		norm = "layerNorm"
		k.add("positions", "learnedPositionalEmbedding", map[string]any{"maxLen": w.in[0], "embedDim": width})
	}
	for range w.uses {
		before := k.last
		k.add("norm", norm, map[string]any{"normalizedShape": width})
		k.add("attention", w.types[0], map[string]any{"embedDim": width, "numHeads": heads, "numKVHeads": 1})
		k.join(before)
		before = k.last
		k.add("norm", norm, map[string]any{"normalizedShape": width})
		k.add("mixer", "swiglu", map[string]any{"embedDim": width, "intermediateSize": 3 * width})
		k.join(before)
	}
	k.add("last", norm, map[string]any{"normalizedShape": width})
	k.add("head", "lmHead", map[string]any{"embedDim": width, "vocabSize": w.out[len(w.out)-1]})
	return k.end()
}

func readerPlan(w *wanted, width int64) []op {
	k := begun(w)
	k.add("tokens", "embedding", map[string]any{"numEmbeddings": w.vocabulary, "embeddingDim": max(4, width/2)})
	in := max(4, width/2)
	for i := range w.uses {
		k.add("cell", w.types[0], map[string]any{"inputSize": in, "hiddenSize": width, "returnSequences": i+1 < w.uses})
		in = width
	}
	for range w.depth - w.uses - 2 {
		k.add("between", "linear", map[string]any{"inFeatures": in, "outFeatures": in})
		k.add("act", "relu", nil)
	}
	k.add("head", "linear", map[string]any{"inFeatures": in, "outFeatures": w.out[0]})
	return k.end()
}
