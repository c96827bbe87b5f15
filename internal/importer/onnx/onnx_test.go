package onnx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/infer"
)

// one builds a model of one operator between an input x and an output y.
func one(opset int64, dims []int64, op string, attrs []message, build ...func(*builder)) message {
	b := (&builder{}).input("x", dims...)
	inputs := []string{"x"}
	for _, f := range build {
		f(b)
	}
	inputs = append(inputs, extra(b)...)
	return model(opset, b.node(op, inputs, names("y"), attrs...).output("y").g)
}

// extra lists the initializers of a graph in order.
func extra(b *builder) []string {
	d := &decoder{source: &source{}}
	d.r, d.size, d.ctx = strings.NewReader(string(b.g)), int64(len(b.g)), testContext
	g, err := d.readGraph(span{0, d.size})
	if err != nil {
		panic(err)
	}
	var out []string
	for _, t := range g.initializers {
		out = append(out, t.name)
	}
	return out
}

// summary is the components of a model other than its input and output, with their parameters, and the shape of its result.
func summary(m *Model) string {
	res := infer.Walk(m.Graph)
	var out []string
	shape := ""
	for i, c := range m.Graph.Components {
		switch c.Type {
		case "input":
		case "output":
			shape = res.Nodes[i].Out.String()
		default:
			text := c.Type
			for _, p := range c.Params {
				text += fmt.Sprintf(" %s=%v", p.Name, p.Value)
			}
			out = append(out, text)
		}
	}
	return strings.Join(append(out, shape), "; ")
}

func floats(name string, dims ...int64) func(*builder) {
	return func(b *builder) { b.floats(name, dims...) }
}
func ints(name string, values ...int64) func(*builder) {
	return func(b *builder) { b.ints(name, values...) }
}
func stored(t message) func(*builder) { return func(b *builder) { b.g = b.g.sub(5, t) } }

