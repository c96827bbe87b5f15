package agent

import (
	"encoding/json"
	"errors"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/llm/llmtest"
)

var update = flag.Bool("update", false, "write the requests into the transcripts")

// narrow is a task that is written here, so that its transcripts are no draws of a family.
func narrow() *bench.Task {
	return &bench.Task{
		ID: "repair/train/0", Family: "repair", Split: "train", Prompt: "Repair this model. It must run and have at most 200 parameters.",
		Start: json.RawMessage(`{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"a","type":"linear","params":{"inFeatures":8,"outFeatures":16}},` +
			`{"id":"b","type":"linear","params":{"inFeatures":12,"outFeatures":3}},{"id":"y","type":"output"}],` +
			`"connections":[{"from":"x","to":"a"},{"from":"a","to":"b"},{"from":"b","to":"y"}]}`),
		Constraints: []bench.Constraint{{Kind: "runs"}, {Kind: "params", Max: 200}},
	}
}

// asker is an agent that asks the recorded provider.
func asker(t *testing.T, format, file string, tries int) (*Provider, *llmtest.Provider) {
	t.Helper()
	server := llmtest.New(t, *update)
	server.Load(filepath.Join("testdata", file+"."+format+".json"))
	p, err := NewProvider(server.Config(format), tries)
	if err != nil {
		t.Fatal(err)
	}
	return p, server
}

func TestAProviderIsToldWhatFailedUntilItPasses(t *testing.T) {
	for _, format := range llm.Formats() {
		p, server := asker(t, format, "third-try", 5)
		var steps []Step
		answer, err := p.Solve(t.Context(), narrow(), 0, func(s Step) { steps = append(steps, s) })
		server.Done()
		if err != nil || len(steps) != 3 || !bench.Score(narrow(), answer).Passed {
			t.Fatalf("%s: %v %+v %s", format, err, steps, answer)
		}
		if steps[0].Grade.Passed || steps[0].Because != "" || string(steps[0].Edits)[0] != '"' {
			t.Errorf("%s: prose: %+v", format, steps[0])
		}
		if steps[1].Grade.Passed || !strings.Contains(steps[1].Grade.Reason, "params") {
			t.Errorf("%s: too many weights: %+v", format, steps[1].Grade)
		}
		if steps[2].Because != "b reads what a gives, and both are narrower." {
			t.Errorf("%s: %q", format, steps[2].Because)
		}
		if p.Model() != llmtest.Model || p.Name() != "provider" {
			t.Error(p.Model(), p.Name())
		}
	}
}

func TestTriesAreBounded(t *testing.T) {
	for _, format := range llm.Formats() {
		p, server := asker(t, format, "never-right", 2)
		n := 0
		answer, err := p.Solve(t.Context(), narrow(), 0, func(Step) { n++ })
		server.Done()
		if err != nil || n != 2 || string(answer) != "{}" {
			t.Errorf("%s: %v, %d steps, %s", format, err, n, answer)
		}
	}
}

func TestAProviderThatIsAwayIsNoAnswer(t *testing.T) {
	for _, format := range llm.Formats() {
		p, server := asker(t, format, "refused", 2)
		_, err := p.Solve(t.Context(), narrow(), 0, func(Step) { t.Error("a step") })
		server.Done()
		e := (*llm.Error)(nil)
		if !errors.As(err, &e) || e.Status != 401 || strings.Contains(err.Error(), llmtest.Key) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestAProviderIsConfiguredOrRefused(t *testing.T) {
	good := llm.Config{Format: "chat", Model: "m"}
	for says, c := range map[string]struct {
		config llm.Config
		tries  int
	}{
		"from 1 to 20":   {good, 0},
		"tries are 21":   {good, 21},
		"chat, messages": {llm.Config{Format: "gpt", Model: "m"}, 1},
		"no model":       {llm.Config{Format: "chat"}, 1},
	} {
		if _, err := NewProvider(c.config, c.tries); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// FuzzAnswer reads whatever a model may write: what comes out is graded, and never anything but a grade.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"", "```", "```json\n{}\n```", "a ```json {\"edits\":[]} ``` b ``` c", "{\"model\":{}}", "``````", "```json```json```", "\xff```\xfe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		because, answer := split(said)
		if len(because)+len(answer) > len(said) {
			t.Errorf("%q became %q and %q", said, because, answer)
		}
		if !json.Valid(raw(answer)) {
			t.Errorf("%q is no JSON", raw(answer))
		}
		if g := bench.Score(narrow(), answer); g.Passed != (g.Reason == "") {
			t.Errorf("%+v", g)
		}
	})
}
