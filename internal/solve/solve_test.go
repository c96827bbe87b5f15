package solve

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models"
)

func walked(t interface{ Fatal(...any) }, text string) *infer.Result {
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	if len(res.Refusals) > 0 {
		t.Fatal(text, res.Refusals)
	}
	return res
}

func bundled(t testing.TB, id string) *infer.Result {
	t.Helper()
	g, err := models.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		unit, limit int64
		want        string
	}{
		{1, 5, "[1 2 3 4 5]"}, {1, 1, "[1]"}, {64, 50, "[1 2 4 8 16 32 50]"}, {64, 200, "[1 2 4 8 16 32 64 128 192 200]"},
	} {
		if got := fmt.Sprint(steps(c.unit, c.limit)); got != c.want {
			t.Errorf("%d to %d: %s, want %s", c.unit, c.limit, got, c.want)
		}
	}
	all := steps(1, estimate.MaxBatch)
	for i := 1; i < len(all); i++ {
		if step := all[i] - all[i-1]; all[i] <= exact && step != 1 || all[i] > exact && step*exact/2 > all[i] {
			t.Errorf("%d behind %d", all[i], all[i-1])
		}
	}
	if len(all) != 64+14*32 {
		t.Errorf("%d steps", len(all))
	}
}

// network is a model that is drawn: of features, of images, or of tokens.
func network(t *rapid.T, text bool) *infer.Result {
	width := rapid.Int64Range(1, 24).Draw(t, "width") * 64
	if text {
		return walked(t, fmt.Sprintf("x: input shape=[128]\ne: embedding vocabSize=%d embedDim=%d\na: causalAttention embedDim=%[2]d numHeads=4\nh: lmHead embedDim=%[2]d vocabSize=%[1]d\no: output\nx -> e -> a -> h -> o",
			rapid.Int64Range(1, 30).Draw(t, "vocabulary")*1000, width))
	}
	if rapid.Bool().Draw(t, "image") {
		return walked(t, fmt.Sprintf("x: input shape=[3,32,32]\nc: conv2d inChannels=3 outChannels=%d kernelSize=3 padding=1\nb: batchNorm2d numFeatures=%[1]d\nr: relu\np: globalAvgPool2d\nf: flatten\nl: linear outFeatures=10\no: output\nx -> c -> b -> r -> p -> f -> l -> o",
			width/16))
	}
	return walked(t, fmt.Sprintf("x: input shape=[%d]\na: linear outFeatures=%d\nr: relu\nb: linear outFeatures=%d\ng: gelu\nl: linear outFeatures=10\no: output\nx -> a -> r -> b -> g -> l -> o",
		width, rapid.Int64Range(1, 4000).Draw(t, "hidden"), width*2))
}

func options(t *rapid.T) estimate.Options {
	return estimate.Options{Precision: rapid.SampledFrom(estimate.Precisions).Draw(t, "precision"), Optimizer: rapid.SampledFrom(estimate.Optimizers).Draw(t, "optimizer"),
		Attention: rapid.SampledFrom(estimate.Attentions).Draw(t, "attention"), Checkpointing: rapid.Bool().Draw(t, "checkpointing"),
		FusedLoss: rapid.Bool().Draw(t, "fusedLoss"), Expandable: rapid.Bool().Draw(t, "expandable"), Batch: rapid.Int64Range(1, 12).Draw(t, "batch")}
}

// everyNumber is what each number needs, 0 where the model does not run with it.
func everyNumber(room *estimate.Room, r *Run, q Question, numbers []int64) []int64 {
	out := make([]int64, len(numbers))
	for i, n := range numbers {
		room.Clear()
		switch q {
		case MaxBatch:
			o := r.Options
			if o.MicroBatch > 0 {
				o.Batch, o.MicroBatch = n*((o.Batch+o.MicroBatch-1)/o.MicroBatch), n
			} else {
				o.Batch = n
			}
			out[i] = room.Train(r.Sized, o).CardBytes
		case MaxSeqLen:
			if res, _, runs := facts.Resized(r.Walked, func(int64) int64 { return n }); runs == facts.Yes {
				out[i] = room.Train(res, r.Options).CardBytes
			}
		case MaxContext:
			if _, _, runs := facts.Resized(r.Walked, func(int64) int64 { return n }); runs != facts.Yes || n < 2 {
				continue
			}
			o := r.Use
			o.Prompt, o.Generated = estimate.Context(n)
			out[i] = estimate.Infer(r.Sized, o).CardBytes
		}
	}
	return out
}