func TestOperatorsAreReadAsTheirSetWritesThem(t *testing.T) {
	image := []int64{1, 4, 6, 6}
	cases := []struct {
		data message
		want string
	}{
		{one(11, []int64{1, 1, 5}, "Squeeze", []message{theInts("axes", 1)}), "flatten; [5]"},
		{one(13, []int64{1, 1, 5}, "Squeeze", nil, ints("axes", 1)), "flatten; [5]"},
		{one(11, []int64{1, 5}, "Unsqueeze", []message{theInts("axes", 2)}), "reshape shape=[5,1]; [5,1]"},
		{one(13, []int64{1, 5}, "Unsqueeze", nil, ints("axes", -1)), "reshape shape=[5,1]; [5,1]"},
		{one(7, []int64{1, 5}, "Clip", []message{aFloat("min", 0), aFloat("max", 6)}), "relu6; [5]"},
		{one(11, []int64{1, 5}, "Clip", nil, stored(floatTensor("lo", -1)), stored(floatTensor("hi", 2))), "clamp min=-1 max=2; [5]"},
		{one(9, []int64{1, 8}, "Slice", []message{theInts("axes", 1), theInts("starts", 2), theInts("ends", -1)}), "slice dim=1 start=2 end=7 step=1; [5]"},
		{one(10, []int64{1, 8}, "Slice", nil, ints("s", 1), ints("e", 1<<62), ints("a", -1), ints("step", 3)), "slice dim=1 start=1 end=8 step=3; [3]"},
		{one(10, []int64{1, 8}, "Slice", nil, ints("s", -1), ints("e", -1<<62), ints("a", 1), ints("step", -1)), "flip dims=[1]; [8]"},
		{one(10, image, "Pad", []message{theInts("pads", 0, 0, 1, 2, 0, 0, 3, 4), aFloat("value", 0)}), `pad padding=[2,4,1,3] mode="constant"; [4,10,12]`},
		{one(11, image, "Pad", []message{aString("mode", "reflect")}, ints("pads", 0, 0, 1, 2, 0, 0, 3, 4)), `pad padding=[2,4,1,3] mode="reflect"; [4,10,12]`},
		{one(18, image, "Pad", []message{aString("mode", "edge")}, ints("pads", 1, 2), stored(floatTensor("v", 0)), ints("axes", 3)), `pad padding=[1,2,0,0] mode="replicate"; [4,6,9]`},
		{one(7, image, "Upsample", []message{theFloats("scales", 1, 1, 2, 3), aString("mode", "nearest")}), `upsample scaleFactor=[2,3] mode="nearest"; [4,12,18]`},
		{one(9, image, "Upsample", []message{aString("mode", "linear")}, stored(floatTensor("s", 1, 1, 2, 2))), `upsample scaleFactor=2 mode="bilinear"; [4,12,12]`},
		{one(10, image, "Resize", nil, stored(floatTensor("s", 1, 1, 0.5, 0.5))), `upsample scaleFactor=0.5 mode="nearest"; [4,3,3]`},
		{one(11, []int64{1, 4}, "ReduceSum", []message{theInts("axes", 1), anInt("keepdims", 0)}), "sum dim=[1] keepDim=false; []"},
		{one(13, []int64{1, 4, 5}, "ReduceSum", []message{anInt("keepdims", 1)}, ints("axes", -1)), "sum dim=[2] keepDim=true; [4,1]"},
		{one(18, []int64{1, 4, 5}, "ReduceMean", []message{anInt("keepdims", 0)}, ints("axes", 1)), "mean dim=[1] keepDim=false; [5]"},
		{one(7, []int64{1, 4}, "Dropout", []message{aFloat("ratio", 0.25)}), "dropout p=0.25; [4]"},
		{one(12, []int64{1, 4}, "Dropout", nil, stored(floatTensor("r", 0.25))), "dropout p=0.25; [4]"},
		{one(11, []int64{1, 3, 4}, "Softmax", []message{anInt("axis", 2)}), "softmax dim=2; [3,4]"},
		{one(13, []int64{1, 3, 4}, "Softmax", []message{anInt("axis", 1)}), "softmax dim=1; [3,4]"},
		{one(9, image, "Conv", []message{aString("auto_pad", "SAME_UPPER"), theInts("strides", 2, 2)}, floats("w", 8, 4, 3, 3)),
			"pad padding=[0,1,0,1] value=0; conv2d inChannels=4 outChannels=8 kernelSize=3 stride=2 bias=false; [8,3,3]"},
		{one(9, image, "Conv", []message{anInt("group", 4), theInts("pads", 1, 1, 1, 1)}, floats("w", 8, 1, 3, 3), floats("b", 8)),
			"depthwiseConv2d inChannels=4 depthMultiplier=2 kernelSize=3 padding=1; [8,6,6]"},
		{one(9, image, "ConvTranspose", []message{theInts("strides", 2, 2), theInts("output_shape", 12, 12)}, floats("w", 4, 2, 3, 3)),
			"transposeConv2d inChannels=4 outChannels=2 kernelSize=3 stride=2 padding=1 outputPadding=1 bias=false; [2,12,12]"},
		{one(9, image, "BatchNormalization", nil, floats("s", 4), floats("b", 4), floats("m", 4), floats("v", 4)), "batchNorm numFeatures=4 eps=1e-05; [4,6,6]"},
		{one(9, image, "DepthToSpace", []message{anInt("blocksize", 2), aString("mode", "CRD")}), "pixelShuffle upscaleFactor=2; [1,12,12]"},
		{one(9, []int64{1, 6}, "Gemm", []message{anInt("transB", 1)}, floats("w", 3, 6), floats("b", 3)), "linear inFeatures=6 outFeatures=3; [3]"},
		{one(12, []int64{1, 3, 4}, "Einsum", []message{aString("equation", "bij,jk->bik")}, floats("w", 4, 5)),
			`reshape shape=[1,3,4]; parameter shape=[4,5]; einsum equation="abij,ajk->abik"; reshape shape=[3,5]; [3,5]`},
	}
	for i, c := range cases {
		m, err := read(c.data, Options{})
		if err != nil {
			t.Errorf("case %d, want %s: %v", i, c.want, err)
			continue
		}
		if got := summary(m); got != c.want {
			t.Errorf("case %d:\n got %s\nwant %s", i, got, c.want)
		}
	}
}

