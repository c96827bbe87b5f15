package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

// asked is the answer of a call, which must be one that can be written.
func asked[T any](t *testing.T, name, body string) T {
	t.Helper()
	if status, answer := Action(name, body); status != 200 || !json.Valid([]byte(answer)) {
		t.Fatalf("%s: %d %.400s", name, status, answer)
	}
	at := slices.IndexFunc(calls, func(c call) bool { return prefix+c.Name == name })
	out, err := calls[at].Answer([]byte(body), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return *out.(*T)
}

func planned(t *testing.T, body string) *plan.Record {
	t.Helper()
	r, err := plan.Decode([]byte(body), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return plan.New(r)
}

func checked(t *testing.T, body string) *check.Result {
	t.Helper()
	r, err := check.Decode([]byte(body), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return check.Run(r)
}

func model(t *testing.T, name string) string {
	t.Helper()
	g, err := models.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(g.AppendJSON(nil))
}

// fixtures are a model of each kind.
var fixtures = []string{"llama-3.1-8b", "gpt2-small", "resnet50", "bert-base", "mlp-mixer-small"}

// TestThePeakOfTheCurveIsThatOfThePlan holds the curve, its parts and what makes it fit to what plan says.
func TestThePeakOfTheCurveIsThatOfThePlan(t *testing.T) {
	for _, name := range fixtures {
		for _, more := range []string{``, `,"training":{"precision":"bf16","batch":4,"checkpointing":true,"gpu":"T4"}`, `,"training":{"lora":{"rank":8},"batch":8,"microBatch":2},"seq_len":64`} {
			body := fmt.Sprintf(`{"model":%s%s}`, model(t, name), more)
			p := planned(t, body)
			c := asked[Curve](t, "view/memory", body)
			if c.Peak == nil || c.Peak.Bytes != p.Memory.PeakBytes || c.Assumptions != p.Cost.Assumptions || *c.Error != *p.Memory.ErrorPercent {
				t.Fatalf("%s%s: %+v, plan says %d", name, more, c.Peak, p.Memory.PeakBytes)
			}
			sum, highest := int64(0), int64(0)
			for _, l := range c.Peak.Live {
				sum += l.Bytes
			}
			for _, x := range c.Points {
				highest = max(highest, x.Bytes)
			}
			if sum != c.Peak.Bytes || highest != c.Peak.Bytes || len(c.Points) > mostPoints {
				t.Errorf("%s%s: the parts are %d bytes, the highest of %d points %d, the peak %d", name, more, sum, len(c.Points), highest, c.Peak.Bytes)
			}
			f := asked[Fit](t, "view/fit", body)
			if f.CardBytes != p.Memory.CardBytes || len(p.Fixes) > 0 && (f.Fits || len(f.Fixes) != len(p.Fixes) || f.Fixes[0].Change != p.Fixes[0].Change) {
				t.Errorf("%s%s: %+v, plan says %+v", name, more, f, p.Fixes)
			}
			for _, x := range f.Fixes {
				if f.Fits && x.CardBytes >= f.CardBytes {
					t.Errorf("%s%s: %s takes %d of %d bytes", name, more, x.Change, x.CardBytes, f.CardBytes)
				}
			}
		}
	}
}

// TestACellOfInferenceIsThatOfThePlan asks plan for what each cell is.
func TestACellOfInferenceIsThatOfThePlan(t *testing.T) {
	for _, name := range fixtures {
		m := model(t, name)
		u := asked[Use](t, "view/inference", `{"batch":[1,16],"context":[256,1024],"model":`+m+`}`)
		if want := 4; len(u.Context) == 0 && len(u.Cells) != 2 || len(u.Context) > 0 && len(u.Cells) != want {
			t.Fatalf("%s: %d cells for %v and %v", name, len(u.Cells), u.Batch, u.Context)
		}
		for _, c := range u.Cells {
			tokens := ""
			if c.Context > 0 {
				tokens = fmt.Sprintf(`,"prompt":%d,"generated":%d`, c.Context-min(256, c.Context/2), min(256, c.Context/2))
			}
			p := planned(t, fmt.Sprintf(`{"model":%s,"inference":{"batch":%d%s}}`, m, c.Batch, tokens)).Inference
			if p.CardBytes != c.CardBytes || p.KVBytes != c.KVBytes || p.FitsGPU != c.GPU || (p.NotRun > 0) != c.NotRun {
				t.Errorf("%s: %+v, plan says %+v", name, c, p)
			}
		}
	}
}

// TestADifferenceNamesComponents compares a model with itself, and with one whose head and width changed.
func TestADifferenceNamesComponents(t *testing.T) {
	m := model(t, "mlp-mixer-small")
	if d := asked[plan.Comparison](t, "view/diff", `{"before":`+m+`,"after":`+m+`}`); len(d.Added)+len(d.Removed)+len(d.Changed)+len(d.Rewired) > 0 {
		t.Errorf("%+v", d)
	}
	before := `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"a","type":"linear","params":{"inFeatures":8,"outFeatures":4}},{"id":"r","type":"relu"}],"connections":[{"from":"x","to":"a"},{"from":"a","to":"r"}]}`
	after := `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"a","type":"linear","params":{"inFeatures":8,"outFeatures":6}},{"id":"d","type":"dropout"}],"connections":[{"from":"x","to":"a"},{"from":"a","to":"d"}]}`
	d := asked[plan.Comparison](t, "view/diff", `{"before":`+before+`,"after":`+after+`}`)
	if len(d.Changed) != 1 || d.Changed[0].After.ID != "a" || d.Changed[0].Lines[0] != "a.outFeatures: 4 → 6" || len(d.Added) != 1 || d.Added[0].ID != "d" || len(d.Removed) != 1 || d.Removed[0].ID != "r" {
		t.Errorf("%+v", d)
	}
}

// TestALaunchIsMarkedAndJudgedAsCheckDoes compares with the section of check.
func TestALaunchIsMarkedAndJudgedAsCheckDoes(t *testing.T) {
	m := model(t, "llama-3.1-8b")
	l := asked[Launch](t, "view/serve", `{"model":`+m+`,"command":"vllm serve m # é𝄞\n\nvllm serve m --tensor-parallel-size 3","card":"H100","gpus":8,"context":[1024,8192]}`)
	if l.Verdict == "" || len(l.Splits) != mostSplit {
		t.Errorf("%+v", l)
	}
	l = asked[Launch](t, "view/serve", `{"model":`+m+`,"command":"FOO=é𝄞 vllm serve m --tensor-parallel-size 3","card":"H100","gpus":8,"context":[1024,8192]}`)
	c := checked(t, `{"model":`+m+`,"serve":{"command":"FOO=é𝄞 vllm serve m --tensor-parallel-size 3","gpu":"H100","gpus":8}}`)
	if l.Verdict != c.Serve.Verdict || len(l.Findings) != len(c.Serve.Findings) || l.Findings[0].Detail != c.Serve.Findings[0].Detail {
		t.Errorf("%+v, check says %+v", l.Findings, c.Serve.Findings)
	}
	if got := l.Findings[0].Places; len(got) != 1 || got[0] != [2]int{21, 45} {
		t.Errorf("marked at %v", got)
	}
}

// TestACellOfTheGridIsThatOfCheck asks check for some splits.
func TestACellOfTheGridIsThatOfCheck(t *testing.T) {
	m := model(t, "llama-3.1-8b")
	g := asked[Grid](t, "view/grid", `{"model":`+m+`,"gpus":8,"card":"H100"}`)
	if len(g.Cells) != 10 || g.Best == nil || len(g.Best.Layouts) == 0 {
		t.Fatalf("%d cells, best %+v", len(g.Cells), g.Best)
	}
	for _, c := range g.Cells {
		want := checked(t, fmt.Sprintf(`{"model":%s,"layout":{"tp":%d,"pp":%d,"dp":%d,"gpu":"H100"}}`, m, c.TP, c.PP, c.DP)).Layout
		if c.Legal != want.Legal || c.Verdict != want.Verdict || len(c.Findings) != len(want.Findings) || len(c.Stages) != len(want.Stages) {
			t.Errorf("%+v, check says %+v", c, want)
		}
	}
}

// TestEveryCardHasItsPrice reads the list of cards.
func TestEveryCardHasItsPrice(t *testing.T) {
	for _, c := range asked[Cards](t, "view/cards", `{}`).Cards {
		if c.ID == "" || c.Name == "" || c.Bytes == 0 || c.Source == "" || c.Date == "" {
			t.Errorf("%+v", c)
		}
	}
}

// TestACallThatLacksSomethingSaysWhat holds that errors have the path of what is missing.
func TestACallThatLacksSomethingSaysWhat(t *testing.T) {
	for name, want := range map[string]string{"view/memory": "model", "view/inference": "model", "view/fit": "model", "view/serve": "model", "view/grid": "model"} {
		var e struct{ Error, Code, Path string }
		status, answer := Action(name, `{}`)
		if err := json.Unmarshal([]byte(answer), &e); err != nil || status != 400 || e.Path != want || e.Code == "" {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	for body, want := range map[string]string{`{}`: `"path":"before"`, `{"before":{"components":[]}}`: `"path":"after"`} {
		if status, answer := Action("view/diff", body); status != 400 || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
}
