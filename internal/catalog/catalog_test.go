package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// parseShapes reads the inputs of an example: "[8,4,4] int[12]".
func parseShapes(t *testing.T, text string) (shapes []Shape, isInt []bool) {
	t.Helper()
	for _, f := range strings.Fields(text) {
		dims, tokens := strings.CutPrefix(f, "int")
		var s Shape
		if err := json.Unmarshal([]byte(dims), &s); err != nil {
			t.Fatalf("%q is not a shape: %v", f, err)
		}
		shapes, isInt = append(shapes, s), append(isInt, tokens)
	}
	return shapes, isInt
}

// run executes an example as a model would be: parsed, with its aliases resolved.
func (e *Example) run(t *testing.T, typ *Type) (*Call, Result) {
	t.Helper()
	params, err := graph.ParseParams(e.Args)
	if err != nil {
		t.Fatalf("%s: %v", typ.ID, err)
	}
	for i := range params {
		params[i].Name = typ.Canonical(params[i].Name)
		if typ.Param(params[i].Name) == nil {
			t.Fatalf("%s: the example gives %s, which the type does not read", typ.ID, params[i].Name)
		}
	}
	c := &Call{}
	c.Begin(typ, make([]graph.Value, len(typ.Params)), &Declared{})
	c.In, c.InIsInt = parseShapes(t, e.In)
	if refused := typ.Bind(params, c.Args); refused != nil {
		return c, c.refuse(nil, refused)
	}
	return c, c.Apply()
}

func TestEveryExampleHolds(t *testing.T) {
	for _, typ := range Types() {
		t.Run(typ.ID, func(t *testing.T) {
			good, refused := 0, 0
			for _, e := range typ.Examples {
				_, r := e.run(t, typ)
				if e.Err != "" {
					refused++
					if r.Err == nil || !strings.Contains(r.Err.Message, e.Err) {
						t.Errorf("%s %s: want a refusal with %q, got %v and %v", e.In, e.Args, e.Err, r.Out, r.Err)
					}
					continue
				}
				good++
				out := r.Out.String()
				if r.Out == nil {
					out = "unknown" // prints like a scalar otherwise
				}
				if r.Err != nil || out != e.Out {
					t.Errorf("%s %s: want %s, got %v and %v", e.In, e.Args, e.Out, r.Out, r.Err)
				}
				if e.Weights != 0 && e.Weights != r.Count || e.FLOPs != 0 && e.FLOPs != r.FLOPs {
					t.Errorf("%s %s: want %d weights and %d FLOPs, got %d and %d", e.In, e.Args, e.Weights, e.FLOPs, r.Count, r.FLOPs)
				}
			}
			if good == 0 || refused == 0 {
				t.Errorf("has %d good and %d refused examples, needs one of each", good, refused)
			}
		})
	}
}

func TestEveryDefinitionIsComplete(t *testing.T) {
	for _, typ := range Types() {
		for what, missing := range map[string]bool{
			"Title": typ.Title == "", "Doc": len(typ.Doc) < 30, "Source": typ.Source == "", "Group": typ.Group == "",
			"Shape": typ.Shape == nil, "Torch": typ.Torch == "" && !typ.Has(IsVirtual),
			"WeightFormula": (typ.Weights == nil) != (typ.WeightFormula == ""), "FLOPsFormula": (typ.FLOPs == nil) != (typ.FLOPsFormula == ""),
		} {
			if missing {
				t.Errorf("%s: %s is missing, or there without its counterpart", typ.ID, what)
			}
		}
		for i := range typ.Params {
			p := &typ.Params[i]
			if p.Doc == "" || (p.Derive != nil) != (p.DeriveDoc != "") || (p.Kind == Dims) != (p.N > 0) || p.Lazy && p.Reads == 0 {
				t.Errorf("%s.%s: a definition without Doc, DeriveDoc, N or Reads", typ.ID, p.Name)
			}
			if p.Default != nil && !p.Check(p.value) {
				t.Errorf("%s.%s: the default %v is not what it takes", typ.ID, p.Name, p.Default)
			}
		}
	}
}

func TestSpellingsOfOtherToolsAreKnown(t *testing.T) {
	for spelling, want := range map[string]string{"Linear": "linear", "Dense": "linear", "PixelShuffle": "pixelShuffle", "pixel_shuffle": "pixelShuffle", "nothingLikeIt": "nothingLikeIt"} {
		if got := Canonical(spelling); got != want {
			t.Errorf("%s became %s, want %s", spelling, got, want)
		}
	}
}
