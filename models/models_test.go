package models

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// measuredFLOPs are what torch's FlopCounterMode counts for torchvision's models, one sample of [3,224,224], forward.
var measuredFLOPs = map[string]int64{
	"alexnet":            1_428_376_960,
	"convnext-t":         8_911_062_528,
	"densenet121":        5_668_323_328,
	"efficientnet-b0":    771_629_504,
	"efficientnet-b4":    3_007_420_864,
	"googlenet":          2_996_752_384,
	"swin-t":             8_981_133_312,
	"vit-b-16":           35_127_656_448,
	"mnasnet1.0":         628_831_744,
	"mobilenet-v2":       601_548_544,
	"mobilenet-v3-large": 433_179_520,
	"mobilenet-v3-small": 113_020_800,
	"resnet101":          15_602_810_880,
	"resnet18":           3_628_146_688,
	"resnet34":           7_327_522_816,
	"resnet50":           8_178_368_512,
	"resnext50-32x4d":    8_460_959_744,
	"shufflenet-v2":      289_815_984,
	"squeezenet1.1":      698_303_872,
	"vgg11":              15_218_180_096,
	"vgg16":              30_940_528_640,
	"wide-resnet50-2":    22_796_042_240,
}

// families are the kinds of models that an index can group by.
var families = []string{
	"convolutional", "vision transformer", "segmentation", "detection", "mixer", "encoder", "decoder", "mixture of experts", "encoder-decoder",
	"state space", "hybrid", "speech", "multimodal", "recurrent", "recommender", "graph network", "diffusion", "generative",
}

// justified lists, by rule and model, the warnings that the rule's page asks for, with the sentence that does.
var justified = map[string]map[string]string{
	// The mask token of DINOv2 serves its pretraining alone, and a classifier made of it keeps it.
	"dead-end": {"dinov2-small": "weights on the way to it alone get no gradient"},
}

// TestModels holds that every model runs, has exactly the number of weights of its reference and gets no warning without a
// reason, and prints all findings.
func TestModels(t *testing.T) {
	for _, e := range Entries() {
		t.Run(e.ID, func(t *testing.T) {
			g, err := Open(e.ID)
			if err != nil {
				t.Fatal(err)
			}
			g.Normalize(catalog.Vocabulary)
			res := infer.Walk(g)
			t.Logf("%s weights, %s, %d components", quantity.Grouped(res.Params), quantity.FLOPs(res.FLOPs), len(g.Components))
			if res.Params != e.Params {
				t.Errorf("has %s weights, its reference has %s", quantity.Grouped(res.Params), quantity.Grouped(e.Params))
			}
			if want, ok := measuredFLOPs[e.ID]; ok && res.FLOPs != want {
				t.Errorf("has %s FLOPs, torch counts %s", quantity.Grouped(res.FLOPs), quantity.Grouped(want))
			}
			if n := len(g.Components); n > graph.ServiceLimits.Components {
				t.Errorf("has %d components, more than the service takes", n)
			}
			for _, f := range rules.Run(res) {
				where := "the graph"
				if f.Node >= 0 {
					where = g.Components[f.Node].ID
				}
				t.Logf("%s: %s: %s: %s", f.Rule.Severity, where, f.Rule.ID, f.Message)
				if reason := justified[f.Rule.ID][e.ID]; f.Rule.Severity != rules.Info && (reason == "" || !strings.Contains(f.Rule.Doc, reason)) {
					t.Errorf("%s: %s: %s", where, f.Rule.ID, f.Message)
				}
			}
		})
	}
}

func TestEveryMeasuredModelIsThere(t *testing.T) {
	ids := List()
	for id := range measuredFLOPs {
		if !slices.Contains(ids, id) {
			t.Errorf("there is no model %s", id)
		}
	}
}

// TestEntriesAgreeWithWhatIsPublished compares the exact number with the one that the authors print, which is rounded or cut off
// in its last digit.
func TestEntriesAgreeWithWhatIsPublished(t *testing.T) {
	all := Entries()
	if len(all) < 60 {
		t.Errorf("there are %d models, fewer than 60", len(all))
	}
	names := map[string]string{}
	for _, e := range all {
		if other := names[e.Name]; other != "" {
			t.Errorf("%s and %s are both named %s", other, e.ID, e.Name)
		}
		names[e.Name] = e.ID
		if !slices.Contains(families, e.Family) {
			t.Errorf("%s: %q is not one of the families", e.ID, e.Family)
		}
		if e.Published == "" {
			continue
		}
		value, unit := rounded(t, e.Published)
		if math.Abs(float64(e.Params)-value) >= unit {
			t.Errorf("%s: has %s weights, published are %s", e.ID, quantity.Grouped(e.Params), e.Published)
		}
	}
}

// rounded reads a number such as 8.03B: its value, and what one in its last digit is worth.
func rounded(t *testing.T, s string) (value, unit float64) {
	t.Helper()
	digits := s[:len(s)-1]
	value, err := strconv.ParseFloat(digits, 64)
	scale := map[byte]float64{'K': 1e3, 'M': 1e6, 'B': 1e9}[s[len(s)-1]]
	if err != nil || scale == 0 {
		t.Fatalf("%q is not a number such as 8.03B", s)
	}
	_, fraction, _ := strings.Cut(digits, ".")
	return value * scale, scale / math.Pow10(len(fraction))
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	if _, err := Open("nothing"); err == nil {
		t.Error("a model that is not there was opened")
	}
}

func TestHeaderSaysWhatIsMissing(t *testing.T) {
	const whole = "graph \"Net\"\n// family: encoder\n// params: 1,024\n// published: 1.0K\n// source: a paper: its page 2\n// more\n"
	want := Entry{"net", "Net", "encoder", 1024, "1.0K", "a paper: its page 2"}
	if e, err := header("net", whole); err != nil || e != want {
		t.Errorf("%+v, %v, want %+v", e, err, want)
	}
	for _, cut := range []string{"Net", "// family: encoder\n", "// params: 1,024\n", "// source: a paper: its page 2\n", "1,024"} {
		if e, err := header("net", strings.Replace(whole, cut, "", 1)); err == nil {
			t.Errorf("without %q it is %+v", cut, e)
		}
	}
}
