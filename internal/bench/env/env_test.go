package env

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/graph"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func pool(limits Limits) (*Pool, *clock) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	return New(limits, c.now), c
}

// code is the code of an error, "" where it has none.
func code(err error) string {
	var e *graph.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// reference are the answer to a task that passes, as a step.
func reference(t *testing.T, id string) (*bench.Problem, []byte) {
	t.Helper()
	p, err := bench.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return p, p.Reference
}

// TestAReferenceEndsAnEpisodeWithTheWholeReward takes the answer of a task of every family as a step, and submits.
func TestAReferenceEndsAnEpisodeWithTheWholeReward(t *testing.T) {
	p, _ := pool(Defaults)
	for _, family := range FamilyNames() {
		id := bench.ID(family, bench.Dev, 5)
		problem, answer := reference(t, id)
		opened, err := p.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		before := progress(opened.Observation.Grade)
		stepped, err := p.Step(opened.Episode, answer)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if !stepped.Grade.Passed || stepped.Done || stepped.Reward != round(1-before) || stepped.Reward < 0.5 {
			t.Errorf("%s: %+v", id, stepped)
		}
		if stepped.Observation.Verdict == "block" || stepped.Observation.Steps != 1 || stepped.Observation.Task.ID != problem.Task.ID {
			t.Errorf("%s: %+v", id, stepped.Observation)
		}
		last, err := p.Step(opened.Episode, []byte(`{"submit":true}`))
		if err != nil || !last.Done || last.Truncated || last.Reward != 0 || !last.Grade.Passed {
			t.Errorf("%s: %+v %v", id, last, err)
		}
		if _, err := p.Step(opened.Episode, []byte(`{"submit":true}`)); code(err) != CodeEnded {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestACircleEarnsNothing breaks a model that passes and repairs it again.
func TestACircleEarnsNothing(t *testing.T) {
	p, _ := pool(Defaults)
	_, answer := reference(t, "repair/train/1")
	opened, err := p.Open("repair/train/1")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	start := fmt.Sprintf(`{"model":%s}`, opened.Observation.Model)
	for _, body := range []string{string(answer), start, string(answer), start} {
		s, err := p.Step(opened.Episode, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		sum += s.Reward
	}
	if round(sum) != 0 {
		t.Errorf("a circle earns %v", sum)
	}
}

// TestEpisodesAreTheSameEverywhere plays one twice, in pools with other episodes open, and compares the bytes.
func TestEpisodesAreTheSameEverywhere(t *testing.T) {
	var seen []string
	for others := range 3 {
		p, _ := pool(Defaults)
		for range others {
			if _, err := p.Open("repair/test/9"); err != nil {
				t.Fatal(err)
			}
		}
		opened, err := p.Open("repair/test/2")
		if err != nil {
			t.Fatal(err)
		}
		var all []any
		all = append(all, opened.Observation)
		for _, f := range opened.Observation.Findings {
			if len(f.Edit) == 0 {
				continue
			}
			edits, _ := json.Marshal(map[string]any{"edits": f.Edit})
			s, err := p.Step(opened.Episode, edits)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, string(text))
	}
	if seen[0] != seen[1] || seen[1] != seen[2] {
		t.Error("three episodes of one task differ")
	}
}

func TestAStepThatCannotBeMadeCostsItAndChangesNothing(t *testing.T) {
	p, _ := pool(Limits{Episodes: 1, Steps: 3})
	opened, err := p.Open("repair/train/0")
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 3; i++ {
		s, err := p.Step(opened.Episode, []byte(`{"edits":[{"op":"remove","component":"there is none"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		o := s.Observation
		if s.Reward != 0 || o.Steps != i || !strings.Contains(o.Error, "there is none") || string(o.Model) != string(opened.Observation.Model) {
			t.Errorf("%+v", o)
		}
		if s.Done != (i == 3) || s.Truncated != (i == 3) {
			t.Errorf("step %d: done %t, truncated %t", i, s.Done, s.Truncated)
		}
	}
	if _, err := p.Step(opened.Episode, []byte(`{"submit":true}`)); code(err) != CodeEnded {
		t.Error(err)
	}
}

func TestStepsThatCannotBeReadCostNothing(t *testing.T) {
	p, _ := pool(Defaults)
	opened, err := p.Open("repair/train/0")
	if err != nil {
		t.Fatal(err)
	}
	many := `{"edits":[` + strings.Repeat(`{"op":"remove","component":"a"},`, 10_000) + `{"op":"remove","component":"a"}]}`
	large := `{"model":{"components":[` + strings.Repeat(`{"type":"relu"},`, 3_000) + `{"type":"relu"}],"connections":[]}}`
	for body, want := range map[string][2]string{
		"no JSON":          {graph.CodeSyntax, ""},
		"[]":               {graph.CodeType, ""},
		"{}":               {graph.CodeMissing, `{"submit": true}`},
		`{"edit":[]}`:      {action.CodeValue, "did you mean edits?"},
		`{"edits":[]}`:     {graph.CodeMissing, "at least one"},
		`{"edits":7}`:      {graph.CodeType, "edits"},
		`{"submit":"yes"}`: {graph.CodeType, "true or false"},
		`{"submit":false}`: {graph.CodeMissing, "edits"},
		`{"model":[]}`:     {graph.CodeType, "model"},
		`{"model":{"components":[]},"edits":[{"op":"remove","component":"a"}]}`: {action.CodeForm, "one of the two"},
		many:                      {action.CodeRange, "too many"},
		large:                     {graph.CodeComponents, "components"},
		`{"submit":true}{}`:       {graph.CodeSyntax, ""},
		`{"submit":1,"submit":1}`: {graph.CodeDuplicate, "submit"},
	} {
		_, err := p.Step(opened.Episode, []byte(body))
		if code(err) != want[0] || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%.60s: %v (%s), want %v", body, err, code(err), want)
		}
		if status, told := Explain(err); status < 400 || status >= 500 || told.Code != want[0] {
			t.Errorf("%.60s: %d %+v", body, status, told)
		}
	}
	s, err := p.Step(opened.Episode, []byte(`{"submit":true}`))
	if err != nil || s.Observation.Steps != 1 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestEpisodesAreBounded(t *testing.T) {
	p, c := pool(Limits{Episodes: 3, Steps: 5, Idle: time.Minute})
	for range 3 {
		if _, err := p.Open("repair/train/0"); err != nil {
			t.Fatal(err)
		}
		c.at = c.at.Add(time.Second)
	}
	_, err := p.Open("repair/train/0")
	if status, body := Explain(err); code(err) != CodeFull || status != 429 || body.Limit != 3 {
		t.Error(err, status, body)
	}
	if err := p.Close("e2"); err != nil {
		t.Fatal(err)
	}
	if o, err := p.Open("repair/train/0"); err != nil || o.Episode != "e4" {
		t.Error(o, err)
	}
	c.at = c.at.Add(58 * time.Second) // e1 is unused for 61 s, e3 for 59
	if o, err := p.Open("repair/train/0"); err != nil || o.Episode != "e5" {
		t.Error(o, err)
	}
	if _, err := p.Open("repair/train/0"); code(err) != CodeFull {
		t.Error(err)
	}
	for id, want := range map[string]string{"e1": CodeEnded, "e2": CodeEnded, "e6": CodeUnknown, "e0": CodeUnknown, "e-1": CodeUnknown, "e01": CodeUnknown, "": CodeUnknown, "3": CodeUnknown, "e99999999999999999999": CodeUnknown} {
		_, err := p.Step(id, []byte(`{"submit":true}`))
		if code(err) != want || code(p.Close(id)) != want {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := p.Open("repiar/train/0"); code(err) != action.CodeValue {
		t.Error(err)
	}
}

// TestManyAtOnce opens, steps and closes from several goroutines: no more are open than may be, and each gets its own.
func TestManyAtOnce(t *testing.T) {
	p, _ := pool(Limits{Episodes: 4, Steps: 50})
	var wg sync.WaitGroup
	names := sync.Map{}
	for range 8 {
		wg.Go(func() {
			for range 10 {
				o, err := p.Open("repair/train/0")
				if err != nil {
					if code(err) != CodeFull {
						t.Error(err)
					}
					continue
				}
				if _, twice := names.LoadOrStore(o.Episode, true); twice {
					t.Errorf("%s was opened twice", o.Episode)
				}
				if _, err := p.Step(o.Episode, []byte(`{"submit":true}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(p.open) != 0 {
		t.Errorf("%d are left open", len(p.open))
	}
}

func TestListsAreBounded(t *testing.T) {
	for _, q := range []Query{{N: 0}, {N: -1}, {N: MaxTasks + 1, Family: "repair", Split: "test"}, {N: 1, From: -1}, {N: 1, From: bench.MaxNumber + 1}, {N: 2, From: bench.MaxNumber}} {
		if _, err := q.List(); code(err) != action.CodeRange {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, q := range []Query{{N: 1, Family: "repiar"}, {N: 1, Split: "tset"}, {N: 1, Split: "test,"}} {
		if _, err := q.List(); code(err) != action.CodeValue || err.(*graph.Error).Allowed == nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
	l, err := Query{N: 2, From: 7, Family: "repair", Split: "test,dev,test"}.List()
	if err != nil || len(l.Tasks) != 4 || l.Tasks[0].ID != "repair/test/7" || l.Tasks[3].ID != "repair/dev/8" || l.Next != 9 {
		t.Errorf("%+v %v", l, err)
	}
}

// FuzzStep takes whatever may be sent as a step: an error with a code of the caller's, or an observation that can be written.
func FuzzStep(f *testing.F) {
	for _, seed := range []string{
		`{"submit":true}`, `{"edits":[{"component":"fc1","param":"inFeatures","value":64}]}`, `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[4]}}],"connections":[]}}`,
		`{"edits":[{"op":"add","component":"n","type":"relu","from":"x"}],"submit":true}`, `{"edits":[[{"component":"fc1","param":"inFeatures","value":64}]]}`, `{`, "null", `{"model":null,"submit":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, _ := pool(Limits{Episodes: 1, Steps: 4})
		o, err := p.Open("repair/train/0")
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Step(o.Episode, body)
		if err != nil {
			if status, _ := Explain(err); status < 400 || status >= 500 {
				t.Errorf("%v: %d", err, status)
			}
			return
		}
		if _, err := json.Marshal(s); err != nil || s.Reward < -1 || s.Reward > 1 {
			t.Errorf("%v %v", err, s.Reward)
		}
	})
}

// FuzzGraded takes whatever may be sent to be graded.
func FuzzGraded(f *testing.F) {
	for _, seed := range []string{`{"task":"repair/test/0","answer":{}}`, `{"task":"repair/test/0","answer":"no JSON"}`, `{"task":7,"answer":{}}`, `{"answer":{}}`, `{"task":"repair/test/0","answer":{"edits":[]}}`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		q, err := DecodeGraded(body)
		if err == nil && !strings.HasPrefix(q.Task, "repair/test/0") {
			return // other tasks are drawn, which is slow
		}
		if err == nil {
			_, err = q.Score()
		}
		if err != nil {
			if status, _ := Explain(err); status < 400 || status >= 500 {
				t.Errorf("%v: %d", err, status)
			}
		}
	})
}
