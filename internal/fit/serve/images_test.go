package serve

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
)

// sees is a small model that reads an image of 16 patches beside text.
const sees = `i: input shape=[3,32,32]
p: patchEmbed patchSize=8 inChannels=3 embedDim=64
x: input shape=[512]
e: embedding vocabSize=100 embedDim=64
j: concatenate dim=1
a: causalAttention embedDim=64 numHeads=4
h: lmHead embedDim=64 vocabSize=100
o: output
i -> p
x -> e
p, e -> j -> a -> h -> o`

func walkedText(t *testing.T, text string) *infer.Result {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

// What the images of a request take is said, with and without a card; a request that is longer than a sequence is found.
func TestImagesOfARequest(t *testing.T) {
	model := walkedText(t, sees)
	command := "vllm serve m --max-model-len 256"
	for _, card := range []*hardware.GPU{nil, hardware.Lookup("L4")} {
		r := Check(model, &Request{Command: command, GPU: card, Images: 4})
		if r.Images == nil || r.Images.Tokens == nil || *r.Images.Tokens != 64 || *r.Images.TokensEach != 16 || r.Images.ActivationBytes <= 0 {
			t.Errorf("card %v: %+v", card, r.Images)
		}
	}
	if r := Check(model, &Request{Command: command, GPU: hardware.Lookup("L4")}); r.Images != nil {
		t.Errorf("nobody asked for %+v", r.Images)
	}
	r := Check(model, &Request{Command: command, GPU: hardware.Lookup("L4"), Images: 20})
	if text := explain(r); !strings.Contains(text, "20 images take 320 tokens of the prompt, 16 each, and a sequence has at most 256") {
		t.Error(text)
	}
}

// The tower's activations are what the card holds where they are more than those of the text.
func TestImagesTakeMemory(t *testing.T) {
	model := walkedText(t, strings.NewReplacer("[3,32,32]", "[3,256,256]", "patchSize=8", "patchSize=64").Replace(sees))
	command := "vllm serve m --max-model-len 256"
	few := Check(model, &Request{Command: command, GPU: hardware.Lookup("L4"), Images: 1})
	many := Check(model, &Request{Command: command, GPU: hardware.Lookup("L4"), Images: 4096})
	if a, b := few.Memory.ActivationsGb.String(), many.Memory.ActivationsGb.String(); a == b {
		t.Errorf("1 image and 4,096 both take %s GB of activations", a)
	}
}

// A model that reads text alone is not said to see.
func TestImagesOfAModelThatDoesNotSee(t *testing.T) {
	r := Check(modelOf(t, "llama-3.1-8b"), &Request{Command: "vllm serve m", GPU: hardware.Lookup("H100"), Images: 1})
	if text := explain(r); !strings.Contains(text, "no input of this graph takes images") {
		t.Error(text)
	}
}
