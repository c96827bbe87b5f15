package estimate

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// TestOnlyWhatATextCallCanLeaveOutIsAbsent: the word takes refusals away, so that nobody may write it into what runs.
func TestOnlyWhatATextCallCanLeaveOutIsAbsent(t *testing.T) {
	const text = "ids: input shape=[16]\ntable: embedding vocabSize=100 embedDim=32\nlogits: output\nids -> table -> logits\n" +
		"sound: input shape=[20,8]\nup: linear inFeatures=9 outFeatures=32\nsound -> up"
	for more, want := range map[string]string{
		"": "",
		"\nsum: add\nend: output\nup -> sum\ntable -> sum -> end": "its result is read by what runs",
		"\nend: output\nup -> end":                                "its result is read by what runs",
		"\ntable -> up":                                           "the component reads the text",
	} {
		g, err := graph.Parse(text + more)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Components {
			if g.Components[i].ID == "up" {
				g.Components[i].Extra = []graph.Member{{Name: "implementation", Raw: `"transformers/absent"`}}
			}
		}
		p := CheckWords(g)
		if (p == nil) != (want == "") || p != nil && !strings.Contains(p.Text, want) {
			t.Errorf("%q: %+v, want %q", more, p, want)
		}
	}
}
