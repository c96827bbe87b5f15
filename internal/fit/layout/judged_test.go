package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

// What was not looked at is in no list: memory without a card, the division of heads that no component names, anything at all of
// sizes that cannot be counted.
func TestJudgedListsOnlyWhatWasFoundOut(t *testing.T) {
	llama := open(t, "llama3-8b")
	ask := func(res *infer.Result, change func(*Request)) []string {
		r := Default()
		change(&r)
		return Check(res, r).Judged
	}
	without := ask(llama, func(*Request) {})
	with := ask(llama, func(r *Request) { r.GPU = hardware.Lookup("H100") })
	if slices.Contains(without, "layout-memory") || !slices.Contains(with, "layout-memory") {
		t.Errorf("memory is judged with a card alone: without %v, with %v", without, with)
	}
	for _, framework := range Frameworks {
		got := ask(llama, func(r *Request) { r.Framework, r.GPU = framework, hardware.Lookup("H100") })
		for _, r := range Rules(framework) {
			if !slices.Contains(got, r.ID) {
				t.Errorf("%s: %s is not judged of a model of which everything is known", framework, r.ID)
			}
		}
	}
	if got := ask(llama, func(r *Request) { r.TP = 0 }); !slices.Equal(got, []string{"layout-size"}) {
		t.Errorf("tp 0: %v are judged", got)
	}
	hidden := decoded(t, `{"components":[{"id":"i","type":"input","params":{"shape":[8]}},{"id":"c","type":"customModule","params":{}},{"id":"l","type":"linear","params":{"inFeatures":8,"outFeatures":8}},{"id":"o","type":"output"}],
		"connections":[{"from":"i","to":"c"},{"from":"c","to":"l"},{"from":"l","to":"o"}]}`)
	got := ask(hidden, func(r *Request) { r.TP, r.PP, r.GPU = 2, 2, hardware.Lookup("H100") })
	for _, id := range []string{"layout-heads", "layout-kv-heads", "layout-ffn", "layout-layers", "layout-memory", "layout-experts"} {
		if slices.Contains(got, id) {
			t.Errorf("a custom module hides the model, and %s is judged: %s", id, strings.Join(got, " "))
		}
	}
}

// What is hidden is said also where the parts that are known are too large for the card by themselves, so that every rule was judged.
func TestHiddenPartsAreSaidOfALayoutThatDoesNotFit(t *testing.T) {
	g, err := models.Open("olmo-2-1b")
	if err != nil {
		t.Fatal(err)
	}
	g.Components[126].Type = "aTypeThatNobodyKnows"
	g.Normalize(catalog.Vocabulary)
	r := Default()
	r.GPU = hardware.Lookup("T4")
	got := Check(infer.Walk(g), r)
	if !slices.Contains(got.Judged, "layout-memory") {
		t.Fatalf("its memory is not judged: %v", got.Judged)
	}
	if !slices.ContainsFunc(got.Open, func(o rules.Open) bool { return o.Why == hiddenParts }) {
		t.Errorf("nothing is said of the component that nobody knows: %v", got.Open)
	}
}

func decoded(t *testing.T, text string) *infer.Result {
	t.Helper()
	g, err := graph.Decode([]byte(text), "model", graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}