// largest tries every number.
func largest(numbers, needs []int64, room int64) (best int64) {
	for i, n := range numbers {
		if needs[i] > 0 && needs[i] <= room {
			best = max(best, n)
		}
	}
	return best
}

// TestTheLargestIsThatOfTryingEveryNumber compares the search with that over every number: 100 models and runs, ten cards each. What a run needs does
// not grow with the number, so a search that takes it for granted fails here.
func TestTheLargestIsThatOfTryingEveryNumber(t *testing.T) {
	falls, inside, runs, again := 0, 0, 0, new(estimate.Room)
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom([]Question{MaxBatch, MaxBatch, MaxSeqLen, MaxContext}).Draw(t, "question")
		res := network(t, q != MaxBatch)
		r := &Run{Walked: res, Sized: res, Options: options(t), Use: estimate.InferOptions{Batch: rapid.Int64Range(1, 64).Draw(t, "sequences")}}
		unit := int64(tokens)
		r.most = rapid.SampledFrom([]int64{100, 1000, 5000}).Draw(t, "most")
		if q == MaxBatch {
			unit, r.most = 1, rapid.SampledFrom([]int64{48, 700, 20_000}).Draw(t, "most")
			if rapid.Bool().Draw(t, "accumulates") && r.Options.Batch > 1 {
				r.Options.MicroBatch = 1
			}
		}
		numbers := steps(unit, r.most)
		needs := everyNumber(again, r, q, numbers)
		for i := 1; i < len(needs); i++ {
			if needs[i] < needs[i-1] {
				falls++
			}
		}
		for range 10 {
			room := needs[rapid.IntRange(0, len(needs)-1).Draw(t, "like")] + rapid.Int64Range(-1<<20, 1<<20).Draw(t, "more")
			r.Card = &hardware.GPU{MemoryBytes: room}
			a := Solve(q, r)
			if want := largest(numbers, needs, room); a.Withheld != "" || a.Value != want {
				t.Fatalf("%s in %d bytes is %d, and %d where every number is tried; %s", q, room, a.Value, want, a.Withheld)
			}
			if runs++; a.Value > 0 && a.Value < r.most {
				inside++
			}
		}
	})
	if falls == 0 || inside < runs/3 {
		t.Errorf("what is needed falls %d times, and %d of %d answers lie inside: nothing is tested", falls, inside, runs)
	}
}

// TestTheCheapestIsThatOfTryingEveryRun compares with every card and setting.
func TestTheCheapestIsThatOfTryingEveryRun(t *testing.T) {
	changed, again := 0, new(estimate.Room)
	rapid.Check(t, func(t *rapid.T) {
		res := network(t, rapid.IntRange(0, 3).Draw(t, "text") == 0)
		r := &Run{Walked: res, Sized: res, Options: options(t)}
		r.Options.Batch <<= rapid.SampledFrom([]int{0, 4, 9, 14}).Draw(t, "times")
		type tried struct {
			t             *estimate.Training
			card, setting int
		}
		var all []tried
		cards := estimate.Rented(r.Options.Precision)
		for k, o := range settings(r.Options) {
			for c, g := range cards {
				o.GPU = g.Name
				again.Clear()
				if x := again.Train(res, o); x.CardBytes <= g.MemoryBytes {
					all = append(all, tried{x, c, k})
				}
			}
		}
		slices.SortFunc(all, func(a, b tried) int {
			return cmp.Or(cmp.Compare(a.t.CostMicroUSD, b.t.CostMicroUSD), cmp.Compare(a.card, b.card), cmp.Compare(a.setting, b.setting))
		})
		for c := -1; c < len(cards); c++ {
			r.Card = nil
			if c >= 0 {
				r.Card = cards[c]
			}
			want, got := "none", "none"
			if i := slices.IndexFunc(all, func(x tried) bool { return c < 0 || x.card == c }); i >= 0 {
				want = fmt.Sprintf("%+v on %s", all[i].t.Options, all[i].t.PricedOn.Name)
			}
			a := Solve(Cheapest, r)
			if len(a.Choices) > 0 {
				x := a.Choices[0].Training
				got = fmt.Sprintf("%+v on %s", x.Options, x.PricedOn.Name)
				if len(a.Choices[0].Changes) > 0 {
					changed++
				}
			}
			if got != want {
				t.Fatalf("%s, and %s where every run is tried", got, want)
			}
		}
	})
	if changed == 0 {
		t.Errorf("%d answers change a setting: nothing is tested", changed)
	}
}

