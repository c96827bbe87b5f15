package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/training"
)

// The models of these tests, in the short notation.
const (
	cnn = `graph "Small CNN"
x: input shape=[1,28,28]
conv: conv2d inChannels=1 outChannels=8 kernelSize=3 padding=1
flat: flatten
fc: linear inFeatures=6272 outFeatures=10
y: output
x -> conv -> flat -> fc -> y
`
	rows = `graph "Rows"
x: input shape=[30]
fc: linear inFeatures=30 outFeatures=2
y: output
x -> fc -> y
`
)

func wire(t *testing.T, notation string) string {
	t.Helper()
	g, err := graph.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return string(g.AppendJSON(nil))
}

func decode(t *testing.T, notation, members string) (*Request, error) {
	t.Helper()
	return Decode([]byte(`{"model":`+wire(t, notation)+members+`}`), graph.ServiceLimits)
}

func TestConfigIsClampedAndNeverRefused(t *testing.T) {
	d := training.Defaults
	for _, c := range []struct {
		sent string
		want training.Config
	}{
		{``, d}, {`,"config":null`, d}, {`,"config":{}`, d}, {`,"config":[]`, d}, {`,"config":"adam"`, d}, {`,"config":7`, d}, {`,"config":true`, d}, {`,"config":[{"epochs":5}]`, d},
		{`,"config":{"epochs":5,"batchSize":64,"lr":0.01,"optimizer":"sgd"}`, training.Config{Epochs: 5, BatchSize: 64, LR: 0.01, Optimizer: "sgd"}},
		{`,"config":{"epochs":0,"batchSize":0,"lr":0}`, training.Config{Epochs: 1, BatchSize: 8, LR: 1e-5, Optimizer: "adam"}},
		{`,"config":{"epochs":-3,"batchSize":-1,"lr":-1}`, training.Config{Epochs: 1, BatchSize: 8, LR: 1e-5, Optimizer: "adam"}},
		{`,"config":{"epochs":21,"batchSize":513,"lr":1.5}`, training.Config{Epochs: 20, BatchSize: 512, LR: 1, Optimizer: "adam"}},
		{`,"config":{"epochs":99999999999999999999999,"batchSize":1e999,"lr":1e999}`, training.Config{Epochs: 20, BatchSize: 512, LR: 1, Optimizer: "adam"}},
		{`,"config":{"epochs":-99999999999999999999999,"batchSize":-1e999,"lr":-1e999}`, training.Config{Epochs: 1, BatchSize: 8, LR: 1e-5, Optimizer: "adam"}},
		{`,"config":{"epochs":4.9,"batchSize":64.9,"lr":1e-999}`, training.Config{Epochs: 4, BatchSize: 64, LR: 1e-5, Optimizer: "adam"}},
		{`,"config":{"epochs":"5","batchSize":"64","lr":"0.1","optimizer":3}`, d},
		{`,"config":{"epochs":null,"batchSize":null,"lr":null,"optimizer":null}`, d},
		{`,"config":{"epochs":true,"batchSize":[64],"lr":{"value":1},"optimizer":["sgd"]}`, d},
		{`,"config":{"optimizer":"SGD"}`, training.Config{Epochs: d.Epochs, BatchSize: d.BatchSize, LR: d.LR, Optimizer: "sgd"}},
		{`,"config":{"optimizer":"lion"}`, d}, {`,"config":{"optimizer":""}`, d},
		{`,"config":{"Epochs":5,"batch_size":64,"seed":1,"command":"rm","lr":0.5}`, training.Config{Epochs: d.Epochs, BatchSize: d.BatchSize, LR: 0.5, Optimizer: "adam"}},
	} {
		r, err := decode(t, cnn, `,"dataset":"mnist"`+c.sent)
		if err != nil {
			t.Errorf("%s: %v", c.sent, err)
			continue
		}
		if r.Config != c.want {
			t.Errorf("%s: %+v, want %+v", c.sent, r.Config, c.want)
		}
	}
}

