package hostile

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
)

// size is that of the largest files that are drawn.
const size = 8 << 20

// beside is room for what stands beside a value in a file.
const beside = 1 << 12

func fill(unit string, bytes int) string { return strings.Repeat(unit, bytes/len(unit)) }

// numbered repeats a format with its number.
func numbered(format string, bytes int) string {
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// JSON are documents that are expensive for any reader of JSON: deep, with many members, long words and long numbers. Around puts each into
// a document of the kind that is read.
func JSON(around func(value string) string) map[string]File { return jsonOf(size, around) }

// jsonOf are those documents with values of a size: a file that is larger than its reader takes is refused before it is read.
func jsonOf(size int, around func(value string) string) map[string]File {
	out := map[string]File{}
	for name, value := range map[string]func() string{
		"deep lists":     func() string { return fill("[", size) },
		"closed lists":   func() string { return fill("[", size/2) + fill("]", size/2) },
		"deep objects":   func() string { return fill(`{"a":`, size) },
		"many items":     func() string { return "[" + fill("1,", size) + "1]" },
		"many empty":     func() string { return "[" + fill("{},", size) + "{}]" },
		"many members":   func() string { return "{" + numbered(`"k%d":1,`, size) + `"z":1}` },
		"same members":   func() string { return "{" + fill(`"a":1,`, size) + `"a":1}` },
		"long word":      func() string { return `"` + fill("x", size) + `"` },
		"escaped word":   func() string { return `"` + fill(`\u0041`, size) + `"` },
		"long name":      func() string { return `{"` + fill("x", size) + `":1}` },
		"long number":    func() string { return fill("9", size) },
		"long fraction":  func() string { return "0." + fill("3", size) },
		"large exponent": func() string { return "[" + fill("1e999999999,", size) + "1]" },
		"open word":      func() string { return `"` + fill("x", size) },
		"blanks":         func() string { return fill(" ", size) },
		"bad bytes":      func() string { return `"` + fill("\xff", size) + `"` },
	} {
		out[name] = func() string { return around(value()) }
	}
	return out
}

// Configs are config.json of transformers.
func Configs() map[string]File {
	const most = 4<<20 - beside // a config.json may have 4 MiB
	out := jsonOf(most, func(v string) string {
		return `{"model_type":"llama","architectures":["LlamaForCausalLM"],"extra":` + v + "}"
	})
	for name, file := range jsonOf(most, func(v string) string { return `{"model_type":` + v + "}" }) {
		out["model_type "+name] = file
	}
	for name, file := range jsonOf(most, func(v string) string { return `{"model_type":"llama","layer_types":` + v + "}" }) {
		out["layer_types "+name] = file
	}
	for name, text := range map[string]string{
		"layers":  `{"model_type":"llama","num_hidden_layers":%d}`,
		"deep t5": `{"model_type":"t5","num_layers":%d,"num_decoder_layers":%[1]d}`,
		"experts": `{"model_type":"mixtral","num_local_experts":%d,"num_hidden_layers":32}`,
		"vision":  `{"model_type":"vit","num_hidden_layers":%d}`,
	} {
		for _, n := range []int64{1 << 20, 1 << 31, 1<<63 - 1} {
			out[fmt.Sprint(name, " ", n)] = Text(fmt.Sprintf(text, n))
		}
	}
	maps.Copy(out, listedLayers())
	out["a long class"] = func() string { return `{"model_type":"bert","architectures":["` + fill("B", most) + `"]}` }
	out["a long size"] = func() string { return `{"model_type":"mixtral","num_local_experts":` + fill("9", most) + "}" }
	return out
}

// listedLayers name layers in a list, which each layer looks into.
func listedLayers() map[string]File {
	out := map[string]File{}
	for name, text := range map[string]string{
		"qwen2_moe":   `"num_hidden_layers":100000,"mlp_only_layers":[%s1]`,
		"bamba":       `"num_hidden_layers":100000,"attn_layer_indices":[%s1]`,
		"llama4_text": `"num_hidden_layers":100000,"moe_layers":[%s1]`,
		"lfm2":        `"num_hidden_layers":100000,"full_attn_idxs":[%s1]`,
		"kimi_linear": `"num_hidden_layers":100000,"linear_attn_config":{"full_attn_layers":[1],"kda_layers":[%s1]}`,
		"mllama":      `"text_config":{"num_hidden_layers":100000,"cross_attention_layers":[%s1]}`,
		"reformer":    `"num_hidden_layers":100000,"attn_layers":[` + strings.Repeat(`"local",`, 400_000) + `"local"]`,
		"convnext":    `"num_stages":100000,"depths":[%s1],"hidden_sizes":[%[1]s1]`,
		"pvt":         `"num_encoder_blocks":100000,"depths":[%s1],"hidden_sizes":[%[1]s1],"patch_sizes":[%[1]s1],"strides":[%[1]s1]`,
	} {
		list := fill("1,", 980_000/(1+strings.Count(text, "%[1]s")))
		out["listed "+name] = func() string {
			if strings.Contains(text, "%") {
				text = fmt.Sprintf(text, list)
			}
			return `{"model_type":"` + name + `",` + text + `}`
		}
	}
	out["long list"] = func() string {
		return `{"model_type":"qwen2_moe","num_hidden_layers":100000,"mlp_only_layers":[` + fill("1,", 4_000_000) + `1]}`
	}
	return out
}

// Graphs are models in the project's JSON.
func Graphs() map[string]File {
	out := JSON(func(v string) string { return `{"components":` + v + "}" })
	for name, file := range JSON(func(v string) string {
		return `{"components":[{"id":"a","type":"input","params":{"shape":` + v + "}}]}"
	}) {
		out["params "+name] = file
	}
	for name, text := range map[string]func() string{
		"inputs": func() string {
			return `{"components":[` + numbered(`{"id":"a%d","type":"input"},`, size) + `{"id":"z","type":"output"}]}`
		},
		"unknown types": func() string {
			return `{"components":[` + numbered(`{"id":"a%d","type":"linaer%[1]d"},`, size) + `{"id":"z","type":"output"}]}`
		},
		"same ids": func() string {
			return `{"components":[` + fill(`{"id":"a","type":"relu"},`, size) + `{"id":"a","type":"relu"}]}`
		},
		"connections": func() string {
			return `{"components":[{"id":"a","type":"input"},{"id":"b","type":"output"}],"connections":[` + fill(`{"from":"a","to":"b"},`, size) + `{"from":"a","to":"b"}]}`
		},
		"lost ends": func() string {
			return `{"components":[],"connections":[` + numbered(`{"from":"a%d","to":"b"},`, size) + `{"from":"a","to":"b"}]}`
		},
		"chain": func() string {
			return `{"components":[` + numbered(`{"id":"a%d","type":"relu"},`, size/2) + `{"id":"z","type":"output"}],"connections":[` + numbered(`{"from":"a%d","to":"a1"},`, size/2) + `{"from":"a0","to":"z"}]}`
		},
	} {
		out[name] = text
	}
	return out
}

// Neurarch are graph files of the Neurarch editor, which are told by the ports of their components.
func Neurarch() map[string]File {
	marked := func(components, connections string) string {
		return `{"components":[{"id":"x","type":"input","params":{"shape":[1,3,8,8]},"inputs":[],"outputs":["out"]},` + components +
			`{"id":"z","type":"output","inputs":["in"],"outputs":[]}],"connections":[` + connections + `{"from":"x","to":"z"}]}`
	}
	return map[string]File{
		"convolutions": func() string {
			return marked(numbered(`{"id":"a%d","type":"conv2d","params":{"outChannels":8},"inputs":["in"],"outputs":["out"]},`, size), "")
		},
		"hints": func() string {
			return marked(numbered(`{"id":"a%d","type":"linear","outputShape":[1,2,3,4,5,6,7,8],"inputs":[],"outputs":[]},`, size), "")
		},
		"unknown params": func() string {
			return marked(numbered(`{"id":"a%d","type":"swiglu","params":{"k%[1]d":1,"dim":"6"},"inputs":[],"outputs":[]},`, size), "")
		},
		"unknown types": func() string {
			return marked(numbered(`{"id":"a%d","type":"linaer%[1]d","inputs":[],"outputs":[]},`, size), "")
		},
		"many params": func() string { // as many as a component and a graph may have
			return marked(numbered(`{"id":"a%d","type":"relu","inputs":[],"outputs":[],"params":{`+numbered(`"k%d":1,`, 9_000)+`"z":1}},`, 800_000), "")
		},
		"norms": func() string { // each learns its size from the one before
			return marked(numbered(`{"id":"a%d","type":"layerNorm","inputs":[],"outputs":[]},`, 110_000), `{"from":"x","to":"a0"},`+follows(1_500))
		},
		"ports": func() string {
			return marked(`{"id":"a","type":"add","inputs":[`+fill(`"in",`, size)+`"in"],"outputs":[]},`, "")
		},
		"star": func() string {
			return marked(numbered(`{"id":"a%d","type":"attention","params":{"hiddenDim":8},"inputs":[],"outputs":[]},`, size/2), numbered(`{"from":"x","to":"a%d"},`, size/2))
		},
		"chain": func() string {
			return marked(numbered(`{"id":"a%d","type":"batchNorm","inputs":[],"outputs":[]},`, size/2), `{"from":"x","to":"a0"},`+numbered(`{"from":"a0","to":"a%d"},`, size/2))
		},
	}
}

// follows are connections of a chain.
func follows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"from":"a%d","to":"a%d"},`, i, i+1)
	}
	return b.String()
}

// Notation are models in the text notation.
func Notation() map[string]File {
	return map[string]File{
		"components":      func() string { return numbered("a%d: relu\n", size) },
		"same":            func() string { return fill("a: relu\n", size) },
		"chain":           func() string { return "a: relu\n" + fill("a -> ", size) + "a\n" },
		"long word":       func() string { return fill("a", size) + ": relu\n" },
		"long type":       func() string { return "a: " + fill("r", size) + "\n" },
		"params":          func() string { return "a: linear " + numbered("k%d=1 ", size) + "\n" },
		"deep":            func() string { return "a: input shape=" + fill("[", size) + "\n" },
		"long shape":      func() string { return "a: input shape=[" + fill("1,", size) + "1]\n" },
		"long number":     func() string { return "a: linear inFeatures=" + fill("9", size) + "\n" },
		"blanks":          func() string { return fill(" ", size) },
		"lines":           func() string { return fill("\n", size) },
		"lines behind":    func() string { return "a: relu\n" + fill("\n", size) },
		"comments behind": func() string { return "a: relu\n" + fill("//:\n", size) },
		"comments":        func() string { return fill("//\n", size) },
		"quotes":          func() string { return `graph "` + fill("x", size) },
		"connects":        func() string { return "a: input\nb: output\n" + fill("a -> b\n", size) },
		"unknown":         func() string { return numbered("a%d: linaer%[1]d\n", size) },
	}
}

