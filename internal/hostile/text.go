package hostile

import "strings"

// Policies are .verifier.yml.
func Policies() map[string]File {
	out := map[string]File{
		"deep lists":  func() string { return "policy: " + fill("[", size) },
		"deep maps":   func() string { return "policy: " + fill("{a: ", size) },
		"deep lines":  func() string { return indented(size) },
		"dashes":      func() string { return fill("- ", size) },
		"keys":        func() string { return numbered("k%d: 1\n", size) },
		"same keys":   func() string { return fill("policy: 1\n", size) },
		"aliases":     func() string { return "a: &a [1]\n" + numbered("k%d: *a\n", size) },
		"laughs":      laughs,
		"long word":   func() string { return "policy: " + fill("x", size) },
		"long key":    func() string { return fill("x", size) + ": 1\n" },
		"waivers":     func() string { return "waivers:\n" + fill("  - {rule: x, reason: y}\n", size) },
		"models":      func() string { return "models:\n" + numbered("  a%d.graph: {max_params: 1}\n", size) },
		"severity":    func() string { return "severity:\n" + numbered("  rule%d: off\n", size) },
		"quotes":      func() string { return `policy: "` + fill(`\x41`, size) + `"` },
		"folded":      func() string { return "policy: |\n" + fill(" x\n", size) },
		"anchors":     func() string { return numbered("a%d: &b%[1]d 1\n", size) },
		"comments":    func() string { return fill("#\n", size) },
		"colons":      func() string { return fill(": ", size) },
		"blanks":      func() string { return fill(" ", size) },
		"many tags":   func() string { return fill("!a ", size) },
		"flow commas": func() string { return "policy: [" + fill("a, ", size) + "]" },
		"waived":      waived,
	}
	for name, file := range YAML(64<<10 - 100) {
		out["as many "+name] = file
	}
	return out
}

// laughs refer to each other, so that the last would be ten times as large as the one before it, nine times over.
func laughs() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for c := '1'; c <= '9'; c++ {
		b.WriteString("a" + string(c) + ": &a" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*a"+string(c-1)+",", 10), ",") + "]\n")
	}
	return b.String()
}

// Scripts are launch commands.
func Scripts() map[string]File {
	return map[string]File{
		"flags":     func() string { return "vllm serve m " + fill("--x 1 ", size) + "\n" },
		"known":     func() string { return "vllm serve m " + fill("--tensor-parallel-size 2 ", size) + "\n" },
		"unknown":   func() string { return "vllm serve m " + numbered("--x%d ", size) + "\n" },
		"long word": func() string { return "vllm serve " + fill("x", size) + "\n" },
		"quotes":    func() string { return "vllm serve '" + fill("x", size) },
		"escapes":   func() string { return "vllm serve " + fill("\\\n", size) },
		"lines":     func() string { return fill("vllm serve m\n", size) },
		"sets":      func() string { return numbered("A%d=1\n", size) + "vllm serve m\n" },
		"doubling":  func() string { return "A=x\n" + strings.Repeat("A=$A$A\n", 4096) + "vllm serve $A\n" },
		"variables": func() string { return "A=xxxxxxxxxxxxxxxx\nvllm serve " + fill("$A", size) + "\n" },
		"long name": func() string { return "vllm serve $" + fill("x", size) + "\n" },
		"long names": func() string {
			return "A=x\nvllm serve " + strings.Repeat("$A"+strings.Repeat("x", 1<<15), size>>16) + "\n"
		},
		"letters":          func() string { return "vllm serve " + fill(`$'\n'`, size) + "\n" },
		"subshells":        func() string { return "vllm serve " + fill("$(", size) + "\n" },
		"comments":         func() string { return fill("#\n", size) },
		"semicolons":       func() string { return fill(";", size) },
		"json":             func() string { return "vllm serve m --hf-overrides '" + fill("[", size) + "'\n" },
		"cards":            func() string { return "vllm serve m -tp 1048575 -dcp 7\n" },
		"letters of flags": func() string { return "vllm serve m " + fill("-q", script) + "\n" },
		"tag":              func() string { return "docker run --gpus all vllm/vllm-openai:" + fill("-", script) + " m\n" },
		"tags":             func() string { return fill("docker run vllm/vllm-openai:"+strings.Repeat("-", 1000)+" m;", script) },
		"numbers": func() string {
			return "text-generation-launcher --model-id m --cuda-graphs " + numbered("%dk,", script) + "\n"
		},
		"choices":  func() string { return "llama-server -m m.gguf --spec-type " + numbered("x%d,", script) + "\n" },
		"names":    func() string { return "vllm serve m --served-model-name" + numbered(" n%046d", script) + "\n" },
		"adapters": func() string { return "vllm serve m --enable-lora --lora-modules" + numbered(" a%d=x", 200_000) + "\n" },
		"more adapters": func() string {
			return "vllm serve m --enable-lora --lora-modules" + numbered(" a%d=x%[1]d", 300_000) + "\n"
		},
		"few adapters": func() string { // each with a file of its own
			return "vllm serve m --enable-lora --lora-modules" + numbered(" a%d=x%[1]d", 8_000) + "\n"
		},
		"few flags": func() string {
			return "python -m sglang.launch_server --model-path m" + numbered(" --attention-backend x%d", 12_000) + "\n"
		},
		"settings": func() string { return numbered("A%d=1\n", script*9/10) + "llama-server -m m.gguf --nothing\n" },
		"variable": func() string { return "vllm serve m $" + fill("x", script/2) + numbered(" --x%d", script/4) + "\n" },
		"speculation": func() string {
			return "vllm serve m --speculative-config '{" + numbered(`"a%d":1,`, script) + `"a":1}'` + "\n"
		},
		"points":        func() string { return "vllm serve m --speculative-config." + fill("a.", script) + "a=1\n" },
		"nested shells": func() string { return fill("sh -c 'vllm serve' ", script) + "\n" },
	}
}

