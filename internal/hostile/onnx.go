package hostile

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
)

// wire writes messages of Protocol Buffers: the fields that ONNX has.
type wire struct{}

func (wire) bytes(field int, s string) string {
	return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3|2)), uint64(len(s)))) + s
}

func (wire) number(field int, n uint64) string {
	return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3)), n))
}

// words are a field that is there for each of some words.
func (w wire) words(field int, words ...string) string {
	var b strings.Builder
	for _, s := range words {
		b.WriteString(w.bytes(field, s))
	}
	return b.String()
}

// tensor is one of a type and a shape, with elements that are raw or none.
func (w wire) tensor(name string, elem uint64, raw string, dims ...uint64) string {
	out := w.number(2, elem) + w.bytes(8, name) + w.bytes(9, raw)
	for _, d := range dims {
		out += w.number(1, d)
	}
	return out
}

func (w wire) value(name string, dims ...uint64) string {
	shape := ""
	for _, d := range dims {
		shape += w.bytes(1, w.number(1, d))
	}
	return w.bytes(1, name) + w.bytes(2, w.bytes(1, w.number(1, 1)+w.bytes(2, shape)))
}

// node is an operator with its attributes, domains and names behind.
func (w wire) node(op string, in, out []string, more ...string) string {
	return w.bytes(1, w.words(1, in...)+w.words(2, out...)+w.bytes(4, op)+strings.Join(more, ""))
}

func (w wire) integer(name string, n uint64) string {
	return w.bytes(5, w.bytes(1, name)+w.number(3, n)+w.number(20, 2))
}

func (w wire) integers(name string, count int, n uint64) string {
	return w.bytes(5, w.bytes(1, name)+strings.Repeat(w.number(8, n), count)+w.number(20, 7))
}

// model is a file of operator set 17 with an input x of some size.
func (w wire) model(size uint64, graph string, more ...string) string {
	return w.number(1, 8) + w.bytes(7, w.bytes(11, w.value("x", 1, size))+graph) + w.bytes(8, w.number(2, 17)) + strings.Join(more, "")
}

// call is a function that is called by so many nodes, one behind the other. Its input is a, its result b.
func (w wire) call(calls int, body string) string {
	var b strings.Builder
	for i := range calls {
		b.WriteString(w.node("F", []string{before(i)}, []string{fmt.Sprint("v", i)}, w.bytes(7, "f")))
	}
	function := w.bytes(25, w.bytes(1, "F")+w.bytes(4, "a")+w.bytes(5, "b")+w.bytes(10, "f")+w.bytes(9, w.number(2, 17))+body)
	return w.model(4, b.String()+w.bytes(12, w.value(fmt.Sprint("v", calls-1), 1, 4)), function, w.bytes(8, w.bytes(1, "f")+w.number(2, 1)))
}

func series(name string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(name, i)
	}
	return out
}

func same(name string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = name
	}
	return out
}

// output declares x, the result of graphs that are about something else.
func (w wire) output() string { return w.bytes(12, w.value("x", 1, 4)) }

// many writes so many nodes, each with a result of its own.
func many(count int, each func(out string) string) string {
	var b strings.Builder
	for i := range count {
		b.WriteString(each(fmt.Sprint("y", i)))
	}
	return b.String()
}

// scalars are constants named as they are.
func (w wire) scalars() string {
	return w.bytes(5, w.tensor("zero", 7, "\x00\x00\x00\x00\x00\x00\x00\x00")) + w.bytes(5, w.tensor("one", 7, "\x01\x00\x00\x00\x00\x00\x00\x00")) +
		w.bytes(5, w.tensor("million", 7, "\x00\x00\x10\x00\x00\x00\x00\x00"))
}

// large makes a constant of a million ones.
func (w wire) large() string {
	return w.bytes(5, w.tensor("shape", 7, "\x00\x00\x10\x00\x00\x00\x00\x00", 1)) +
		w.node("ConstantOfShape", []string{"shape"}, []string{"large"}, w.bytes(5, w.bytes(1, "value")+w.bytes(5, w.tensor("", 1, "\x00\x00\x80\x3f", 1))+w.number(20, 4)))
}