// Safetensors are headers with what follows them.
func Safetensors() map[string]File {
	out := map[string]File{}
	header := func(text string) string {
		return string(binary.LittleEndian.AppendUint64(nil, uint64(len(text)))) + text
	}
	for name, file := range JSON(func(v string) string { return `{"a":` + v + "}" }) {
		out[name] = func() string { return header(file()) }
	}
	out["tensors"] = func() string {
		return header("{" + numbered(`"t%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},`, size) + `"z":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`)
	}
	out["long shape"] = func() string {
		return header(`{"a":{"dtype":"F32","shape":[`+fill("1,", size)+`1],"data_offsets":[0,4]}}`) + "1234"
	}
	out["metadata"] = func() string { return header(`{"__metadata__":{` + numbered(`"k%d":"v",`, size) + `"z":"v"}}`) }
	for _, n := range []uint64{1 << 20, 100_000_000, 1 << 40, 1<<64 - 1} {
		out[fmt.Sprint("declared ", n)] = func() string { return string(binary.LittleEndian.AppendUint64(nil, n)) + "{}" }
	}
	return out
}

// GGUF are files of llama.cpp.
func GGUF() map[string]File {
	const u32, str, list, u8 = 4, 8, 9, 0
	le := binary.LittleEndian
	text := func(b []byte, s string) []byte { return append(le.AppendUint64(b, uint64(len(s))), s...) }
	head := func(tensors, pairs uint64) []byte {
		return le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte("GGUF"), 3), tensors), pairs)
	}
	pair := func(b []byte, key string, kind uint32) []byte { return le.AppendUint32(text(b, key), kind) }
	out := map[string]File{}
	for _, n := range []uint64{1 << 16, 1 << 24, 1 << 32, 1<<64 - 1} {
		out[fmt.Sprint("tensors ", n)] = func() string { return string(head(n, 0)) }
		out[fmt.Sprint("pairs ", n)] = func() string { return string(head(0, n)) }
		out[fmt.Sprint("word ", n)] = func() string { return string(le.AppendUint64(pair(head(0, 1), "a", str), n)) }
		out[fmt.Sprint("list ", n)] = func() string { return string(le.AppendUint64(le.AppendUint32(pair(head(0, 1), "a", list), u8), n)) }
		out[fmt.Sprint("words ", n)] = func() string {
			return string(le.AppendUint64(le.AppendUint32(pair(head(0, 1), "a", list), str), n)) + fill("\x00", size)
		}
		out[fmt.Sprint("key ", n)] = func() string { return string(le.AppendUint64(head(0, 1), n)) }
	}
	out["many pairs"] = func() string {
		const n = size / 21
		b := head(0, n)
		for i := range n {
			b = le.AppendUint32(pair(b, fmt.Sprintf("k%07d", i), u32), 1)
		}
		return string(b)
	}
	out["nested lists"] = func() string {
		b := pair(head(0, 1), "a", list)
		for len(b) < size {
			b = le.AppendUint64(le.AppendUint32(b, list), 1)
		}
		return string(b)
	}
	out["empty lists"] = func() string {
		const n = size / 12
		b := le.AppendUint64(le.AppendUint32(pair(head(0, 1), "a", list), list), n)
		for range n {
			b = le.AppendUint64(le.AppendUint32(b, u8), 0)
		}
		return string(b)
	}
	out["many tensors"] = func() string {
		const n = size / 44
		b := head(n, 0)
		for i := range n {
			b = le.AppendUint32(text(b, fmt.Sprintf("t%07d", i)), 1)
			b = le.AppendUint64(le.AppendUint32(le.AppendUint64(b, 0), 0), 0)
		}
		return string(b)
	}
	return out
}

