package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// wrapped writes a graph in the short notation as an answer.
func wrapped(t *testing.T, text string) string {
	t.Helper()
	return `{"model":` + string(modelOfText(t, text).AppendJSON(nil)) + `}`
}

// trivial are answers that nobody thought about, for a task with this input and output.
func trivial(t *testing.T, p *Problem) map[string]string {
	t.Helper()
	start := string(p.Task.Start)
	if p.Task.Start == nil {
		start = "null"
	}
	out := map[string]string{
		"nothing": "", "null": "null", "an empty object": "{}", "an empty list": "[]", "a word": `"pass"`, "a number": "1", "a boolean": "true",
		"no JSON": "I would use a transformer.", "fenced": "```json\n{}\n```", "cut off": string(p.Reference[:len(p.Reference)-1]), "twice": string(p.Reference) + string(p.Reference),
		"an empty model": `{"model":{}}`, "no components": `{"model":{"components":[]}}`, "a null model": `{"model":null}`, "empty edits": `{"edits":[]}`, "the start": `{"model":` + start + `}`,
		"edits that revert":  `{"edits":[{"op":"add","component":"zz","type":"relu"},{"op":"remove","component":"zz"}]}`,
		"model and edits":    `{"model":` + start + `,"edits":[{"op":"remove","component":"head"}]}`,
		"keys twice":         strings.Replace(string(p.Reference), `{"model":`, `{"model":{"components":[]},"model":`, 1),
		"a key in capitals":  strings.Replace(string(p.Reference), `{"model":`, `{"MODEL":`, 1),
		"a grade":            `{"passed":true,"reason":""}`,
		"deep":               strings.Repeat("[", 100_000),
		"deeper":             strings.Repeat(`{"model":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"numbers of no size": `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[1e999]}}]}}`,
		"not UTF-8":          "{\"model\":{\"components\":[{\"id\":\"\xff\"}]}}",
		"a million bytes":    `{"model":{"name":"` + strings.Repeat("a", 2<<20) + `","components":[]}}`,
		"components":         `{"model":{"components":[` + strings.TrimSuffix(strings.Repeat(`{"type":"relu"},`, 5000), ",") + `]}}`,
		"ten thousand edits": `{"edits":[` + strings.TrimSuffix(strings.Repeat(`{"op":"remove","component":"head"},`, 10_000), ",") + `]}`,
	}
	maps := simple(t, p)
	for name, text := range maps {
		out[name] = text
	}
	return out
}

// simple are models of one or two layers, the second with as many weights as the budget asks for.
func simple(t *testing.T, p *Problem) map[string]string {
	t.Helper()
	var in, out, params Constraint
	for _, c := range p.Task.Constraints {
		switch c.Kind {
		case "input":
			in = c
		case "output":
			out = c
		case "params":
			params = c
		}
	}
	if in.Vocabulary > 0 {
		return map[string]string{"a table alone": wrapped(t, fmt.Sprintf("x: input shape=%s\ne: embedding "+
			"numEmbeddings=%d embeddingDim=%d\ny: output\nx -> e -> y",
			shapeText(in.Shape), in.Vocabulary, out.Shape[len(out.Shape)-1]))}
	}
	size, classes := catalog.Of(in.Shape...).Size(), out.Shape[0]
	width := max(1, (max(params.Min, 1000)-classes)/(size+classes+1)+1)
	head := fmt.Sprintf("x: input shape=%s\nf: flatten startDim=1\ny: output\n", shapeText(in.Shape))
	return map[string]string{
		"one layer": wrapped(t, head+fmt.Sprintf("h: linear inFeatures=%d outFeatures=%d\nx -> f -> h -> y",
			size, classes)),
		"one layer as wide as fits": wrapped(t, head+fmt.Sprintf("a: linear inFeatures=%d outFeatures=%d\nr: relu\nh: "+
			"linear inFeatures=%d outFeatures=%d\nx -> f -> a -> r -> h -> y", size, width, width, classes)),
		"enormous": wrapped(t, head+fmt.Sprintf("a: linear inFeatures=%d outFeatures=1000000000\nr: "+
			"relu\nh: linear inFeatures=1000000000 outFeatures=%d\nx -> f -> a -> r -> h -> y", size, classes)),
	}
}

func TestTrivialAnswersFail(t *testing.T) {
	eachProblem(t, draws()/5, func(t *testing.T, p *Problem) {
		for name, answer := range trivial(t, p) {
			if g := Score(&p.Task, []byte(answer)); g.Passed || g.Reason == "" || g.Quality != nil {
				t.Errorf("%s: %s: %+v", p.Task.ID, name, g)
			}
		}
	})
}

func TestATaskFollowsFromItsID(t *testing.T) {
	seen := map[string]string{}
	eachProblem(t, 10, func(t *testing.T, p *Problem) {
		again, err := Find(p.Task.ID)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(p)
		b, _ := json.Marshal(again)
		if string(a) != string(b) {
			t.Errorf("%s is not the same twice", p.Task.ID)
		}
		key := p.Task.Prompt + string(p.Task.Start)
		if other := seen[key]; other != "" {
			t.Errorf("%s is %s", p.Task.ID, other)
		}
		seen[key] = p.Task.ID
	})
}

func TestIDsThatNameNoTask(t *testing.T) {
	for id, want := range map[string]string{
		"": "family/split/number", "repair": "family/split/number", "repair/test/1/2": "family/split/number",
		"mend/test/1":   "budget, edit, fit, migrate, repair, serve, shrink",
		"repair/exam/1": "train, dev, test", "repair/test/-1": "from 0 to", "repair/test/01": "from 0 to",
		"repair/test/x": "from 0 to", "repair/test/1000000000": "from 0 to",
		"Repair/test/1": "one of budget", "repair/test/9999999999999999999999": "from 0 to",
	} {
		_, err := Find(id)
		var coded *graph.Error
		if !errors.As(err, &coded) || coded.Path != "task" || !strings.Contains(coded.Message, want) {
			t.Errorf("%q: %v, want %s", id, err, want)
		}
	}
}

// A prompt says every constraint, so that nothing is graded that was not asked for.
func TestPromptsSayEveryConstraint(t *testing.T) {
	eachProblem(t, 10, func(t *testing.T, p *Problem) {
		for i := range p.Task.Constraints {
			if s := p.Task.Constraints[i].sentence(); s == "" || !strings.Contains(p.Task.Prompt, s) {
				t.Errorf("%s: the prompt lacks %q", p.Task.ID, s)
			}
		}
	})
}

func TestConstraintsThatCannotBeReadDoNotHold(t *testing.T) {
	model := modelOfText(t, honestImage).AppendJSON(nil)
	for _, c := range []Constraint{{}, {Kind: "fast"}, {Kind: "input"}, {Kind: "input", Vocabulary: 5}, {Kind: "output"},
		{Kind: "fits", GPU: "Voodoo"}, {Kind: "fits"}, {Kind: "serves"}, {Kind: "serves", GPU: "H100", Command: "ls"},
		{Kind: "latency"}, {Kind: "keeps", Components: []string{"c"}}, {Kind: "cache-bytes"}, {Kind: "share"}} {
		if g := Score(&Task{Constraints: []Constraint{c}}, model); g.Passed {
			t.Errorf("%+v holds", c)
		}
	}
	if g := Score(&Task{}, model); g.Passed {
		t.Error("a task without constraints is passed")
	}
	if g := Score(&Task{Start: json.RawMessage(`{"components":`), Constraints: always}, model); g.Passed {
		t.Error("a task whose start cannot be read is passed")
	}
}

func TestLayersAreTypesOfTheCatalogue(t *testing.T) {
	for _, list := range [][]string{layers, alike} {
		for _, id := range list {
			if catalog.Lookup(id) == nil || !slices.Contains(layers, id) {
				t.Errorf("%s is no layer", id)
			}
		}
	}
}

// BenchmarkScore grades one reference of each family.
func BenchmarkScore(b *testing.B) {
	for _, f := range Families() {
		p, err := Find(ID(f.Name, Test, 1))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(f.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Score(&p.Task, p.Reference)
			}
		})
	}
}

// BenchmarkFind draws tasks.
func BenchmarkFind(b *testing.B) {
	for _, f := range Families() {
		b.Run(f.Name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				if _, err := Find(ID(f.Name, Train, n)); err != nil {
					b.Fatal(err)
				}
				n++
			}
		})
	}
}
