package plan

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	clean    = "graph \"classifier\"\nx: input shape=[1,28,28]\nf: flatten\nl: linear inFeatures=784 outFeatures=64\nr: relu\nh: linear inFeatures=64 outFeatures=10\no: output\nx -> f -> l -> r -> h -> o"
	wider    = "graph \"classifier\"\nx: input shape=[1,28,28]\nf: flatten\nl: linear inFeatures=784 outFeatures=128\nr: relu\nd: dropout p=0.9\nh: linear outFeatures=10\no: output\nx -> f -> l -> r -> d -> h -> o"
	lazy     = "x: input shape=[784]\nl: linear outFeatures=64\nr: relu\nh: linear outFeatures=10\no: output\nx -> l -> r -> h -> o"
	refused  = "graph \"broken\"\nx: input shape=[1,28,28]\nf: flatten\nl: linear inFeatures=700 outFeatures=10\no: output\nx -> f -> l -> o"
	withheld = "graph \"open\"\nx: input shape=[16]\nm: customModule numParams=100\nl: linear outFeatures=4\no: output\nx -> m -> l -> o"
	tokens   = "graph \"tokens\"\nx: input shape=[64]\ne: embedding numEmbeddings=100 embeddingDim=32\np: positionalEncoding dModel=32 maxLen=512\na: transformerBlock embedDim=32 numHeads=4\n" +
		"h: lmHead hiddenDim=32 vocabSize=100\no: output\nx -> e -> p -> a -> h -> o"
	// attending has an attention layer of its own: that of PyTorch's transformer layers stores no scores, whatever is asked for.
	attending = "graph \"attending\"\nx: input shape=[64]\ne: embedding numEmbeddings=100 embeddingDim=32\np: positionalEncoding dModel=32 maxLen=512\na: multiHeadAttention embedDim=32 numHeads=4\n" +
		"h: lmHead hiddenDim=32 vocabSize=100\no: output\nx -> e -> p -> a -> h -> o"
)

// wire writes a model in the short notation as JSON.
func wire(t testing.TB, text string) string {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(g.AppendJSON(nil))
}

