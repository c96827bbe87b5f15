package estimate

import "testing"

// written estimates a graph whose components of a type are written in a way, and all others as transformers usually does.
func written(t *testing.T, text, typ, how string, o Options) *Training {
	t.Helper()
	res := parse(t, text)
	for i := range res.Nodes {
		if res.Nodes[i].Type.ID == typ {
			nameModule(&res.Nodes[i], "transformers/"+how)
		} else {
			nameModule(&res.Nodes[i], "transformers")
		}
	}
	o.Dropout = true
	return Train(res, o)
}

// Dropout of weights that are in memory keeps a byte for each, which says whether it was drawn, and what is left unless a 16-bit copy of that is kept anyway.
func TestDroppedWeightsAreKept(t *testing.T) {
	const text = "x: input shape=[64,32]\na: groupedQueryAttention embedDim=32 numHeads=4 numKVHeads=4\no: output\nx -> a -> o"
	const scores = 8 * 4 * 64 * 64
	for _, c := range []struct {
		precision, attention string
		want                 int64
	}{{"fp32", "eager", 5 * scores}, {"bf16", "eager", 3 * scores}, {"amp", "eager", scores}, {"amp", "sdpa", 0}} {
		o := Options{Batch: 8, Precision: c.precision, Attention: c.attention}
		whole := written(t, text, "groupedQueryAttention", "plain", o)
		if got := written(t, text, "groupedQueryAttention", "plain/dropped", o).ActivationBytes - whole.ActivationBytes; got != c.want {
			t.Errorf("%s, %s: dropout keeps %d bytes, want %d", c.precision, c.attention, got, c.want)
		}
	}
}

// What is only moved is not kept, and what is computed of weights alone there is once.
func TestWhatIsLinearOrTheSameForAllSamples(t *testing.T) {
	const moved = "x: input shape=[64]\nf: linear outFeatures=1000\nc: customModule outShape=[1000] numParams=0 flops=0\no: output\nx -> f -> c -> o"
	o := Options{Batch: 32, Precision: "fp32"}
	if got, want := written(t, moved, "customModule", "plain", o).ActivationBytes, int64(32*1000*4); got != want {
		t.Errorf("a module of which nothing is known keeps %d bytes, want its input, %d", got, want)
	}
	if got := written(t, moved, "customModule", "linear", o).ActivationBytes; got != 0 {
		t.Errorf("a linear module keeps %d bytes", got)
	}
	const angles = "x: input shape=[1000]\nf: linear outFeatures=1000\np: parameter shape=[500] trainable=false\nr: repeat repeats=[2]\nm: multiply\no: output\nx -> f\nf -> p -> r\nf, r -> m -> o"
	if got, want := written(t, angles, "", "", o).ActivationBytes, block(1000*4); got != want {
		t.Errorf("keeps %d bytes, want the factors once, %d", got, want)
	}
}

func TestNormsOfSingleOperationsKeepTheirSteps(t *testing.T) {
	const text = "x: input shape=[16,100]\nf: linear outFeatures=100\nn: layerNorm normalizedShape=100\no: output\nx -> f -> n -> o"
	const rows = 32 * 16
	for how, want := range map[string]int64{ // of each row also the root that it is divided by, and where the scale is in 32 bits a copy of it
		"steps": rows*100*(4+4+2) + rows*4, "steps/wide": rows*100*(4+4+4) + rows*4 + block(100*4), "steps/plain": rows*100*(2+2) + rows*2,
	} {
		if got := written(t, text, "layerNorm", how, Options{Batch: 32, Precision: "bf16"}).ActivationBytes; got != want {
			t.Errorf("%s keeps %d bytes, want %d", how, got, want)
		}
	}
}
