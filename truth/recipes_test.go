package truth

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/estimate"
)

// Runs of what people train today: adapters of peft, weights and optimizers of bitsandbytes, accumulation. recipes_measure.py measured them.
const recipesFile = "recipes.jsonl.gz"

// recipe is such a run. Targets is a name or a list of them.
type recipe struct {
	Model, Run, Task, Quant, Recipe                     string
	Batch, Seq, LoRA, Accumulation, AdapterBits, Prompt int64
	Dropout                                             float64
	Prepared                                            *bool
	Autocast, Aside                                     bool
	Targets                                             any
	Config                                              json.RawMessage
	PeakBytes                                           int64
	StepMs                                              float64
}

// optimizersOf are the words of the rows for the optimizers of bitsandbytes.
var optimizersOf = map[string]string{"adamw8bit": "adamw-8bit", "paged-adamw8bit": "paged-adamw-8bit", "paged-adamw": "paged-adamw"}

// options are what is asked for. A quantised base that peft has prepared has all else in 32 bits.
func (c *recipe) options() estimate.Options {
	words := strings.Fields(c.Run)
	o := estimate.Options{Batch: c.Batch, Precision: words[0], Attention: words[1], Optimizer: words[2], Checkpointing: len(words) > 3, GPU: "H200"}
	if name := optimizersOf[words[2]]; name != "" {
		o.Optimizer = name
	}
	if c.Accumulation > 1 {
		o.Batch, o.MicroBatch = c.Batch*c.Accumulation, c.Batch
	}
	if c.LoRA > 0 {
		l := &estimate.LoRA{Rank: c.LoRA, Dropout: c.Dropout, Bits: c.AdapterBits}
		if list, ok := c.Targets.([]any); ok {
			for _, name := range list {
				l.Targets = append(l.Targets, name.(string))
			}
		}
		o.Adapt = &estimate.Adaptation{LoRA: l}
	}
	o.Autocast = c.Autocast
	if o.Packing = c.Recipe == "packed"; !o.Packing {
		o.Objective = c.Recipe
	}
	if c.Prompt > 0 {
		o.Completion = c.Seq - c.Prompt
	}
	if c.Quant != "" {
		if o.Base = "nf4-double"; c.Quant == "int8" {
			o.Base = "int8"
		}
		switch {
		case c.Prepared != nil && !*c.Prepared:
		case c.Autocast:
			o.Precision = "amp"
		default:
			o.Precision = "fp32"
		}
	}
	return o
}

// TestRecipes holds the peak of such runs to what was measured.
func TestRecipes(t *testing.T) {
	var rest, aside []float64
	lines(t, recipesFile, func(line []byte) {
		var c recipe
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		r := run{Task: c.Task, Config: c.Config, SeqLen: c.Seq}
		res, err := r.infer()
		if err != nil {
			t.Fatalf("%s: %v", c.Model, err)
		}
		got := estimate.Train(res, c.options())
		share := float64(got.PeakBytes) / float64(c.PeakBytes)
		if c.Aside {
			aside = append(aside, share)
			return
		}
		rest = append(rest, share)
		t.Logf("%-13s %2d × %4d %-24s %-4s lora %2d %-4s dropout %.2f: peak %.3f, step %.3f", c.Model, c.Batch, c.Seq, c.Run, c.Recipe, c.LoRA, c.Quant, c.Dropout, share,
			float64(got.StepMicros)/1000/c.StepMs)
	})
	for what, list := range map[string][]float64{"set aside": aside, "the others": rest} {
		e := errorsIn(list)
		t.Logf("%s: %d runs, peak off by %s (median, p90, p95, worst, too low, by at most)", what, len(list), e)
		if e.median > 0.01 || e.p95 > 0.05 {
			t.Errorf("%s: peak off by %s; the bars are 1 %% in the median and 5 %% in nineteen of twenty", what, e)
		}
	}
}
