package catalog

import (
	"encoding/binary"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

// FuzzEvaluate binds random values to the parameters of a random type, applies it to random shapes and lowers it to
// operations. Nothing may panic; a result has only axes of at least one and counts that are not negative.
func FuzzEvaluate(f *testing.F) {
	types := Types()
	for i := range types {
		f.Add(uint16(i), []byte{1, 3, 2, 0, 200, 3, 8, 8, 3, 16, 16}, []byte{3, 4, 8, 8})
	}
	f.Fuzz(func(t *testing.T, which uint16, values, shapes []byte) {
		typ := types[int(which)%len(types)]
		src := &source{values}
		var params []graph.Param
		for i := range typ.Params {
			if src.next()%4 != 0 {
				params = append(params, graph.Param{Name: typ.Params[i].Name, Value: src.value(&typ.Params[i], 0)})
			}
		}
		var in []Shape
		var isInt []bool
		for s := (&source{shapes}); len(s.data) > 0 && len(in) < 4; {
			shape := Of()
			for range s.next() % 6 {
				shape = append(shape, max(1, s.number()))
			}
			in, isInt = append(in, shape), append(isInt, s.next()%5 == 0)
		}
		r := typ.Evaluate(params, in, isInt)
		if r.Err != nil && (r.Err.Rule == "" || r.Err.Message == "") {
			t.Fatalf("%s %v %v: a refusal without a reason", typ.ID, params, in)
		}
		for _, n := range r.Out {
			if n < 1 {
				t.Fatalf("%s %v %v: gives %v", typ.ID, params, in, r.Out)
			}
		}
		if r.Count < 0 || r.FLOPs < 0 {
			t.Fatalf("%s %v %v: %d weights, %d FLOPs", typ.ID, params, in, r.Count, r.FLOPs)
		}
		if r.Err == nil && r.Out != nil && typ.Lower != nil {
			l := Lowering{P: &op.Program{}}
			l.Begin(typ, Call{Type: typ, Args: r.Args, In: in, InIsInt: isInt, Out: r.Out, OutIsInt: r.OutIsInt}, r.Weights)
			if l.P.Out = typ.Lower(&l); l.P.Out != op.None {
				if keeps := l.P.Keeps(1); keeps.New < -1 || len(keeps.In) != len(in) {
					t.Fatalf("%s %v %v: saves %+v", typ.ID, params, in, keeps)
				}
			}
		}
	})
}

// source turns bytes into values; when they run out, everything is zero.
type source struct{ data []byte }

func (s *source) next() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

// number is mostly small, at times huge or negative.
func (s *source) number() int64 {
	switch b := s.next(); {
	case b < 224:
		return int64(b % 40)
	case b < 240:
		return -int64(b % 8)
	default:
		var word [8]byte
		for i := range word {
			word[i] = s.next()
		}
		return int64(binary.LittleEndian.Uint64(word[:]))
	}
}

func (s *source) value(p *Param, depth int) graph.Value {
	switch b := s.next(); {
	case b < 150 && len(p.Values) > 0:
		return graph.StringValue(p.Values[int(b)%len(p.Values)])
	case b < 150:
		return graph.IntValue(s.number())
	case b < 200 && depth < 2:
		list := make([]graph.Value, s.next()%5)
		for i := range list {
			list[i] = s.value(p, depth+1)
		}
		return graph.ListValue(list...)
	case b < 220:
		return graph.FloatValue(float64(s.number()) / 7)
	case b < 235:
		return graph.BoolValue(b%2 == 0)
	case b < 245:
		return graph.StringValue([]string{"", "same", "valid", "x", "bij,bjk->bik", "ab->ab"}[b%6])
	}
	return graph.Value{}
}
