package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// worded is a model with words on some of its components, as it comes over the wire.
func worded(t *testing.T, words map[string]string) []byte {
	t.Helper()
	g, err := graph.Parse("x: input shape=[16]\ne: embedding vocabSize=100 embedDim=32\nn: rmsNorm normalizedShape=32\na: ropeAttention embedDim=32 numHeads=4\nl: linear inFeatures=32 outFeatures=32\nh: lmHead embedDim=32 vocabSize=100\no: output\nx -> e -> n -> a -> l -> h -> o")
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Components {
		if raw, found := words[g.Components[i].ID]; found {
			g.Components[i].Extra = []graph.Member{{Name: "implementation", Raw: raw}}
		}
	}
	return g.AppendJSON(nil)
}

func TestWordsThatAreNotAnImportersAreRefused(t *testing.T) {
	_, err := Decode(fmt.Appendf(nil, `{"model":%s}`, worded(t, map[string]string{"l": `"transformers/absent"`})), graph.ServiceLimits)
	var e *graph.Error
	if !errors.As(err, &e) || e.Path != "model.components[4].implementation" || action.Status(err) != 422 || !strings.Contains(e.Message, "the component reads the text") {
		t.Errorf("%v", err)
	}
	_, err = Decode(fmt.Appendf(nil, `{"model":%s}`, worded(t, map[string]string{"l": `"transformers/half"`})), graph.ServiceLimits)
	if !errors.As(err, &e) || action.Status(err) != 422 || len(e.Allowed) == 0 || !strings.Contains(e.Message, `"half"`) || !strings.Contains(e.Message, "detached") {
		t.Errorf("%v", err)
	}
}

// TestWordsAreAPartOfTheModel holds that a model with other words is another model: its fingerprint, its diff and its plan say so.
func TestWordsAreAPartOfTheModel(t *testing.T) {
	plan := func(words map[string]string, more string) *Record {
		r, err := Decode(fmt.Appendf(nil, `{"model":%s%s}`, worded(t, words), more), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		return New(r)
	}
	bare, usual := plan(nil, ""), plan(map[string]string{"n": `"transformers"`}, "")
	late := plan(map[string]string{"n": `"transformers/late"`, "l": `"transformers/plain/detached"`}, "")
	turned := plan(map[string]string{"n": `"transformers/late"`, "l": `"transformers/detached/plain/plain"`}, "")
	if bare.Model.Fingerprint == usual.Model.Fingerprint || usual.Model.Fingerprint == late.Model.Fingerprint || late.Model.Fingerprint != turned.Model.Fingerprint {
		t.Errorf("%s, %s, %s and %s", bare.Model.Fingerprint, usual.Model.Fingerprint, late.Model.Fingerprint, turned.Model.Fingerprint)
	}
	if bare.Model.Implementation != nil || usual.Model.Implementation == nil || len(late.Model.Implementation.Variants) != 3 {
		t.Errorf("%+v and %+v", bare.Model.Implementation, late.Model.Implementation)
	}
	if !strings.Contains(late.Cost.Assumptions, "modules as transformers implements them, 1 of them computed without gradients and not trained (1,056 weights)") ||
		!strings.Contains(Text(late), "an RMS norm that scales in 16 bits (1)") {
		t.Errorf("assumes %s\n%s", late.Cost.Assumptions, Text(late))
	}
	if !strings.Contains(bare.Cost.Assumptions, "modules as PyTorch has them") {
		t.Errorf("assumes %s", bare.Cost.Assumptions)
	}
	d := plan(map[string]string{"l": `"transformers/detached"`}, fmt.Sprintf(`,"base":%s`, worded(t, nil))).Diff
	if d.Changed != 1 || len(d.Lines) != 1 || d.Lines[0] != `l.implementation: not set → "transformers/detached"` {
		t.Errorf("%+v", d)
	}
}
