package truth

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

var hfTypes = flag.String("hf", "", "compare only these model types, separated by commas, and show every difference")

// configRow is a config.json with the number of weights of the model that transformers builds from it.
type configRow struct {
	Task, Variant string
	Config        json.RawMessage
	Params        int64
}

// tensorRow lists the tensors of such a model.
type tensorRow struct {
	Task, ModelType, Variant string
	Tensors                  map[string][]int64
}

// tally is what became of the rows of one model type and task.
type tally struct {
	pair                 string
	rows, exact, refused int
	wrong                []string
}

// TestConfigsAreImportedExactly imports every measured config.json. A model type may be refused by name; one that is imported
// has exactly the weights of the real model, tensor by tensor, and runs.
func TestConfigsAreImportedExactly(t *testing.T) {
	names := map[string][]map[string][]int64{} // gpt2 was measured under two names
	lines(t, "hf-tensors.jsonl.gz", func(line []byte) {
		var r tensorRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		key := r.Task + " " + r.ModelType + " " + r.Variant
		names[key] = append(names[key], r.Tensors)
	})
	tallies := map[string]*tally{}
	compare := func(line []byte) {
		var r configRow
		if err := json.Unmarshal(hf.Strict(line), &r); err != nil {
			t.Fatal(err)
		}
		var head struct {
			ModelType string `json:"model_type"`
		}
		_ = json.Unmarshal(r.Config, &head)
		if *hfTypes != "" && !slices.Contains(strings.Split(*hfTypes, ","), head.ModelType) {
			return
		}
		pair := r.Task + " " + head.ModelType
		if tallies[pair] == nil {
			tallies[pair] = &tally{pair: pair}
		}
		tallies[pair].add(r, ofSize(names[pair+" "+r.Variant], r.Params))
	}
	lines(t, "hf.jsonl.gz", compare)
	lines(t, "hf-keys.jsonl.gz", compare)
	report(t, tallies)
}

// ofSize chooses the lists of tensors that have as many weights as the model.
func ofSize(lists []map[string][]int64, params int64) map[string][]int64 {
	for _, tensors := range lists {
		sum := int64(0)
		for _, shape := range tensors {
			n := int64(1)
			for _, d := range shape {
				n *= d
			}
			sum += n
		}
		if sum == params {
			return tensors
		}
	}
	if len(lists) > 0 {
		return lists[0]
	}
	return nil
}

func (y *tally) add(r configRow, tensors map[string][]int64) {
	y.rows++
	model, err := hf.Import(r.Config, hf.Options{SeqLen: 128})
	var fault *graph.Error
	switch {
	case errors.As(err, &fault) && fault.Code == hf.CodeArchitecture:
		y.refused++
	case err != nil:
		y.wrong = append(y.wrong, r.Variant+": "+err.Error())
	default:
		w, stuck := difference(model, r.Params, tensors)
		if w == "" && stuck != "" && !strings.HasPrefix(r.Variant, "key:") && !crashes(model.ModelType, stuck) {
			w = "does not run: " + stuck
		}
		if w != "" {
			y.wrong = append(y.wrong, r.Variant+": "+w)
			return
		}
		y.exact++
	}
}

// difference says how an imported model differs from the real one, and why it would not run. transformers built each of the
// real ones, but ran none: with a single key changed, some cannot run.
func difference(m *hf.Model, params int64, tensors map[string][]int64) (wrong, stuck string) {
	if tensors != nil {
		mine := map[string][]int64{}
		for _, x := range m.Tensors {
			mine[x.Name] = x.Shape
		}
		if d := tensorDifference(mine, tensors); d != "" {
			return d, ""
		}
	}
	if m.Params != params {
		return fmt.Sprintf("the tensors have %d weights, the model has %d", m.Params, params), ""
	}
	g := m.Graph.Clone()
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	for _, r := range res.Refusals {
		return "", fmt.Sprintf("%s: %s", res.Nodes[r.Node].Component.ID, r.Message)
	}
	if res.Params != params {
		return fmt.Sprintf("the components have %d weights, the model has %d%s", res.Params, params, unequal(m, res)), ""
	}
	return "", ""
}

