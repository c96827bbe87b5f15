package onnx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// bare is a node with results that may be left out, or none at all.
func (b *builder) bare(op string, in, out []string) *builder {
	n := message{}.text(4, op)
	for _, s := range in {
		n = n.text(1, s)
	}
	for _, s := range out {
		n = n.text(2, s)
	}
	b.g = b.g.sub(1, n)
	return b
}

// Every operator is given no result, its first result alone left out, and one more than it has.
func TestNodesWithoutTheirFirstResultAreNoFaultOfOurs(t *testing.T) {
	for _, op := range operatorNames {
		for _, in := range [][]string{names("x"), names("x", "x"), names("x", "w"), names("w", "x"), names("x", "x", "x")} {
			for _, out := range [][]string{{}, names(""), names("", "y"), names("h", "y"), names("", "", "y")} {
				b := (&builder{}).input("x", 1, 4).floats("w", 4).declare("y", 1, 4).bare(op, in, out)
				last := "x"
				if slices.Contains(out, "y") {
					last = "y"
				}
				holds(t, model(13, b.bare("Relu", names(last), names("z")).output("z").g))
			}
		}
	}
}

// typed adds an output with its shape.
func (b *builder) typed(name string, dims ...int64) *builder {
	b.g = b.g.sub(12, declared(name, 1, dims...))
	return b
}

func TestFusedPatternsWantOneResult(t *testing.T) {
	start := func() *builder { return (&builder{}).input("x", 1, 4) }
	data := model(13, start().bare("Mul", names("x", "x"), nil).bare("Relu", names("x"), names("y")).output("y").g)
	refuses(t, "a product without a result", bytes.NewReader(data), int64(len(data)), Options{}, "node Mul (Mul): it has no result")
	data = model(13, start().bare("Div", names("x", "x"), nil).output("x").g)
	refuses(t, "a quotient without a result", bytes.NewReader(data), int64(len(data)), Options{}, "node Div (Div): it has no result")

	m := must(t, model(13, start().bare("Relu", names("x"), names("", "y")).typed("y", 1, 4).g))
	if got := summary(m); !strings.HasPrefix(got, "customModule") {
		t.Errorf("a result that Relu does not have is %s", got)
	}
	// A sigmoid gate that has a second result is not fused: that result would be lost.
	m = must(t, model(13, start().declare("y", 1, 4).bare("Sigmoid", names("x"), names("s")).bare("Mul", names("x", "s"), names("h", "y")).bare("Relu", names("y"), names("z")).output("z").g))
	if got := summary(m); strings.Contains(got, "silu") {
		t.Errorf("a product with two results is %s", got)
	}
}

func TestLSTMWithoutItsSequenceIsRead(t *testing.T) {
	b := (&builder{}).input("x", 1, 5, 3).floats("m.w", 1, 8, 3).floats("m.r", 1, 8, 2)
	b.g = b.g.sub(1, operation("LSTM", names("x", "m.w", "m.r"), names("", "y"), anInt("layout", 1)))
	if got := summary(must(t, model(14, b.output("y").g))); !strings.HasPrefix(got, "lstm") {
		t.Errorf("an LSTM of which the last state is used alone is %s", got)
	}
}

// A causal mask is looked at once, however many attentions have it: the numbers of all of them would be more than are computed.
func TestOneMaskIsLookedAtOnce(t *testing.T) {
	const n, heads = 64, 40
	mask := make([]byte, n*n)
	for i := range mask {
		if i%n <= i/n {
			mask[i] = 1
		}
	}
	b := (&builder{}).input("q", 1, n, 4).input("k", 1, 4, n)
	b.g = b.g.sub(5, tensorOf("mask", 9, []int64{n, n}).sub(9, mask)).sub(5, tensorOf("low", 1, nil).sub(9, []byte{0, 0, 0x80, 0xff}))
	b.bare("MatMul", names("q", "k"), names("s")).bare("Where", names("mask", "s", "low"), names("t")).bare("Softmax", names("t"), names("p"))
	last := "q"
	for i := range heads {
		to := fmt.Sprint("y", i)
		b.bare("MatMul", names("p", last), names(to))
		last = to
	}
	looked := 0
	im := decodedAs(t, model(13, b.output(last).g))
	im.loaded = func(t *tensor, _ int64) {
		if t.name == "mask" {
			looked++
		}
	}
	if _, err := im.model(); err != nil || looked > 1 {
		t.Errorf("the mask was read %d times; %v", looked, err)
	}
}

