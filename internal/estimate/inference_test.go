package estimate

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
)

func TestCachesByKindOfAttention(t *testing.T) {
	body := "x: input shape=[1024]\ne: embedding vocabSize=1000 embedDim=512\na: %s\nh: lmHead embedDim=512 vocabSize=1000\no: output\nx -> e -> a -> h -> o"
	for attention, want := range map[string]Cache{
		"causalAttention embedDim=512 numHeads=8":                                                 {Kind: CacheFull, BytesPerToken: 2 * 512 * 2, Bytes: 3 * 1024 * 2 * 512 * 2},
		"groupedQueryAttention embedDim=512 numHeads=8 numKVHeads=2":                              {Kind: CacheGrouped, BytesPerToken: 2 * 2 * 64 * 2, Bytes: 3 * 1024 * 2 * 2 * 64 * 2},
		"ropeAttention embedDim=512 numHeads=8 numKVHeads=2 headDim=128":                          {Kind: CacheGrouped, BytesPerToken: 2 * 2 * 128 * 2, Bytes: 3 * 1024 * 2 * 2 * 128 * 2},
		"ropeAttention embedDim=512 numHeads=8 windowSize=100":                                    {Kind: CacheSliding, BytesPerToken: 2 * 512 * 2, Window: 100, Bytes: 3 * 100 * 2 * 512 * 2},
		"localAttention embedDim=512 numHeads=8 windowSize=5000 causal=true":                      {Kind: CacheSliding, BytesPerToken: 2 * 512 * 2, Window: 5000, Bytes: 3 * 1024 * 2 * 512 * 2},
		"mla embedDim=512 numHeads=8 kvLoraRank=64 qkNopeHeadDim=32 qkRopeHeadDim=16 vHeadDim=32": {Kind: CacheLatent, BytesPerToken: (64 + 16) * 2, Bytes: 3 * 1024 * 80 * 2},
		"lstm inputSize=512 hiddenSize=512 numLayers=2":                                           {Kind: CacheState, Bytes: 3 * 2 * 2 * 512 * 2},
		"mamba embedDim=512":                               {Kind: CacheState, Bytes: 3 * (1024*16 + 1024*4) * 2},
		"retention embedDim=512 numHeads=8":                {Kind: CacheState, Bytes: 3 * 512 * 512 * 2 / 8 * 2},
		"deltaNet embedDim=512 numHeads=8":                 {Kind: CacheState, Bytes: 3 * (512*64 + 3*512*4) * 2},
		"gatedDeltaNet embedDim=512 numHeads=4 headDim=32": {Kind: CacheState, Bytes: 3 * (4*32*64 + 4*(32+32+64)*4) * 2},
		"gatedLinearAttention embedDim=512":                {Kind: CacheState, Bytes: 3 * 256 * 512 / 4 * 2},
		"rgLru embedDim=512":                               {Kind: CacheState, Bytes: 3 * 512 * 2},
		"mLSTM embedDim=512":                               {Kind: CacheState, Bytes: 3 * (512*128 + 512 + 4) * 2},
		"sLSTM embedDim=512":                               {Kind: CacheState, Bytes: 3 * 4 * 512 * 2},
		"titansMemory embedDim=512 numHeads=8":             {Kind: CacheState, Bytes: 3 * 2 * 512 * 64 * 2},
		"tttLayer embedDim=512 numHeads=8":                 {Kind: CacheState, Bytes: 3 * 512 * 64 * 2},
	} {
		want.Layers = 1
		got := Infer(parse(t, strings.Replace(body, "%s", attention, 1)), InferOptions{Batch: 3})
		if len(got.Caches) != 1 || got.Caches[0] != want || got.CacheBytes != want.Bytes || got.BytesPerToken != want.BytesPerToken {
			t.Errorf("%s: %+v, want %+v", attention, got.Caches, want)
		}
		if got.Options.Prompt+got.Options.Generated != 1024 || got.Options.Generated != 256 {
			t.Errorf("%s: reads %d tokens and writes %d", attention, got.Options.Prompt, got.Options.Generated)
		}
	}
	for _, attention := range []string{"selfAttention embedDim=512 numHeads=8", "localAttention embedDim=512 numHeads=8 windowSize=8",
		"bidirectionalLSTM inputSize=512 hiddenSize=256", "groupedQueryAttention embedDim=512 numHeads=8 causal=false"} {
		if got := Infer(parse(t, strings.Replace(body, "%s", attention, 1)), InferOptions{}); got.CacheBytes != 0 || got.Options.Prompt != 0 || len(got.Caches) != 0 {
			t.Errorf("%s writes no tokens but remembers %d bytes: %+v", attention, got.CacheBytes, got.Options)
		}
	}
}

