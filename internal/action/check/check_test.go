package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	fitdata "github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

const (
	clean    = "x: input shape=[1,28,28]\nf: flatten\nl: linear inFeatures=784 outFeatures=10\no: output\nx -> f -> l -> o"
	refused  = "x: input shape=[1,28,28]\nf: flatten\nl: linear inFeatures=700 outFeatures=10\no: output\nx -> f -> l -> o"
	warned   = "x: input shape=[32]\nf: linear outFeatures=64\nr: relu\nd: dropout p=0.9\ng: linear outFeatures=10\no: output\nx -> f -> r -> d -> g -> o"
	withheld = "x: input shape=[16]\nm: customModule numParams=100\no: output\nx -> m -> o"
	enormous = "x: input shape=[8]\ne: embedding numEmbeddings=20000000 embeddingDim=8192\no: output\nx -> e -> o"
)

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// run checks a model in the short notation, with a policy in JSON if it is not empty, as it comes over the wire.
func run(t testing.TB, text, policy string) *Result {
	t.Helper()
	body := fmt.Sprintf(`{"model":%s}`, parse(t, text).AppendJSON(nil))
	if policy != "" {
		body = fmt.Sprintf(`{"model":%s,"policy":%s}`, parse(t, text).AppendJSON(nil), policy)
	}
	r, err := Decode([]byte(body), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return Run(r)
}

// keys are the members of an object on the wire, in their order.
func keys(t *testing.T, v any) []string {
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
	return out
}

func TestVerdictOutcomeAndWhereTheWalkStops(t *testing.T) {
	for _, c := range []struct {
		name, text, policy        string
		verdict, outcome, stopped string
		stages                    string
	}{
		{"a model that runs waits for a dataset", clean, "", "ask", "needs_input", "", "ok needs_input ok ok ok"},
		{"a model that does not run stops at once", refused, "", "block", "blocked", "preflight", "blocked"},
		{"warnings do not stop it", warned, "", "warn", "needs_input", "", "attention needs_input ok ok ok"},
		{"a withheld shape is asked for", withheld, "", "ask", "needs_input", "", "needs_input needs_input ok ok ok"},
		{"a model too large for one card is no crash", enormous, "", "warn", "needs_input", "", "ok needs_input attention ok attention"},
		{"a policy blocks behind the walk", clean, `{"max_params":"1K"}`, "block", "blocked", "", "ok needs_input ok ok ok"},
		{"a policy that warns changes no status", clean, `{"max_cost_usd":0}`, "warn", "needs_input", "", "ok needs_input ok ok ok"},
		{"a policy that is kept changes nothing", clean, `{"max_params":"1M"}`, "ask", "needs_input", "", "ok needs_input ok ok ok"},
		{"an empty graph is blocked", "", "", "block", "blocked", "preflight", "blocked"},
	} {
		r := run(t, c.text, c.policy)
		stopped, statuses := "", []string{}
		if r.StoppedAt != nil {
			stopped = *r.StoppedAt
		}
		for _, s := range r.Stages {
			statuses = append(statuses, string(s.Status))
		}
		if r.Verdict != c.verdict || r.Outcome != c.outcome || stopped != c.stopped || strings.Join(statuses, " ") != c.stages {
			t.Errorf("%s: %s, %s, stopped at %q, %v", c.name, r.Verdict, r.Outcome, stopped, statuses)
		}
		if (r.Decision == nil) != (stopped != "") {
			t.Errorf("%s: the decision is %+v", c.name, r.Decision)
		}
	}
}

func TestWithDataTheVerdictIsThatOfTheModel(t *testing.T) {
	for text, want := range map[string]string{clean: "ok", warned: "warn", withheld: "ask", refused: "block"} {
		if r := Run(&Request{Model: parse(t, text), Data: &fitdata.Request{}}); r.Verdict != want {
			t.Errorf("%q: %s, want %s", text, r.Verdict, want)
		}
	}
}

func TestEveryFieldOfTheSpecificationIsThereInItsOrder(t *testing.T) {
	r := run(t, clean, "")
	for _, c := range []struct {
		what string
		got  []string
		want string
	}{
		{"response", keys(t, r), "verdict outcome summary stoppedAt findings stages decision"},
		{"stage", keys(t, r.Stages[0]), "stage status headline data"},
		{"preflight", keys(t, r.Stages[0].Data), "score verdict blockers warnings layers params flops gpu estCostUsd estTrainSec weightBytes trainFootprintBytes samplesAssumed macs withheld peakBytes peakErrorPercent range assumptions paramsWithheld costWithheld"},
		{"data", keys(t, r.Stages[1].Data), "wired modality contract"},
		{"contract", keys(t, r.Stages[1].Data.(DataData).Contract), "inputShape inputDtype outputDim taskType"},
		{"train", keys(t, r.Stages[2].Data), "lastRun estCostUsd gpu range"},
		{"evaluate", keys(t, r.Stages[3].Data), "run"},
		{"deploy", keys(t, r.Stages[4].Data), "target score latencyMs sizeMB sizeMBQuantized alternatives"},
		{"alternative", keys(t, r.Stages[4].Data.(DeployData).Alternatives[0]), "id label score latencyMs sizeMB fits reasons"},
		{"decision", keys(t, r.Decision), "question because options"},
		{"option", keys(t, r.Decision.Options[0]), "label value hint"},
		{"finding with a fix", keys(t, run(t, refused, "").Findings[0]), "stage severity title detail fix ruleId component edit"},
		{"finding of a policy", keys(t, run(t, clean, `{"max_params":1}`).Findings[0]), "stage severity title detail"},
	} {
		if strings.Join(c.got, " ") != c.want {
			t.Errorf("%s has %v, want %s", c.what, c.got, c.want)
		}
	}
}

func TestFindings(t *testing.T) {
	r := run(t, refused, `{"max_params":"1K","max_cost_usd":0}`)
	if len(r.Findings) != 3 {
		t.Fatalf("%+v", r.Findings)
	}
	f := r.Findings[0]
	if f.Stage != "preflight" || f.Severity != "block" || f.RuleID != "linear-in-mismatch" || f.Component != "l" || f.Fix != "set inFeatures of l to 784" ||
		!strings.HasPrefix(f.Detail, "l: ") || !reflect.DeepEqual(f.Edit, []action.Edit{{Component: "l", Param: "inFeatures", Value: graph.IntValue(784)}}) {
		t.Errorf("%+v", f)
	}
	if p := r.Findings[1]; p.Stage != "policy" || p.Severity != "block" || !strings.Contains(p.Detail, "max_params: 1K") || p.RuleID != "" {
		t.Errorf("%+v", p)
	}
	if p := r.Findings[2]; p.Stage != "policy" || p.Severity != "warn" || !strings.Contains(p.Detail, "max_cost_usd: 0") {
		t.Errorf("%+v", p)
	}
	if *r.StoppedAt != "preflight" {
		t.Errorf("stopped at %s", *r.StoppedAt)
	}
	var stages []string
	for _, f := range run(t, enormous, "").Findings {
		stages = append(stages, f.Stage+" "+string(f.Severity)+" "+f.RuleID)
	}
	if got := strings.Join(stages, ", "); got != "train warn , deploy warn " {
		t.Errorf("of an enormous model: %s", got)
	}
}

func TestSummaryIsOneSentenceAndPricedWhenBlocked(t *testing.T) {
	for text, part := range map[string]string{
		clean: "The model runs: 7.9K parameters", refused: "Blocked at preflight by 1 finding", warned: "with 1 warning to look at", withheld: "as far as it is known",
	} {
		r := run(t, text, "")
		if !strings.Contains(r.Summary, part) || !strings.HasSuffix(r.Summary, ".") || strings.Contains(r.Summary, "\n") {
			t.Errorf("%q", r.Summary)
		}
		d := r.Stages[0].Data.(PreflightData)
		if text == withheld {
			if d.EstCostUSD != nil || d.EstTrainSec != nil || !strings.Contains(r.Summary, "no price, for the ") {
				t.Errorf("%q, %v", r.Summary, d.EstCostUSD)
			}
			continue
		}
		if r.Verdict == "block" && !strings.Contains(r.Summary, "priced at $") || d.EstCostUSD.Unscaled <= 0 {
			t.Errorf("%q, %v", r.Summary, d.EstCostUSD)
		}
	}
	if r := run(t, clean, `{"forbid_types":["linear"]}`); !strings.Contains(r.Summary, "Blocked by 1 policy line") || !strings.Contains(r.Summary, "priced at $") {
		t.Errorf("%q", r.Summary)
	}
}

func TestPreflight(t *testing.T) {
	d := run(t, clean, "").Stages[0].Data.(PreflightData)
	if d.Score != 100 || d.Verdict != "ready" || d.Layers != 2 || d.Params != 7850 || *d.FLOPs != 15680 || *d.MACs != 7840 || d.GPU != "T4" || *d.WeightBytes < 4*7850 || *d.TrainFootprintBytes <= 3**d.WeightBytes || !d.SamplesAssumed {
		t.Errorf("%+v", d)
	}
	for _, c := range []struct {
		blockers, warnings, withheld, score int
		verdict                             string
	}{
		{0, 0, 0, 100, "ready"}, {0, 1, 0, 95, "caution"}, {0, 2, 1, 80, "caution"}, {0, 1000000, 0, 40, "caution"}, {0, 0, 9, 40, "caution"},
		{1, 0, 0, 30, "not-ready"}, {2, 5, 5, 20, "not-ready"}, {1000000, 0, 0, 0, "not-ready"},
	} {
		if s, v := score(c.blockers, c.warnings, c.withheld); s != c.score || v != c.verdict {
			t.Errorf("%+v: %d, %s", c, s, v)
		}
	}
}

func TestDataStageSaysWhatGoesInAndComesOut(t *testing.T) {
	for _, c := range []struct{ text, modality, contract string }{
		{clean, "image", "[1,28,28] float32 10 classification"},
		{withheld, "tabular", "[16] float32 ? unknown"},
		{"x: input shape=[12]\ne: embedding numEmbeddings=50 embeddingDim=8\nh: lmHead hiddenDim=8 vocabSize=50\no: output\nx -> e -> h -> o", "text", "[12] int64 50 language-modeling"},
		{"x: input shape=[12]\ne: embedding numEmbeddings=50 embeddingDim=8\nh: linear outFeatures=5\no: output\nx -> e -> h -> o", "text", "[12] int64 5 sequence-labeling"},
		{"x: input shape=[9]\nl: linear outFeatures=1\no: output\nx -> l -> o", "tabular", "[9] float32 1 regression"},
		{"x: input shape=[9]\nl: linear outFeatures=1\ns: sigmoid\no: output\nx -> l -> s -> o", "tabular", "[9] float32 1 binary-classification"},
		{"x: input shape=[9]\nl: linear outFeatures=9\no: output\nx -> l -> o", "tabular", "[9] float32 9 reconstruction"},
		{"x: input shape=[3,8,8]\nl: conv2d outChannels=5 kernelSize=3 padding=1\no: output\nx -> l -> o", "image", "[3,8,8] float32 5 segmentation"},
		{"x: input shape=[3,8,8]\nl: conv2d outChannels=3 kernelSize=3 padding=1\no: output\nx -> l -> o", "image", "[3,8,8] float32 3 reconstruction"},
		{"x: input shape=[5,9]\nl: linear outFeatures=2\no: output\nx -> l -> o", "sequence", "[5,9] float32 2 sequence-labeling"},
		{"x: input shape=[]\no: output\nx -> o", "tabular", "[] float32 1 regression"},
		{"x: input shape=[4,8]\ne: input shape=[2,9] dtype=int64\ng: gcn inFeatures=8 outFeatures=4\no: output\nx -> g\ne -> g\ng -> o", "graph", "[4,8] float32 4 sequence-labeling"},
		{"x: input shape=[3,4,4]\nf: flatten\ny: input shape=[8]\nc: concatenate dim=1\no: output\nx -> f -> c\ny -> c\nc -> o", "multimodal", "[3,4,4] float32 56 classification"},
	} {
		d := run(t, c.text, "").Stages[1].Data.(DataData)
		dim := "?"
		if d.Contract.OutputDim != nil {
			dim = fmt.Sprint(*d.Contract.OutputDim)
		}
		if got := fmt.Sprintf("%v %s %s %s", d.Contract.InputShape, d.Contract.InputDtype, dim, d.Contract.TaskType); got != c.contract || d.Modality != c.modality || d.Wired {
			t.Errorf("%q: %s, %s, want %s, %s", c.text, d.Modality, got, c.modality, c.contract)
		}
	}
}

func TestScalarsAreEmptyListsAndWhatIsMissingIsNull(t *testing.T) {
	data, err := json.Marshal(run(t, "x: input shape=[]\no: output\nx -> o", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"inputShape":[]`, `"stoppedAt":null`, `"lastRun":null`, `"run":null`, `"findings":[`, `"blockers":[]`} {
		if !strings.Contains(string(data), part) {
			t.Errorf("no %s in %s", part, data)
		}
	}
}

func TestDeployScoresNineTargetsBestFirst(t *testing.T) {
	d := run(t, clean, "").Stages[4].Data.(DeployData)
	ids := map[string]bool{}
	for i, a := range d.Alternatives {
		ids[a.ID] = true
		if i > 0 && a.Score > d.Alternatives[i-1].Score {
			t.Errorf("%s scores more than the one before it", a.ID)
		}
	}
	for _, id := range strings.Fields("mobile-ios mobile-android edge-cpu edge-gpu browser browser-webgpu edge-tpu cloud-t4 cloud-a100") {
		if !ids[id] {
			t.Errorf("no target %s", id)
		}
	}
	if best := d.Alternatives[0]; len(d.Alternatives) != 9 || d.Target != best.ID || d.Score != best.Score || *d.LatencyMs != *best.LatencyMs || *d.SizeMB != *best.SizeMB {
		t.Errorf("%+v", d)
	}
}

func TestTheTwoDecisions(t *testing.T) {
	d := run(t, clean, "").Decision
	if !strings.Contains(d.Question, "dataset") || d.Because == "" || len(d.Options) != 4 || d.Options[0].Value != "mnist" || !strings.HasPrefix(d.Options[0].Hint, "fits") ||
		!strings.HasPrefix(d.Options[1].Hint, "does not fit") {
		t.Errorf("%+v", d)
	}
	many := int64(10_000_000)
	r := Run(&Request{Model: parse(t, clean), Data: &fitdata.Request{Samples: &many}})
	if d = r.Decision; d == nil || !strings.Contains(d.Question, "$") || len(d.Options) != 2 || r.Stages[1].Status != OK || r.Verdict != "ok" {
		t.Errorf("%+v of %s", d, r.Verdict)
	}
	if r = Run(&Request{Model: parse(t, clean), Data: &fitdata.Request{}}); r.Decision != nil || r.Verdict != "ok" || r.Outcome != "ok" {
		t.Errorf("%s, %s: %+v is asked for less than a cent", r.Verdict, r.Outcome, r.Decision)
	}
}

// A verdict is the worst that was found, and an outcome what is to be done next: neither hides the other.
func TestAWarningIsNotHiddenByAQuestion(t *testing.T) {
	for _, c := range []struct {
		text             string
		data             bool
		verdict, outcome string
	}{
		{warned, false, "warn", "needs_input"}, {warned, true, "warn", "attention"}, {clean, false, "ask", "needs_input"}, {clean, true, "ok", "ok"},
		{withheld, true, "ask", "needs_input"}, {strings.Replace(warned, "g -> o", "g -> m -> o\nm: customModule numParams=9", 1), true, "warn", "needs_input"},
		{refused, true, "block", "blocked"},
	} {
		q := &Request{Model: parse(t, c.text)}
		if c.data {
			q.Data = &fitdata.Request{}
		}
		if r := Run(q); r.Verdict != c.verdict || r.Outcome != c.outcome {
			t.Errorf("%q: %s and %s, want %s and %s", c.text, r.Verdict, r.Outcome, c.verdict, c.outcome)
		}
	}
}

// What a stage behind the graph refuses is not the training run.
func TestOnlyARefusedRunIsCalledOne(t *testing.T) {
	for member, words := range map[string]string{
		`"serve":{"command":"vllm serve x --no-such-flag"}`: "the launch command is refused and not the model",
		`"layout":{"tp":0}`:     "the split is refused and not the model",
		`"data":{"channels":3}`: "the run that would have failed on this dataset is priced",
	} {
		q, err := Decode([]byte(`{"model":`+string(parse(t, clean).AppendJSON(nil))+`,`+member+`}`), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		if r := Run(q); r.Verdict != "block" || !strings.Contains(r.Summary, words) || strings.Contains(r.Summary, "first of them") {
			t.Errorf("%s: %s, %s", member, r.Verdict, r.Summary)
		}
	}
}

func TestPartsThatAreNotServedYetAreNamed(t *testing.T) {
	model := string(parse(t, clean).AppendJSON(nil))
	for _, c := range []struct{ member, code, path string }{
		{`"data":{"seq_len":128,"tokenizer_size":50257}`, "", ""},
		{`"data":{"seq_len":0}`, action.CodeRange, "data.seq_len"},
		{`"data":{"tokenizer_size":"big"}`, graph.CodeType, "data.tokenizer_size"},
		{`"data":[]`, graph.CodeType, "data"},
		{`"layout":{"tp":2,"pp":1,"dp":4,"micro_batch":1,"global_batch":8,"seq_len":128,"gpu":"h100"}`, "", ""},
		{`"layout":{"tp":0}`, "", ""},
		{`"layout":{"tp":"two"}`, graph.CodeType, "layout.tp"},
		{`"layout":{"framework":"jax"}`, action.CodeValue, "layout.framework"},
		{`"layout":{"sequence_parallel":1}`, graph.CodeType, "layout.sequence_parallel"},
		{`"layout":{"gpu":"H1000"}`, action.CodeValue, "layout.gpu"},
		{`"serve":{"command":"vllm serve x","gpu":"A100_80","gpus":2}`, "", ""},
		{`"serve":{"gpu":"H100"}`, graph.CodeMissing, "serve.command"},
		{`"serve":{"command":"vllm serve x","gpus":0}`, action.CodeRange, "serve.gpus"},
		{`"serve":{"command":7}`, graph.CodeType, "serve.command"},
		{`"serve":{"gpus":1.5}`, graph.CodeType, "serve.gpus"},
		{`"data":null,"layout":null,"serve":null,"anything":[1]`, "", ""},
	} {
		_, err := Decode([]byte(`{"model":`+model+`,`+c.member+`}`), graph.ServiceLimits)
		var e *graph.Error
		if errors.As(err, &e) != (c.code != "") || e != nil && (e.Code != c.code || e.Path != c.path) {
			t.Errorf("%s: %v, want %s at %s", c.member, err, c.code, c.path)
		}
	}
}

func TestEveryBundledModelPasses(t *testing.T) {
	for _, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if r := Run(&Request{Model: g}); r.Verdict == "block" || len(r.Stages) != 5 {
			t.Errorf("%s: %s", name, r.Summary)
		}
	}
}