// run plans a model with further members of the request, as they come over the wire.
func run(t testing.TB, text, members string) *Result {
	t.Helper()
	r, err := Decode([]byte(`{"model":`+wire(t, text)+members+`}`), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return Run(r)
}

func base(t testing.TB, text string) string { return `,"base":` + wire(t, text) }

func TestGolden(t *testing.T) {
	for _, c := range []struct{ name, text, members string }{
		{"clean", clean, ""},
		{"refused", refused, ""},
		{"withheld", withheld, ""},
		{"diff", wider, base(t, clean)},
		{"repaired", clean, base(t, refused)},
		{"policy", clean, `,"policy":{"max_params":"10K","must_fit":"T4","max_cost_usd":0.001}`},
		{"tokens", tokens, `,"seq_len":256,"attention":"eager","training":{"batch":4,"precision":"bf16","optimizer":"sgd","epochs":3,"samples":1000,"checkpointing":true}`},
		{"length", tokens, `,"seq_len":100000`},
		{"source", clean, `,"source":{"kind":"hf","target":"org/model","input":"1x28x28:float32"}`},
	} {
		r := run(t, c.text, c.members)
		data, err := json.MarshalIndent(r.Plan, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		for ext, got := range map[string]string{".json": string(data) + "\n", ".txt": r.Text, ".md": r.Markdown} {
			file := filepath.Join("testdata", c.name+ext)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil || string(want) != got {
				t.Errorf("%s (go test -update writes it anew): %v\n%s", file, err, got)
			}
		}
	}
}

// keys are the members of an object on the wire, in their order.
func keys(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	b, err := graph.DecodeBody(data, graph.Limits{}, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range b.Members {
		out = append(out, m.Name)
	}
	return strings.Join(out, " ")
}

func TestEveryFieldOfTheSpecificationIsThereInItsOrder(t *testing.T) {
	r := run(t, wider, base(t, clean))
	for _, c := range []struct {
		what string
		got  any
		want string
	}{
		{"response", r, "plan text markdown"},
		{"plan", r.Plan, "version summary model run cost diff policy memory flops macs training inference"},
		{"model", r.Plan.Model, "name layers params inputShape outputShape fingerprint paramsWithheld"},
		{"run", r.Plan.Run, "legal blockers warnings withheld"},
		{"cost", r.Plan.Cost, "estCostUsd estTrainSec fitsGpu refusedRunUsd gpuFits assumptions gpu range withheld"},
		{"gpuFits", r.Plan.Cost.GPUFits, "T4 A100_40 H100_80"},
		{"diff", r.Plan.Diff, "base added removed changed paramsDelta paramsDeltaPct memoryDeltaGb costDeltaUsd blastRadius lines legalityChanged rewired addedComponents removedComponents rewiredComponents"},
		{"base", r.Plan.Diff.Base, "name layers params paramsWithheld"},
		{"policy", r.Plan.Policy, "applied violations"},
		{"memory", r.Plan.Memory, "weightBytes gradientBytes optimizerBytes activationBytes logitBytes peakBytes needBytes upperBytes cardBytes binding eagerExtraBytes errorPercent"},
	} {
		if got := keys(t, c.got); got != c.want {
			t.Errorf("%s has %s, want %s", c.what, got, c.want)
		}
	}
	if r.Plan.Version != 1 {
		t.Errorf("version %d", r.Plan.Version)
	}
}

func TestRefusedRunIsTheEstimateRestated(t *testing.T) {
	for text, legal := range map[string]bool{clean: true, withheld: true, refused: false} {
		p := run(t, text, "").Plan
		if p.Run.Legal != legal || (p.Cost.RefusedRunUSD == nil) != legal || !legal && *p.Cost.RefusedRunUSD != *p.Cost.EstCostUSD {
			t.Errorf("legal %v, refused %v of %v", p.Run.Legal, p.Cost.RefusedRunUSD, p.Cost.EstCostUSD)
		}
	}
	p := run(t, clean, `,"policy":{"forbid_types":["relu"]}`).Plan
	if p.Run.Legal || p.Cost.RefusedRunUSD == nil || p.Run.Blockers[0].Stage != "policy" || !strings.Contains(p.Run.Blockers[0].Detail, "forbid_types: [relu]") {
		t.Errorf("%+v", p.Run)
	}
	if w := run(t, withheld, "").Plan.Run.Withheld; strings.Join(w, " ") != "m l o" {
		t.Errorf("withheld %v", w)
	}
}

func TestPolicyCountsViolationsAndWarnsOfEstimates(t *testing.T) {
	for _, c := range []struct {
		policy                     string
		applied                    bool
		violations, blocks, warned int
	}{
		{``, false, 0, 0, 0}, {`,"policy":{}`, false, 0, 0, 0}, {`,"policy":{"max_params":"1M"}`, true, 0, 0, 0},
		{`,"policy":{"max_params":1,"max_layers":1,"max_cost_usd":0,"max_memory_gb":0}`, true, 4, 2, 2},
	} {
		p := run(t, clean, c.policy).Plan
		if p.Policy != (Policy{c.applied, c.violations}) || len(p.Run.Blockers) != c.blocks || len(p.Run.Warnings) != c.warned {
			t.Errorf("%s: %+v, %d blockers, %d warnings", c.policy, p.Policy, len(p.Run.Blockers), len(p.Run.Warnings))
		}
	}
}

func TestDiff(t *testing.T) {
	d := run(t, wider, base(t, clean)).Plan.Diff
	if d.Added != 1 || d.Removed != 0 || d.Changed != 2 || d.Rewired != 1 || *d.ParamsDelta != 64*784+64+64*10 || d.LegalityChanged != nil {
		t.Errorf("%+v", d)
	}
	if got := strings.Join(d.Lines, "\n"); got != "l.outFeatures: 64 → 128\nh.inFeatures: 64 → 128" {
		t.Errorf("%s", got)
	}
	if d := run(t, refused, base(t, clean)).Plan.Diff; d.LegalityChanged == nil || *d.LegalityChanged != Broken {
		t.Errorf("%+v", d)
	}
	if d := run(t, clean, base(t, refused)).Plan.Diff; d.LegalityChanged == nil || *d.LegalityChanged != Repaired {
		t.Errorf("%+v", d)
	}
}

func TestWhatFollowsFromAChangeIsNoChangeItself(t *testing.T) {
	changed := strings.Replace(lazy, "outFeatures=64", "outFeatures=96", 1)
	d := run(t, changed, base(t, lazy)).Plan.Diff
	if d.Changed != 1 || strings.Join(d.Lines, "\n") != "l.outFeatures: 64 → 96" || d.BlastRadius != 3 {
		t.Errorf("%+v", d)
	}
	written := strings.Replace(lazy, "h: linear", "h: linear inFeatures=64 bias=true", 1)
	if d := run(t, written, base(t, lazy)).Plan.Diff; !d.empty() {
		t.Errorf("writing down what holds anyway is a change: %+v", d)
	}
}

func TestShareOfTheParameters(t *testing.T) {
	for _, c := range []struct {
		delta, base int64
		want        string
	}{{0, 0, "0"}, {50, 200, "25"}, {-1, 3, "-33.33"}, {1, 0, "null"}} {
		if got, _ := json.Marshal(percent(c.delta, c.base)); string(got) != c.want {
			t.Errorf("%d of %d: %s, want %s", c.delta, c.base, got, c.want)
		}
	}
}

func TestSequenceLength(t *testing.T) {
	for _, c := range []struct {
		members string
		want    SeqLen
		part    string
	}{
		{``, SeqLen{Own: 64, Used: 64}, "64 tokens a sample"},
		{`,"seq_len":256`, SeqLen{Own: 64, Used: 256}, "256 tokens a sample"},
		{`,"seq_len":513`, SeqLen{Own: 64, Used: 64, NotRun: 513}, "does not run at 513"},
	} {
		r := run(t, tokens, c.members)
		if *r.Plan.SeqLen != c.want || !strings.Contains(strings.Join(strings.Fields(r.Text), " "), c.part) || !strings.Contains(r.Plan.Cost.Assumptions, c.part) || !strings.Contains(r.Markdown, c.part) {
			t.Errorf("%s: %+v\n%s", c.members, r.Plan.SeqLen, r.Text)
		}
	}
	image, same := run(t, clean, ""), run(t, clean, `,"seq_len":4096`)
	if image.Text != same.Text || image.Plan.SeqLen != nil {
		t.Error("a length changed a model of images")
	}
}

func TestOnlyEagerAttentionAddsStoredScores(t *testing.T) {
	peak := map[string]int64{}
	var extra int64
	for _, a := range []string{"sdpa", "flash", "eager"} {
		m := run(t, attending, fmt.Sprintf(`,"seq_len":512,"attention":%q`, a)).Plan.Memory
		peak[a] = m.PeakBytes
		if a == "sdpa" {
			extra = m.EagerExtraBytes
		}
	}
	if peak["sdpa"] != peak["flash"] || peak["eager"] <= peak["sdpa"] || peak["eager"]-peak["sdpa"] != extra {
		t.Errorf("%v, %d more", peak, extra)
	}
	if r := run(t, attending, `,"seq_len":512`); !strings.Contains(r.Text, "eager attention would add") || !strings.Contains(r.Markdown, "eager attention would add") {
		t.Errorf("%s", r.Text)
	}
	if def := run(t, attending, `,"seq_len":512`).Plan; def.Training.Attention != "sdpa" || def.Memory.PeakBytes != peak["sdpa"] {
		t.Errorf("%+v", def.Training)
	}
}

func TestDecodeRefusesWithCodeAndPath(t *testing.T) {
	for _, c := range []struct{ members, code, path string }{
		{`,"attention":"fast"`, action.CodeValue, "attention"},
		{`,"attention":1`, graph.CodeType, "attention"},
		{`,"seq_len":0`, action.CodeRange, "seq_len"},
		{`,"seq_len":"2K"`, graph.CodeType, "seq_len"},
		{`,"share":"yes"`, graph.CodeType, "share"},
		{`,"base":[]`, graph.CodeType, "base"},
		{`,"base":{"components":[{"type":"input","params":{"shape":[0]}}]}`, action.CodeShape, "base.components[0].params.shape[0]"},
		{`,"training":{"precision":"fp8"}`, action.CodeValue, "training.precision"},
		{`,"training":{"optimizer":"lion"}`, action.CodeValue, "training.optimizer"},
		{`,"training":{"batch":0}`, action.CodeRange, "training.batch"},
		{`,"training":{"batch":1048577}`, action.CodeRange, "training.batch"},
		{`,"training":{"samples":-1}`, action.CodeRange, "training.samples"},
		{`,"training":{"checkpointing":1}`, graph.CodeType, "training.checkpointing"},
		{`,"source":{"kind":3}`, graph.CodeType, "source.kind"},
		{`,"source":{"input":"3x224"}`, action.CodeForm, "source.input"},
		{`,"source":{"input":"3xx4:float32"}`, action.CodeForm, "source.input"},
		{`,"source":{"target":"` + strings.Repeat("x", 301) + `"}`, action.CodeRange, "source.target"},
		{`,"policy":{"max_params":"many"}`, action.CodeValue, "policy.max_params"},
		{`,"share":true,"base":null,"training":{},"source":{},"policy":null,"anything":{}`, "", ""},
	} {
		_, err := Decode([]byte(`{"model":`+wire(t, clean)+c.members+`}`), graph.ServiceLimits)
		var e *graph.Error
		if errors.As(err, &e) != (c.code != "") || e != nil && (e.Code != c.code || e.Path != c.path) {
			t.Errorf("%s: %v, want %s at %s", c.members, err, c.code, c.path)
		}
	}
}

func TestTheLastOutcomeIsOneLine(t *testing.T) {
	rec := run(t, clean, "").Plan
	without := Render(rec)
	rec.History = &History{Rows: []Outcome{{At: "2026-05-04T03:02:01Z", Metric: "valAcc", Value: 0.98765, Epochs: new(int64(12)), EstCostUSD: new(quantity.USD(1_230_000))}, {Metric: "older"}}}
	with := Render(rec)
	for _, c := range []struct{ what, was, is string }{{"text", without.Text, with.Text}, {"Markdown", without.Markdown, with.Markdown}} {
		if !strings.Contains(c.is, "valAcc 0.9877 after 12 epochs for $1.23 on 2026-05-04") || strings.Contains(c.is, "older") || strings.Count(c.is, "\n") > strings.Count(c.was, "\n")+2 {
			t.Errorf("%s:\n%s", c.what, c.is)
		}
	}
}

func TestTheLastOutcomeSaysNothingOfWhatWasLeftOut(t *testing.T) {
	rec := run(t, clean, "").Plan
	for _, c := range []struct {
		row  Outcome
		line string
	}{
		{Outcome{}, "valAcc 0.5 on 2026-05-04"},
		{Outcome{Epochs: new(int64(1))}, "valAcc 0.5 after 1 epoch on 2026-05-04"},
		{Outcome{EstCostUSD: new(quantity.USD(0))}, "valAcc 0.5 for $0.0000 on 2026-05-04"},
	} {
		c.row.At, c.row.Metric, c.row.Value = "2026-05-04T03:02:01Z", "valAcc", 0.5
		rec.History = &History{Rows: []Outcome{c.row}}
		if got := Render(rec); !strings.Contains(got.Text, c.line) || !strings.Contains(got.Markdown, c.line) {
			t.Errorf("%q is not in\n%s", c.line, got.Text)
		}
	}
}

func TestRenderingsHoldWhateverNamesSay(t *testing.T) {
	const evil = "\x1b[31m`--> <script>@team | [x](y)\n# head ``` \u202e"
	g, err := graph.Parse(refused)
	if err != nil {
		t.Fatal(err)
	}
	g.Name = evil + strings.Repeat("long", 100)
	for i := range g.Components {
		g.Components[i].Name = evil + fmt.Sprint(i)
	}
	r := Run(&Request{Model: g, Source: &Source{Kind: evil, Target: strings.Repeat("x", 300)}})
	for _, line := range strings.Split(r.Text, "\n") {
		if utf8.RuneCountInString(line) > textWidth || strings.ContainsAny(line, "\x1b\u202e") {
			t.Errorf("%q", line)
		}
	}
	lines := strings.Split(r.Markdown, "\n")
	if strings.Count(lines[0], "-->") != 1 || !strings.HasPrefix(lines[0], "<!-- model-verifier plan ") {
		t.Errorf("%q", lines[0])
	}
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "# head") || strings.ContainsAny(line, "\x1b\u202e") {
			t.Errorf("%q", line)
		}
	}
}