func TestADecoderRemembersWhatItAttendsTo(t *testing.T) {
	text := "s: input shape=[30,64]\nx: input shape=[20]\ne: embedding vocabSize=100 embedDim=64\nd: transformerDecoderBlock embedDim=64 numHeads=4\n" +
		"a: causalAttention embedDim=64 numHeads=4\nc: crossAttention embedDim=64 numHeads=4\nh: lmHead embedDim=64 vocabSize=100\no: output\n" +
		"x -> e\ne, s -> d -> a\na, s -> c -> h -> o"
	got := Infer(parse(t, text), InferOptions{Precision: "fp32", Prompt: 15, Generated: 5})
	want := []Cache{
		{Kind: CacheFull, Layers: 2, BytesPerToken: 128 * 4, Bytes: 2 * 20 * 128 * 4},
		{Kind: CacheCross, Layers: 2, Bytes: 2 * 30 * 128 * 4},
	}
	if !slices.Equal(got.Caches, want) {
		t.Errorf("remembers %+v, want %+v", got.Caches, want)
	}
}

func TestWeightsByPrecision(t *testing.T) {
	res := parse(t, "x: input shape=[1024]\nf: linear outFeatures=2048 bias=false\ng: linear outFeatures=8\no: output\nx -> f -> g -> o")
	const matrix = 1024 * 2048 // and a head of 2,048 by 8, whose bias takes one block
	for precision, want := range map[string]int64{
		"fp32": 4*matrix + 4*2048*8 + 512, "bf16": 2*matrix + 2*2048*8 + 512, "fp16": 2*matrix + 2*2048*8 + 512,
		"int8": matrix + 4*2048 + 2*2048*8 + 512, "int4": matrix/2 + matrix/128*5/2 + 2*2048*8 + 512,
	} {
		if got := Infer(res, InferOptions{Precision: precision}); got.WeightBytes != want {
			t.Errorf("%s takes %d bytes, want %d", precision, got.WeightBytes, want)
		}
	}
}

// What comes in stays with whoever calls. Beside it are the inner tensors of a feed-forward network, before there is what goes out.
func TestActivationsOfAForwardPass(t *testing.T) {
	res := parse(t, "x: input shape=[1024,64]\nf: feedForward embedDim=64\no: output\nx -> f -> o")
	got := Infer(res, InferOptions{Batch: 2, Precision: "fp32"})
	const one = 2 * 1024 * 64 * 4
	if got.ActivationBytes != one+2*4*one {
		t.Errorf("activations take %d bytes, want %d", got.ActivationBytes, 9*one)
	}
	if got.PeakBytes != got.WeightBytes+got.ActivationBytes || got.CardBytes <= got.PeakBytes || got.GPU == nil {
		t.Errorf("%+v", got)
	}
	chain := Infer(parse(t, "x: input shape=[1024,64]\na: relu\nb: relu\nc: relu\no: output\nx -> a -> b -> c -> o"), InferOptions{Batch: 2, Precision: "fp32"})
	if chain.ActivationBytes != 3*one {
		t.Errorf("a chain holds %d bytes, want what comes in and two tensors, %d", chain.ActivationBytes, 3*one)
	}
}

func TestALongerPromptTakesMore(t *testing.T) {
	res := parse(t, decoder)
	short, long := Infer(res, InferOptions{Prompt: 100, Generated: 10}), Infer(res, InferOptions{Prompt: 1000, Generated: 10})
	if long.ActivationBytes <= short.ActivationBytes || long.CacheBytes <= short.CacheBytes || long.PeakBytes <= short.PeakBytes {
		t.Errorf("%+v and %+v", short, long)
	}
	eager := Infer(res, InferOptions{Prompt: 1000, Generated: 10, Attention: "eager"})
	if eager.ActivationBytes <= long.ActivationBytes {
		t.Errorf("scores take nothing: %d and %d", eager.ActivationBytes, long.ActivationBytes)
	}
}

func TestInferenceNeverFails(t *testing.T) {
	texts := []string{"", "x: input shape=[784]", "a: linear inFeatures=3 outFeatures=4\na -> a", "x: input shape=[8]\nf: nosuchtype\no: output\nx -> f -> o"}
	for _, ty := range catalog.Types() { // of every type, with nothing that comes in, and with what most do not take
		texts = append(texts, "f: "+ty.ID+"\no: output\nf -> o")
		for _, shape := range []string{"[]", "[4]", "[4,8]", "[3,8,8]", "[1,2,3,4]", "[4611686018427387904,8]"} {
			texts = append(texts, "x: input shape="+shape+"\nf: "+ty.ID+"\no: output\nx -> f -> o",
				"x: input shape="+shape+"\nf: "+ty.ID+" embedDim=8 numHeads=2 inFeatures=8 outFeatures=4 inChannels=3 outChannels=6 kernelSize=1\no: output\nx -> f -> o")
		}
	}
	for _, text := range texts {
		Infer(parse(t, text), InferOptions{Attention: "eager", Precision: "fp32"})
		got := Infer(parse(t, text), InferOptions{Batch: -1, Precision: "none", Prompt: -5, Generated: 1 << 62})
		if got.PeakBytes < 0 || got.CardBytes <= 0 || got.Assumptions() == "" {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
