package catalog

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

// TestEveryProgramIsWhatTheTypeSays lowers every type on its own examples: the program runs, gives the type's
// result of the type's weights, takes its FLOPs, and saves no more for the backward pass of two samples than twice what it saves for one.
func TestEveryProgramIsWhatTheTypeSays(t *testing.T) {
	for _, typ := range Types() {
		if typ.Lower == nil {
			continue
		}
		t.Run(typ.ID, func(t *testing.T) {
			for _, e := range typ.Examples {
				if c, r := e.run(t, typ); r.Err == nil && r.Out != nil {
					holdProgram(t, c, &r)
				}
			}
		})
	}
}

// TestDrawnProgramsAreWhatTheTypeSays does so with parameters and shapes that are drawn.
func TestDrawnProgramsAreWhatTheTypeSays(t *testing.T) {
	for _, typ := range Types() {
		if typ.Lower == nil {
			continue
		}
		t.Run(typ.ID, func(t *testing.T) {
			draw := rand.New(rand.NewSource(1))
			for range 400 {
				if c, r := drawCall(t, draw, typ); r.Err == nil && r.Out != nil && small(c, &r) && !t.Failed() {
					holdProgram(t, c, &r)
				}
			}
		})
	}
}

// drawCall is a call of a type: one of its examples, with some parameters drawn as the fuzzing does, and axes
// that grow.
func drawCall(t *testing.T, draw *rand.Rand, typ *Type) (*Call, Result) {
	t.Helper()
	bytes := make([]byte, 64)
	for i := range bytes {
		bytes[i] = byte(draw.Intn(224)) // of larger bytes the fuzzing makes huge numbers
	}
	src := &source{bytes}
	e := typ.Examples[draw.Intn(len(typ.Examples))]
	params, err := graph.ParseParams(e.Args)
	if err != nil {
		t.Fatal(err)
	}
	for i := range params {
		params[i].Name = typ.Canonical(params[i].Name)
	}
	for i := range typ.Params {
		if draw.Intn(4) == 0 {
			params = append(params, graph.Param{Name: typ.Params[i].Name, Value: src.value(&typ.Params[i], 0)})
		}
	}
	c := &Call{}
	c.Begin(typ, make([]graph.Value, len(typ.Params)), &Declared{})
	c.In, c.InIsInt = parseShapes(t, e.In)
	for _, shape := range c.In {
		if len(shape) > 0 && draw.Intn(2) == 0 {
			shape[draw.Intn(len(shape))] = int64(1 + draw.Intn(12))
		}
	}
	if refused := typ.Bind(params, c.Args); refused != nil {
		return c, c.refuse(nil, refused)
	}
	return c, c.Apply()
}

// small keeps the arithmetic of programs, which is unchecked, far from its limits.
func small(c *Call, r *Result) bool {
	const limit = 1 << 40
	for _, s := range append(slices.Clone(c.In), r.Out) {
		if n := s.Size(); n < 0 || n > limit {
			return false
		}
	}
	return r.FLOPs < limit && r.Count < limit
}

func holdProgram(t *testing.T, c *Call, r *Result) {
	t.Helper()
	p := &op.Program{}
	l := Lowering{P: p}
	call := Call{Type: c.Type, Args: r.Args, In: c.In, InIsInt: c.InIsInt, Out: r.Out, OutIsInt: r.OutIsInt}
	l.Begin(c.Type, call, r.Weights)
	if p.Out = c.Type.Lower(&l); p.Out == op.None {
		return // of too many parts
	}
	name := func() string { return c.Type.ID + " " + describe(c) }
	if err := p.Check(); err != nil {
		t.Errorf("%s: %v", name(), err)
		return
	}
	if out := &p.Tensors[p.Out]; !slices.Equal(out.Shape, r.Out) || (out.DType == op.Int64) != r.OutIsInt {
		t.Errorf("%s: the program gives %v (integers: %v), the type %v (%v)",
			name(), out.Shape, out.DType == op.Int64, r.Out, r.OutIsInt)
	}
	if out := &p.Tensors[p.Out]; out.Shared {
		t.Errorf("%s: the result has no batch axis", name())
	}
	holdWeights(t, name(), p, r.Weights)
	if got := p.FLOPs(); got != r.FLOPs {
		t.Errorf("%s: the program takes %d FLOPs, the type says %d", name(), got, r.FLOPs)
	}
	holdSaved(t, name(), p)
}

// holdWeights asks for every weight that the type declares to be read by a step.
func holdWeights(t *testing.T, name string, p *op.Program, weights []Weight) {
	t.Helper()
	read := make([]bool, len(weights))
	for k := range p.Steps {
		for _, v := range p.Steps[k].In {
			if x := &p.Tensors[v]; x.Role == op.Weight {
				read[x.Index] = true
			}
		}
	}
	for k, ok := range read {
		if !ok {
			t.Errorf("%s: no step reads the weight %s", name, weights[k].Path())
		}
	}
}

// holdSaved compares what autograd saves of one sample and of two. TestLowered of truth compares it with PyTorch.
func holdSaved(t *testing.T, name string, p *op.Program) {
	t.Helper()
	one, two := p.Keeps(1), p.Keeps(2)
	if !slices.Equal(one.In, two.In) || one.Out != two.Out || two.New < one.New || two.New > 2*one.New {
		t.Errorf("%s: the program saves %+v of one sample, and %+v of two", name, one, two)
	}
}

// describe is a call in short.
func describe(c *Call) string {
	text := ""
	for i, v := range c.Args {
		if v.Kind() != graph.Null {
			text += c.Type.Params[i].Name + "=" + v.String() + " "
		}
	}
	for _, s := range c.In {
		text += s.String()
	}
	return text
}
