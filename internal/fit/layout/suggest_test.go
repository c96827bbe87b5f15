package layout

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/rules"
	_ "github.com/modelverifier/verifier/internal/seed"
)

func suggest(t testing.TB, model, framework string, gpus, batch int64) *Suggestions {
	r := parse(t, framework, "gpu=h100")
	r.GlobalBatch = &batch
	return Suggest(open(t, model), r, gpus, 20)
}

func TestSuggestionsAreLegalFitAndUseEveryGPU(t *testing.T) {
	for _, framework := range Frameworks {
		for _, model := range []string{"llama3-8b", "llama3-70b", "mixtral-8x7b", "deepseek-v3", "gpt2", "graph:resnet18"} {
			s := suggest(t, model, framework, 64, 512)
			if len(s.Layouts) == 0 && model != "deepseek-v3" && (model != "llama3-70b" || framework != "deepspeed") {
				t.Errorf("%s %s: nothing was found", framework, model)
			}
			last := int64(0)
			for _, l := range s.Layouts {
				r := parse(t, framework, "gpu=h100")
				batch := int64(512)
				r.TP, r.PP, r.DP, r.CP, r.EP, r.VPP, r.MicroBatch, r.GlobalBatch, r.Zero, r.Recompute = l.TP, l.PP, l.DP, l.CP, l.EP, l.VPP, l.MicroBatch, &batch, &l.Zero, l.Recompute
				if l.ETP > 0 {
					r.ETP = &l.ETP
				}
				if l.LastStageLayers > 0 {
					r.LastLayers = &l.LastStageLayers
				}
				got := Check(open(t, model), r)
				for _, f := range got.Findings {
					if f.Severity == rules.Block || f.Rule == "layout-memory" {
						t.Errorf("%s %s: %+v is suggested, and %s", framework, model, l, f.Detail)
					}
				}
				if l.TP*l.PP*l.DP*l.CP != 64 || l.micros < last {
					t.Errorf("%s %s: %+v", framework, model, l)
				}
				last = l.micros
			}
		}
	}
}

func TestSuggestionsAreTheSameEveryTime(t *testing.T) {
	a, b := suggest(t, "mixtral-8x7b", "megatron", 128, 1024), suggest(t, "mixtral-8x7b", "megatron", 128, 1024)
	if !reflect.DeepEqual(a, b) {
		t.Error("two searches differ")
	}
}

func TestASmallModelNeedsNoSplit(t *testing.T) {
	if s := suggest(t, "gpt2", "megatron", 8, 64); len(s.Layouts) == 0 || s.Layouts[0].TP != 1 || s.Layouts[0].PP != 1 || s.Layouts[0].DP != 8 {
		t.Errorf("%+v", s.Layouts)
	}
}

// TestAnyLayoutGetsAnAnswer draws sizes from the whole range of integers.
func TestAnyLayoutGetsAnAnswer(t *testing.T) {
	models := []string{"gpt2", "smollm2-135m", "graph:moe-decoder", "graph:resnet18", "graph:two-tower"}
	size := rapid.OneOf(rapid.Int64Range(1, 16), rapid.Int64Range(-2, 64), rapid.Int64())
	rapid.Check(t, func(rt *rapid.T) {
		r := Default()
		r.Framework, r.Recompute = rapid.SampledFrom(Frameworks).Draw(rt, "framework"), rapid.SampledFrom(Recomputes).Draw(rt, "recompute")
		for _, n := range []*int64{&r.TP, &r.PP, &r.DP, &r.CP, &r.EP, &r.VPP, &r.MicroBatch} {
			*n = size.Draw(rt, "size")
		}
		for _, n := range []**int64{&r.Zero, &r.GlobalBatch, &r.SeqLen, &r.FirstLayers, &r.LastLayers} {
			if rapid.Bool().Draw(rt, "given") {
				v := size.Draw(rt, "size")
				*n = &v
			}
		}
		if rapid.Bool().Draw(rt, "card") {
			r.GPU = hardware.Lookup("t4")
		}
		out := Check(open(t, rapid.SampledFrom(models).Draw(rt, "model")), r)
		if out.Legal != (out.Verdict != "block" || onlyMemory(out)) {
			rt.Fatalf("%+v", out)
		}
		for _, s := range out.Stages {
			if s.Params < 0 || s.Layers < 0 || s.PeakGB.Unscaled < 0 {
				rt.Fatalf("%+v", s)
			}
		}
		if out.Bubble != nil && (out.Bubble.Unscaled < 0 || out.Bubble.Unscaled > 10_000) {
			rt.Fatalf("%v is idle", out.Bubble)
		}
		if _, err := json.Marshal(out); err != nil {
			rt.Fatal(err)
		}
	})
}

func onlyMemory(r *Result) bool {
	for _, f := range r.Findings {
		if f.Severity == rules.Block && f.Rule != "layout-memory" {
			return false
		}
	}
	return true
}

func TestStagesAddUpToTheModel(t *testing.T) {
	for _, layout := range []string{"pp=1", "pp=4 global_batch=4", "pp=8 vpp=2 global_batch=8", "pp=4 first_stage_layers=5 global_batch=4"} {
		for _, framework := range Frameworks {
			r := Check(open(t, "llama3-8b"), parse(t, framework, layout))
			params, layers := int64(0), int64(0)
			for _, s := range r.Stages {
				params, layers = params+s.Params, layers+s.Layers
			}
			if params != 8030261248 || layers != 32 {
				t.Errorf("%s %s: %d parameters in %d layers", framework, layout, params, layers)
			}
		}
	}
}

// TestActivationsAreThoseOfThePaper compares with Korthikanti et al. 2022, table 2: 34·s·b·h bytes a layer for GPT, of which 10 are
// not split without sequence parallelism. Their dropout masks, 2 bytes of it, are not in a graph that drops nothing.
func TestActivationsAreThoseOfThePaper(t *testing.T) {
	res := open(t, "gpt2")
	m := newModel(res, nil)
	c := newPlan(m, parse(t, "megatron", "tp=4"), &megatron)
	layer := &m.parts[5]
	unit := float64(1024 * 768)
	whole := float64(layer.inner+layer.stream) / unit
	split := float64(c.onRank(layer.inner, layer.stream)) / unit
	off := false
	r := parse(t, "megatron", "tp=4")
	r.SequenceParallel = &off
	alone := float64(newPlan(m, r, &megatron).onRank(layer.inner, layer.stream)) / unit
	if math.Abs(whole-32) > 4 || math.Abs(split-whole/4) > 0.01 || math.Abs(alone-(24.0/4+8)) > 4 {
		t.Errorf("a layer keeps %.1f s·b·h, %.1f on one of 4 ranks, %.1f of them without sequence parallelism", whole, split, alone)
	}
	t.Logf("%.2f, %.2f, %.2f", whole, split, alone)
}

func BenchmarkCheck(b *testing.B) {
	res := open(b, "llama3-70b")
	r := parse(b, "megatron", "tp=8 pp=8 dp=8 global_batch=512 gpu=h100")
	for b.Loop() {
		Check(res, r)
	}
}

func BenchmarkSuggest512(b *testing.B) {
	for _, name := range []string{"llama3-70b", "mixtral-8x7b", "deepseek-v3"} {
		res := open(b, name)
		batch := int64(2048)
		r := parse(b, "megatron", "gpu=h100")
		r.GlobalBatch = &batch
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Suggest(res, r, 512, 5)
			}
		})
	}
}