// parts makes a constant of 20,000 others.
func (w wire) parts() string {
	var b strings.Builder
	for _, name := range series("m.p", 20_000) {
		b.WriteString(w.bytes(5, w.tensor(name, 1, "\x00\x00\x80\x3f", 1)))
	}
	return b.String() + w.node("Concat", series("m.p", 20_000), []string{"c"}, w.integer("axis", 0))
}

// constants are files of ONNX whose constants, lists and functions are gone over again and again.
func constants() map[string]File {
	out := wire{}.joined()
	maps.Copy(out, wire{}.computed())
	maps.Copy(out, wire{}.called())
	return out
}

// joined are constants made of others, and results in number.
func (w wire) joined() map[string]File {
	return map[string]File{
		"empty rows": func() string {
			return w.model(4, w.bytes(5, w.tensor("a", 1, "", 1<<40, 0))+w.bytes(5, w.tensor("b", 1, "", 1<<40, 0))+w.node("Concat", []string{"a", "b"}, []string{"c"}, w.integer("axis", 1))+w.output())
		},
		"empty columns": func() string {
			return w.model(4, w.large()+w.bytes(5, w.tensor("none", 1, "", 1<<20, 0))+w.bytes(5, w.tensor("two", 7, strings.Repeat("\x00\x00\x10\x00\x00\x00\x00\x00", 1)+"\x01\x00\x00\x00\x00\x00\x00\x00", 2))+
				w.node("Reshape", []string{"large", "two"}, []string{"tall"})+w.node("Concat", append([]string{"tall"}, same("none", 100_000)...), []string{"c"}, w.integer("axis", 1))+w.output())
		},
		"parts joined": func() string {
			return w.model(4, w.parts()+w.node("Concat", same("c", 100_000), []string{"d"}, w.integer("axis", 0))+w.output())
		},
		"parts read": func() string {
			return w.model(4, w.parts()+w.node("Fancy", append([]string{"x"}, same("c", 100_000)...), []string{"y"})+w.bytes(12, w.value("y", 1, 4)))
		},
		"parts added": func() string {
			return w.model(20_000, w.parts()+many(100_000, func(out string) string { return w.node("Add", []string{"x", "c"}, []string{out}) })+w.bytes(12, w.value("y99999", 1, 20_000)))
		},
		"unknown results": func() string {
			var outputs strings.Builder
			for _, name := range series("y", 50_000) {
				outputs.WriteString(w.bytes(12, w.value(name, 1, 4)))
			}
			return w.model(4, w.node("Fancy", same("x", 50_000), series("y", 50_000))+outputs.String())
		},
		"split results": func() string {
			var outputs strings.Builder
			for _, name := range series("y", 20_000) {
				outputs.WriteString(w.bytes(12, w.value(name, 1, 1)))
			}
			return w.model(20_000, w.node("Split", []string{"x"}, series("y", 20_000), w.integer("axis", 1))+outputs.String())
		},
		"pieces": func() string {
			return w.model(4, w.bytes(5, w.tensor("w", 1, fill("\x00\x00\x80\x3f", 200_000), 50_000))+w.node("Split", []string{"w"}, series("y", 50_000), w.integer("axis", 0), w.integers("split", 50_000, 1))+w.output())
		},
	}
}

