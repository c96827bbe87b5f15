package estimate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

func TestTheLayerOfAModule(t *testing.T) {
	for scope, want := range map[string]string{"model.layers.11.self_attn.q_proj": "model.layers.11", "encoder.block.0.layer.1.DenseReluDense": "encoder.block.0",
		"model.embed_tokens": "", "": "", "h.3": "h.3", "conv2d.x": "", "a..7": "a..7"} {
		if got := layerOf(scope); got != want {
			t.Errorf("%q is in layer %q, want %q", scope, got, want)
		}
	}
}

// Of a layer of transformers' only what comes in is kept; its peak holds what one layer keeps, and not what all of them do.
func TestCheckpointingOfTransformersCoversWholeLayers(t *testing.T) {
	train := func(layers int, checkpointing bool) *Training {
		var b strings.Builder
		b.WriteString("x: input shape=[1024]\ne: embedding numEmbeddings=1000 embeddingDim=512\n")
		last := "x -> e"
		for l := range layers {
			fmt.Fprintf(&b, "n%d: rmsNorm normalizedShape=512\nm%d: swiglu embedDim=512 intermediateSize=2048\ns%d: add\n", l, l, l)
		}
		b.WriteString("h: lmHead embedDim=512 vocabSize=1000\no: output\n" + last + "\n")
		from := "e"
		for l := range layers {
			fmt.Fprintf(&b, "%s -> n%d -> m%d -> s%d\n%s -> s%d\n", from, l, l, l, from, l)
			from = fmt.Sprintf("s%d", l)
		}
		b.WriteString(from + " -> h -> o\n")
		res := parse(t, b.String())
		for i := range res.Nodes {
			c := res.Nodes[i].Component
			if c.ID[0] == 'n' || c.ID[0] == 'm' || c.ID[0] == 's' {
				c.Extra = []graph.Member{{Name: "scope", Raw: `"model.layers.` + c.ID[1:] + `.part"`}}
			}
			nameModule(&res.Nodes[i], "transformers")
		}
		return Train(res, Options{Batch: 8, Checkpointing: checkpointing})
	}
	const stream = 8 * 1024 * 512 * 4 // what flows from layer to layer
	small, large := train(2, true), train(12, true)
	if got := large.ActivationBytes - small.ActivationBytes; got < 10*stream || got > 10*(stream+smallBytes) { // the allocator may leave a little with each
		t.Errorf("ten more layers keep %d bytes, want ten results of layers, %d", got, 10*stream)
	}
	if plain := train(12, false); plain.PeakBytes < 2*large.PeakBytes {
		t.Errorf("the peak is %d with checkpointing and %d without", large.PeakBytes, plain.PeakBytes)
	}
	if large.PeakBytes-large.WeightBytes-large.OptimizerBytes < 11*stream+4*8*1024*2048*4 { // the head was given the last one
		t.Errorf("the peak %d does not hold a layer that was computed again", large.PeakBytes)
	}
}

// A stage that is computed again has what all of its layers keep, and one whose layers are computed again inside of it what one does.
func TestCheckpointingOfLayersInsideAStage(t *testing.T) {
	peak := func(how string) int64 {
		text, last := "x: input shape=[1024,512]\n", "x"
		for l := range 4 {
			text += fmt.Sprintf("m%d: swiglu embedDim=512 intermediateSize=2048\n%s -> m%d\n", l, last, l)
			last = fmt.Sprintf("m%d", l)
		}
		res := parse(t, text+"o: output\n"+last+" -> o\n")
		for i := range res.Nodes {
			if c := res.Nodes[i].Component; c.ID[0] == 'm' {
				c.Extra = []graph.Member{{Name: "scope", Raw: `"encoder.layers.0.blocks.` + c.ID[1:] + `.part"`}}
			}
			nameModule(&res.Nodes[i], "transformers"+how)
		}
		return Train(res, Options{Batch: 8, Checkpointing: true}).PeakBytes
	}
	const layer = 4 * 8 * 1024 * 2048 * 4
	if stage, nested := peak(""), peak("/nested"); stage-nested < 2*layer {
		t.Errorf("the peak is %d, and %d where layers are computed again by themselves; want three layers less, of %d each", stage, nested, layer)
	}
}
