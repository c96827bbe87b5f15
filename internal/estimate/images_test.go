package estimate

import "testing"

const seeingModel = "i: input shape=[3,32,32]\np: patchEmbed imgSize=32 patchSize=8 inChannels=3 embedDim=64\nv: linear inFeatures=64 outFeatures=64\n" +
	"x: input shape=[40]\ne: embedding vocabSize=100 embedDim=64\nj: concatenate dim=1\na: causalAttention embedDim=64 numHeads=4\nh: lmHead embedDim=64 vocabSize=100\no: output\n" +
	"i -> p -> v\nx -> e\nv, e -> j -> a -> h -> o"

// Sixteen patches of an image are sixteen tokens. The tower holds more for more images, whichever request they are of.
func TestImagesTakeTokensAndTheTower(t *testing.T) {
	res := parse(t, seeingModel)
	if len(res.Refusals) > 0 {
		t.Fatal(res.Refusals)
	}
	one, four := Infer(res, InferOptions{Images: 1}).Images, Infer(res, InferOptions{Images: 4}).Images
	if four.TokensEach != 16 || four.Tokens() != 64 || four.Open != "" {
		t.Errorf("%+v", four)
	}
	if one.ActivationBytes == 0 || four.ActivationBytes <= 2*one.ActivationBytes || four.ActivationBytes > 4*one.ActivationBytes || four.WeightBytes != one.WeightBytes {
		t.Errorf("of one image %+v, of four %+v", one, four)
	}
	many, all := Infer(res, InferOptions{Images: 4, Batch: 3}).Images, Infer(res, InferOptions{Images: 12}).Images
	if many.ActivationBytes != all.ActivationBytes || many.Tokens() != four.Tokens() {
		t.Errorf("three requests of four images: %+v, one of twelve: %+v", many, all)
	}
	if Infer(res, InferOptions{}).Images != nil {
		t.Error("images were counted that nobody asked for")
	}
}

// The peak follows the tower where that holds the most.
func TestManyImagesRaiseThePeak(t *testing.T) {
	res := parse(t, seeingModel)
	few, many := Infer(res, InferOptions{}), Infer(res, InferOptions{Images: MaxImages})
	if want := many.WeightBytes + many.Images.ActivationBytes; many.PeakBytes != want || many.PeakBytes <= few.PeakBytes {
		t.Errorf("%d bytes at the peak, want %d; without images %d", many.PeakBytes, want, few.PeakBytes)
	}
}

// What is not known is said, and not counted.
func TestImagesAreOpenWhereNothingSees(t *testing.T) {
	text := "x: input shape=[40]\ne: embedding vocabSize=100 embedDim=64\na: causalAttention embedDim=64 numHeads=4\nh: lmHead embedDim=64 vocabSize=100\no: output\nx -> e -> a -> h -> o"
	if got := Infer(parse(t, text), InferOptions{Images: 2}).Images; got.Open != noImages || got.TokensEach != 0 || got.ActivationBytes != 0 {
		t.Errorf("%+v", got)
	}
	looks := "i: input shape=[3,32,32]\np: patchEmbed imgSize=32 patchSize=8 inChannels=3 embedDim=64\nx: input shape=[40]\ne: embedding vocabSize=100 embedDim=64\n" +
		"c: crossAttention embedDim=64 numHeads=4\nh: lmHead embedDim=64 vocabSize=100\no: output\ni -> p\nx -> e\ne, p -> c -> h -> o"
	if got := Infer(parse(t, looks), InferOptions{Images: 2}).Images; got.Open != lookedAt || got.TokensEach != 0 || got.ActivationBytes == 0 {
		t.Errorf("%+v", got)
	}
}
