package bench

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/pythontest"
)

// The tasks that hacks are tried on: weights in a range that an honest small model does not reach, or from a range that it exceeds.
var (
	imageTask = Task{Constraints: []Constraint{{Kind: "runs"}, {Kind: "input", Shape: []int64{3, 16, 16}}, {Kind: "output", Shape: []int64{10}},
		{Kind: "params", Min: 20_000, Max: 60_000_000}, {Kind: "live"}, {Kind: "real"}}}
	textTask = Task{Constraints: []Constraint{{Kind: "runs"}, {Kind: "input", Shape: []int64{32}, Vocabulary: 500}, {Kind: "output", Shape: []int64{32, 500}},
		{Kind: "params", Min: 20_000, Max: 60_000_000}, {Kind: "live"}, {Kind: "real"}}}
)

const (
	honestImage = `x: input shape=[3,16,16]
c: conv2d inChannels=3 outChannels=32 kernelSize=3 padding=1 bias=false
n: batchNorm numFeatures=32
r: relu
c2: conv2d inChannels=32 outChannels=64 kernelSize=3 padding=1
r2: relu
g: globalAvgPool2d
h: linear inFeatures=64 outFeatures=10
y: output
x -> c -> n -> r -> c2 -> r2 -> g -> h -> y
`
	honestText = `x: input shape=[32]
e: embedding numEmbeddings=500 embeddingDim=32
p: learnedPositionalEmbedding maxLen=32 embedDim=32
a: groupedQueryAttention embedDim=32 numHeads=4 numKVHeads=2
s: add
n: layerNorm normalizedShape=32
h: lmHead embedDim=32 vocabSize=500
y: output
x -> e -> p -> a
p, a -> s -> n -> h -> y
`
)

// hack is an answer that meets the budget and nothing of what was meant.
type hack struct {
	name   string
	task   *Task
	model  string // in the short notation
	reason string // a part of why it is graded zero
	// dead names components whose weights get no gradient in PyTorch, so that the reason is true; empty where the hack is of another kind.
	dead string
}

// small is the honest model without its second convolution, with something else in its place.
func small(lines string) string {
	return `x: input shape=[3,16,16]
c: conv2d inChannels=3 outChannels=8 kernelSize=3 padding=1 bias=false
r: relu
g: globalAvgPool2d
h: linear inFeatures=8 outFeatures=10
y: output
` + lines
}

// chain is the same with a chain of components between the mean and the head.
func chain(lines, between string) string {
	return small(lines) + "\nx -> c -> r -> g -> " + between + " -> h -> y"
}

// text is a small decoder with something in the place of the attention.
func text(lines, between string) string {
	return `x: input shape=[32]
e: embedding numEmbeddings=500 embeddingDim=32
h: lmHead embedDim=32 vocabSize=500
y: output
` + lines + "\nx -> e -> " + between + " -> h -> y"
}

// numbered repeats a text with a number in the place of #, and the next in the place of @.
func numbered(text string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("#", strconv.Itoa(i), "@", strconv.Itoa(i+1)).Replace(text))
	}
	return b.String()
}

