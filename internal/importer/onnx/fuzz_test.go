package onnx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// FuzzImport holds that no file is a fault of ours: it is refused as the sender's, or its graph runs and has the parameters
// that were counted.
func FuzzImport(f *testing.F) {
	n := 0
	for _, archive := range archives {
		unpack(f, archive, func(_ string, data []byte) {
			if n++; len(data) < 20_000 && n%3 == 0 {
				f.Add(data)
			}
		})
	}
	f.Add([]byte(recursive()))
	f.Add([]byte(model(13, deepGraph(3))))
	f.Add([]byte(one(9, []int64{2, 4, 6, 6}, "Conv", []message{aString("auto_pad", "SAME_UPPER")}, floats("w", 8, 4, 3, 3))))
	f.Fuzz(func(t *testing.T, data []byte) {
		holds(t, data)
	})
}

// holds checks one file, and reports whether it was accepted.
func holds(t *testing.T, data []byte) bool {
	m, err := read(data, Options{Limits: graph.ServiceLimits})
	var fault *graph.Error
	if err != nil {
		if !errors.As(err, &fault) {
			t.Fatal(err)
		}
		return false
	}
	if res := infer.Walk(m.Graph); len(res.Refusals) > 0 || res.Params != m.Params {
		t.Fatalf("%v, %d parameters and %d", res.Refusals, res.Params, m.Params)
	}
	return true
}

// dice makes choices from bytes, and takes the first where they are spent.
type dice struct{ data []byte }

func (d *dice) roll(n int) int {
	if len(d.data) == 0 || n < 2 {
		return 0
	}
	v := int(d.data[0]) % n
	d.data = d.data[1:]
	return v
}

func (d *dice) size() int64 { return []int64{1, 2, 3, 4, 6, 8, 12, 24}[d.roll(8)] }

// number is mostly small and sometimes absurd.
func (d *dice) number() int64 {
	return []int64{0, 1, 2, 3, 4, -1, -2, 5, 6, 8, 12, 7, -3, 1 << 31, -1 << 63, 1<<63 - 1}[d.roll(16)]
}

// attrNames are the attributes of all operators together; most mean nothing to most of them.
var attrNames = []string{"axis", "axes", "perm", "keepdims", "group", "strides", "pads", "dilations", "kernel_shape", "transA", "transB", "alpha", "epsilon", "split", "num_outputs",
	"hidden_size", "direction", "layout", "blocksize", "ceil_mode", "output_padding", "output_shape", "scales", "to", "start", "end", "num_groups", "k", "batch_dims", "auto_pad", "equation", "mode"}

// randomGraph builds a file of random operators that read each other.
func randomGraph(d *dice) message {
	b := &builder{}
	dims := []int64{[]int64{1, 1, 2, -1}[d.roll(4)]}
	for range d.roll(5) {
		dims = append(dims, d.size())
	}
	b.input("x", dims...)
	values, consts := []string{"x", "x"}, []string{""}
	for i := range 2 + d.roll(5) {
		name := fmt.Sprint([]string{"m.w", "onnx::c", "val_"}[d.roll(3)], i)
		if d.roll(2) == 0 {
			var shape []int64
			for range d.roll(5) {
				shape = append(shape, d.size())
			}
			b.floats(name, shape...)
		} else {
			var list []int64
			for range d.roll(5) {
				list = append(list, d.number())
			}
			b.ints(name, list...)
		}
		consts = append(consts, name)
	}
	for i := range 1 + d.roll(8) {
		op := operatorNames[d.roll(len(operatorNames))]
		in := []string{values[len(values)-1-d.roll(min(2, len(values)))]}
		for range d.roll(4) {
			if pool := append(slices.Clone(consts), values...); d.roll(4) > 0 {
				in = append(in, pool[d.roll(len(pool))])
			} else {
				in = append(in, consts[d.roll(len(consts))])
			}
		}
		var attrs []message
		for range d.roll(4) {
			name := attrNames[d.roll(len(attrNames))]
			switch d.roll(4) {
			case 0:
				attrs = append(attrs, theInts(name, d.number(), d.number()))
			case 1:
				attrs = append(attrs, theInts(name, d.number(), d.number(), d.number(), d.number()))
			case 2:
				attrs = append(attrs, aFloat(name, float64(d.number())))
			default:
				attrs = append(attrs, anInt(name, d.number()))
			}
		}
		out := fmt.Sprint("v", i)
		b.node(op, in, names(out, out+"b")[:1+d.roll(2)], attrs...).declare(out, 1, 4)
		values = append(values, out)
	}
	return model([]int64{7, 9, 11, 13, 17, 20}[d.roll(6)], b.output(values[len(values)-1]).g)
}

// operatorNames are all that are known, names of ours among them, and some that are not.
var operatorNames = func() []string {
	out := []string{"Fancy", "If", "Loop", "SplitToSequence", "SequenceAt"}
	for name := range operators {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}()

// FuzzGraph is FuzzImport with files whose parts fit together well enough to get beyond the first error.
func FuzzGraph(f *testing.F) {
	for i := range 64 {
		seed := make([]byte, 200)
		for j := range seed {
			seed[j] = byte(i*31 + j*j*7 + j*i)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, randomGraph(&dice{data})) })
}

// TestRandomGraphsAreNoFaultOfOurs is FuzzGraph with chance that is the same every time.
func TestRandomGraphsAreNoFaultOfOurs(t *testing.T) {
	random, accepted := rand.New(rand.NewPCG(4, 2)), 0
	const count = 5_000
	for range count {
		data := make([]byte, 160)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		if holds(t, randomGraph(&dice{data})) {
			accepted++
		}
	}
	t.Logf("%d of %d accepted", accepted, count)
	if accepted < count/50 {
		t.Errorf("only %d of %d were accepted: the rest says little", accepted, count)
	}
}