// script is about the size of the largest command that is read.
const script = 1<<20 - 4096

// Tables are comma-separated values.
func Tables() map[string]File {
	return map[string]File{
		"columns":    func() string { return numbered("c%d,", size) + "\n" },
		"rows":       func() string { return "a,label\n" + fill("1,1\n", size) },
		"classes":    func() string { return "a,label\n" + numbered("1,c%d\n", size) },
		"empty":      func() string { return fill(",\n", size) },
		"blank":      func() string { return fill(",,,,,,,,,,,,,,,, \n", size) },
		"long field": func() string { return "a,label\n" + fill("x", size) + ",1\n" },
		"quotes":     func() string { return "a,label\n\"" + fill("x\n", size) },
		"commas":     func() string { return fill(",", size) },
		"lines":      func() string { return fill("\n", size) },
	}
}

// Arrays are NPY headers.
func Arrays() map[string]File {
	head := func(text string) string {
		n := len(text)
		return "\x93NUMPY\x02\x00" + string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) + text
	}
	return map[string]File{
		"long shape": func() string { return head("{'descr': '<f4', 'shape': (" + fill("1,", size) + ")}") },
		"deep":       func() string { return head(fill("(", size)) },
		"long word":  func() string { return head("{'descr': '" + fill("x", size) + "'}") },
		"declared":   func() string { return "\x93NUMPY\x02\x00\xff\xff\xff\xff" },
	}
}

// Records are statements of in-toto, and the envelopes that carry them.
func Records() map[string]File {
	out := map[string]File{}
	for place, around := range map[string]func(v string) string{
		"subject": func(v string) string { return `{"_type":"https://in-toto.io/Statement/v1","subject":` + v + "}" },
		"predicate": func(v string) string {
			return `{"_type":"https://in-toto.io/Statement/v1","subject":[],"predicate":` + v + "}"
		},
		"payload": func(v string) string {
			return `{"payloadType":"application/vnd.in-toto+json","payload":` + v + `,"signatures":[]}`
		},
		"signatures": func(v string) string {
			return `{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":` + v + "}"
		},
	} {
		for name, file := range JSON(around) {
			out[place+"/"+name] = file
		}
	}
	return out
}