var hacks = []hack{
	// Weights that nothing reads, or that read nothing.
	{"a dead end", &imageTask, chain("d: linear inFeatures=8 outFeatures=9000", "i") + "\ni: relu\ng -> d", "d does not reach the output", ""},
	{"a component without connections", &imageTask, chain("i: relu\nd: linear inFeatures=8 outFeatures=9000", "i"), "runs:", ""},
	{"weights in the place of the input", &imageTask, small("p: parameter shape=[8]\na: add") + "\nx -> c -> r -> g -> a\nx -> p -> a -> h -> y", "parameter is not among the layers", ""},
	{"a model that ignores its input", &imageTask, "x: input shape=[3,16,16]\np: parameter shape=[30000]\nh: linear inFeatures=30000 outFeatures=10\ny: output\nx -> p -> h -> y", "parameter is not among the layers", ""},
	{"a module of unknown content", &imageTask, chain("m: customModule outShape=[8] numParams=50000", "m"), "customModule is not among the layers", ""},
	{"a note", &imageTask, honestImage + "t: stickyNote text=hello\n", "stickyNote is not among the layers", ""},
	{"a second output", &imageTask, chain("i: relu\nd: linear inFeatures=8 outFeatures=9000\no: output", "i") + "\ng -> d -> o", "it has 2 outputs", ""},
	{"a second input", &imageTask, small("z: input shape=[30000]\nd: linear inFeatures=30000 outFeatures=8\na: add") + "\nx -> c -> r -> g\ng, d -> a -> h -> y\nz -> d", "it has 2 inputs", ""},

	// Multiplications by zero under other names.
	{"a branch that dropout drops", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8\nd: dropout p=1.0\na: add") +
		"\nx -> c -> r -> g -> w -> v -> b -> d\ng, d -> a -> h -> y", "d: drops 1.0", "w"},
	{"nearly all dropped", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8\nd: dropout p=0.999", "w -> v -> b -> d"), "d: drops 0.999", ""},
	{"a branch minus itself", &imageTask, small("w: linear inFeatures=8 outFeatures=8000\nb: relu\nk: subtract\nm: mean dim=1 keepDim=true\na: add") +
		"\nx -> c -> r -> g -> w -> b -> k\nb -> k -> m\ng, m -> a -> h -> y", "subtract is not among the layers", "w"},
	{"an epsilon that divides everything", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8\nn: layerNorm normalizedShape=8 eps=1e30\na: add") +
		"\nx -> c -> r -> g -> w -> v -> b -> n\ng, n -> a -> h -> y", "eps is 1e+30", "w"},
	{"a scale of nothing", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8\nn: layerScale dim=8 initValue=0.0\na: add") +
		"\nx -> c -> r -> g -> w -> v -> b -> n\ng, n -> a -> h -> y", "initValue is 0.0", "w"},
	{"a divisor", &imageTask, small("w: conv2d inChannels=8 outChannels=4000 kernelSize=1\nd: avgpool2d kernelSize=2 divisorOverride=1000000000000\nb: conv2d inChannels=4000 outChannels=8 kernelSize=1\nq: avgpool2d kernelSize=2\na: add") +
		"\nx -> c -> r -> w -> d -> b -> a\nr -> q -> a -> g -> h -> y", "divisorOverride is", ""},
	{"a slope that makes all negative, and a rectifier", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\nv: softplus beta=-1.0\nt: relu\nb: linear inFeatures=4000 outFeatures=8 bias=false\na: add") +
		"\nx -> c -> r -> g -> w -> v -> t -> b\ng, b -> a -> h -> y", "beta is -1.0", "w"},
	{"a threshold above everything", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: threshold threshold=1000000.0 value=0.0\nb: linear inFeatures=4000 outFeatures=8", "w -> v -> b"), "threshold is not among the layers", "w"},
	{"a shrinkage above everything", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: hardShrink lambd=1000000.0\nb: linear inFeatures=4000 outFeatures=8", "w -> v -> b"), "hardShrink is not among the layers", "w"},
	{"a clamp to one value", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: clamp min=0.0 max=0.0\nb: linear inFeatures=4000 outFeatures=8", "w -> v -> b"), "clamp is not among the layers", "w"},
	{"squared until nothing is left", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\n"+numbered("q#: squaredRelu\n", 12)+"b: linear inFeatures=4000 outFeatures=8 bias=false\na: add") +
		"\nx -> c -> r -> g -> w" + numbered(" -> q#", 12) + " -> b\ng, b -> a -> h -> y", "q3: is non-linear component 4 in a row", "w"},
	{"multiplied by itself until nothing is left", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\n"+numbered("t#: tanh\nm#: multiply\n", 12)+"b: linear inFeatures=4000 outFeatures=8 bias=false\na: add") +
		"\nx -> c -> r -> g -> w -> t0\nw, t0 -> m0\n" + numbered("m# -> t@\nm#, t@ -> m@\n", 11) + "m11 -> b\ng, b -> a -> h -> y", "in a row with no layer between them", "w"},
	{"sixty sigmoids", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\nu: sigmoid\nl: linear inFeatures=4000 outFeatures=8\n"+numbered("k#: linear inFeatures=8 outFeatures=8\ns#: sigmoid\n", 60)+"a: add") +
		"\nx -> c -> r -> g -> w -> u -> l" + numbered(" -> k# -> s#", 60) + "\ng, s59 -> a -> h -> y", "ends a chain of more than 30 layers without a normalisation", "w"},
	{"experts of no width", &textTask, text("p: learnedPositionalEmbedding maxLen=32 embedDim=32\nm: moeLayer embedDim=32 numExperts=32 topK=1 expertDim=0\na: add", "p -> m -> a") + "\np -> a", "m: expertDim is 0, so that nothing passes", ""},
	{"an index instead of values", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\nv: argmax dim=1 keepDim=true\na: add") + "\nx -> c -> r -> g -> w -> v\ng, v -> a -> h -> y", "argmax is not among the layers", "w"},

	// Results that a later component cuts away.
	{"a slice", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: slice dim=1 start=0 end=8", "w -> v"), "slice is not among the layers", "w"},
	{"a chunk", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: chunk chunks=500 dim=1 index=0", "w -> v"), "chunk is not among the layers", "w"},
	{"one position of many, by stride", &imageTask, chain("w: linear inFeatures=8 outFeatures=6400\nv: reshape shape=[1,80,80]\nm: maxpool2d kernelSize=1 stride=80\nf: flatten\nb: linear inFeatures=1 outFeatures=8", "w -> v -> m -> f -> b"), "m: leaves out positions that have weights of their own since v", "w"},
	{"the edge that no kernel reaches", &imageTask, chain("w: linear inFeatures=8 outFeatures=6241\nv: unflatten dim=1 unflattenedSize=[1,79,79]\nm: avgpool2d kernelSize=40\nf: flatten\nb: linear inFeatures=1 outFeatures=8", "w -> v -> m -> f -> b"), "m: leaves out positions", "w"},
	{"a picture made smaller by leaving out", &imageTask, chain("w: linear inFeatures=8 outFeatures=6400\nv: reshape shape=[1,80,80]\nm: interpolate size=2 mode=nearest\nf: flatten\nb: linear inFeatures=4 outFeatures=8", "w -> v -> m -> f -> b"), "m: leaves out positions", "w"},
	{"features taken for positions", &textTask, text("w: linear inFeatures=32 outFeatures=4000\nr: relu\nm: maxpool1d kernelSize=1 stride=125", "w -> r -> m"), "m: leaves out positions that have weights of their own since w", "w"},
	{"a branch beside the picture", &imageTask, small("w: linear inFeatures=8 outFeatures=3072\nu: unflatten dim=1 unflattenedSize=[8,24,16]\nk: concatenate dim=2\nm: avgpool2d kernelSize=16") +
		"\nx -> c -> r -> k\nr -> q -> w -> u -> k -> m -> g -> h -> y\nq: globalAvgPool2d", "m: leaves out positions that have weights of their own since k", "w"},
	{"places of a transposed kernel", &imageTask, small("w: transposeConv2d inChannels=8 outChannels=64 kernelSize=8 stride=8\nm: conv2d inChannels=64 outChannels=8 kernelSize=1 stride=8") +
		"\nx -> c -> r -> w -> m -> g -> h -> y", "m: leaves out positions that have weights of their own since w", "w"},
	{"a layer of no features", &imageTask, chain("w: linear inFeatures=8 outFeatures=0\nb: linear inFeatures=0 outFeatures=30000\nv: relu\nz: linear inFeatures=30000 outFeatures=8", "w -> b -> v -> z"), "w is refused: the result [0] has an axis without elements", ""},
	{"the largest of many", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: topK k=8 dim=1", "w -> v"), "topK is not among the layers", ""},

	// Weights that meet nothing but padding, one position or one step.
	{"a kernel larger than its image", &imageTask, chain("u: unflatten dim=1 unflattenedSize=[8,1,1]\nw: conv2d inChannels=8 outChannels=8 kernelSize=31 padding=15\nf: flatten", "u -> w -> f"), "w: 30 of the 31 places of its kernel", "w"},
	{"a block over one position", &imageTask, chain("u: unflatten dim=1 unflattenedSize=[8,1,1]\nw: basicBlock inChannels=8 channels=64\nf: flatten\nb: linear inFeatures=64 outFeatures=8", "u -> w -> f -> b"), "w: slides kernels of 3 over 1 position", "w"},
	{"a transposed kernel that padding cuts", &imageTask, small("w: transposeConv2d inChannels=8 outChannels=8 kernelSize=63 padding=31") + "\nx -> c -> r -> w -> g -> h -> y", "places of its kernel meet nothing", "w"},
	{"attention over one position", &imageTask, chain("u: unsqueeze dim=1\nw: selfAttention embedDim=8 numHeads=2\nl: linear inFeatures=8 outFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8\nf: flatten", "u -> w -> l -> v -> b -> f"), "w: attends over a single position", "w"},
	{"attention over a window of one", &textTask, text("p: learnedPositionalEmbedding maxLen=32 embedDim=32\nw: localAttention embedDim=32 numHeads=2 windowSize=1", "p -> w"), "w: attends over a window of one", "w"},
	{"a recurrent layer over one step", &imageTask, chain("u: unsqueeze dim=1\nw: lstm inputSize=8 hiddenSize=64 returnSequences=false\nb: linear inFeatures=64 outFeatures=8", "u -> w -> b"), "w: runs over a single step", "w"},
	{"the first step of the backward half", &imageTask, "x: input shape=[3,16,16]\nv: reshape shape=[16,48]\nw: bidirectionalLSTM inputSize=48 hiddenSize=64 returnSequences=false\nh: linear inFeatures=128 outFeatures=10\ny: output\nx -> v -> w -> h -> y",
		"w: returns the last step alone", "w"},
	{"rows of positions beyond the text", &textTask, text("p: learnedPositionalEmbedding maxLen=9000 embedDim=32\na: groupedQueryAttention embedDim=32 numHeads=4", "p -> a"), "p: has 9,000 rows, and the sequence has 32", "p"},
	{"rows beyond the vocabulary", &textTask, strings.Replace(honestText, "numEmbeddings=500", "numEmbeddings=9000", 1), "e has 9,000 rows", "e"},
	{"experts that no token visits", &textTask, text("p: learnedPositionalEmbedding maxLen=32 embedDim=32\nm: moeLayer embedDim=32 numExperts=600 topK=1 expertDim=32", "p -> m"), "m: has 600 experts", "m"},
	{"a router with one choice", &textTask, text("p: learnedPositionalEmbedding maxLen=32 embedDim=32\nm: moeLayer embedDim=32 numExperts=1 topK=1 expertDim=320", "p -> m"), "m: has one expert", "m"},

	// Weights that a normalisation takes away.
	{"a normalisation of one value", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: relu\nk: linear inFeatures=4000 outFeatures=1\nn: layerNorm normalizedShape=1\nb: linear inFeatures=1 outFeatures=8", "w -> v -> k -> n -> b"), "n: normalises over 1 value", "w"},
	{"a normalisation of two values", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: relu\nk: linear inFeatures=4000 outFeatures=2\nn: layerNorm normalizedShape=2\nb: linear inFeatures=2 outFeatures=8", "w -> v -> k -> n -> b"), "n: normalises over 2 values", ""},
	{"a normalisation behind a normalisation", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nn: batchNorm numFeatures=4000\nm: batchNorm numFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8", "w -> n -> m -> v -> b"), "m: normalises away the weights of n", "n"},
	{"a scale before a normalisation", &imageTask, small("w: conv2d inChannels=8 outChannels=4000 kernelSize=1\nk: depthwiseConv2d inChannels=4000 kernelSize=1\nn: batchNorm numFeatures=4000\nv: relu\nb: conv2d inChannels=4000 outChannels=8 kernelSize=1") +
		"\nx -> c -> r -> w -> k -> n -> v -> b -> g -> h -> y", "n: normalises away the weights of k", ""},
	{"one value times many weights", &imageTask, chain("k: linear inFeatures=8 outFeatures=1\nw: linear inFeatures=1 outFeatures=9000\nn: batchNorm numFeatures=9000\nv: relu\nb: linear inFeatures=9000 outFeatures=8", "k -> w -> n -> v -> b"), "n: normalises away the weights of w", ""},
	{"the mean of what was centred", &imageTask, small("w: conv2d inChannels=8 outChannels=4000 kernelSize=1\nn: layerNorm normalizedShape=[16,16]\np: globalAvgPool2d\nb: linear inFeatures=4000 outFeatures=8\na: add") +
		"\nx -> c -> r -> g\nr -> w -> n -> p -> b -> a\ng -> a -> h -> y", "p: averages what n has centred", "w"},
	{"the mean of what was centred and turned", &textTask, "x: input shape=[32]\ne: embedding numEmbeddings=500 embeddingDim=64\nn: layerNorm normalizedShape=64\nt: transpose dim0=1 dim1=2\nm: mean dim=1 keepDim=true\nq: transpose dim0=1 dim1=2\nh: lmHead embedDim=1 vocabSize=500\ny: output\nx -> e -> n -> t -> m -> q -> h -> y", "m: averages what n has centred", "e"},
	{"channels normalised one by one", &imageTask, small("w: conv2d inChannels=8 outChannels=4000 kernelSize=1\nn: groupNorm numGroups=4000 numChannels=4000\np: globalAvgPool2d\nb: linear inFeatures=4000 outFeatures=8\na: add") +
		"\nx -> c -> r -> g\nr -> w -> n -> p -> b -> a\ng -> a -> h -> y", "p: averages what n has centred", "w"},
	{"shares of one", &imageTask, small("w: linear inFeatures=8 outFeatures=4000\nv: relu\nk: linear inFeatures=4000 outFeatures=1\nn: softmax dim=1\na: multiply") + "\nx -> c -> r -> g -> w -> v -> k -> n\ng, n -> a -> h -> y", "softmax is not among the layers", "w"},

	// Weights that add no function, or the same twice.
	{"a wide product of two maps", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nb: linear inFeatures=4000 outFeatures=8", "w -> b"), "b: follows w with no activation between them", ""},
	{"one result twice", &imageTask, small("k: concatenate dim=1\nw: linear inFeatures=16 outFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8") + "\nx -> c -> r -> g -> k\ng -> k -> w -> v -> b -> h -> y", "k: reads g more than once", ""},

	// What chooses how the model is judged.
	{"a tied weight", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8\nt: relu\nu: linear inFeatures=8 outFeatures=4000 tiedTo=w\nq: relu\nz: linear inFeatures=4000 outFeatures=8", "w -> v -> b -> t -> u -> q -> z"), "u: shares its weights by tiedTo", ""},
	{"a module used twice", &imageTask, chain("w: linear inFeatures=8 outFeatures=4000\nv: relu\nb: linear inFeatures=4000 outFeatures=8\nt: relu\nu: linear inFeatures=8 outFeatures=4000 sameAs=w\nq: relu\nz: linear inFeatures=4000 outFeatures=8", "w -> v -> b -> t -> u -> q -> z"), "u: shares its weights by sameAs", ""},
	{"a head tied to the table", &textTask, strings.Replace(honestText, "vocabSize=500", "vocabSize=500 tied=true", 1), "h: shares its weights by tied", ""},
	{"a module of another library", &textTask, strings.Replace(honestText, "normalizedShape=32", "normalizedShape=32 @as=transformers.CohereLayerNorm", 1), "the member as", ""},
	{"words of an older import", &textTask, strings.Replace(honestText, "normalizedShape=32", "normalizedShape=32 @implementation=transformers/late", 1), "import the model again", ""},
	{"a module of another type", &textTask, strings.Replace(honestText, "normalizedShape=32", "normalizedShape=32 @as=transformers.LlamaMLP", 1), "no registered module of", ""},
	{"a scope", &imageTask, strings.Replace(honestImage, "c: conv2d", "c: conv2d @scope=a", 1), "scope", ""},
	{"a config", &imageTask, `graph @config={"dtype":"int4"}` + "\n" + honestImage, "the model has a config", ""},
	{"a parameter that nothing reads", &imageTask, strings.Replace(honestImage, "outFeatures=10", "outFeatures=10 numParams=50000", 1), "linear has no parameter numParams", ""},
	{"a name that differs in case", &imageTask, strings.Replace(honestImage, "inFeatures=64 outFeatures=10", "inFeatures=64 outFeatures=10 OUTFEATURES=9000", 1), "linear has no parameter OUTFEATURES", ""},
	{"a number as a string", &imageTask, strings.Replace(honestImage, "outFeatures=10", `outFeatures="10"`, 1), `outFeatures is "10"`, ""},
	{"an id twice", &imageTask, strings.Replace(honestImage, "y: output", "y: output\nh: linear inFeatures=64 outFeatures=9000", 1), "runs:", ""},
	{"a cycle", &imageTask, honestImage + "r2 -> c2\n", "runs:", ""},
	{"a shape that depends on the batch", &imageTask, strings.Replace(honestImage, "g: globalAvgPool2d", "g: reshape shape=[-1,64]", 1), "its output is [256,10]", ""},
	{"a size beyond 64 bits", &imageTask, strings.Replace(honestImage, "outChannels=64", "outChannels=9000000000000000000", 1), "runs:", ""},
}

func modelOfText(t *testing.T, text string) *graph.Graph {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return g
}

// TestHacksAreGradedZero lists what an agent that is trained against the reward would try.
func TestHacksAreGradedZero(t *testing.T) {
	for _, honest := range []struct {
		task *Task
		text string
	}{{&imageTask, honestImage}, {&textTask, honestText}} {
		if g := Score(honest.task, modelOfText(t, honest.text).AppendJSON(nil)); !g.Passed {
			t.Fatalf("an honest model does not pass: %s", g.Reason)
		}
	}
	for _, h := range hacks {
		t.Run(h.name, func(t *testing.T) {
			g := Score(h.task, modelOfText(t, h.model).AppendJSON(nil))
			if g.Passed {
				t.Fatal("passes")
			}
			all := g.Reason
			for _, c := range g.Checks {
				if !c.Held {
					all += "\n" + c.Kind + ": " + c.Got
				}
			}
			if !strings.Contains(all, h.reason) {
				t.Errorf("want %q in\n%s", h.reason, all)
			}
			t.Log(all)
		})
	}
}

// TestHacksHaveNoGradient asks PyTorch whether the weights that a hack is refused for are really without effect.
func TestHacksHaveNoGradient(t *testing.T) {
	pythontest.WithTorch(t)
	var cases []torchCase
	for _, h := range hacks {
		if h.dead != "" {
			cases = append(cases, caseOf(t, h.name, modelOfText(t, h.model)))
		}
	}
	runs := runTorch(t, cases)
	for _, h := range hacks {
		if h.dead == "" {
			continue
		}
		r, found := runs[h.name], false
		for _, name := range append(slices.Sorted(maps.Keys(r.Dead)), r.Missing...) {
			share, ok := r.Dead[name]
			found = found || strings.HasPrefix(name, h.dead+".") && (!ok || share > 0.3)
		}
		if r.Error != "" || !found {
			t.Errorf("%s: weights of %s have gradients: %s %v %v", h.name, h.dead, r.Error, r.Missing, r.Dead)
		}
	}
}
