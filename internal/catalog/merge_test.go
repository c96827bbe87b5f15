package catalog

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/op"
)

func TestMergesSaveTheirFactors(t *testing.T) {
	for _, k := range []struct {
		typ, in string
		saved   []bool
		new     int64 // bytes of products and quotients
	}{
		{"add", "[4] [4]", []bool{false, false}, 0},
		{"multiply", "[4]", []bool{false}, 0},
		{"multiply", "[4] [1]", []bool{true, true}, 0},
		{"multiply", "int[4] [4]", []bool{true, false}, 0},
		{"multiply", "[4,1] [1,5] [4,5] [1,1]", []bool{true, true, true, true}, 2 * 4 * 20},
		{"divide", "[4,1] int[1,5] [4,5]", []bool{false, true, true}, 4 * 20},
		{"divide", "int[4] int[4] [4]", []bool{false, false, true}, 4 * 4},
		{"divide", "int[4] int[4]", []bool{false, false}, 0},
		{"maximum", "[4] int[4]", []bool{true, true}, 0},
		{"minimum", "int[4] int[4] [4]", []bool{false, false, true}, 8 * 4},
		{"matmul", "[3,4] [4,5]", []bool{true, true}, 0},
		{"matmul", "[1,3,4] [2,4,5]", []bool{false, true}, 4 * 24},
		{"matmul", "int[3,4] int[4,5]", []bool{false, false}, 0},
	} {
		if got := saved(t, &Example{In: k.in}, k.typ); !slices.Equal(got.In, k.saved) || got.New != k.new {
			t.Errorf("%s %s saves %+v, want %v and %d bytes", k.typ, k.in, got, k.saved, k.new)
		}
	}
}

// saved is what autograd saves of an example of a type.
func saved(t *testing.T, e *Example, id string) op.Keeps {
	t.Helper()
	c, r := e.run(t, Lookup(id))
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	l := Lowering{P: &op.Program{}}
	l.Begin(c.Type, Call{Type: c.Type, Args: r.Args, In: c.In, InIsInt: c.InIsInt, Out: r.Out, OutIsInt: r.OutIsInt}, r.Weights)
	l.P.Out = c.Type.Lower(&l)
	return l.P.Keeps(1)
}

func TestTheInputThatAloneDisagreesIsNamed(t *testing.T) {
	for _, k := range []struct{ typ, in, want string }{
		{"add", "[4,8] [5,8] [4,8]", "input 1 is [5,8] but input 0 is [4,8]: 5 and 4 do not fit on axis 1; the others fit each other"},
		{"add", "[1,8] [4,8] [5,8]", "input 2 is [5,8] but input 1 is [4,8]: 5 and 4 do not fit on axis 1"},
		{"add", "[1] [4] [5] [4]", "input 2 is [5] but input 1 is [4]: 5 and 4 do not fit on axis 1; the others fit each other"},
		{"concatenate", "[8] [2,8] [3,8]", "input 0 is [8] but input 1 is [2,8]: the numbers of axes differ; the others fit each other"},
		{"stack", "[2] [3] [4]", "input 1 is [3] but input 0 is [2]: 3 and 2 do not fit on axis 1"},
	} {
		if _, r := (&Example{In: k.in}).run(t, Lookup(k.typ)); r.Err == nil || r.Err.Message != k.want {
			t.Errorf("%s %s: got %v, want %q", k.typ, k.in, r.Err, k.want)
		}
	}
}