func decodedAs(t *testing.T, data []byte) *reading {
	t.Helper()
	im := &reading{opt: Options{Limits: graph.LocalLimits}, src: &source{ctx: testContext, r: bytes.NewReader(data), size: int64(len(data))}, batch: 1}
	d := &decoder{source: im.src}
	if err := d.readModel(); err != nil {
		t.Fatal(err)
	}
	im.proto = &d.model
	return im
}

// TestTheGraphIsBounded holds that what is made is as large as the caller allows, with the number in the message.
func TestTheGraphIsBounded(t *testing.T) {
	series := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint("y", i)
		}
		return out
	}
	same := slices.Repeat(names("x"), 50)
	unknown := (&builder{}).input("x", 1, 4)
	unknown.bare("Fancy", same, series(50))
	for _, name := range series(50) {
		unknown.typed(name, 1, 4)
	}
	split := (&builder{}).input("x", 1, 50)
	split.g = split.g.sub(1, operation("Split", names("x"), series(50), anInt("axis", 1)))
	split.output(series(50)...)
	for what, c := range map[string]struct {
		g      message
		limits graph.Limits
		words  string
	}{
		"components":  {unknown.g, graph.Limits{Components: 20}, "the model has more than 20 components"},
		"connections": {unknown.g, graph.Limits{Connections: 1000}, "the model has more than 1000 connections"},
		"values":      {split.g, graph.Limits{Values: 1000}, "the lists among the model's parameters have more than 1000 items"},
	} {
		data := model(13, c.g)
		refuses(t, what, bytes.NewReader(data), int64(len(data)), Options{Limits: c.limits}, c.words)
		must(t, data)
	}
}

// Of constants that are made of many tensors each tensor is listed once, and of a node that reads one again and again once too.
func TestPartsOfConstantsAreListedOnce(t *testing.T) {
	b := (&builder{}).input("x", 1, 4)
	for i := range 100 {
		b.floats(fmt.Sprint("m.p", i), 1)
	}
	parts := make([]string, 100)
	for i := range parts {
		parts[i] = fmt.Sprint("m.p", i)
	}
	b.g = b.g.sub(1, operation("Concat", parts, names("c"), anInt("axis", 0)))
	b.g = b.g.sub(1, operation("Concat", slices.Repeat(names("c"), 1000), names("d"), anInt("axis", 0)))
	im := decodedAs(t, model(13, b.node("Relu", names("x"), names("y")).output("y").g))
	if err := im.evaluate(); err != nil {
		t.Fatal(err)
	}
	if im.tracked != 200 {
		t.Errorf("%d parts were gone over, want 100 for each of the two nodes", im.tracked)
	}
}

func TestNamesAndAttributesOfFunctionsAreBounded(t *testing.T) {
	long := model(13, (&builder{}).input("x", 1, 4).node("Relu", names("x"), names(strings.Repeat("n", maxName+1))).output("y").g)
	refuses(t, "a long name", bytes.NewReader(long), int64(len(long)), Options{}, fmt.Sprintf("longer than %d", maxName))
	f := message{}.text(1, "F").text(10, "pkg")
	for range maxAttrs + 1 {
		f = f.sub(11, anInt("k", 1))
	}
	many := model(13, (&builder{}).input("x", 1, 4).node("Relu", names("x"), names("y")).output("y").g, f)
	refuses(t, "many defaults", bytes.NewReader(many), int64(len(many)), Options{}, fmt.Sprintf("a function has more than %d attributes", maxAttrs))
}