func TestTheBatchIsDroppedWhateverItIs(t *testing.T) {
	for _, batch := range []int64{1, 5, -1} {
		b := (&builder{}).input("x", batch, 6).floats("w", 6, 8).floats("b", 8).ints("shape", 0, 2, 4).ints("back", -1, 8)
		b.node("MatMul", names("x", "w"), names("h")).node("Add", names("h", "b"), names("l")).node("Reshape", names("l", "shape"), names("r"))
		b.node("Transpose", names("r"), names("t"), theInts("perm", 2, 0, 1)).node("Transpose", names("t"), names("u"), theInts("perm", 1, 2, 0))
		m := must(t, model(13, b.node("Reshape", names("u", "back"), names("y")).output("y").g))
		if got, want := summary(m), "linear inFeatures=6 outFeatures=8; [8]"; got != want {
			t.Errorf("batch %d: got %s, want %s", batch, got, want)
		}
		if m.Params != 56 {
			t.Errorf("batch %d: %d parameters", batch, m.Params)
		}
	}
}

func TestNamedSizesAreAskedFor(t *testing.T) {
	data := model(13, (&builder{}).input("x", 1, -1).node("Relu", names("x"), names("y")).output("y").g)
	if _, err := read(data, Options{}); err == nil || !strings.Contains(err.Error(), `axis 1 is only named, "n"`) {
		t.Errorf("without a size: %v", err)
	}
	m, err := read(data, Options{Sizes: map[string]int64{"n": 7}})
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(m); got != "relu; [7]" {
		t.Error(got)
	}
	text := model(13, (&builder{}).tokens("ids", -1, -1).floats("emb.weight", 20, 8).node("Gather", names("emb.weight", "ids"), names("y")).output("y").g)
	if m, err = read(text, Options{SeqLen: 9}); err != nil {
		t.Fatal(err)
	}
	if got := summary(m); got != "embedding numEmbeddings=20 embeddingDim=8; [9,8]" {
		t.Error(got)
	}
}

func TestSharedTensorsAreCountedAsTheyAreMeant(t *testing.T) {
	// Equal norms are stored once, and are two; a matrix that is read twice is one.
	norms := (&builder{}).input("x", 1, 3, 8).floats("a.weight", 8).floats("a.bias", 8)
	norms.node("LayerNormalization", names("x", "a.weight", "a.bias"), names("h")).node("LayerNormalization", names("h", "a.weight", "a.bias"), names("y")).output("y")
	if m := must(t, model(17, norms.g)); m.Params != 32 {
		t.Errorf("two norms have %d parameters, want 32", m.Params)
	}
	tied := (&builder{}).tokens("x", 1, 5).floats("emb.weight", 20, 8).node("Gather", names("emb.weight", "x"), names("h"))
	tied.node("Transpose", names("emb.weight"), names("t")).node("MatMul", names("h", "t"), names("y")).output("y")
	m := must(t, model(13, tied.g))
	if got := summary(m); m.Params != 160 || got != `embedding numEmbeddings=20 embeddingDim=8; linear inFeatures=8 outFeatures=20 bias=false tiedTo="embedding_2"; [5,20]` {
		t.Errorf("%d parameters, %s", m.Params, got)
	}
	twice := (&builder{}).input("x", 1, 3, 8, 8).floats("c.weight", 3, 3, 3, 3).floats("c.bias", 3)
	for _, step := range [][2]string{{"x", "h"}, {"h", "y"}} {
		twice.node("Conv", names(step[0], "c.weight", "c.bias"), names(step[1]), theInts("pads", 1, 1, 1, 1))
	}
	m = must(t, model(13, twice.output("y").g))
	if got := summary(m); m.Params != 84 || !strings.HasSuffix(got, `sameAs="conv2d_2"; [3,8,8]`) {
		t.Errorf("%d parameters, %s", m.Params, got)
	}
}

func TestWhatIsNotTrainedIsNotCounted(t *testing.T) {
	b := (&builder{}).input("x", 1, 4, 8).floats("onnx::Add_7", 4, 8).floats("attn.mask", 4, 8).floats("block.scale", 8)
	b.node("Add", names("x", "onnx::Add_7"), names("a")).node("Add", names("a", "attn.mask"), names("b")).node("Mul", names("b", "block.scale"), names("y")).output("y")
	m := must(t, model(13, b.g))
	if m.Params != 8 {
		t.Errorf("%d parameters, want the 8 of the scale: %s", m.Params, summary(m))
	}
	i := slices.IndexFunc(m.Tensors, func(x importer.Tensor) bool { return x.Name == "attn.mask" })
	if i < 0 || m.Tensors[i].DType != "float32" || !slices.Equal(m.Tensors[i].Shape, []int64{4, 8}) {
		t.Errorf("tensors are %v", m.Tensors)
	}
}

