package transformers

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

// TestEveryModuleGivesWhatItsTypeDoes lowers every registered module, and the usual one of its type, on the examples of the type and with what a config
// can turn on: the program runs and gives the type's result, in every precision and with either attention.
func TestEveryModuleGivesWhatItsTypeDoes(t *testing.T) {
	modules := map[string][]catalog.Module{}
	for typ, m := range byType {
		modules[typ] = append(modules[typ], m)
	}
	for _, v := range All() {
		modules[v.Type] = append(modules[v.Type], v.Module)
	}
	for id, all := range modules {
		typ := catalog.Lookup(id)
		if typ == nil {
			t.Fatalf("there is no type %s", id)
		}
		t.Run(id, func(t *testing.T) {
			for _, m := range all {
				for _, e := range typ.Examples {
					holdModule(t, typ, &e, m)
					for _, on := range []string{"dropout=0.1", "softcap=50", "clip=8"} {
						if name, _, _ := strings.Cut(on, "="); typ.Param(name) != nil && !strings.Contains(e.Args, name) {
							e.Args += " " + on
							holdModule(t, typ, &e, m)
						}
					}
				}
			}
		})
	}
}

func holdModule(t *testing.T, typ *catalog.Type, e *catalog.Example, m catalog.Module) {
	t.Helper()
	c, ok := callOf(t, typ, e)
	if !ok {
		return
	}
	r := c.Apply()
	if r.Err != nil || r.Out == nil {
		return
	}
	for _, precision := range []op.Precision{{Weights: 4}, {Weights: 2}, {Weights: 4, Autocast: true}} {
		for _, eager := range []bool{false, true} {
			p := &op.Program{Precision: precision}
			l := catalog.Lowering{P: p, Eager: eager}
			l.Begin(typ, catalog.Call{Type: typ, Args: r.Args, In: c.In, InIsInt: c.InIsInt, Out: r.Out, OutIsInt: r.OutIsInt}, r.Weights)
			if p.Out = m.Lower(&l); p.Out == op.None {
				continue
			}
			if err := p.Check(); err != nil {
				t.Errorf("%s of %s as %+v: %v", e.Args, e.In, m, err)
			} else if out := p.Shape(p.Out); !slices.Equal(out, r.Out) {
				t.Errorf("%s of %s as %+v: the module gives %v, the type %v", e.Args, e.In, m, out, r.Out)
			}
		}
	}
}

// callOf is a call of a type as an example has it.
func callOf(t *testing.T, typ *catalog.Type, e *catalog.Example) (*catalog.Call, bool) {
	t.Helper()
	params, err := graph.ParseParams(e.Args)
	if err != nil {
		t.Fatal(err)
	}
	for i := range params {
		params[i].Name = typ.Canonical(params[i].Name)
	}
	c := &catalog.Call{}
	c.Begin(typ, make([]graph.Value, len(typ.Params)), &catalog.Declared{})
	for _, f := range strings.Fields(e.In) {
		dims, tokens := strings.CutPrefix(f, "int")
		var s catalog.Shape
		if err := json.Unmarshal([]byte(dims), &s); err != nil {
			t.Fatal(err)
		}
		c.In, c.InIsInt = append(c.In, s), append(c.InIsInt, tokens)
	}
	return c, typ.Bind(params, c.Args) == nil
}
