package estimate

import (
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models"
)

// TestTheCurveOfAStepHasItsPeak holds that the largest moment of the curve is the peak that Train reports, and that
// its parts add up.
func TestTheCurveOfAStepHasItsPeak(t *testing.T) {
	runs := []Options{{}, {Checkpointing: true, Precision: "bf16"}, {Batch: 8, MicroBatch: 2, Precision: "amp", Optimizer: "sgd"},
		{FusedLoss: true, Optimizer: "adafactor"}, {Adapt: &Adaptation{LoRA: &LoRA{Rank: 8}}, Precision: "bf16"}}
	for _, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		g.Normalize(catalog.Vocabulary)
		res := infer.Walk(g)
		for k, o := range runs {
			c, want := Follow(res, o), Train(res, o).PeakBytes
			if c.Peak < 0 || c.Moments[c.Peak].Total != want {
				t.Fatalf("%s, run %d: the curve has its peak at %d, Train says %d", name, k, c.Peak, want)
			}
			always := plus(c.Weights, c.States, c.Inputs)
			for _, m := range c.Moments {
				if sum := plus(always, m.Gradients, m.Activation, m.Logits, m.Step, m.Passing); sum != m.Total {
					t.Fatalf("%s, run %d, %s of %d: the parts are %d bytes of %d: %+v", name, k, m.Phase, m.Component, sum, m.Total, m)
				}
			}
			saved := int64(0)
			for _, s := range c.Saved {
				saved = plus(saved, s.Bytes)
			}
			if most := c.Moments[c.Peak].Activation; saved > most {
				t.Errorf("%s, run %d: components saved %d bytes, activations take %d (%s)", name, k, saved, most, c.Moments[c.Peak].Phase)
			}
		}
	}
}