func TestWhatIsNoRunIsRefusedWithItsPath(t *testing.T) {
	for _, c := range []struct {
		sent, code, path, says string
	}{
		{``, graph.CodeMissing, "dataset", "one of cifar10, mnist, tabular"},
		{`,"dataset":null`, graph.CodeMissing, "dataset", ""},
		{`,"dataset":7`, graph.CodeType, "dataset", "a string"},
		{`,"dataset":"minst"`, action.CodeValue, "dataset", "did you mean mnist?"},
		{`,"dataset":"imagenet"`, action.CodeValue, "dataset", "one of cifar10, mnist, tabular"},
		{`,"dataset":"mnist","gpu":"H1000"`, action.CodeValue, "gpu", "did you mean H100?"},
		{`,"dataset":"mnist","gpu":"B200"`, action.CodeValue, "gpu", "one of T4, L4, A10G, L40S, A100-40GB, A100-80GB, H100, H200"},
		{`,"dataset":"mnist","gpu":""`, action.CodeValue, "gpu", "one of T4"},
		{`,"dataset":"mnist","gpu":4`, graph.CodeType, "gpu", "a string"},
		{`,"dataset":"mnist","source":7`, graph.CodeType, "source", "object"},
		{`,"dataset":"mnist","source":{"rep":"a/b"}`, "unknown-key", "source.rep", "did you mean repo?"},
		{`,"dataset":"mnist","source":{"repo":7}`, graph.CodeType, "source.repo", "a string"},
		{`,"dataset":"mnist","source":{"pr":"7"}`, graph.CodeType, "source.pr", "an integer"},
		{`,"dataset":"mnist","source":{"pr":0}`, action.CodeRange, "source.pr", "at least 1"},
		{`,"dataset":"mnist","source":{"repo":"a\nb"}`, action.CodeForm, "source.repo", "printable"},
		{`,"dataset":"mnist","source":{"repo":"` + strings.Repeat("r", 151) + `"}`, action.CodeRange, "source.repo", "at most 150"},
	} {
		_, err := decode(t, cnn, c.sent)
		var e *graph.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Path != c.path || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %v, want %s at %s: …%s…", c.sent, err, c.code, c.path, c.says)
		}
	}
	for _, body := range []string{`{"dataset":"mnist"}`, `{"model":{"components":[]},"dataset":"mnist","config":{"epochs":1,"epochs":2}}`, `{"model":{"components":[]},"dataset":"mnist","more":1e999}`} {
		if _, err := Decode([]byte(body), graph.ServiceLimits); action.Status(err) != 400 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestARequestIsRead(t *testing.T) {
	r, err := decode(t, cnn, `,"dataset":"mnist","gpu":"h100_80","source":{"repo":"lab/nets","pr":12},"more":{"a":1}`)
	if err != nil {
		t.Fatal(err)
	}
	if r.Dataset.Name != "mnist" || r.GPU != "H100" || r.Source != (Source{"lab/nets", 12}) || r.Config != training.Defaults {
		t.Errorf("%+v", r)
	}
	if r, err := decode(t, cnn, `,"dataset":"mnist","gpu":null,"source":null,"config":null`); err != nil || r.GPU != "" || r.Source != (Source{}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestThePlanIsThatOfTheRun looks at the options of the plan: the dataset's samples and the config's.
func TestThePlanIsThatOfTheRun(t *testing.T) {
	r, err := decode(t, cnn, `,"dataset":"mnist","config":{"epochs":2,"batchSize":256,"optimizer":"sgd"}`)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	r.Examined = func(*action.Study) { told++ }
	for gpu, precision := range map[string]string{"": "amp", "H100": "amp", "T4": "fp32"} {
		p := r.Plan(gpu)
		want := plan.Training{Batch: 256, Precision: precision, Optimizer: "sgd", Epochs: 2, Samples: 60_000, Attention: "sdpa", GPU: gpu}
		if fmt.Sprintf("%+v", p.Training) != fmt.Sprintf("%+v", want) || !p.Run.Legal {
			t.Errorf("%s: %+v, want %+v; blockers %v", gpu, p.Training, want, p.Run.Blockers)
		}
	}
	if told != 1 {
		t.Errorf("the model was told %d times", told)
	}
	if gpu, on := r.Cheapest([]string{"H200", "L4", "H100"}); gpu != "L4" || on.Cost.GPU != "L4" {
		t.Errorf("%s, %+v", gpu, on)
	}
	if gpu, on := r.Cheapest(nil); gpu != "" || on != nil {
		t.Errorf("of nothing: %s", gpu)
	}
}

func TestTheCheapestCardIsOneThatHoldsTheRun(t *testing.T) {
	wide := strings.NewReplacer("outFeatures=2", "outFeatures=30000000", "x -> fc -> y", "fd: linear inFeatures=30000000 outFeatures=2\nx -> fc -> fd -> y").Replace(rows)
	r, err := decode(t, wide, `,"dataset":"tabular"`)
	if err != nil {
		t.Fatal(err)
	}
	if gpu, _ := r.Cheapest([]string{"T4", "L4", "H200"}); gpu != "H200" {
		t.Errorf("%q: %+v", gpu, r.Plan("H200").Cost)
	}
	if gpu, _ := r.Cheapest([]string{"T4", "L4"}); gpu != "" {
		t.Errorf("%q", gpu)
	}
}

func TestWhatTheDatasetRefusesIsABlockerOfThePlan(t *testing.T) {
	for _, c := range []struct{ name, model, dataset, stage, says, verdict string }{
		{"fits", cnn, "mnist", "", "", "runs"},
		{"rows fit", rows, "tabular", "", "", "runs"},
		{"channels", cnn, "cifar10", action.Data, "images have 3 channels", "does not fit the dataset"},
		{"no image", rows, "mnist", action.Data, "a sample of mnist is [1,28,28] and the model takes [30]", "does not fit the dataset"},
		{"no row", cnn, "tabular", action.Data, "a sample of tabular is [30] and the model takes [1,28,28]", "does not fit the dataset"},
		{"another size that runs", "x: input shape=[1,32,32]\np: adaptiveAvgPool2d outputSize=1\nf: flatten\nl: linear inFeatures=1 outFeatures=10\ny: output\nx -> p -> f -> l -> y\n", "mnist", action.Data, "the model takes [1,32,32]", "does not fit the dataset"},
		{"too few classes", strings.Replace(cnn, "outFeatures=10", "outFeatures=9", 1), "mnist", action.Data, "labels go up to 9", "does not fit the dataset"},
		{"one logit", strings.Replace(rows, "outFeatures=2", "outFeatures=1", 1), "tabular", action.Data, "takes [2] for each sample, and the model gives [1]", "does not fit the dataset"},
		{"logits of points", "x: input shape=[3,32,32]\nc: conv2d inChannels=3 outChannels=10 kernelSize=1\ny: output\nx -> c -> y\n", "cifar10", action.Data, "the model gives [10,32,32]", "does not fit the dataset"},
		{"two inputs", strings.Replace(rows, "x -> fc", "z: input shape=[30]\nsum: add\nx, z -> sum -> fc", 1), "tabular", action.Data, "the model has 2 inputs", "does not fit the dataset"},
		{"a module of one's own", strings.Replace(rows, "x -> fc -> y", "m: customModule outShape=[2] numParams=4\nx -> fc -> m -> y", 1), "tabular", action.Train, "does not say what m", "cannot be trained"},
		{"a withheld verdict", strings.Replace(rows, "x -> fc -> y", "m: customModule\nx -> m -> fc -> y", 1), "tabular", action.Train, "does not say what m", "cannot be trained"},
		{"does not run", strings.Replace(cnn, "6272", "6271", 1), "mnist", action.Preflight, "6272", "does not run"},
	} {
		r, err := decode(t, c.model, `,"dataset":"`+c.dataset+`"`)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p := r.Plan("")
		if c.stage == "" {
			if !p.Run.Legal || len(p.Run.Blockers) > 0 {
				t.Errorf("%s: %+v", c.name, p.Run.Blockers)
			}
			continue
		}
		if p.Run.Legal || len(p.Run.Blockers) == 0 || p.Run.Blockers[0].Stage != c.stage || !strings.Contains(p.Run.Blockers[0].Detail, c.says) || p.Run.Blockers[0].Title == "" {
			t.Errorf("%s: %+v, want %s …%s…", c.name, p.Run.Blockers, c.stage, c.says)
		}
		text := strings.Join(strings.Fields(plan.Render(p).Text), " ")
		if !strings.Contains(text, ": "+c.verdict) || !strings.Contains(p.Summary, c.verdict) || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s\n%s", c.name, p.Summary, text)
		}
	}
}

// FuzzDecode wants that nothing that is sent as a config is refused, and that what is taken is within the ranges.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"epochs":5}`, `[]`, `null`, `{"epochs":1e999,"lr":-0}`, `{"optimizer":"SGD","lr":"x"}`, `{"epochs":{"a":[1,2]}}`, `1e5`, `{"batchSize":12345678901234567890}`} {
		f.Add([]byte(s), []byte(`{"repo":"a/b","pr":7}`), "H100", "mnist")
	}
	model := `{"components":[{"id":"x","type":"input","params":{"shape":[30]}},{"id":"l","type":"linear","params":{"outFeatures":2}},{"id":"y","type":"output"}],"connections":[{"from":"x","to":"l"},{"from":"l","to":"y"}]}`
	f.Fuzz(func(t *testing.T, config, source []byte, gpu, dataset string) {
		words, _ := json.Marshal([]string{gpu, dataset})
		var two []json.RawMessage
		_ = json.Unmarshal(words, &two)
		body := fmt.Sprintf(`{"model":%s,"config":%s,"source":%s,"gpu":%s,"dataset":%s}`, model, config, source, two[0], two[1])
		r, err := Decode([]byte(body), graph.ServiceLimits)
		if err != nil {
			var e *graph.Error
			if status := action.Status(err); !errors.As(err, &e) || status < 400 || status > 422 {
				t.Fatalf("%d: %v", status, err)
			}
			if strings.HasPrefix(e.Path, "config") && e.Code != graph.CodeSyntax && e.Code != graph.CodeDuplicate && e.Code != graph.CodeDepth && e.Code != graph.CodeKeys {
				t.Fatalf("a config is refused: %v", err)
			}
			return
		}
		if r.Config != r.Config.Clamped() || r.Config.Epochs < 1 || r.Config.Epochs > 20 || r.Config.BatchSize < 8 || r.Config.BatchSize > 512 || !(r.Config.LR >= 1e-5 && r.Config.LR <= 1) {
			t.Fatalf("%s: %+v", config, r.Config)
		}
		r.Plan(r.GPU)
	})
}
