package onnx

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file writes ONNX messages for the tests. A message is its bytes; the functions append fields.

type message []byte

func (m message) sub(num protowire.Number, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, num, protowire.BytesType), b)
}
func (m message) text(num protowire.Number, s string) message { return m.sub(num, []byte(s)) }
func (m message) int(num protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, num, protowire.VarintType), uint64(v))
}
func (m message) float(num protowire.Number, v float64) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, num, protowire.Fixed32Type), math.Float32bits(float32(v)))
}

// model is a file with an operator set and a graph.
func model(opset int64, graph message, more ...message) message {
	m := message{}.int(1, 8).text(2, "test").sub(8, message{}.text(1, "").int(2, opset)).sub(7, graph)
	for _, f := range more {
		m = m.sub(25, f)
	}
	return m
}

type builder struct{ g message }

func (b *builder) node(op string, in, out []string, attrs ...message) *builder {
	b.g = b.g.sub(1, operation(op, in, out, attrs...))
	return b
}

func operation(op string, in, out []string, attrs ...message) message {
	n := message{}.text(3, "node "+out[0]).text(4, op)
	for _, s := range in {
		n = n.text(1, s)
	}
	for _, s := range out {
		n = n.text(2, s)
	}
	for _, a := range attrs {
		n = n.sub(5, a)
	}
	return n
}

// floats adds an initializer without interesting elements, ints one with those given.
func (b *builder) floats(name string, dims ...int64) *builder {
	size := int64(1)
	for _, d := range dims {
		size *= d
	}
	b.g = b.g.sub(5, tensorOf(name, 1, dims).sub(9, bytes.Repeat([]byte{0, 0, 0, 63}, int(size))))
	return b
}

func (b *builder) ints(name string, values ...int64) *builder {
	b.g = b.g.sub(5, intTensor(name, values...))
	return b
}

func tensorOf(name string, elem int64, dims []int64) message {
	t := message{}.int(2, elem).text(8, name)
	for _, d := range dims {
		t = t.int(1, d)
	}
	return t
}

func intTensor(name string, values ...int64) message {
	raw := []byte{}
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return tensorOf(name, 7, []int64{int64(len(values))}).sub(9, raw)
}

func floatTensor(name string, values ...float64) message {
	raw := []byte{}
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	return tensorOf(name, 1, []int64{int64(len(values))}).sub(9, raw)
}

// value is an input, an output or a declared value; a negative size is left open under the name "n".
func declared(name string, elem int64, dims ...int64) message {
	shape := message{}
	for _, d := range dims {
		if d < 0 {
			shape = shape.sub(1, message{}.text(2, "n"))
		} else {
			shape = shape.sub(1, message{}.int(1, d))
		}
	}
	return message{}.text(1, name).sub(2, message{}.sub(1, message{}.int(1, elem).sub(2, shape)))
}

func (b *builder) input(name string, dims ...int64) *builder {
	b.g = b.g.sub(11, declared(name, 1, dims...))
	return b
}

func (b *builder) tokens(name string, dims ...int64) *builder {
	b.g = b.g.sub(11, declared(name, 7, dims...))
	return b
}

func (b *builder) output(names ...string) *builder {
	for _, name := range names {
		b.g = b.g.sub(12, message{}.text(1, name))
	}
	return b
}

func (b *builder) declare(name string, dims ...int64) *builder {
	b.g = b.g.sub(13, declared(name, 1, dims...))
	return b
}

func anInt(name string, v int64) message { return message{}.text(1, name).int(20, 2).int(3, v) }
func aFloat(name string, v float64) message {
	return message{}.text(1, name).int(20, 1).float(2, v)
}
func aString(name, v string) message        { return message{}.text(1, name).int(20, 3).text(4, v) }
func aGraph(name string, g message) message { return message{}.text(1, name).int(20, 5).sub(6, g) }
func theInts(name string, v ...int64) message {
	a := message{}.text(1, name).int(20, 7)
	for _, i := range v {
		a = a.int(8, i)
	}
	return a
}
func theFloats(name string, v ...float64) message {
	a := message{}.text(1, name).int(20, 6)
	for _, f := range v {
		a = a.float(7, f)
	}
	return a
}

func read(data []byte, opt Options) (*Model, error) {
	return Import(context.Background(), bytes.NewReader(data), int64(len(data)), opt)
}

func must(t *testing.T, data []byte) *Model {
	t.Helper()
	m, err := read(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func names(s ...string) []string { return s }