// TestPublishedModelsAreSolvedExactly tries every number with models of published sizes, and holds how often the estimate is asked: what a question
// takes follows from that.
func TestPublishedModelsAreSolvedExactly(t *testing.T) {
	for _, c := range []struct {
		id, gpu string
		q       Question
		o       estimate.Options
		use     estimate.InferOptions
		limit   int64
	}{
		{"gpt2-small", "T4", MaxBatch, estimate.Options{Precision: "amp"}, estimate.InferOptions{}, 256},
		{"resnet18", "T4", MaxBatch, estimate.Options{Precision: "fp32", Optimizer: "sgd"}, estimate.InferOptions{}, 1024},
		{"gpt2-small", "T4", MaxSeqLen, estimate.Options{Precision: "amp", Batch: 24}, estimate.InferOptions{}, 1024},
		{"qwen2.5-0.5b", "T4", MaxContext, estimate.Options{Precision: "bf16"}, estimate.InferOptions{Batch: 64}, 8192},
		{"llama-3.1-70b", "H200", MaxContext, estimate.Options{}, estimate.InferOptions{}, 1 << 15},
	} {
		res := bundled(t, c.id)
		r := &Run{Walked: res, Sized: res, Options: c.o, Use: c.use, Card: hardware.Lookup(c.gpu), most: c.limit}
		r.Options.GPU = c.gpu
		a := Solve(c.q, r)
		unit := int64(tokens)
		if c.q == MaxBatch {
			unit = 1
		}
		numbers := steps(unit, c.limit)
		if want := largest(numbers, everyNumber(new(estimate.Room), r, c.q, numbers), r.Card.MemoryBytes); a.Value != want || want == 0 || want == c.limit {
			t.Errorf("%s, %s on %s: %d, and %d where every number is tried", c.id, c.q, c.gpu, a.Value, want)
		}
		if a.Next == nil || a.Next.AtLeastBytes <= 0 {
			t.Errorf("%s: nothing is said of the next number", c.id)
		}
		if a.tries.bounds > 24 || a.tries.needs > 12 {
			t.Errorf("%s: %d bounds, %d runs followed", c.id, a.tries.bounds, a.tries.needs)
		}
		t.Logf("%s, %s on %s: %d with %+v", c.id, c.q, c.gpu, a.Value, a.tries)
	}
}

// TestTheBoundGrowsButForTheSlack holds what the search relies on.
func TestTheBoundGrowsButForTheSlack(t *testing.T) {
	for _, id := range []string{"resnet18", "unet-small", "gpt2-small", "swin-t", "lstm-language-model", "mobilenet-v3-small", "densenet121", "t5-small", "mamba-130m", "moe-decoder", "yolov8n"} {
		res, most := bundled(t, id), int64(0)
		for i, n := range steps(1, 1<<14) {
			if i%5 > 0 {
				continue
			}
			b := new(estimate.Room).Bound(res, estimate.Options{Batch: n, Precision: "amp"})
			if least(most, b.FixedBytes) > b.CardBytes {
				t.Errorf("%s: %d bytes with a batch of %d, and %d with a smaller one", id, b.CardBytes, n, most)
			}
			most = max(most, b.CardBytes)
		}
	}
	for _, id := range []string{"gpt2-small", "llama-3.2-1b", "gemma-3-1b", "mistral-7b", "mamba-130m", "t5-small", "mixtral-8x7b"} {
		res, most := bundled(t, id), int64(0)
		for i, n := range steps(tokens, 1<<16) {
			if i%5 > 0 {
				continue
			}
			var o estimate.InferOptions
			o.Prompt, o.Generated = estimate.Context(n)
			used := estimate.Infer(res, o)
			if least(most, used.WeightBytes) > used.CardBytes {
				t.Errorf("%s: %d bytes with a context of %d, and %d with a smaller one", id, used.CardBytes, n, most)
			}
			most = max(most, used.CardBytes)
		}
	}
}