func TestUnknownOperatorsAreCustomModules(t *testing.T) {
	b := (&builder{}).input("x", 1, 8).floats("w", 8, 3).node("Fancy", names("x", "w"), names("h")).declare("h", -1, 3).node("Relu", names("h"), names("y")).output("y")
	m := must(t, model(13, b.g))
	if got, want := summary(m), "customModule outShape=[3] numParams=24; relu; [3]"; got != want || m.Params != 24 {
		t.Errorf("got %s with %d parameters", got, m.Params)
	}
	if len(m.Notes) != 1 || m.Notes[0].Node != "node h" || m.Notes[0].Op != "Fancy" {
		t.Errorf("notes are %v", m.Notes)
	}
}

func TestFunctionsAndDecidedBranchesArePutInPlace(t *testing.T) {
	f := message{}.text(1, "Block").text(10, "pkg").text(4, "a").text(4, "w").text(5, "c").text(6, "slope").
		sub(7, operation("MatMul", names("a", "w"), names("b"))).
		sub(7, operation("LeakyRelu", names("b"), names("c"), message{}.text(1, "alpha").int(20, 1).text(21, "slope"))).
		sub(9, message{}.text(1, "").int(2, 13))
	call := operation("Block", names("x", "w"), names("h"), aFloat("slope", 0.25)).text(7, "pkg")
	then := message{}.sub(1, operation("Tanh", names("h"), names("t"))).sub(12, message{}.text(1, "t"))
	other := message{}.sub(1, operation("Fancy", names("h"), names("e"))).sub(12, message{}.text(1, "e"))
	b := (&builder{}).input("x", 1, 4).floats("w", 4, 4)
	b.g = b.g.sub(1, call).sub(5, tensorOf("yes", 9, nil).sub(9, []byte{1}))
	b.node("If", names("yes"), names("y"), aGraph("then_branch", then), aGraph("else_branch", other)).output("y")
	m := must(t, model(13, b.g, f))
	if got, want := summary(m), "linear inFeatures=4 outFeatures=4 bias=false; leakyRelu negativeSlope=0.25; tanh; [4]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestScopesAreModulePaths(t *testing.T) {
	b := (&builder{}).input("x", 1, 4).floats("layers.0.fc.weight", 4, 4)
	b.g = b.g.sub(1, message{}.text(3, "/layers.0/fc/MatMul").text(4, "MatMul").text(1, "x").text(1, "layers.0.fc.weight").text(2, "h"))
	b.g = b.g.sub(1, message{}.text(3, "/layers.0/act/Relu").text(4, "Relu").text(1, "h").text(2, "y"))
	m := must(t, model(13, b.output("y").g))
	for i, want := range []string{"", `"layers.0.fc"`, `"layers.0.act"`, ""} {
		got := ""
		for _, e := range m.Graph.Components[i].Extra {
			got = e.Raw
		}
		if got != want {
			t.Errorf("scope of %s is %s, want %s", m.Graph.Components[i].ID, got, want)
		}
	}
}

func TestPiecesAndSequencesAreFollowed(t *testing.T) {
	b := (&builder{}).input("x", 1, 6).node("Split", names("x"), names("a", "b"), anInt("axis", 1), theInts("split", 2, 4))
	b.ints("sizes", 1, 3).ints("second", 1).node("SplitToSequence", names("b", "sizes"), names("s"), anInt("axis", 1)).node("SequenceAt", names("s", "second"), names("c"))
	m := must(t, model(12, b.node("Concat", names("a", "c"), names("y"), anInt("axis", -1)).output("y").g))
	want := "split splitSize=[2,4] dim=1 index=0; split splitSize=[2,4] dim=1 index=1; split splitSize=[1,3] dim=1 index=1; concatenate dim=1; [5]"
	if got := summary(m); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheSameFileGivesTheSameBytes(t *testing.T) {
	unpack(t, archives[0], func(name string, data []byte) {
		if !slices.Equal(imported(t, name, data), imported(t, name, data)) {
			t.Errorf("%s: two results", name)
		}
	})
}