// cannotRun are model types of which transformers builds some that crash when they are called, and the refusal that says so.
var cannotRun = map[string]string{
	"esmc":          "q_norm: normalizedShape is",      // the norm takes hidden_size, whatever the heads give
	"modernvbert":   "model.connector: shape is",       // by default 14 patches a side, which 4 does not divide
	"codegen":       "transformer.h.0.attn#",           // the heads are no multiple of four, or fewer features than angles
	"gptj":          "do not fit on axis 3",            // rotary_dim is more than the features of a head
	"helium":        "self_attn.o_proj: inFeatures is", // this map takes hidden_size, whatever the heads give
	"kimi_linear":   "but there are only",              // torch.topk finds fewer experts than a token is to visit
	"mimo_v2_flash": "heads are not divisible by",      // layers that slide have twice the key heads

	"textnet": "stages.0.stage.0.main_conv: inChannels is", // the first stage takes hidden_sizes[0], whatever the stem gives

	// projector_config.encoder_hidden_size, which the checkpoints set to encoder_config.hidden_dim
	"granite_speech":      "kvDim is 1408 but 1024 features arrive",
	"granite_speech_plus": "kvDim is 1408 but 1024 features arrive",
}

func crashes(modelType, stuck string) bool {
	why, ok := cannotRun[modelType]
	return ok && strings.Contains(stuck, why)
}

func tensorDifference(mine, theirs map[string][]int64) string {
	var out []string
	for name, shape := range theirs {
		if got, ok := mine[name]; !ok {
			out = append(out, "-"+name+fmt.Sprint(shape))
		} else if !reflect.DeepEqual(got, shape) && len(got)+len(shape) > 0 {
			out = append(out, fmt.Sprintf("~%s is %v, not %v", name, shape, got))
		}
	}
	for name, shape := range mine {
		if _, ok := theirs[name]; !ok {
			out = append(out, "+"+name+fmt.Sprint(shape))
		}
	}
	sort.Strings(out)
	if len(out) > 12 {
		out = append(out[:12], fmt.Sprintf("… %d more", len(out)-12))
	}
	return strings.Join(out, "; ")
}

// unequal names the first places whose components do not have the weights of the tensors listed there.
func unequal(m *hf.Model, res *infer.Result) string {
	listed := map[string]int64{}
	for _, x := range m.Tensors {
		n, _ := x.Elements()
		listed[owner(m.Graph, x.Name)] += n
	}
	var out []string
	for i := range res.Nodes {
		id := res.Nodes[i].Component.ID
		if res.Nodes[i].Params != listed[id] && len(out) < 4 {
			out = append(out, fmt.Sprintf("%s (%s) has %d, its tensors %d", id, res.Nodes[i].Component.Type, res.Nodes[i].Params, listed[id]))
		}
	}
	return "; " + strings.Join(out, "; ")
}

// owner is the component with the longest id that a tensor's name starts with.
func owner(g *graph.Graph, tensor string) string {
	best := ""
	for i := range g.Components {
		if id := g.Components[i].ID; (tensor == id || strings.HasPrefix(tensor, id+".")) && len(id) > len(best) {
			best = id
		}
	}
	return best
}

func report(t *testing.T, tallies map[string]*tally) {
	t.Helper()
	var all tally
	var pairs []string
	full := 0
	for p := range tallies {
		pairs = append(pairs, p)
	}
	sort.Strings(pairs)
	for _, p := range pairs {
		y := tallies[p]
		all.rows, all.exact, all.refused = all.rows+y.rows, all.exact+y.exact, all.refused+y.refused
		if y.exact == y.rows {
			full++
		}
		t.Logf("%-45s %3d rows: %3d exact, %3d refused by name, %3d wrong", p, y.rows, y.exact, y.refused, len(y.wrong))
		show := 2
		if *hfTypes != "" {
			show = 8
		}
		for _, w := range y.wrong[:min(show, len(y.wrong))] {
			t.Errorf("%s %s", p, w)
		}
	}
	t.Logf("%d configs: %d exact, %d refused by name, %d wrong; %d of %d pairs of task and model type exact in every row",
		all.rows, all.exact, all.refused, all.rows-all.exact-all.refused, full, len(pairs))
}