// TestNothingIsGivenUpThatCouldBeAnswered holds what a question is given up on before it is begun: no bound follows fewer operations.
func TestNothingIsGivenUpThatCouldBeAnswered(t *testing.T) {
	for _, id := range []string{"resnet18", "gpt2-small", "t5-small", "mamba-130m", "moe-decoder", "mixtral-8x7b", "deepseek-v3", "lstm-language-model"} {
		res := bundled(t, id)
		for _, objective := range append([]string{""}, estimate.Objectives...) {
			for _, again := range []bool{false, true} {
				for _, cards := range [][]*hardware.GPU{nil, estimate.Rented("bf16")} {
					o := estimate.Options{Batch: 8, Precision: "bf16", Objective: objective, Checkpointing: again}
					room := new(estimate.Room)
					first, next := new(estimate.Room).Least(res, o, len(cards))
					if room.Bound(res, o, cards...); room.Followed() < first {
						t.Errorf("%s %s: %d operations followed for a bound, at the least %d", id, objective, room.Followed(), first)
					}
					before := room.Followed()
					if o.MicroBatch = 4; next > first || next == 0 {
						t.Errorf("%s %s: %d operations at first, %d again", id, objective, first, next)
					}
					if room.Bound(res, o, cards...); room.Followed()-before < next {
						t.Errorf("%s %s: %d operations followed for another bound, at the least %d", id, objective, room.Followed()-before, next)
					}
				}
			}
		}
	}
}

// TestWhatHasNoAnswerSaysWhy: a model of images has no length, and one that is too large for a card has no batch.
func TestWhatHasNoAnswerSaysWhy(t *testing.T) {
	image := bundled(t, "resnet18")
	r := &Run{Walked: image, Sized: image, Card: hardware.Lookup("T4")}
	for _, q := range []Question{MaxSeqLen, MaxContext} {
		if a := Solve(q, r); a.Withheld != "the model reads no tokens" {
			t.Errorf("%s: %+v", q, a)
		}
	}
	r.Card = &hardware.GPU{MemoryBytes: 1 << 28}
	if a := Solve(MaxBatch, r); a.Value != 0 || a.Smallest != 1 || a.Options.Batch != 1 || a.Next != nil || a.tries.needs != 0 {
		t.Errorf("%+v", a)
	}
	gpt := bundled(t, "gpt2-small")
	if a := Solve(MaxSeqLen, &Run{Walked: gpt, Sized: gpt, Options: estimate.Options{Batch: 1}, Card: hardware.Lookup("H200")}); a.Value != 1024 || a.Limited != Positions || a.Next != nil {
		t.Errorf("%+v", a)
	}
	if a := Solve(MaxContext, &Run{Walked: gpt, Sized: gpt, Use: estimate.InferOptions{Generated: 2000}, Card: hardware.Lookup("H200")}); a.Withheld == "" {
		t.Errorf("%+v", a)
	}
}

func BenchmarkSolve(b *testing.B) {
	lora := &estimate.Adaptation{LoRA: &estimate.LoRA{Rank: 16}}
	for _, id := range []string{"llama-3.1-8b", "qwen3-0.6b", "resnet50"} {
		res := bundled(b, id)
		r := &Run{Walked: res, Options: estimate.Options{Precision: "bf16", Adapt: lora, GPU: "A100-80GB"}, Card: hardware.Lookup("A100-80GB")}
		if r.Sized = r.Walked; len(facts.Tokens(res)) > 0 {
			r.Sized, _, _ = facts.Resized(res, func(int64) int64 { return 2048 })
		}
		for _, q := range Questions {
			b.Run(id+"/"+q, func(b *testing.B) {
				for b.Loop() {
					a := Solve(Question(q), r)
					b.ReportMetric(float64(a.tries.bounds), "bounds/op")
					b.ReportMetric(float64(a.tries.needs), "runs/op")
				}
			})
		}
	}
}
