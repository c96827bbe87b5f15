package layout

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

var walked = map[string]*infer.Result{}

// open walks a model of testdata/models, or a bundled graph.
func open(t testing.TB, name string) *infer.Result {
	t.Helper()
	if res := walked[name]; res != nil {
		return res
	}
	var g *graph.Graph
	if bundled, ok := strings.CutPrefix(name, "graph:"); ok {
		opened, err := models.Open(bundled)
		if err != nil {
			t.Fatal(err)
		}
		g = opened
	} else {
		data, err := os.ReadFile("testdata/models/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		m, err := hf.Import(data, hf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g = m.Graph
	}
	g.Normalize(catalog.Vocabulary)
	walked[name] = infer.Walk(g)
	return walked[name]
}

// parse reads a layout written as tp=2 pp=4.
func parse(t testing.TB, framework, text string) Request {
	t.Helper()
	r := Default()
	r.Framework = framework
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "tp":
			r.TP = n
		case "pp":
			r.PP = n
		case "dp":
			r.DP = n
		case "cp":
			r.CP = n
		case "ep":
			r.EP = n
		case "vpp":
			r.VPP = n
		case "micro_batch":
			r.MicroBatch = n
		case "etp":
			r.ETP = &n
		case "zero":
			r.Zero = &n
		case "global_batch":
			r.GlobalBatch = &n
		case "seq_len":
			r.SeqLen = &n
		case "first_stage_layers":
			r.FirstLayers = &n
		case "last_stage_layers":
			r.LastLayers = &n
		case "sequence_parallel":
			on := value == "true"
			r.SequenceParallel = &on
		case "recompute":
			r.Recompute = value
		case "offload":
			r.Offload = value
		case "gpu":
			r.GPU = hardware.Lookup(value)
		default:
			t.Fatalf("no such size: %s", field)
		}
	}
	return r
}

type layoutCase struct{ model, framework, layout, rules, figures, source string }

// cases reads the file. A comment ends a line.
func cases(t testing.TB) []layoutCase {
	t.Helper()
	data, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []layoutCase
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		c := strings.Split(line, "|")
		if len(c) != 6 {
			t.Fatalf("line %d has %d columns", i+1, len(c))
		}
		for k := range c {
			c[k] = strings.TrimSpace(c[k])
		}
		if c[5] == "" {
			t.Fatalf("line %d has no source", i+1)
		}
		out = append(out, layoutCase{c[0], c[1], c[2], c[3], c[4], c[5]})
	}
	return out
}

func TestCases(t *testing.T) {
	all := cases(t)
	if len(all) < 150 {
		t.Fatalf("only %d cases", len(all))
	}
	for _, c := range all {
		r := Check(open(t, c.model), parse(t, c.framework, c.layout))
		var got []string
		for _, f := range r.Findings {
			if f.Detail == "" || f.Title == "" {
				t.Errorf("%s %s %s: an empty finding %+v", c.model, c.framework, c.layout, f)
			}
			if f.Severity == rules.Warn {
				f.Rule = "~" + f.Rule
			}
			got = append(got, f.Rule)
		}
		want := strings.Fields(c.rules)
		if c.rules == "-" {
			want = nil
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s %s %s: %v, want %v (%s)", c.model, c.framework, c.layout, got, want, c.source)
		}
		for _, figure := range strings.Fields(c.figures) {
			name, value, _ := strings.Cut(figure, "=")
			if is := figureOf(r, name); is != value {
				t.Errorf("%s %s %s: %s is %s, want %s (%s)", c.model, c.framework, c.layout, name, is, value, c.source)
			}
		}
	}
}

// figureOf writes a figure of an answer as the cases have it.
func figureOf(r *Result, name string) string {
	list := func(n []int64) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(n), " ", ","), "[]") }
	switch name {
	case "gpus":
		return fmt.Sprint(r.GPUs)
	case "m":
		return fmt.Sprint(r.MicroBatches)
	case "bubble":
		return r.Bubble.String()
	case "legal":
		return fmt.Sprint(r.Legal)
	case "seqLen":
		return fmt.Sprint(r.SeqLen)
	case "legalTp":
		return list(r.LegalTP)
	case "legalPp":
		return list(r.LegalPP)
	case "layers":
		var n []int64
		for _, s := range r.Stages {
			n = append(n, s.Layers)
		}
		return list(n)
	case "params":
		n := int64(0)
		for _, s := range r.Stages {
			n += s.Params
		}
		return fmt.Sprint(n)
	case "params0":
		return fmt.Sprint(r.Stages[0].Params)
	case "w":
		return r.Stages[0].WeightsGB.String()
	case "g":
		return r.Stages[0].GradsGB.String()
	case "o":
		return r.Stages[0].OptimizerGB.String()
	case "fits":
		for _, s := range r.Stages {
			if !*s.Fits {
				return "false"
			}
		}
		return "true"
	}
	return "no such figure"
}

func TestEveryFieldGoesOverTheWireInItsOrder(t *testing.T) {
	r := Check(open(t, "gpt2"), parse(t, "megatron", "tp=2 gpu=h100"))
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, name := range []string{"verdict", "legal", "gpus", "microBatches", "bubble", "balance", "stages", "index", "layers", "params", "weightsGb", "gradsGb", "optimizerGb",
		"activationsGb", "peakGb", "fits", "findings", "legalTp", "legalPp"} {
		next := strings.Index(string(data)[at:], `"`+name+`":`)
		if next < 0 {
			t.Fatalf("%s is not where it belongs in %s", name, data)
		}
		at += next
	}
}
