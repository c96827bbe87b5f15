package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// withModules is a model some of whose components name a module, as it comes over the wire.
func withModules(t *testing.T, names map[string]string) []byte {
	t.Helper()
	g, err := graph.Parse("x: input shape=[16]\ne: embedding vocabSize=100 embedDim=32\nn: rmsNorm normalizedShape=32\na: ropeAttention embedDim=32 numHeads=4\nl: linear inFeatures=32 outFeatures=32\nh: lmHead embedDim=32 vocabSize=100\np: learnedPositionalEmbedding maxLen=16 embedDim=32\no: output\nx -> e -> p -> n -> a -> l -> h -> o")
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Components {
		if raw, found := names[g.Components[i].ID]; found {
			g.Components[i].Extra = []graph.Member{{Name: graph.AsMember, Raw: raw}}
		}
	}
	return g.AppendJSON(nil)
}

func TestModulesThatAreNotRegisteredAreRefused(t *testing.T) {
	for _, c := range []struct{ id, raw, at, want string }{
		{"l", `"transformers.Nonsense"`, "model.components[4].as", "no registered module of linear; it takes transformers.FalconLinear, "},
		{"n", `"transformers.FalconLinear"`, "model.components[2].as", "no registered module of rmsNorm"},
		{"e", `"transformers.LlamaRMSNorm"`, "model.components[1].as", "no module is registered for embedding"},
		{"l", `"transformers.DeepseekV32Indexer"`, "model.components[4].as", "no registered module of linear"},
		{"n", `7`, "model.components[2].as", "no registered module"},
	} {
		_, err := Decode(fmt.Appendf(nil, `{"model":%s}`, withModules(t, map[string]string{c.id: c.raw})), graph.ServiceLimits)
		var e *graph.Error
		if !errors.As(err, &e) || e.Path != c.at || action.Status(err) != 422 || !strings.Contains(e.Message, c.want) || strings.Contains(c.raw, "Nonsense") && len(e.Allowed) < 3 {
			t.Errorf("%s: %v", c.raw, err)
		}
	}
	old := strings.Replace(string(withModules(t, map[string]string{"n": `"x"`})), `"as":"x"`, `"implementation":"transformers/late"`, 1)
	_, err := Decode(fmt.Appendf(nil, `{"model":%s}`, old), graph.ServiceLimits)
	if err == nil || !strings.Contains(err.Error(), "import the model again") {
		t.Errorf("words of an older import: %v", err)
	}
}

// TestModulesAreAPartOfTheModel holds that a model with other modules is another model: its fingerprint, its diff and its plan say so.
func TestModulesAreAPartOfTheModel(t *testing.T) {
	plan := func(names map[string]string, more string) *Record {
		r, err := Decode(fmt.Appendf(nil, `{"model":%s%s}`, withModules(t, names), more), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		return New(r)
	}
	bare, usual := plan(nil, ""), plan(map[string]string{"n": `"transformers.LlamaRMSNorm"`}, "")
	late := plan(map[string]string{"n": `"transformers.T5LayerNorm"`, "p": `"transformers.MarianSinusoidalPositionalEmbedding"`}, "")
	if bare.Model.Fingerprint == usual.Model.Fingerprint || usual.Model.Fingerprint == late.Model.Fingerprint {
		t.Errorf("%s, %s and %s", bare.Model.Fingerprint, usual.Model.Fingerprint, late.Model.Fingerprint)
	}
	if bare.Model.Implementation != nil || usual.Model.Implementation == nil || len(late.Model.Implementation.Variants) != 2 {
		t.Errorf("%+v and %+v", bare.Model.Implementation, late.Model.Implementation)
	}
	if !strings.Contains(late.Cost.Assumptions, "modules as transformers implements them, 1 of them a table that is not trained (512 weights)") ||
		!strings.Contains(Text(late), "T5LayerNorm") {
		t.Errorf("assumes %s\n%s", late.Cost.Assumptions, Text(late))
	}
	if !strings.Contains(bare.Cost.Assumptions, "modules as PyTorch has them") {
		t.Errorf("assumes %s", bare.Cost.Assumptions)
	}
	d := plan(map[string]string{"l": `"transformers.FalconLinear"`}, fmt.Sprintf(`,"base":%s`, withModules(t, nil))).Diff
	if d.Changed != 1 || len(d.Lines) != 1 || d.Lines[0] != `l.as: not set → "transformers.FalconLinear"` {
		t.Errorf("%+v", d)
	}
}
