package bench

import (
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// others are types and parameters that can stand for each other without other weights.
var others = map[string][]string{
	"relu": {"leakyRelu", "tanh", "sigmoid", "silu", "gelu"}, "leakyRelu": {"relu", "silu"}, "gelu": {"silu", "mish",
		"relu"}, "silu": {"gelu", "relu"}, "tanh": {"sigmoid", "relu"},
	"swiglu": {"geglu"}, "geglu": {"swiglu"}, "maxpool2d": {"avgpool2d"}, "avgpool2d": {"maxpool2d"},
}

// variants are other designs with the sizes of one.
func variants(t *testing.T, text []byte) (out []*graph.Graph) {
	t.Helper()
	g, err := graph.Decode(text, "model", Limits)
	if err != nil {
		t.Fatal(err)
	}
	for from, list := range others {
		for _, to := range list {
			v, changed := g.Clone(), false
			for i := range v.Components {
				if c := &v.Components[i]; c.Type == from {
					c.Type, changed = to, true
				}
			}
			if changed {
				out = append(out, v)
			}
		}
	}
	for _, activation := range []string{"relu", "gelu", "silu", "tanh"} {
		v, changed := g.Clone(), false
		for i := range v.Components {
			if c := &v.Components[i]; c.Type == "feedForward" || c.Type == "transformerBlock" {
				if old, _ := c.Param("activation"); old.Str() != activation {
					c.SetParam("activation", graph.StringValue(activation))
					changed = true
				}
			}
		}
		if changed {
			out = append(out, v)
		}
	}
	return out
}

// TestBudgetsAreReachedByMoreThanOneDesign holds that the reference is not the only answer, even to an exact budget.
func TestBudgetsAreReachedByMoreThanOneDesign(t *testing.T) {
	alone, all, designs := 0, 0, 0
	for _, split := range Splits {
		for n := range draws() {
			p, err := Find(ID("budget", split, n))
			if err != nil {
				t.Fatal(err)
			}
			own := Score(&p.Task, p.Reference).Fingerprint
			g, err := Apply(&p.Task, p.Reference)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, v := range variants(t, g.AppendJSON(nil)) {
				if grade := Score(&p.Task, v.AppendJSON(nil)); grade.Passed && grade.Fingerprint != own {
					found++
				}
			}
			all++
			designs += found
			if found == 0 {
				alone++
				t.Errorf("%s: no other design was found", p.Task.ID)
			}
		}
	}
	t.Logf("%d budgets, %d with one design alone, %d other designs", all, alone, designs)
}