// computed are nodes that make much of little.
func (w wire) computed() map[string]File {
	return map[string]File{
		"ranges": func() string {
			return w.model(4, w.scalars()+many(190_000, func(out string) string { return w.node("Range", []string{"zero", "million", "one"}, []string{out}) })+w.output())
		},
		"non zeros": func() string {
			return w.model(4, w.large()+many(190_000, func(out string) string { return w.node("NonZero", []string{"large"}, []string{out}) })+w.output())
		},
		"reductions": func() string {
			return w.model(4, w.large()+many(190_000, func(out string) string { return w.node("ReduceMax", []string{"large"}, []string{out}) })+w.output())
		},
		"wide constants": func() string {
			return w.model(4, w.large()+w.bytes(5, w.tensor("wide", 7, "\x00\x00\x10\x00\x00\x00\x00\x00"+strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x00", 63), 64))+w.node("Reshape", []string{"large", "wide"}, []string{"rank"})+
				many(90_000, func(out string) string {
					return w.node("NonZero", []string{"rank"}, []string{out + "n"}) + w.node("Transpose", []string{"rank"}, []string{out})
				})+w.output())
		},
		"lists": func() string {
			return w.model(1<<20, w.bytes(5, w.tensor("sizes", 7, "\x00\x00\x10\x00\x00\x00\x00\x00"+fill("\x00", 8<<18), 1+1<<18))+many(100_000, func(out string) string {
				return w.node("Split", []string{"x", "sizes"}, []string{out}, w.integer("axis", 1))
			})+w.output())
		},
		"sequences": func() string {
			return w.model(1<<20, many(100_000, func(out string) string {
				return w.node("SplitToSequence", []string{"x"}, []string{out}, w.integer("axis", 1))
			})+w.output())
		},
	}
}

// called are functions that are called again and again, and masks.
func (w wire) called() map[string]File {
	return map[string]File{
		"triangles": triangles,
		"function defaults": func() string {
			return w.call(100_000, strings.Repeat(w.bytes(11, w.bytes(1, "k")+w.number(3, 1)+w.number(20, 2)), 100_000)+w.function(w.node("Relu", []string{"a"}, []string{"b"})))
		},
		"function attributes": func() string {
			attrs := strings.Repeat(w.bytes(5, w.bytes(1, "k")+w.bytes(21, "r")+w.number(20, 2)), 999)
			return w.call(100_000, w.bytes(11, w.bytes(1, "r")+w.number(3, 1)+w.number(20, 2))+w.function(w.node("Relu", []string{"a"}, []string{"b"}, attrs)))
		},
		"function lists": func() string {
			return w.call(100_000, w.function(w.node("Relu", []string{"a"}, []string{"b"})+w.node("Constant", nil, []string{"c"}, w.integers("value_ints", 1<<20, 1))))
		},
		"function inputs": func() string {
			return w.call(100_000, w.function(w.node("Sum", same("a", 100_000), []string{"b"})))
		},
		"function names": func() string {
			return w.call(100_000, w.function(w.node("Relu", []string{"a"}, []string{fill("n", 1<<20)})+w.node("Relu", []string{"a"}, []string{"b"}, w.bytes(3, fill("n", 1<<20)))))
		},
		"function scopes": func() string {
			scopes := w.bytes(9, w.bytes(1, "pkg.torch.onnx.name_scopes")+w.bytes(2, fill("',", 1<<20)))
			return w.call(100_000, w.function(w.node("Relu", []string{"a"}, []string{"b"}, scopes)))
		},
	}
}

// function makes the nodes of a graph those of a function.
func (w wire) function(nodes string) string {
	var b strings.Builder
	for rest := nodes; rest != ""; {
		n, width := binary.Uvarint([]byte(rest[1:min(len(rest), 12)]))
		b.WriteString(w.bytes(7, rest[1+width:1+width+int(n)]))
		rest = rest[1+width+int(n):]
	}
	return b.String()
}

// triangles are very many products that read one softmax behind one large mask.
func triangles() string {
	const n = 1024
	w := wire{}
	mask := make([]byte, n*n)
	for i := range mask {
		if i%n <= i/n {
			mask[i] = 1
		}
	}
	var b strings.Builder
	b.WriteString(w.bytes(5, w.tensor("mask", 9, string(mask), n, n)) + w.bytes(5, w.tensor("low", 1, "\x00\x00\x80\xff")))
	b.WriteString(w.bytes(11, w.value("q", 1, n, 4)) + w.bytes(11, w.value("k", 1, 4, n)))
	b.WriteString(w.node("MatMul", []string{"q", "k"}, []string{"s"}) + w.node("Where", []string{"mask", "s", "low"}, []string{"t"}) + w.node("Softmax", []string{"t"}, []string{"p"}))
	for _, out := range series("y", 190_000) {
		b.WriteString(w.node("MatMul", []string{"p", "q"}, []string{out}))
	}
	return w.model(4, b.String()+w.bytes(12, w.value("y189999", 1, n, 4)))
}
