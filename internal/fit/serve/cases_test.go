package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// models are the imported configurations of testdata/models, by name.
var models = map[string]*infer.Result{}

func modelOf(t testing.TB, name string) *infer.Result {
	t.Helper()
	if models[name] == nil {
		data, err := os.ReadFile(filepath.Join("testdata/models", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := hf.Import(data, hf.Options{SeqLen: 64})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m.Graph.Normalize(catalog.Vocabulary)
		models[name] = infer.Walk(m.Graph)
	}
	return models[name]
}

// row is one case: a command for a model on cards, and every finding that it must have.
type row struct {
	line                            int
	model, gpu, gpus, version, want string
	command, source                 string
}

// rows reads a file of cases: model | card | cards | version | findings | source, and the command on the next line. A finding is
// the id of a rule, with "!" where it blocks.
func rows(t testing.TB, file string) []row {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for i, line := range strings.Split(string(data), "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] == ' ' || line[0] == '\t':
			r := &out[len(out)-1]
			if r.command != "" {
				r.command += "\n"
			}
			r.command += strings.TrimPrefix(strings.TrimPrefix(line, "    "), "\t")
		default:
			c := strings.Split(line, "|")
			if len(c) != 6 {
				t.Fatalf("%s:%d has %d columns", file, i+1, len(c))
			}
			for j := range c {
				c[j] = strings.TrimSpace(c[j])
			}
			out = append(out, row{line: i + 1, model: c[0], gpu: c[1], gpus: c[2], version: c[3], want: c[4], source: c[5]})
		}
	}
	return out
}

func (r row) request(t testing.TB) *Request {
	t.Helper()
	q := &Request{Command: r.command, EngineVersion: strings.Trim(r.version, "-")}
	if r.gpu != "-" {
		if q.GPU = hardware.Lookup(r.gpu); q.GPU == nil {
			t.Fatalf("line %d: no card %s", r.line, r.gpu)
		}
	}
	if r.gpus != "-" {
		q.GPUs, _ = wholeNumber(r.gpus)
	}
	return q
}

func found(res *Result) string {
	var out []string
	for _, f := range res.Findings {
		s := f.Rule
		if f.Severity == Block {
			s += "!"
		}
		out = append(out, s)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, " ")
}

func TestCases(t *testing.T) {
	engines, rules, none, total := map[string]int{}, map[string]bool{}, 0, 0
	for _, file := range []string{"testdata/vllm.cases", "testdata/sglang.cases", "testdata/others.cases"} {
		for _, r := range rows(t, file) {
			res := Check(modelOf(t, r.model), r.request(t))
			words := strings.Fields(r.want)
			slices.Sort(words)
			if got := found(res); got != strings.Join(words, " ") {
				t.Errorf("%s:%d: %s\nfound %s\nwant  %s\n%s", file, r.line, r.command, got, r.want, explain(res))
			}
			if r.source == "" {
				t.Errorf("%s:%d has no source", file, r.line)
			}
			engines[res.Engine]++
			total++
			if r.want == "-" {
				none++
			}
			for _, w := range words {
				rules[w] = true
			}
		}
	}
	if total < 300 || none*3 < total-2 {
		t.Errorf("%d cases of which %d expect nothing: 300 and a third are wanted", total, none)
	}
	t.Logf("%d cases, %d without findings, %d kinds of finding, by engine %v", total, none, len(rules), fmt.Sprint(engines))
}

func explain(res *Result) string {
	var b strings.Builder
	for _, f := range res.Findings {
		fmt.Fprintf(&b, "  %s %s: %s [fix: %s]\n", f.Severity, f.Rule, f.Detail, f.Fix)
	}
	return b.String()
}

// The examples of the engines' own documentation are legal for the models that they are meant for. A few are not: the engine's
// source refuses what its documentation shows, and the row names the rule.
func TestDocumentedCommandsAreNotBlocked(t *testing.T) {
	all, refused := rows(t, "testdata/documented.cases"), 0
	for _, r := range all {
		res := Check(modelOf(t, r.model), r.request(t))
		if r.want != "-" {
			refused++
			if !strings.Contains(found(res), r.want) {
				t.Errorf("documented.cases:%d: %s: found %s, want %s", r.line, r.command, found(res), r.want)
			}
			continue
		}
		if res.Verdict == "block" || res.Engine == "" {
			t.Errorf("documented.cases:%d: %s: %s\n%s", r.line, r.command, res.Verdict, explain(res))
		}
	}
	if len(all)-refused < 80 {
		t.Errorf("%d documented commands, 80 are wanted", len(all)-refused)
	}
	t.Logf("%d documented commands are not blocked; %d are refused by the engine's own source", len(all)-refused, refused)
}

// Commands that were made up to be difficult, and what the engines' sources do with them. Only what blocks is compared.
func TestCommandsAgainstTheSources(t *testing.T) {
	all, legal := rows(t, "testdata/sources.cases"), 0
	for _, r := range all {
		q := r.request(t)
		q.Files = []File{{"c.yaml", "max-model-len: 4096\n"}}
		res := Check(modelOf(t, r.model), q)
		got := blocking(res)
		want := strings.Fields(strings.Trim(r.want, "-"))
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("sources.cases:%d: %s\nblocks %v\nwant   %v (%s)\n%s", r.line, r.command, got, want, r.source, explain(res))
		}
		if len(want) == 0 {
			legal++
		}
		if r.source == "" {
			t.Errorf("sources.cases:%d has no source", r.line)
		}
	}
	if len(all) < 120 || legal*5 < len(all)*2 {
		t.Errorf("%d commands of which %d are legal: 120 are wanted, and about half", len(all), legal)
	}
	t.Logf("%d commands, %d of them legal", len(all), legal)
}

// blocking lists the rules that block, each once.
func blocking(res *Result) []string {
	var out []string
	for _, f := range res.Findings {
		if f.Severity == Block {
			out = append(out, f.Rule)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