// ONNX are files of ONNX, of the parts of Protocol Buffers that are needed for them.
func ONNX() map[string]File {
	bytes, number := wire{}.bytes, wire{}.number
	node := func(op, in, out, more string) string { return bytes(1, in) + bytes(2, out) + bytes(4, op) + more }
	value := func(name string) string {
		return bytes(1, name) + bytes(2, bytes(1, number(1, 1)+bytes(2, bytes(1, number(1, 1))+bytes(1, number(1, 4)))))
	}
	model := func(graph string, more ...string) string {
		return number(1, 8) + bytes(7, bytes(11, value("x"))+graph) + bytes(8, number(2, 17)) + strings.Join(more, "")
	}
	nodes := func(count int, each func(i int) string) string {
		var b strings.Builder
		for i := range count {
			b.WriteString(bytes(1, each(i)))
		}
		return b.String()
	}
	chain := func(op string, count int) string {
		return nodes(count, func(i int) string { return node(op, before(i), fmt.Sprint("v", i), "") }) + bytes(12, value(fmt.Sprint("v", count-1)))
	}
	captures := func(calls, reads int) string {
		body := nodes(reads, func(i int) string { return node("Relu", "a", fmt.Sprint("r", i), "") })
		loop := node("Loop", "a", "b", bytes(5, bytes(1, "body")+bytes(6, body)+number(20, 5)))
		function := bytes(25, bytes(1, "F")+bytes(4, "a")+bytes(5, "b")+bytes(7, loop)+bytes(10, "f")+bytes(9, number(2, 17)))
		return model(nodes(calls, func(i int) string { return node("F", before(i), fmt.Sprint("v", i), bytes(7, "f")) })+bytes(12, value(fmt.Sprint("v", calls-1))), function, bytes(8, bytes(1, "f")+number(2, 1)))
	}
	out := map[string]File{
		"captures":      func() string { return captures(20_000, 40_000) },
		"many captures": func() string { return captures(100_000, 100_000) },
		"relus":         func() string { return model(chain("Relu", 100_000)) },
		"adds": func() string {
			return model(nodes(100_000, func(i int) string { return bytes(1, before(i)) + node("Add", before(i), fmt.Sprint("v", i), "") }) + bytes(12, value("v99999")))
		},
		"unsqueezes": func() string { return model(chain("Unsqueeze", 100_000)) },
		"unknown":    func() string { return model(chain("Fancy", 100_000)) },
		"identities": func() string { return model(chain("Identity", 100_000)) },
		"casts":      func() string { return model(chain("Cast", 100_000)) },
		"one reads all": func() string {
			return model(chain("Relu", 50_000) + bytes(1, reads(bytes, 50_000)+node("Concat", "x", "y", bytes(5, bytes(1, "axis")+number(3, 1)+number(20, 2)))))
		},
		"deep graphs": func() string { return model(deepGraphs(bytes, number, node, 5_000)) },
		"reversed": func() string {
			return model(nodes(100_000, func(i int) string { return node("Relu", before(99_999-i), fmt.Sprint("v", 99_999-i), "") }) + bytes(12, value("v99999")))
		},
		"inputs":    func() string { return model(strings.Repeat(bytes(11, value("y")), 200_000)) },
		"long name": func() string { return model(bytes(1, node(fill("x", size), "x", "y", ""))) },
		"attributes": func() string {
			return model(bytes(1, node("Relu", "x", "y", strings.Repeat(bytes(5, bytes(1, "a")+number(3, 1)), 500_000))))
		},
		"dims": func() string { return model(bytes(5, strings.Repeat(number(1, 1), size/2)+bytes(8, "w")+number(2, 1))) },
		"initialisers": func() string {
			return model(strings.Repeat(bytes(5, number(1, 1)+bytes(8, "w")+number(2, 1)), 400_000))
		},
		"declared length": func() string { return string(binary.AppendUvarint([]byte{7<<3 | 2}, 1<<62)) },
		"empty fields":    func() string { return fill("\x3a\x00", size) },
	}
	maps.Copy(out, constants())
	return out
}

// before is the value that the node with a number reads.
func before(i int) string {
	if i == 0 {
		return "x"
	}
	return fmt.Sprint("v", i-1)
}

func reads(bytes func(int, string) string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(bytes(1, fmt.Sprint("v", i)))
	}
	return b.String()
}

// deepGraphs are loops in the bodies of loops.
func deepGraphs(bytes func(int, string) string, number func(int, uint64) string, node func(op, in, out, more string) string, levels int) string {
	inner := bytes(1, node("Relu", "x", "y", ""))
	for range levels {
		inner = bytes(1, node("Loop", "x", "z", bytes(5, bytes(1, "body")+bytes(6, inner)+number(20, 5))))
	}
	return inner
}
