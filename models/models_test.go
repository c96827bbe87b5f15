package models

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// published are the numbers of weights that the reference implementations have.
var published = map[string]int64{
	"lenet5":              61_706,
	"alexnet":             61_100_840,  // torchvision.models.alexnet
	"vgg11":               132_863_336, // torchvision.models.vgg11
	"resnet18":            11_689_512,  // torchvision.models.resnet18
	"mobilenet-v2":        3_504_872,   // torchvision.models.mobilenet_v2
	"gpt2-small":          124_439_808, // transformers GPT2LMHeadModel
	"vit-tiny":            5_717_416,   // timm vit_tiny_patch16_224
	"dcgan-generator":     3_576_704,   // pytorch/examples dcgan
	"gcn-node-classifier": 23_063,      // Kipf and Welling 2017 with biases, as torch_geometric's GCNConv
}

// measuredFLOPs are what torch's FlopCounterMode counts for torchvision's models, one sample of [3,224,224], forward.
var measuredFLOPs = map[string]int64{
	"alexnet":      1_428_376_960,
	"vgg11":        15_218_180_096,
	"resnet18":     3_628_146_688,
	"mobilenet-v2": 601_548_544,
}

// justified lists, by rule and model, the warnings that the rule's page asks for, with the sentence that does.
var justified = map[string]map[string]string{}

// TestModels holds that every model runs, has the published number of weights and gets no warning, and prints all findings.
func TestModels(t *testing.T) {
	seen := 0
	for _, name := range List() {
		t.Run(name, func(t *testing.T) {
			g, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			g.Normalize(catalog.Vocabulary)
			res := infer.Walk(g)
			t.Logf("%s weights, %s", quantity.Grouped(res.Params), quantity.FLOPs(res.FLOPs))
			if want, ok := published[name]; ok {
				seen++
				if res.Params != want {
					t.Errorf("has %s weights, published are %s", quantity.Grouped(res.Params), quantity.Grouped(want))
				}
			}
			if want, ok := measuredFLOPs[name]; ok && res.FLOPs != want {
				t.Errorf("has %s FLOPs, torch counts %s", quantity.Grouped(res.FLOPs), quantity.Grouped(want))
			}
			for _, f := range rules.Run(res) {
				where := "the graph"
				if f.Node >= 0 {
					where = g.Components[f.Node].ID
				}
				t.Logf("%s: %s: %s: %s", f.Rule.Severity, where, f.Rule.ID, f.Message)
				if reason := justified[f.Rule.ID][name]; f.Rule.Severity != rules.Info && (reason == "" || !strings.Contains(f.Rule.Doc, reason)) {
					t.Errorf("%s: %s", f.Rule.ID, f.Message)
				}
			}
		})
	}
	if seen != len(published) {
		t.Errorf("%d of %d models with a published number are there", seen, len(published))
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	if _, err := Open("nothing"); err == nil {
		t.Error("a model that is not there was opened")
	}
}
