package truth

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/transformers"
)

// TestAnyComponentMayNameAnyOfItsModules estimates every component that PyTorch runs, with any module that its type can be: the formulas for
// transformers' modules are for shapes that its importer makes, and others have to be estimated, too.
func TestAnyComponentMayNameAnyOfItsModules(t *testing.T) {
	count, named := 0, 0
	for _, file := range []string{"layers.jsonl.gz", "more.jsonl.gz"} {
		lines(t, file, func(line []byte) {
			var r row
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			count++
			if !r.OK || count%3 > 0 && testing.Short() {
				return
			}
			name := ""
			if names := transformers.For(catalog.Vocabulary.Type(r.Type)); len(names) > 0 {
				name = names[count%len(names)]
				named++
			}
			res := r.claims(t, name)
			for _, o := range []estimate.Options{{Precision: "amp", Attention: "eager", Dropout: true}, {Precision: "bf16", Attention: "sdpa"}, {Precision: "fp32", Attention: "sdpa", Checkpointing: true}} {
				if got := estimate.Train(res, o); got.PeakBytes < 0 || got.StepMicros < 1 {
					t.Errorf("%s as %s: %d bytes in %d µs", r.Type, name, got.PeakBytes, got.StepMicros)
				}
			}
			estimate.Infer(res, estimate.InferOptions{Batch: 1})
		})
	}
	t.Logf("%d rows, %d of them with a module", count, named)
}

// claims is a graph of inputs, the row's component, which names a module, and the output of a model of transformers.
func (r *row) claims(t *testing.T, name string) *infer.Result {
	t.Helper()
	own := ""
	if name != "" {
		own = fmt.Sprintf(`,"as":%q`, name)
	}
	components, connections := []string{}, []string{}
	for i, in := range r.Inputs {
		shape, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		components = append(components, fmt.Sprintf(`{"id":"i%d","type":"input","params":{"shape":%s}}`, i, shape))
		connections = append(connections, fmt.Sprintf(`{"from":"i%d","to":"c"}`, i))
	}
	params := string(r.Params)
	if params == "" {
		params = "{}"
	}
	components = append(components, fmt.Sprintf(`{"id":"c","type":%q,"params":%s%s}`, r.Type, params, own), `{"id":"o","type":"output","as":"transformers.PreTrainedModel"}`)
	connections = append(connections, `{"from":"c","to":"o"}`)
	g, err := graph.Decode([]byte(`{"components":[`+strings.Join(components, ",")+`],"connections":[`+strings.Join(connections, ",")+`]}`), "model", graph.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}
